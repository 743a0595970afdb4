"""A setting trained once, to its end, with every judge looking on: that tells what early stopping would give, and what
training without it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from setwise.labels import Decision
from setwise.metrics import instance_f1
from setwise.prediction import Recipe
from setwise.tuning import Part

__all__ = ["Best", "Watched", "watched"]


class Best(NamedTuple):
    """A setting at its best under one judge."""

    value: float
    settings: dict[str, Any]
    iterations: int | None
    """To stop after; None is the end."""


@dataclass(frozen=True)
class Watched:
    """What the judges saw of a setting."""

    settings: dict[str, Any]
    iterations: list[int]
    """That were looked at; the last is where training ended."""
    values: dict[str, list[float]]
    """Of each judge at each look: F1 over the documents held out."""

    def best(self, judge: str, *, early: bool) -> Best:
        """Give the best look under early stopping, the first of equals, and otherwise the last."""
        seen = self.values[judge]
        if not early:
            return Best(seen[-1], self.settings, None)
        at = int(np.argmax(seen))
        return Best(seen[at], self.settings, self.iterations[at])


def watched(
    model: Any,
    settings: dict[str, Any],
    parts: Sequence[Part],
    judges: Mapping[str, Recipe],
    looked_at: Callable[[int], bool],
) -> Watched:
    """Train on each part to the end and look at some iterations; parts count by their documents.

    A part whose training is over goes on counting with what it came to.
    """
    seen = [_looks(clone(model).set_params(**settings), part, judges, looked_at) for part in parts]
    # Where one part ended nobody looked at the others; where the last one did, all are at their end.
    known = {iteration for looks in seen for iteration in looks}
    iterations = sorted({iteration for iteration in known if looked_at(iteration)} | {max(known)})
    weights = [part.y_held.n_samples for part in parts]
    values = {
        judge: [
            float(np.average([looks[_at_or_before(looks, now)][judge] for looks in seen], weights=weights))
            for now in iterations
        ]
        for judge in judges
    }
    return Watched(settings, iterations, values)


def _at_or_before(looks: Mapping[int, Any], now: int) -> int:
    """Give the last look until now; the first, where there was none yet."""
    return max((iteration for iteration in looks if iteration <= now), default=min(looks))


def _looks(
    model: Any, part: Part, judges: Mapping[str, Recipe], looked_at: Callable[[int], bool]
) -> dict[int, dict[str, float]]:
    found: dict[int, dict[str, float]] = {}
    last = 0

    def look(iteration: int, trained: Any) -> bool:
        nonlocal last
        last = iteration
        if looked_at(iteration):
            found[iteration] = _judged(trained, part, judges)
        return False

    model.fit(part.X, part.y, callback=look)
    # The end is looked at in any case: after the last callback a model may still have changed.
    found[max(last, 1)] = _judged(model, part, judges)
    return found


def _judged(model: Any, part: Part, judges: Mapping[str, Recipe]) -> dict[str, float]:
    """Ask the model once for every inference, however many judges decide by it."""
    known: dict[str, list[Any]] = {}
    values = {}
    for name, recipe in judges.items():
        if recipe.inference not in known:
            known[recipe.inference] = list(recipe.blocks(model, part.X_held, part.support))
        sets = Decision.stacked([recipe.decide(some) for some in known[recipe.inference]]).sets
        values[name] = instance_f1(part.y_held, part.y_held.with_indicator(sets))
    return values
