"""How sure a difference is, when both sides did the same documents."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import binomtest

__all__ = ["Comparison", "Difference", "compared", "paired_difference"]

COVERED = 0.95
AT_A_TIME = 1_000  # resamples, so that memory stays small
SAME = 1e-9  # F1 of one document that differs by rounding alone is a tie


@dataclass(frozen=True)
class Difference:
    """A mean difference, and the interval that holds it in 95 % of all resamples of the documents."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Comparison:
    """A difference, and for how many documents one side was better."""

    difference: Difference
    wins: int
    losses: int
    ties: int
    p: float
    """Of the two-sided sign test: how often a coin would be as one-sided as wins and losses are."""


def paired_difference(ours: ArrayLike, theirs: ArrayLike, n_resamples: int = 10_000, seed: int = 0) -> Difference:
    """Take documents with replacement, each with what both sides came to (percentile bootstrap).

    Documents that differ by the same are drawn together: how many of each value a resample has is one draw of a
    multinomial law, and F1 has few values.
    """
    if np.ndim(ours) != 1 or np.size(ours) == 0 or np.shape(ours) != np.shape(theirs):
        raise ValueError(f"both need one number a document; got shapes {np.shape(ours)} and {np.shape(theirs)}")
    apart = np.asarray(ours, dtype=np.float64) - np.asarray(theirs, dtype=np.float64)
    values, counts = np.unique(apart, return_counts=True)
    random, means = np.random.default_rng(seed), np.empty(n_resamples)
    for start in range(0, n_resamples, AT_A_TIME):
        block = means[start : start + AT_A_TIME]
        block[:] = random.multinomial(apart.size, counts / apart.size, size=block.size) @ values / apart.size
    tail = (1 - COVERED) / 2
    low, high = np.quantile(means, [tail, 1 - tail])
    return Difference(float(apart.mean()), float(low), float(high))


def compared(ours: ArrayLike, theirs: ArrayLike) -> Comparison:
    """Compare two sides document by document."""
    difference = paired_difference(ours, theirs)
    apart = np.asarray(ours, dtype=np.float64) - np.asarray(theirs, dtype=np.float64)
    wins, losses = int((apart > SAME).sum()), int((apart < -SAME).sum())
    p = float(binomtest(wins, wins + losses).pvalue) if wins + losses else 1.0
    return Comparison(difference, wins, losses, apart.size - wins - losses, p)
