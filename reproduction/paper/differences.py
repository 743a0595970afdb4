"""Paired comparisons: how certain the difference is between two predictions of the same documents."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import binomtest

__all__ = ["Comparison", "Difference", "compare", "paired_difference"]

COVERAGE = 0.95
BLOCK_SIZE = 1_000
"""Resamples that are drawn together, so that memory stays small."""
TIE = 1e-9
"""F1 values of one document that differ by less are equal up to rounding."""


@dataclass(frozen=True)
class Difference:
    """A mean difference, with its 95 % bootstrap interval over documents."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Comparison:
    """A difference, and for how many documents either side is better."""

    difference: Difference
    wins: int
    losses: int
    ties: int
    p: float
    """The p-value of the two-sided sign test."""


def paired_difference(ours: ArrayLike, theirs: ArrayLike, n_resamples: int = 10_000, seed: int = 0) -> Difference:
    """Compute the percentile bootstrap of a mean difference; documents are drawn with replacement, in pairs.

    Documents with equal differences are drawn together: the number of each value in a resample has a multinomial
    distribution, and F1 has few values.
    """
    if np.ndim(ours) != 1 or np.size(ours) == 0 or np.shape(ours) != np.shape(theirs):
        raise ValueError(
            f"Both sides need one number per document; got shapes {np.shape(ours)} and {np.shape(theirs)}."
        )
    differences = np.asarray(ours, dtype=np.float64) - np.asarray(theirs, dtype=np.float64)
    values, counts = np.unique(differences, return_counts=True)
    n_documents = differences.size
    generator, means = np.random.default_rng(seed), np.empty(n_resamples)
    for start in range(0, n_resamples, BLOCK_SIZE):
        block = means[start : start + BLOCK_SIZE]
        block[:] = generator.multinomial(n_documents, counts / n_documents, size=block.size) @ values / n_documents
    tail = (1 - COVERAGE) / 2
    low, high = np.quantile(means, [tail, 1 - tail])
    return Difference(float(differences.mean()), float(low), float(high))


def compare(ours: ArrayLike, theirs: ArrayLike) -> Comparison:
    """Compare two sides document by document."""
    difference = paired_difference(ours, theirs)
    differences = np.asarray(ours, dtype=np.float64) - np.asarray(theirs, dtype=np.float64)
    wins, losses = int((differences > TIE).sum()), int((differences < -TIE).sum())
    p = float(binomtest(wins, wins + losses).pvalue) if wins + losses else 1.0
    return Comparison(difference, wins, losses, differences.size - wins - losses, p)
