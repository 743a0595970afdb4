"""A recipe decides each document by its own beliefs, and states the expected F1 of what it decided."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from setwise.decision import DECISIONS, expected_f
from setwise.inference import INFERENCES, base, size_marginals_of
from setwise.labels import IndependentLabels, SetCalibration, SizeMarginals
from setwise.models import BinaryRelevance, ClassifierChain, EnergyNetwork, LabelSizeFactors, PairwiseCRF
from setwise.prediction import Recipe, are_compatible, expected_f1
from tests.prediction.held_out_part import MODEL, PART

PAIRS = [(one, other) for one in INFERENCES for other in DECISIONS if are_compatible(one, other)]
N, N_LABELS = PART.y.indicator.shape


def recipe_of(inference: str, decision: str, **options: Any) -> Recipe:
    return Recipe(inference, decision, n_samples=40, **options)


def decided(recipe: Recipe, **options: Any) -> Any:
    return recipe.decide(PART.posterior, PART.support, **options)


@pytest.mark.parametrize(("inference", "decision"), PAIRS)
def test_blocks_change_nothing(inference: str, decision: str, monkeypatch: pytest.MonkeyPatch) -> None:
    recipe = recipe_of(inference, decision)
    whole = decided(recipe)
    monkeypatch.setattr(base, "BLOCK_BYTES", 1)
    assert len(list(recipe.blocks(PART.posterior, PART.support))) == N
    single = decided(recipe)
    assert_array_equal(single.sets.toarray(), whole.sets.toarray())
    assert_array_equal(single.value, whole.value)
    assert whole.value.shape == (N,)


@pytest.mark.parametrize("beta", [1.0, 2.0, 0.5])
@pytest.mark.parametrize(("inference", "decision"), [pair for pair in PAIRS if pair[0] != "mode"])
def test_the_value_is_the_expected_f1_whatever_was_maximized(inference: str, decision: str, beta: float) -> None:
    recipe = recipe_of(inference, decision, beta=beta)
    found = decided(recipe)
    (block,) = recipe.blocks(PART.posterior, PART.support)
    assert_allclose(found.value, expected_f1(block.beliefs, found.sets), rtol=1e-12)
    beliefs: Any = block.beliefs
    sizes = beliefs if isinstance(beliefs, IndependentLabels | SizeMarginals) else size_marginals_of(beliefs)
    assert_allclose(found.value, expected_f(sizes, found.sets), rtol=1e-9)


@pytest.mark.parametrize(("inference", "decision"), PAIRS)
def test_without_values_the_sets_are_the_same(inference: str, decision: str) -> None:
    recipe = recipe_of(inference, decision)
    valued, cheap = decided(recipe), decided(recipe, with_value=False)
    assert_array_equal(cheap.sets.toarray(), valued.sets.toarray())
    assert cheap.value.shape == (N,)
    if decision != "gfm":  # which computes them anyway
        assert np.isnan(cheap.value).all()
    assert np.isnan(valued.value).all() == (inference == "mode")


def test_a_threshold_with_at_least_one_label_takes_the_most_probable() -> None:
    recipe = recipe_of("exact", "threshold", threshold=0.9)
    some, full = decided(recipe).sets.toarray(), decided(replace(recipe, at_least_one=True)).sets.toarray()
    without = ~some.any(axis=1)
    assert without.any()
    assert_array_equal(full[~without], some[~without])
    assert_array_equal(full[without].sum(axis=1), 1)
    marginals = recipe.marginals(PART.posterior, PART.support)
    assert_array_equal(full[without].argmax(axis=1), marginals[without].argmax(axis=1))


@pytest.mark.parametrize(("inference", "decision"), PAIRS)
def test_no_documents_have_no_sets(inference: str, decision: str) -> None:
    nobody, recipe = PART.posterior.take(np.arange(0)), recipe_of(inference, decision)
    found = recipe.decide(nobody, PART.support)
    assert found.sets.shape == (0, N_LABELS)
    assert found.value.shape == (0,)
    if inference != "mode":
        assert recipe.marginals(nobody, PART.support).shape == (0, N_LABELS)


def test_compatibility_is_that_of_beliefs_and_decisions() -> None:
    assert are_compatible("support", "gfm")
    assert not are_compatible("mode", "gfm")
    assert not are_compatible("sampled", "expected_jaccard")
    assert are_compatible("exact", "expected_jaccard")  # with BR


def test_abilities_that_recipes_need() -> None:
    assert Recipe("support", "gfm").needs(BinaryRelevance()) == ("log_prob",)
    assert Recipe("mode", "most_probable").needs(ClassifierChain()) == ("mode",)
    assert Recipe("sampled", "gfm").needs(ClassifierChain()) == ("sample",)
    assert Recipe("exact", "gfm").needs(LabelSizeFactors()) == ("size_marginals",)
    rescaled = Recipe("exact", "gfm", scaling=SetCalibration(2.0))
    assert rescaled.needs(BinaryRelevance()) == ("size_marginals", "rescaled")
    assert Recipe("exact", "threshold").needs(EnergyNetwork()) == ("marginals",)
    assert Recipe("exact", "threshold").needs_for_value(EnergyNetwork()) == ("size_marginals",)
    assert "independent_labels" in Recipe("exact", "expected_jaccard").needs(PairwiseCRF())


def test_marginals_are_those_of_the_model_where_inference_is_exact() -> None:
    recipe = Recipe("exact", "threshold")
    assert_allclose(recipe.marginals(PART.posterior, PART.support), PART.posterior.marginals(), rtol=1e-12)
    assert MODEL.abilities >= {"marginals"}
