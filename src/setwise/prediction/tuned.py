"""The numbers of a recipe, found on documents that the model was not trained on; no model is trained for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from setwise.decision import best_threshold, best_thresholds
from setwise.inference import SetCalibration, fit_calibration, fit_scaling
from setwise.inference.calibration import AS_IT_IS, improve_calibration
from setwise.labels import LabelMatrix, Support
from setwise.metrics import instance_f1
from setwise.prediction.recipe import Recipe, marginals_of

__all__ = ["Wishes", "tuned"]

BLENDS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
"""What a tuned blend may be."""


@dataclass(frozen=True)
class Wishes:
    """What is to be found, and how; None leaves a number as the recipe has it."""

    calibration: Literal["likelihood", "f1"] | None = None
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


@dataclass(frozen=True, eq=False)
class _HeldOut:
    """Documents to judge a recipe by."""

    model: Any
    X: Any
    Y: LabelMatrix
    support: Support

    def f1(self, recipe: Recipe) -> float:
        decided = recipe.decided(self.model, self.X, self.support)
        return instance_f1(self.Y, self.Y.with_indicator(decided.sets))


def tuned(recipe: Recipe, wishes: Wishes, model: Any, X: Any, Y: LabelMatrix, support: Support) -> Recipe:
    """Give the recipe with the numbers that serve held-out documents best: calibration, then blend, then threshold."""
    held = _HeldOut(model, X, Y, support)
    if wishes.calibration is not None:
        recipe = _calibrated(recipe, wishes.calibration, held)
    if wishes.blend:
        tried = [replace(recipe, blend=blend) for blend in BLENDS]
        recipe = max(tried, key=held.f1)  # the first of equals
    if wishes.threshold is not None:
        marginals = np.concatenate([marginals_of(known) for known in recipe.known(model, X, support)])
        if wishes.threshold == "tuned":
            found: Any = best_threshold(marginals, Y, at_least_one=recipe.at_least_one)
        else:
            found = best_thresholds(marginals, Y)
        recipe = replace(recipe, threshold=found)
    return recipe


def _calibrated(recipe: Recipe, way: Literal["likelihood", "f1"], held: _HeldOut) -> Recipe:
    """Calibrate what the inference uses: the distribution over the support, the logits of the model, or both.

    For F1 only one of them is searched further: in a blend the support, unless no held-out set is in it.
    """
    with_support = recipe.inference in ("support", "blend") and bool((held.support.index_of(held.Y) >= 0).any())
    with_logits = recipe.inference in ("exact", "blend") and callable(getattr(held.model, "scaled_marginals", None))
    if with_support:
        recipe = replace(recipe, calibration=fit_calibration(held.model, held.X, held.Y, held.support))
    if with_logits:
        recipe = replace(recipe, scaling=fit_scaling(held.model, held.X, held.Y))
    if way == "f1" and with_support:
        found = _improved(recipe.calibration, lambda tried: held.f1(replace(recipe, calibration=tried)), True)
        recipe = replace(recipe, calibration=found)
    elif way == "f1" and with_logits:
        found = _improved(recipe.scaling, lambda tried: held.f1(replace(recipe, scaling=tried)), False)
        recipe = replace(recipe, scaling=found)
    return recipe


def _improved(fitted: SetCalibration, score: Callable[[SetCalibration], float], with_prior: bool) -> SetCalibration:
    return improve_calibration(max(fitted, AS_IT_IS, key=score), score, with_prior=with_prior)
