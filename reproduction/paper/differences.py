"""Paired comparisons: how certain the difference is between two predictions of the same documents."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import binomtest

from setwise.metrics import Difference, paired_difference

__all__ = ["Comparison", "compare"]

TIE = 1e-9
"""F1 values of one document that differ by less are equal up to rounding."""


@dataclass(frozen=True)
class Comparison:
    """A difference, and for how many documents either side is better."""

    difference: Difference
    wins: int
    losses: int
    ties: int
    p: float
    """The p-value of the two-sided sign test."""


def compare(ours: ArrayLike, theirs: ArrayLike) -> Comparison:
    """Compare two sides document by document."""
    difference = paired_difference(ours, theirs)
    differences = np.asarray(ours, dtype=np.float64) - np.asarray(theirs, dtype=np.float64)
    wins, losses = int((differences > TIE).sum()), int((differences < -TIE).sum())
    p = float(binomtest(wins, wins + losses).pvalue) if wins + losses else 1.0
    return Comparison(difference, wins, losses, differences.size - wins - losses, p)
