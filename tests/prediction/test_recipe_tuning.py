"""Each target of tuning gets its best value, by the criterion that it is tuned for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from setwise.decision import best_threshold, best_thresholds
from setwise.inference import fit_calibration, fit_scaling
from setwise.labels import IDENTITY, LabelMatrix, SetCalibration, Support
from setwise.metrics import oriented
from setwise.models import BinaryRelevance, ClassifierChain, LabelSizeFactors
from setwise.prediction import HeldOut, Recipe, TuningTargets, evaluate_recipe, recipe_tuning, tune_recipe
from setwise.prediction.recipe_tuning import BLENDS
from tests.prediction.held_out_part import HELD, LABELS, MODEL, PART, X

HALVES = [PART.take(np.arange(20)), PART.take(np.arange(20, 60))]


def score(recipe: Recipe, scoring: str = "instance_f1") -> float:
    return oriented(scoring, evaluate_recipe(recipe, [PART], scoring))


def test_nothing_to_tune_leaves_the_recipe_as_it_is() -> None:
    recipe = Recipe("support", "gfm")
    assert tune_recipe(recipe, TuningTargets(), [PART]) is recipe


@pytest.mark.parametrize("scoring", ["instance_f1", "hamming_loss"])
def test_the_blend_is_the_first_of_the_best(scoring: str) -> None:
    recipe = Recipe("blend", "gfm")
    tuned = tune_recipe(recipe, TuningTargets(blend=True), [PART], scoring)
    scores = [score(replace(recipe, blend=blend), scoring) for blend in BLENDS]
    assert tuned.blend == BLENDS[int(np.argmax(scores))]
    assert len(set(scores)) > 1


@pytest.mark.parametrize("at_least_one", [False, True])
def test_the_threshold_is_the_best_one(at_least_one: bool) -> None:
    recipe = Recipe("exact", "threshold", at_least_one=at_least_one)
    tuned = tune_recipe(recipe, TuningTargets(threshold="tuned"), HALVES)
    chances = PART.posterior.marginals()
    assert tuned.threshold == best_threshold(chances, PART.y, at_least_one=at_least_one)
    per_label = tune_recipe(recipe, TuningTargets(threshold="tuned per label"), HALVES)
    assert np.array_equal(per_label.threshold, best_thresholds(chances, PART.y))


def test_thresholds_are_tuned_after_the_calibration() -> None:
    recipe = Recipe("exact", "threshold")
    tuned = tune_recipe(recipe, TuningTargets("likelihood", threshold="tuned"), [PART])
    chances = replace(recipe, scaling=tuned.scaling).marginals(PART.posterior, PART.support)
    assert tuned.scaling != IDENTITY
    assert tuned.threshold == best_threshold(chances, PART.y)


class TestCalibration:
    def test_support_inference_calibrates_the_distribution_over_sets(self) -> None:
        tuned = tune_recipe(Recipe("support", "gfm"), TuningTargets("likelihood"), [PART])
        assert tuned.calibration == fit_calibration(PART.posterior, PART.y, PART.support)
        assert tuned.scaling == IDENTITY

    def test_exact_inference_calibrates_the_logits(self) -> None:
        tuned = tune_recipe(Recipe("exact", "gfm"), TuningTargets("likelihood"), [PART])
        assert tuned.scaling == fit_scaling(PART.posterior, PART.y)
        assert tuned.calibration == IDENTITY

    def test_a_blend_calibrates_both(self) -> None:
        tuned = tune_recipe(Recipe("blend", "gfm"), TuningTargets("likelihood"), [PART])
        assert tuned.calibration == fit_calibration(PART.posterior, PART.y, PART.support)
        assert tuned.scaling == fit_scaling(PART.posterior, PART.y)

    @pytest.mark.parametrize("inference", ["support", "exact"])
    def test_of_several_parts_it_is_the_mean_by_their_documents(self, inference: str) -> None:
        targets = TuningTargets("likelihood")
        one, other, both = (
            tune_recipe(Recipe(inference, "gfm"), targets, some) for some in ([HALVES[0]], [HALVES[1]], HALVES)
        )
        name = "calibration" if inference == "support" else "scaling"
        for number in ("scale", "prior", "size"):
            values = [getattr(getattr(recipe, name), number) for recipe in (one, other, both)]
            assert values[2] == pytest.approx((20 * values[0] + 40 * values[1]) / 60)

    @pytest.mark.parametrize("inference", ["support", "exact", "blend"])
    def test_the_metric_is_at_least_that_of_both_starts(self, inference: str) -> None:
        recipe = Recipe(inference, "gfm")
        fitted = tune_recipe(recipe, TuningTargets("likelihood"), [PART])
        tuned = tune_recipe(recipe, TuningTargets("f1"), [PART])
        searched = "scaling" if inference == "exact" else "calibration"
        unfitted: Any = {searched: IDENTITY}
        start = replace(fitted, **unfitted)
        assert score(tuned) >= max(score(fitted), score(start))
        other = "calibration" if searched == "scaling" else "scaling"
        assert getattr(tuned, other) == getattr(fitted, other)

    @pytest.mark.parametrize(("inference", "searched"), [("support", "calibration"), ("exact", "scaling")])
    def test_the_search_scores_what_it_changes(
        self, inference: str, searched: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        tried, found = [IDENTITY, SetCalibration(0.05, 0.0, 3.0)], SetCalibration(0.5, 0.1, 0.2)
        asked: list[Any] = []

        def improve(start: SetCalibration, criterion: Any, *, with_prior: bool) -> SetCalibration:
            asked.extend([with_prior, *map(criterion, tried)])
            return found

        recipe: Any = Recipe(inference, "gfm")
        fitted: Any = tune_recipe(recipe, TuningTargets("likelihood"), [PART])
        monkeypatch.setattr(recipe_tuning, "improve_calibration", improve)
        tuned = tune_recipe(recipe, TuningTargets("f1"), [PART])
        assert getattr(tuned, searched) == found
        scores = [score(replace(fitted, **{searched: one})) for one in tried]
        assert asked == [searched == "calibration", *scores]  # only sets of the support have a frequency
        assert scores[0] != scores[1]

    @pytest.mark.parametrize("method", ["likelihood", "f1"])
    def test_a_support_without_any_true_set_is_not_calibrated(self, method: Any) -> None:
        """Of a blend the logits then are; support inference stays as it is."""
        present = {frozenset(names) for names in PART.y.name_lists()}
        absent = [[a, b, c] for a in LABELS.names for b in LABELS.names for c in LABELS.names if len({a, b, c}) == 3]
        absent = [one for one in absent if frozenset(one) not in present][:4]
        part = replace(PART, support=Support.of(LabelMatrix.of(absent, LABELS.names)))
        assert (part.support.index_of(part.y) < 0).all()
        kept = tune_recipe(Recipe("support", "gfm"), TuningTargets(method), [part])
        assert (kept.calibration, kept.scaling) == (IDENTITY, IDENTITY)
        blended = tune_recipe(Recipe("blend", "gfm"), TuningTargets(method), [part])
        assert blended.calibration == IDENTITY
        assert blended.scaling != IDENTITY
        both = tune_recipe(Recipe("support", "gfm"), TuningTargets("likelihood"), [part, PART])
        assert both.calibration == fit_calibration(PART.posterior, PART.y, PART.support)  # of the part that has them

    def test_a_part_with_the_most_frequent_set_alone_is_calibrated(self) -> None:
        known = PART.support.index_of(PART.y)
        part = PART.take(np.flatnonzero(known <= 0))  # the first of the support, or none of it
        assert (known == 0).any()
        tuned = tune_recipe(Recipe("support", "gfm"), TuningTargets("likelihood"), [part])
        assert tuned.calibration == fit_calibration(part.posterior, part.y, part.support) != IDENTITY

    def test_logits_that_cannot_be_rescaled_stay(self) -> None:
        model = ClassifierChain(strength=0.01).fit(X[:90], LABELS.take(np.arange(90)))
        part = HeldOut.of(model, X[HELD], PART.y, PART.support)
        tuned = tune_recipe(Recipe("blend", "gfm", n_samples=20), TuningTargets("likelihood"), [part])
        assert tuned.scaling == IDENTITY
        assert tuned.calibration != IDENTITY


def test_targets_say_whether_there_is_anything_to_tune() -> None:
    assert not TuningTargets().any
    assert TuningTargets("f1").any
    assert TuningTargets(blend=True).any
    assert TuningTargets(threshold="tuned").any


def test_abilities_that_calibration_needs() -> None:
    exact, support = Recipe("exact", "gfm"), Recipe("support", "gfm")
    assert TuningTargets("likelihood").needs(exact, BinaryRelevance()) == ("rescaled",)
    assert TuningTargets("likelihood").needs(exact, LabelSizeFactors()) == ("rescaled",)
    assert TuningTargets("likelihood").needs(support, MODEL) == ()
    assert TuningTargets(blend=True).needs(exact, MODEL) == ()
