"""Tuning the parameters of a recipe on held-out documents; no model is trained for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from setwise.decision import best_threshold, best_thresholds
from setwise.inference import INFERENCES, fit_calibration, fit_scaling, improve_calibration
from setwise.labels import IDENTITY, SetCalibration
from setwise.metrics import MetricName, oriented
from setwise.prediction.held_out import HeldOut, evaluate_recipe, marginals, true_sets
from setwise.prediction.recipe import Recipe

__all__ = ["CalibrationMethod", "TuningTargets", "tune_recipe"]

CalibrationMethod = Literal["likelihood", "f1"]

BLENDS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
"""Candidates of a tuned blend."""


@dataclass(frozen=True)
class TuningTargets:
    """Which parameters of a recipe to tune, and by which criterion; None keeps the given value."""

    calibration: CalibrationMethod | None = None
    """By likelihood, or by the metric that recipes are evaluated by ("f1", whichever metric it is)."""
    blend: bool = False
    threshold: Literal["tuned", "tuned per label"] | None = None

    @property
    def any(self) -> bool:
        """Whether there is anything to tune."""
        return self.calibration is not None or self.blend or self.threshold is not None

    def needs(self, recipe: Recipe, model: Any) -> tuple[str, ...]:
        """Return the abilities that tuning needs beyond the recipe's: calibrating size marginals rescales logits."""
        exact = not {"size_marginals", "marginals"}.isdisjoint(recipe.needs(model))
        return ("rescaled",) if self.calibration is not None and exact else ()


def tune_recipe(
    recipe: Recipe, targets: TuningTargets, parts: Sequence[HeldOut], scoring: MetricName = "instance_f1"
) -> Recipe:
    """Return the recipe with its targets tuned on held-out documents: calibration, then blend, then threshold."""
    truth = true_sets(parts)

    def score(candidate: Recipe) -> float:
        return oriented(scoring, evaluate_recipe(candidate, parts, scoring, truth=truth))

    if targets.calibration is not None:
        recipe = _tune_calibration(recipe, targets.calibration, parts, score)
    if targets.blend:
        candidates = [replace(recipe, blend=blend) for blend in BLENDS]
        recipe = max(candidates, key=score)  # the first of equals
    if targets.threshold is not None:
        chances = marginals(recipe, parts)
        if targets.threshold == "tuned":
            threshold: Any = best_threshold(chances, truth, at_least_one=recipe.at_least_one)
        else:
            threshold = best_thresholds(chances, truth)
        recipe = replace(recipe, threshold=threshold)
    return recipe


def _tune_calibration(
    recipe: Recipe, method: CalibrationMethod, parts: Sequence[HeldOut], score: Callable[[Recipe], float]
) -> Recipe:
    """Calibrate what the inference uses: the distribution over the support, the logits of the model, or both.

    For F1 only one of them is searched further: in a blend the support, unless it contains no held-out set.
    """
    calibrates = INFERENCES[recipe.inference].calibrates
    seen = [part for part in parts if bool((part.support.index_of(part.y) >= 0).any())]
    with_support = "support" in calibrates and bool(seen)
    with_logits = "logits" in calibrates and "rescaled" in parts[0].posterior.abilities
    if with_support:
        fits = [fit_calibration(part.posterior, part.y, part.support) for part in seen]
        recipe = replace(recipe, calibration=_mean(fits, seen))
    if with_logits:
        recipe = replace(recipe, scaling=_mean([fit_scaling(part.posterior, part.y) for part in parts], parts))
    if method == "f1" and with_support:
        improved = _improve(recipe.calibration, lambda one: score(replace(recipe, calibration=one)), True)
        recipe = replace(recipe, calibration=improved)
    elif method == "f1" and with_logits:
        improved = _improve(recipe.scaling, lambda one: score(replace(recipe, scaling=one)), False)
        recipe = replace(recipe, scaling=improved)
    return recipe


def _mean(fits: Sequence[SetCalibration], parts: Sequence[HeldOut]) -> SetCalibration:
    """Return the mean of the parts' calibrations, weighted by their numbers of documents."""
    if len(fits) == 1:
        return fits[0]
    numbers = [(fit.scale, fit.prior, fit.size) for fit in fits]
    mean = np.average(numbers, axis=0, weights=[part.y.n_samples for part in parts])
    return SetCalibration(*map(float, mean))


def _improve(fitted: SetCalibration, score: Callable[[SetCalibration], float], with_prior: bool) -> SetCalibration:
    return improve_calibration(max(fitted, IDENTITY, key=score), score, with_prior=with_prior)
