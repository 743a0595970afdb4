"""How sure a difference between two contestants is, when both did the same documents."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

COVERED = 0.95
AT_A_TIME = 100  # resamples, so that memory stays small


@dataclass(frozen=True)
class Difference:
    """A mean difference, and the interval that holds it in 95 % of all resamples of the documents."""

    mean: float
    low: float
    high: float


def paired_difference(ours: ArrayLike, theirs: ArrayLike, n_resamples: int = 10_000, seed: int = 0) -> Difference:
    """Take documents with replacement, each with what both contestants came to (percentile bootstrap)."""
    if np.ndim(ours) != 1 or np.size(ours) == 0 or np.shape(ours) != np.shape(theirs):
        raise ValueError(f"both need one number a document; got shapes {np.shape(ours)} and {np.shape(theirs)}")
    apart = np.asarray(ours, dtype=np.float64) - np.asarray(theirs, dtype=np.float64)
    random, means = np.random.default_rng(seed), np.empty(n_resamples)
    for start in range(0, n_resamples, AT_A_TIME):
        block = means[start : start + AT_A_TIME]
        block[:] = apart[random.integers(apart.size, size=(block.size, apart.size))].mean(axis=1)
    tail = (1 - COVERED) / 2
    low, high = np.quantile(means, [tail, 1 - tail])
    return Difference(float(apart.mean()), float(low), float(high))
