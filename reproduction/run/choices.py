"""How a setting is chosen: which documents are held out, and the best point of all learning curves on them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from setwise.tuning import CurveSchedule, Trial

__all__ = ["FEW_DOCUMENTS", "HELD_OUT_SHARE", "N_FOLDS", "Choice", "choose_setting", "mean_curve"]

HELD_OUT_SHARE = 0.2
FEW_DOCUMENTS = 2_000
"""With fewer documents a fifth of them is too small a held-out part, and cross-validation is used."""
N_FOLDS = 3


class Choice(NamedTuple):
    """The chosen setting of a model for one recipe."""

    value: float
    """F1 on the held-out documents."""
    settings: dict[str, Any]
    n_iterations: int | None
    """Iterations to train for; None trains to convergence."""


def mean_curve(trial: Trial, weights: Sequence[int], schedule: CurveSchedule) -> list[tuple[int, float]]:
    """Return the learning curve of a trial over all parts, weighted by their numbers of held-out documents.

    A part whose training has converged keeps its last value.
    """
    curves: list[dict[int, float]] = [dict(curve) for curve in trial.row["history"]]
    evaluated = {iteration for curve in curves for iteration in curve}
    # Where one part converged the others may not have been evaluated; at the last iteration all are at their end.
    iterations = sorted({iteration for iteration in evaluated if iteration in schedule} | {max(evaluated)})
    return [
        (now, float(np.average([curve[_latest(curve, now)] for curve in curves], weights=weights)))
        for now in iterations
    ]


def choose_setting(trials: Sequence[Trial], weights: Sequence[int], schedule: CurveSchedule, *, early: bool) -> Choice:
    """Return the best setting of a recipe, the first of equals: at its best iteration if ``early``, else at the end."""
    choices = []
    for trial in trials:
        curve = mean_curve(trial, weights, schedule)
        iteration, value = max(curve, key=lambda point: point[1]) if early else curve[-1]
        choices.append(Choice(value, trial.setting.values, iteration if early else None))
    return max(choices, key=lambda choice: choice.value)


def _latest(curve: dict[int, float], now: int) -> int:
    """Return the last evaluated iteration up to now, or the first one if none was evaluated yet."""
    return max((iteration for iteration in curve if iteration <= now), default=min(curve))
