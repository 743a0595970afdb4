"""Candidates are evaluated on documents that their parameters were not tuned on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from setwise.data import folds
from setwise.exceptions import Incompatible
from setwise.inference import ExactInference
from setwise.labels import LabelMatrix, MostProbable, SetCalibration, Support
from setwise.metrics import instance_f1
from setwise.models import BernoulliMixture, BinaryRelevance, ClassifierChain, LabelSizeFactors, PairwiseCRF
from setwise.prediction import (
    Candidate,
    HeldOut,
    Recipe,
    TuningTargets,
    candidates,
    cross_fitted,
    evaluate_recipe,
    feasible,
    screening,
    select_recipe,
    tune_recipe,
)
from tests.models.corpora import small_corpus

X, y = small_corpus(n=150)
LABELS = LabelMatrix.of(y)
REST, HELD = np.arange(90), np.arange(90, 150)
MODEL = BinaryRelevance(strength=0.01).fit(X[REST], LABELS.take(REST))
PART = HeldOut.of(MODEL, X[HELD], LABELS.take(HELD), Support.of(LABELS.take(REST)))
PLAIN = Recipe("support", "gfm")
CUT = Candidate("cut", Recipe("exact", "threshold"), TuningTargets(threshold="tuned"))


def f1(recipe: Recipe, part: HeldOut) -> float:
    decision = recipe.decide(part.posterior, part.support)
    return instance_f1(part.y, part.y.with_indicator(decision.sets))


def test_a_candidate_without_targets_is_evaluated_on_all_documents() -> None:
    assert cross_fitted(Candidate("plain", PLAIN), [PART], "instance_f1") == f1(PLAIN, PART)


def test_each_document_is_decided_by_parameters_tuned_on_the_others() -> None:
    decided = np.zeros(PART.y.indicator.shape, dtype=int)
    for rest, held in folds(PART.y, 3, 0):
        recipe = tune_recipe(CUT.recipe, CUT.targets, [PART.take(rest)])
        decided[held] = recipe.decide(MODEL.posterior(X[HELD][held]), PART.support).sets.toarray()
    expected = instance_f1(PART.y.indicator.toarray(), decided)
    assert cross_fitted(CUT, [PART], "instance_f1") == pytest.approx(expected)
    in_sample = f1(tune_recipe(CUT.recipe, CUT.targets, [PART]), PART)
    assert expected < in_sample  # parameters tuned on the documents themselves look better than they are


def test_the_selected_recipe_is_tuned_on_all_documents() -> None:
    both = [Candidate("plain", PLAIN), CUT]
    selected = select_recipe(both, [PART])
    assert selected.values == {one.name: cross_fitted(one, [PART], "instance_f1") for one in both}
    assert selected.value == selected.values[selected.name] == max(selected.values.values())
    alone = select_recipe([CUT], [PART])
    assert alone.name == "cut"
    assert alone.recipe.threshold == tune_recipe(CUT.recipe, CUT.targets, [PART]).threshold


class _Shift:
    """Adjustment that adds to every logit: much where it was fitted to all documents, and as much less elsewhere."""

    def __init__(self, n_all: int) -> None:
        self.n_all = n_all
        self.fits: list[int] = []

    def fit(self, parts: Sequence[HeldOut]) -> Callable[[HeldOut], HeldOut]:
        self.fits.append(sum(part.y.n_samples for part in parts))
        shift = 100.0 if self.fits[-1] == self.n_all else -100.0
        return lambda part: replace(part, posterior=part.posterior.rescaled(1.0, shift))


@pytest.mark.parametrize(("n", "fits"), [(2, [2]), (3, [3, 2, 2, 2]), (6, [6, 4, 4, 4])])
def test_an_adjustment_is_fitted_to_the_documents_that_recipes_are_tuned_on(n: int, fits: list[int]) -> None:
    adjustment = _Shift(n)
    part = PART.take(np.arange(n))
    cut = Candidate("cut", Recipe("exact", "threshold"))
    selected = select_recipe([cut], [part], adjustment=adjustment, n_folds=3)
    assert adjustment.fits == fits
    # With folds, no document is decided by the adjustment that was fitted to it; with fewer, there is no other.
    assert selected.sets[0].nnz == (0 if len(fits) > 1 else part.y.n_samples * part.y.n_labels)
    whole = selected.adjust(part)
    assert selected.recipe.decide(whole.posterior, whole.support).sets.nnz == n * part.y.n_labels


def test_whoever_waits_hears_of_every_candidate() -> None:
    heard: list[int] = []
    select_recipe([Candidate("plain", PLAIN), CUT], [PART], after_each=lambda: heard.append(1))
    assert heard == [1, 1]


def test_the_first_of_equals_is_selected_and_the_lowest_loss() -> None:
    twins = [Candidate("one", PLAIN), Candidate("other", replace(PLAIN))]
    assert select_recipe(twins, [PART]).name == "one"
    both = [Candidate("plain", PLAIN), Candidate("all labels", Recipe("exact", "threshold", threshold=0.0))]
    assert select_recipe(both, [PART], scoring="hamming_loss").name == "plain"


def test_the_documents_of_all_parts_count_together() -> None:
    some = [PART.take(np.arange(20)), PART.take(np.arange(20, 60))]
    assert evaluate_recipe(PLAIN, some) == pytest.approx(f1(PLAIN, PART))
    assert evaluate_recipe(PLAIN, some, "hamming_loss") == pytest.approx(evaluate_recipe(PLAIN, [PART], "hamming_loss"))
    one = tune_recipe(PLAIN, TuningTargets(calibration="likelihood"), [some[0]]).calibration
    other = tune_recipe(PLAIN, TuningTargets(calibration="likelihood"), [some[1]]).calibration
    both = tune_recipe(PLAIN, TuningTargets(calibration="likelihood"), some).calibration
    assert both.scale == pytest.approx((20 * one.scale + 40 * other.scale) / 60)


class TestCandidates:
    def test_the_paper_comes_first_and_shared_parameters_stay(self) -> None:
        tried = candidates(Recipe("support", "gfm", beta=2.0), MODEL)
        assert tried[0].name == "support, gfm"
        assert not tried[0].targets.any
        assert {one.recipe.beta for one in tried} == {2.0}

    @pytest.mark.parametrize("model", [MODEL, ClassifierChain(), PairwiseCRF(), LabelSizeFactors()])
    def test_only_feasible_recipes_are_candidates(self, model: Any) -> None:
        tried = candidates(PLAIN, model)
        assert tried == feasible(tried, model)
        assert ("support, gfm" in [one.name for one in tried]) != isinstance(model, LabelSizeFactors)
        assert set(screening(tried)) <= set(tried)

    def test_parameters_that_are_set_are_not_tuned(self) -> None:
        recipe = replace(PLAIN, threshold=0.3, blend=0.7)
        for one in candidates(recipe, MODEL, decision="threshold"):
            assert (one.recipe.threshold, one.targets.threshold) == (0.3, None)
        for one in candidates(recipe, MODEL, decision="threshold", targets=TuningTargets(threshold="tuned per label")):
            assert one.targets.threshold == "tuned per label"
        (blended,) = candidates(recipe, MODEL, inference="blend")
        assert (blended.recipe.blend, blended.targets.blend) == (0.7, False)
        (blended,) = candidates(recipe, MODEL, inference="blend", targets=TuningTargets(blend=True))
        assert blended.targets.blend
        cut = [one for one in candidates(recipe, MODEL) if one.recipe.decision == "threshold"]
        assert {one.targets.threshold for one in cut} == {
            "tuned"
        }  # the decision is not restricted, so the threshold is tuned

    def test_a_restricted_calibration_restricts_the_candidates(self) -> None:
        assert [one.name for one in candidates(PLAIN, MODEL, calibration=None)] == [
            "support, gfm",
            "exact, gfm",
            "exact, threshold",
        ]
        assert [one.name for one in candidates(PLAIN, MODEL, calibration="f1")] == ["support, f1, gfm"]
        assert {one.targets.calibration for one in candidates(PLAIN, MODEL)} == {None, "likelihood", "f1"}

    def test_every_document_gets_a_label_unless_training_documents_have_none(self) -> None:
        def at_least_one(recipe: Recipe, **options: Any) -> set[bool]:
            return {one.recipe.at_least_one for one in candidates(recipe, MODEL, **options)}

        assert at_least_one(PLAIN) == {True}
        assert at_least_one(PLAIN, may_be_empty=True) == {False}
        assert at_least_one(replace(PLAIN, at_least_one=True), may_be_empty=True) == {True}

    def test_settings_are_compared_by_two_candidates_or_the_first(self) -> None:
        tried = candidates(PLAIN, MODEL)
        assert [one.name for one in screening(tried)] == ["support, likelihood, gfm", "exact, threshold"]
        others = candidates(PLAIN, MODEL, decision="expected_jaccard")
        assert screening(others) == others[:1]

    def test_the_expected_jaccard_index_is_tried_on_request_alone(self) -> None:
        assert not [one for one in candidates(PLAIN, MODEL) if one.recipe.decision == "expected_jaccard"]
        names = [one.name for one in candidates(PLAIN, MODEL, decision="expected_jaccard")]
        assert names == ["exact, expected_jaccard", "exact, likelihood, expected_jaccard"]

    def test_no_feasible_recipe_is_an_error(self) -> None:
        with pytest.raises(Incompatible, match="No recipe works for ClassifierChain"):
            candidates(PLAIN, ClassifierChain(), inference="exact")


class TestNonEmpty:
    def test_the_empty_set_is_removed_and_the_rest_rescaled(self) -> None:
        over: Any = next(PLAIN.blocks(PART.posterior, PART.support)).beliefs
        filled = over.sets.sizes > 0
        assert not filled.all()
        assert_array_equal(over.non_empty().sets.indicator.toarray(), over.sets.indicator.toarray()[filled])
        np.testing.assert_allclose(over.non_empty().probability.sum(axis=1), 1.0, rtol=1e-12)
        exact = ExactInference().infer(PART.posterior)
        np.testing.assert_allclose(
            exact.non_empty().joint, exact.joint / (1.0 - exact.empty)[:, None, None], rtol=1e-10
        )
        assert not exact.non_empty().empty.any()

    @pytest.mark.parametrize("inference", ["support", "exact", "sampled", "blend"])
    def test_with_at_least_one_no_prediction_is_empty(self, inference: Any) -> None:
        recipe = Recipe(inference, "gfm", n_samples=50)
        some = recipe.decide(PART.posterior, PART.support).sets.toarray().any(axis=1)
        assert not some.all()
        full = replace(recipe, at_least_one=True).decide(PART.posterior, PART.support)
        has_mass = full.value > 0  # fifty samples may all be empty
        assert full.sets.toarray().any(axis=1)[has_mass].all()
        assert has_mass.sum() > 0.9 * len(has_mass)

    def test_at_least_one_leaves_the_most_probable_set_as_it_is(self) -> None:
        recipe = Recipe("mode", "most_probable")
        some = recipe.decide(PART.posterior, PART.support).sets.toarray()
        full = replace(recipe, at_least_one=True).decide(PART.posterior, PART.support).sets.toarray()
        assert not some.any(axis=1).all()
        assert_array_equal(full, some)

    def test_without_the_empty_set_nothing_changes(self) -> None:
        beliefs: Any = next(PLAIN.blocks(PART.posterior, PART.support)).beliefs
        once = beliefs.non_empty()
        assert once.non_empty() is once


@pytest.mark.parametrize("inference", ["support", "exact"])
def test_a_threshold_decides_the_same_with_and_without_values(inference: Any) -> None:
    recipe = Recipe(inference, "threshold", scaling=SetCalibration(0.8, 0.0, 0.3), threshold=0.3)
    block = next(recipe.blocks(PART.posterior, PART.support))
    assert not isinstance(block.beliefs, MostProbable)
    np.testing.assert_allclose(recipe.marginals(PART.posterior, PART.support), block.beliefs.marginals, atol=1e-12)
    cheap, valued = (recipe.decide(PART.posterior, PART.support, with_value=with_value) for with_value in (False, True))
    assert_array_equal(cheap.sets.toarray(), valued.sets.toarray())
    assert np.isnan(cheap.value).all()
    assert not np.isnan(valued.value).any()


def test_a_threshold_without_values_computes_no_size_marginals(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tuning decides the same documents many times, and reads the sets alone."""
    model = BernoulliMixture(n_components=2, strength=0.01, max_iter=3, tol=1.0)
    posterior = model.fit(X[REST], LABELS.take(REST)).posterior(X[HELD])
    monkeypatch.setattr(type(posterior), "size_marginals", None)
    decision = Recipe("exact", "threshold", threshold=0.3).decide(posterior, PART.support, with_value=False)
    assert_array_equal(decision.sets.toarray(), posterior.marginals() > 0.3)
