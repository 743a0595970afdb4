"""The numbers of a recipe, found on documents that the model was not trained on; no model is trained for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from setwise.decision import best_threshold, best_thresholds
from setwise.inference import SetCalibration, fit_calibration, fit_scaling
from setwise.inference.calibration import IDENTITY, improve_calibration
from setwise.metrics.named import MetricName, oriented
from setwise.prediction.held_out import HeldOut, judged, marginals, truth
from setwise.prediction.recipe import Recipe

__all__ = ["TuningTargets", "tune_recipe"]

BLENDS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
"""What a tuned blend may be."""


@dataclass(frozen=True)
class TuningTargets:
    """What is to be found, and how; None leaves a number as the recipe has it."""

    calibration: Literal["likelihood", "f1"] | None = None
    """By likelihood, or by the metric that recipes are judged by, "f1" unless another is asked for."""
    blend: bool = False
    threshold: Literal["tuned", "tuned per label"] | None = None

    @property
    def any(self) -> bool:
        """Whether there is anything to find."""
        return self.calibration is not None or self.blend or self.threshold is not None

    def needs(self, recipe: Recipe, model: Any) -> tuple[str, ...]:
        """What the model must be able to do beyond what the recipe needs: to calibrate exact marginals moves logits."""
        exact = "size_marginals" in recipe.needs(model)
        return ("scaled_marginals", "scaled_size_marginals") if self.calibration is not None and exact else ()


def tune_recipe(
    recipe: Recipe, wishes: TuningTargets, parts: Sequence[HeldOut], metric: MetricName = "instance_f1"
) -> Recipe:
    """Give the recipe with the numbers that serve held-out documents best: calibration, then blend, then threshold."""

    def score(one: Recipe) -> float:
        return oriented(metric, judged(one, parts, metric))

    if wishes.calibration is not None:
        recipe = _calibrated(recipe, wishes.calibration, parts, score)
    if wishes.blend:
        tried = [replace(recipe, blend=blend) for blend in BLENDS]
        recipe = max(tried, key=score)  # the first of equals
    if wishes.threshold is not None:
        chances, known = marginals(recipe, parts), truth(parts)
        if wishes.threshold == "tuned":
            found: Any = best_threshold(chances, known, at_least_one=recipe.at_least_one)
        else:
            found = best_thresholds(chances, known)
        recipe = replace(recipe, threshold=found)
    return recipe


def _calibrated(
    recipe: Recipe, way: Literal["likelihood", "f1"], parts: Sequence[HeldOut], score: Callable[[Recipe], float]
) -> Recipe:
    """Calibrate what the inference uses: the distribution over the support, the logits of the model, or both.

    For F1 only one of them is searched further: in a blend the support, unless no held-out set is in it.
    """
    seen = [part for part in parts if bool((part.support.index_of(part.y) >= 0).any())]
    with_support = recipe.inference in ("support", "blend") and bool(seen)
    scales = callable(getattr(parts[0].model, "scaled_marginals", None))
    with_logits = recipe.inference in ("exact", "blend") and scales
    if with_support:
        fits = [fit_calibration(part.model, part.X, part.y, part.support) for part in seen]
        recipe = replace(recipe, calibration=_mean(fits, seen))
    if with_logits:
        recipe = replace(recipe, scaling=_mean([fit_scaling(part.model, part.X, part.y) for part in parts], parts))
    if way == "f1" and with_support:
        found = _improved(recipe.calibration, lambda tried: score(replace(recipe, calibration=tried)), True)
        recipe = replace(recipe, calibration=found)
    elif way == "f1" and with_logits:
        found = _improved(recipe.scaling, lambda tried: score(replace(recipe, scaling=tried)), False)
        recipe = replace(recipe, scaling=found)
    return recipe


def _mean(fits: Sequence[SetCalibration], parts: Sequence[HeldOut]) -> SetCalibration:
    """Give the mean of the calibrations that parts ask for, each counting as much as it has documents."""
    if len(fits) == 1:
        return fits[0]
    numbers = [(fit.scale, fit.prior, fit.size) for fit in fits]
    mean = np.average(numbers, axis=0, weights=[part.y.n_samples for part in parts])
    return SetCalibration(*map(float, mean))


def _improved(fitted: SetCalibration, score: Callable[[SetCalibration], float], with_prior: bool) -> SetCalibration:
    return improve_calibration(max(fitted, IDENTITY, key=score), score, with_prior=with_prior)
