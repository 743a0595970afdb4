"""How a tested model becomes a row: the choice that led to it, and what is recorded about both."""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from reproduction.plan import Key
from reproduction.run.rows import ScoreRow, pack
from reproduction.run.run_config import peak_mb, versions
from setwise.models import LabelModel

__all__ = ["Choice", "score_row"]


class Choice(NamedTuple):
    """The chosen setting of a model for one recipe."""

    value: float
    """F1 on the held-out documents."""
    settings: dict[str, Any]
    n_iterations: int | None
    """Iterations to train for; None trains to convergence."""


def score_row(
    key: Key, seed: int, choice: Choice, model: LabelModel, f1: NDArray[np.float64], started: float
) -> ScoreRow:
    """Return the row of a key, from the F1 of every test document and the time at which the work on it started."""
    _, dataset, name, recipe, repeat = key
    size = model.size()
    return ScoreRow(
        dataset=dataset,
        model=name,
        recipe=recipe,
        repeat=repeat,
        seed=seed,
        f1=float(f1.mean()),
        validation_f1=choice.value,
        settings=choice.settings,
        iterations=choice.n_iterations,
        n_features_used=size.n_features_used,
        n_nonzero=size.n_nonzero,
        n_bytes=size.n_bytes,
        seconds=round(time.perf_counter() - started, 2),
        peak_mb=peak_mb(),
        versions=versions(),
        documents=pack(f1),
    )
