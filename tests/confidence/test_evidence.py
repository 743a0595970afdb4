"""The numbers that tell how sure a prediction is, against plain loops over all label sets."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from setwise.confidence import COLUMNS, Evidence
from setwise.labels import LabelMatrix, SetCalibration, Support
from setwise.models import BinaryRelevance, EnergyNetwork
from setwise.prediction import Recipe
from tests.models.corpora import name_lists, small_corpus

X, y = small_corpus(n=80)
LABELS = LabelMatrix.of(y)
SUPPORT = Support.of(LABELS)
POSTERIOR = BinaryRelevance(0.01).fit(X, y).posterior(X)
EVERY_SET = np.array(list(product([0, 1], repeat=y.shape[1])))


def column(evidence: Evidence, name: str) -> Any:
    return evidence.columns[:, COLUMNS.index(name)]


@pytest.mark.parametrize(
    "recipe",
    [
        Recipe("support", "gfm", calibration=SetCalibration(0.7, 0.5, -0.1)),
        Recipe("support", "most_probable"),
        Recipe("exact", "gfm"),
        Recipe("exact", "threshold", threshold=0.3, at_least_one=True),
        Recipe("sampled", "gfm", n_samples=200),
        Recipe("mode", "most_probable"),
    ],
    ids=lambda recipe: f"{recipe.inference}, {recipe.decision}",
)
class TestEveryRecipe:
    def test_the_decision_is_that_of_the_recipe(self, recipe: Recipe) -> None:
        evidence, decision = Evidence.of(recipe, POSTERIOR, SUPPORT, X), recipe.decide(POSTERIOR, SUPPORT)
        assert_array_equal(evidence.decision.sets.toarray(), decision.sets.toarray())
        assert_array_equal(evidence.decision.value, decision.value)
        assert_array_equal(column(evidence, "expected_f1"), np.nan_to_num(decision.value))

    def test_sizes_counts_and_features(self, recipe: Recipe) -> None:
        evidence = Evidence.of(recipe, POSTERIOR, SUPPORT, X)
        sets = evidence.decision.sets.toarray()
        assert_array_equal(column(evidence, "size"), sets.sum(axis=1))
        counts = [(y == row).all(axis=1).sum() for row in sets]
        assert_allclose(column(evidence, "log_count"), np.log1p(counts))
        assert_allclose(column(evidence, "log_n_features"), np.log1p((X.toarray() != 0).sum(axis=1)))
        assert_array_equal(column(evidence, "coverage"), np.ones(len(y)))

    def test_all_numbers_are_finite(self, recipe: Recipe) -> None:
        assert np.isfinite(Evidence.of(recipe, POSTERIOR, SUPPORT, X).columns).all()


def test_probability_and_margin_over_the_support() -> None:
    recipe = Recipe("support", "gfm", calibration=SetCalibration(0.7, 0.5, -0.1))
    evidence = Evidence.of(recipe, POSTERIOR, SUPPORT, X)
    sets = SUPPORT.sets.indicator.toarray()
    beliefs = np.concatenate([block.beliefs.probability for block in recipe.blocks(POSTERIOR, SUPPORT)])  # type: ignore[union-attr]
    unseen = 0
    for i, chosen in enumerate(evidence.decision.sets.toarray()):
        same = (sets == chosen).all(axis=1)
        unseen += not same.any()
        probability = beliefs[i, same].sum()
        assert column(evidence, "set_probability")[i] == pytest.approx(probability)
        assert column(evidence, "margin")[i] == pytest.approx(probability - beliefs[i, ~same].max())
    assert unseen > 0


def test_probability_and_margin_of_independent_labels() -> None:
    evidence = Evidence.of(Recipe("exact", "gfm"), POSTERIOR, SUPPORT, X)
    marginals = POSTERIOR.marginals()
    for i, chosen in enumerate(evidence.decision.sets.toarray()):
        chances = np.where(EVERY_SET, marginals[i], 1.0 - marginals[i]).prod(axis=1)
        same = (chosen == EVERY_SET).all(axis=1)
        flips = np.abs(EVERY_SET - chosen).sum(axis=1) == 1
        assert column(evidence, "set_probability")[i] == pytest.approx(chances[same].sum())
        assert column(evidence, "certainty")[i] == pytest.approx(np.log(chances[same].sum()))
        assert column(evidence, "margin")[i] == pytest.approx(chances[same].sum() - chances[flips].max())


def test_a_support_of_one_set() -> None:
    support = Support.of(LabelMatrix.of([["ape"]] * 3, ["ape", "bee"]))
    posterior = BinaryRelevance(0.1).fit(X, LabelMatrix.of(name_lists(y[:, :2]), ["ape", "bee"])).posterior(X)
    evidence = Evidence.of(Recipe("support", "gfm"), posterior, support, X)
    assert_allclose(column(evidence, "set_probability"), 1.0)
    assert_allclose(column(evidence, "margin"), 1.0)


def test_coverage_is_taken_as_it_is() -> None:
    coverage = np.linspace(0.0, 1.0, len(y))
    assert_array_equal(
        column(Evidence.of(Recipe("exact", "gfm"), POSTERIOR, SUPPORT, X, coverage), "coverage"), coverage
    )


def test_no_documents() -> None:
    empty = sp.csr_array((0, X.shape[1]))
    evidence = Evidence.of(Recipe("exact", "gfm"), POSTERIOR.take(np.arange(0)), SUPPORT, empty)
    assert evidence.columns.shape == (0, len(COLUMNS))
    assert evidence.decision.sets.shape == (0, y.shape[1])


def test_a_model_of_marginals_alone() -> None:
    """SPEN has neither set probabilities nor an expected F1; what labels it has are as sure as their marginals."""
    posterior = EnergyNetwork(n_hidden=8, max_iter=2, n_jobs=1).fit(X, y).posterior(X)
    evidence = Evidence.of(Recipe("exact", "threshold", threshold=0.4), posterior, SUPPORT, X)
    marginals = posterior.marginals()
    chances = np.where(evidence.decision.sets.toarray() > 0, marginals, 1.0 - marginals)
    assert_allclose(column(evidence, "certainty"), np.log(np.clip(chances, 1e-12, 1.0)).sum(axis=1))
    assert_array_equal(column(evidence, "expected_f1"), np.zeros(len(y)))
