"""Which recipe: candidates are tuned and judged on held-out documents, each on those it was not tuned on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp

from setwise.abilities import lacking
from setwise.data.splits import folds
from setwise.metrics.named import MetricName, lower_is_better, measured
from setwise.prediction.held_out import HeldOut, truth
from setwise.prediction.recipe import Recipe
from setwise.prediction.tuned import Wishes, tuned

__all__ = ["Candidate", "Chosen", "able", "choose", "cross_fitted"]


@dataclass(frozen=True, eq=False)
class Candidate:
    """A recipe, and what of it is to be found."""

    name: str
    recipe: Recipe
    wishes: Wishes = field(default_factory=Wishes)


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
    seed: int = 0,
    watcher: Callable[[str, float], None] | None = None,
) -> Chosen:
    """Choose by what each candidate scores when it is tuned on some of the documents and judged on the others.

    The winner is then tuned on all of them; of equals it is the first. ``watcher(name, value)`` hears of each.
    """
    values = {}
    for one in candidates:
        values[one.name] = cross_fitted(one, parts, metric, n_folds, seed)
        if watcher is not None:
            watcher(one.name, values[one.name])
    sign = -1.0 if lower_is_better(metric) else 1.0
    best = max(candidates, key=lambda one: sign * values[one.name])
    recipe = tuned(best.recipe, best.wishes, parts, metric)
    return Chosen(best.name, recipe, values[best.name], values)


def cross_fitted(
    candidate: Candidate, parts: Sequence[HeldOut], metric: MetricName, n_folds: int = 3, seed: int = 0
) -> float:
    """Give the metric over all documents, none of which was decided by numbers that it helped to find."""
    if not candidate.wishes.any or min(part.Y.n_samples for part in parts) < n_folds:
        recipe = tuned(candidate.recipe, candidate.wishes, parts, metric)
        sets = [recipe.decided(part.model, part.X, part.support).sets for part in parts]
        known = truth(parts)
        return measured(metric, known, known.with_indicator(_stacked(sets)))
    decided = [sp.lil_array(part.Y.indicator.shape, dtype=np.int64) for part in parts]
    for rest, held in _crossed(parts, n_folds, seed):
        recipe = tuned(
            candidate.recipe,
            candidate.wishes,
            [part.take(some) for part, some in zip(parts, rest, strict=True)],
            metric,
        )
        for part, some, rows in zip(parts, held, decided, strict=True):
            rows[some] = recipe.decided(part.model, part.X[some], part.support).sets
    known = truth(parts)
    return measured(metric, known, known.with_indicator(_stacked(decided)))


def _crossed(parts: Sequence[HeldOut], n_folds: int, seed: int) -> Iterator[tuple[list[Any], list[Any]]]:
    """Give for each fold the documents of every part that are tuned on, and those that are judged."""
    by_part = [folds(part.Y, n_folds, seed) for part in parts]
    for fold in range(n_folds):
        yield [one[fold][0] for one in by_part], [one[fold][1] for one in by_part]


def _stacked(sets: Sequence[Any]) -> sp.csr_array:
    return sp.csr_array(sp.vstack(sets, format="csr"))
