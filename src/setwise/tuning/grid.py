"""What is tried: lines of models that differ in strength alone, so that each can start where a stronger one ended."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from setwise.learners import critical_strengths, strength_grid
from setwise.learners.checks import checked_l1_ratio
from setwise.models.base import falling_strengths

__all__ = ["Cell", "Line", "critical_of_all", "elastic_lines"]

LEAST_PULL = 0.1
"""The critical strength grows without end as the L1 ratio falls to 0; below this ratio it is taken at this one."""

REACH = 1e-4
"""The weakest strength of a line, as a share of its critical one, below which nothing was ever gained."""

REACH_OF_SQUARES = 1e-6
"""The same without an L1 term: squares bite far less where weights are small."""


@dataclass(frozen=True)
class Cell:
    """One setting of a model."""

    strength: float
    parameters: tuple[tuple[str, Any], ...] = ()
    """The other parameters, by name."""

    @property
    def settings(self) -> dict[str, Any]:
        """All of them, ready for ``set_params``."""
        return {**dict(self.parameters), "strength": self.strength}


@dataclass(frozen=True)
class Line:
    """Strengths, strongest first, under parameters that stay."""

    strengths: tuple[float, ...]
    parameters: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "strengths", tuple(falling_strengths(self.strengths)))

    @property
    def cells(self) -> Iterator[Cell]:
        """Its settings, strongest first."""
        fixed = tuple(sorted(self.parameters.items()))
        return (Cell(strength, fixed) for strength in self.strengths)


def critical_of_all(X: Any, y: Any, n_jobs: int | None = None) -> float:
    """Give the least strength of an L1 term at which no label has any weight."""
    peak = float(np.max(critical_strengths(X, y, l1_ratio=1.0, n_jobs=n_jobs)))
    return peak if peak > 0.0 else 1.0  # every label is a constant: nothing is penalised, whatever the strength


def elastic_lines(
    X: Any,
    y: Any,
    l1_ratios: Sequence[float] = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0),
    n_strengths: int = 20,
    *,
    highest: float = 1.0,
    lowest: float | None = None,
    n_jobs: int | None = None,
) -> list[Line]:
    """Give a line a ratio: strengths evenly spaced on the log scale, from the critical one of the labels downwards.

    ``highest`` and ``lowest`` are shares of the critical strength, the least at which no label has any weight.
    """
    peak = critical_of_all(X, y, n_jobs)
    lines = []
    for ratio in map(checked_l1_ratio, l1_ratios):
        critical = peak / max(ratio, LEAST_PULL)
        least = lowest if lowest is not None else REACH if ratio > 0.0 else REACH_OF_SQUARES
        strengths = strength_grid(highest * critical, min(least, highest) * critical, n_strengths)
        lines.append(Line(tuple(strengths.tolist()), {"l1_ratio": ratio}))
    return lines
