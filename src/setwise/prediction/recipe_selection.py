"""Which recipe: candidates are tuned and judged on held-out documents, each on those it was not tuned on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp

from setwise.abilities import lacking
from setwise.data.splits import folds
from setwise.metrics.named import MetricName, oriented
from setwise.prediction.held_out import HeldOut, judged, measured_over
from setwise.prediction.recipe import Recipe
from setwise.prediction.recipe_tuning import TuningTargets, tune_recipe

__all__ = ["Candidate", "Chosen", "able", "choose", "cross_fitted"]


@dataclass(frozen=True, eq=False)
class Candidate:
    """A recipe, and what of it is to be found."""

    name: str
    recipe: Recipe
    wishes: TuningTargets = field(default_factory=TuningTargets)


@dataclass(frozen=True, eq=False)
class Chosen:
    """The winner with its numbers, and what every candidate scored."""

    name: str
    recipe: Recipe
    value: float
    values: dict[str, float]
    """By the name of the candidate, in the order they were tried; a loss keeps its own sign."""


def able(candidates: Sequence[Candidate], model: Any) -> list[Candidate]:
    """Give the candidates that the model has the abilities for."""
    return [
        one for one in candidates if not lacking(model, *one.recipe.needs(model), *one.wishes.needs(one.recipe, model))
    ]


def choose(
    candidates: Sequence[Candidate],
    parts: Sequence[HeldOut],
    *,
    metric: MetricName = "instance_f1",
    n_folds: int = 3,
    random_state: int = 0,
    tried: Callable[[], None] | None = None,
) -> Chosen:
    """Choose by what each candidate scores when it is tuned on some of the documents and judged on the others.

    The winner is then tuned on all of them; of equals it is the first. ``tried`` is called after each candidate.
    """
    values = {}
    for one in candidates:
        values[one.name] = cross_fitted(one, parts, metric, n_folds, random_state)
        if tried is not None:
            tried()
    best = max(candidates, key=lambda one: oriented(metric, values[one.name]))
    recipe = tune_recipe(best.recipe, best.wishes, parts, metric)
    return Chosen(best.name, recipe, values[best.name], values)


def cross_fitted(
    candidate: Candidate, parts: Sequence[HeldOut], metric: MetricName, n_folds: int = 3, random_state: int = 0
) -> float:
    """Give the metric over all documents, none of which was decided by numbers that it helped to find."""
    if not candidate.wishes.any or min(part.y.n_samples for part in parts) < n_folds:
        return judged(tune_recipe(candidate.recipe, candidate.wishes, parts, metric), parts, metric)
    decided = [sp.lil_array(part.y.indicator.shape, dtype=np.int64) for part in parts]
    splits = [folds(part.y, n_folds, random_state) for part in parts]
    for of_parts in zip(*splits, strict=True):  # the same fold of every part
        rest = [part.take(some) for part, (some, _) in zip(parts, of_parts, strict=True)]
        recipe = tune_recipe(candidate.recipe, candidate.wishes, rest, metric)
        for part, (_, held), rows in zip(parts, of_parts, decided, strict=True):
            rows[held] = recipe.decided(part.model, part.X[held], part.support).sets
    return measured_over(parts, decided, metric)
