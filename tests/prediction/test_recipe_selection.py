"""Candidates are judged on documents that their numbers were not found on."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from setwise.data.splits import folds
from setwise.exceptions import Incompatible
from setwise.inference import SetCalibration
from setwise.labels import LabelMatrix, MostProbable, Support
from setwise.metrics import instance_f1
from setwise.models import BinaryRelevance, ClassifierChain, LabelSizeFactors, PairwiseCRF
from setwise.prediction import (
    Candidate,
    HeldOut,
    Recipe,
    TuningTargets,
    able,
    choose,
    cross_fitted,
    judged,
    tune_recipe,
)
from setwise.prediction.candidates import candidates, screens
from tests.models.corpora import small_corpus

X, y = small_corpus(n=150)
LABELS = LabelMatrix.of(y)
REST, HELD = np.arange(90), np.arange(90, 150)
MODEL = BinaryRelevance(strength=0.01).fit(X[REST], LABELS.take(REST))
PART = HeldOut(MODEL, X[HELD], LABELS.take(HELD), Support.of(LABELS.take(REST)))
PLAIN = Recipe("support", "gfm")
CUT = Candidate("cut", Recipe("exact", "threshold"), TuningTargets(threshold="tuned"))


def f1(recipe: Recipe, part: HeldOut) -> float:
    decided = recipe.decided(part.model, part.X, part.support)
    return instance_f1(part.y, part.y.with_indicator(decided.sets))


def test_what_has_no_numbers_is_judged_on_all() -> None:
    assert cross_fitted(Candidate("plain", PLAIN), [PART], "instance_f1") == f1(PLAIN, PART)


def test_each_document_is_decided_by_numbers_of_the_others() -> None:
    decided = np.zeros(PART.y.indicator.shape, dtype=int)
    for rest, held in folds(PART.y, 3, 0):
        recipe = tune_recipe(CUT.recipe, CUT.wishes, [PART.take(rest)])
        decided[held] = recipe.decided(MODEL, PART.X[held], PART.support).sets.toarray()
    expected = instance_f1(PART.y.indicator.toarray(), decided)
    assert cross_fitted(CUT, [PART], "instance_f1") == pytest.approx(expected)
    in_sample = f1(tune_recipe(CUT.recipe, CUT.wishes, [PART]), PART)
    assert expected < in_sample  # what was found on the documents themselves flatters


def test_the_winner_is_tuned_on_all_documents() -> None:
    both = [Candidate("plain", PLAIN), CUT]
    found = choose(both, [PART])
    assert found.values == {one.name: cross_fitted(one, [PART], "instance_f1") for one in both}
    assert found.value == found.values[found.name] == max(found.values.values())
    alone = choose([CUT], [PART])
    assert alone.name == "cut"
    assert alone.recipe.threshold == tune_recipe(CUT.recipe, CUT.wishes, [PART]).threshold


def test_of_equals_the_first_wins_and_a_loss_is_low() -> None:
    twins = [Candidate("one", PLAIN), Candidate("other", replace(PLAIN))]
    assert choose(twins, [PART]).name == "one"
    both = [Candidate("plain", PLAIN), Candidate("all labels", Recipe("exact", "threshold", threshold=0.0))]
    assert choose(both, [PART], metric="hamming_loss").name == "plain"


def test_parts_with_a_model_each_count_together() -> None:
    some = [PART.take(np.arange(20)), PART.take(np.arange(20, 60))]
    assert judged(PLAIN, some) == pytest.approx(f1(PLAIN, PART))
    assert judged(PLAIN, some, "hamming_loss") == pytest.approx(judged(PLAIN, [PART], "hamming_loss"))
    one = tune_recipe(PLAIN, TuningTargets(calibration="likelihood"), [some[0]]).calibration
    other = tune_recipe(PLAIN, TuningTargets(calibration="likelihood"), [some[1]]).calibration
    both = tune_recipe(PLAIN, TuningTargets(calibration="likelihood"), some).calibration
    assert both.scale == pytest.approx((20 * one.scale + 40 * other.scale) / 60)


class TestCandidates:
    def test_the_paper_comes_first_and_numbers_are_kept(self) -> None:
        found = candidates(Recipe("support", "gfm", beta=2.0), MODEL)
        assert found[0].name == "support, gfm"
        assert not found[0].wishes.any
        assert {one.recipe.beta for one in found} == {2.0}

    @pytest.mark.parametrize("model", [MODEL, ClassifierChain(), PairwiseCRF(), LabelSizeFactors()])
    def test_a_model_is_asked_for_what_it_has(self, model: Any) -> None:
        found = candidates(PLAIN, model)
        assert found == able(found, model)
        assert ("support, gfm" in [one.name for one in found]) != isinstance(model, LabelSizeFactors)
        assert set(screens(found)) <= set(found)

    def test_numbers_that_are_given_hold(self) -> None:
        given = replace(PLAIN, threshold=0.3, blend=0.7)
        for one in candidates(given, MODEL, decision="threshold"):
            assert (one.recipe.threshold, one.wishes.threshold) == (0.3, None)
        for one in candidates(given, MODEL, decision="threshold", numbers=TuningTargets(threshold="tuned per label")):
            assert one.wishes.threshold == "tuned per label"
        (mixed,) = candidates(given, MODEL, inference="blend")
        assert (mixed.recipe.blend, mixed.wishes.blend) == (0.7, False)
        (mixed,) = candidates(given, MODEL, inference="blend", numbers=TuningTargets(blend=True))
        assert mixed.wishes.blend
        cut = [one for one in candidates(given, MODEL) if one.recipe.decision == "threshold"]
        assert {one.wishes.threshold for one in cut} == {"tuned"}  # nobody asked for a threshold, so none was given

    def test_none_is_a_refusal(self) -> None:
        with pytest.raises(Incompatible, match="There is no recipe for ClassifierChain"):
            candidates(PLAIN, ClassifierChain(), inference="exact")


class TestNonEmpty:
    def test_the_empty_set_is_ruled_out_and_the_rest_scaled(self) -> None:
        over: Any = next(PLAIN.blocks(MODEL, PART.X, PART.support)).known
        filled = np.diff(over.sets.indptr) > 0
        assert not filled.all()
        assert_array_equal(over.non_empty().sets.toarray(), over.sets.toarray()[filled])
        np.testing.assert_allclose(over.non_empty().probability.sum(axis=1), 1.0, rtol=1e-12)
        exact: Any = next(Recipe("exact", "gfm").blocks(MODEL, PART.X, PART.support)).known
        np.testing.assert_allclose(
            exact.non_empty().joint, exact.joint / (1.0 - exact.empty)[:, None, None], rtol=1e-10
        )
        assert not exact.non_empty().empty.any()

    @pytest.mark.parametrize("inference", ["support", "exact", "sampled", "blend"])
    def test_with_at_least_one_no_prediction_is_empty(self, inference: Any) -> None:
        recipe = Recipe(inference, "gfm", n_samples=50)
        some = recipe.decided(MODEL, PART.X, PART.support).sets.toarray().any(axis=1)
        assert not some.all()
        full = replace(recipe, at_least_one=True).decided(MODEL, PART.X, PART.support, with_value=True)
        has_mass = full.value > 0  # fifty samples may all be empty
        assert full.sets.toarray().any(axis=1)[has_mass].all()
        assert has_mass.sum() > 0.9 * len(has_mass)

    def test_without_empty_sets_it_changes_nothing(self) -> None:
        known: Any = next(PLAIN.blocks(MODEL, PART.X, PART.support)).known
        once = known.non_empty()
        assert once.non_empty() is once


@pytest.mark.parametrize("inference", ["support", "exact"])
def test_a_threshold_cuts_the_same_whether_or_not_sizes_are_known(inference: Any) -> None:
    recipe = Recipe(inference, "threshold", scaling=SetCalibration(0.8, 0.0, 0.3), threshold=0.3)
    block = next(recipe.blocks(MODEL, PART.X, PART.support))
    assert not isinstance(block.known, MostProbable)
    np.testing.assert_allclose(recipe.marginals(MODEL, PART.X, PART.support), block.known.marginals, atol=1e-12)
    cheap, valued = (recipe.decided(MODEL, PART.X, PART.support, with_value=asked) for asked in (False, True))
    assert_array_equal(cheap.sets.toarray(), valued.sets.toarray())
    assert np.isnan(cheap.value).all()
    assert not np.isnan(valued.value).any()


def test_a_threshold_that_states_no_value_asks_for_no_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tuning cuts the same documents many times, and needs the sets alone."""
    monkeypatch.setattr(type(MODEL), "size_marginals", None)
    found = Recipe("exact", "threshold", threshold=0.3).decided(MODEL, PART.X, PART.support)
    assert_array_equal(found.sets.toarray(), MODEL.marginals(PART.X) > 0.3)
