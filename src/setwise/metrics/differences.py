"""Paired differences: how certain it is that one prediction is better than another on the same documents."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from setwise.exceptions import InvalidData

__all__ = ["Difference", "paired_difference"]

COVERAGE = 0.95
BLOCK_SIZE = 1_000
"""Resamples that are drawn together, so that memory stays small."""


@dataclass(frozen=True)
class Difference:
    """A mean difference, with its 95 % bootstrap interval over documents."""

    mean: float
    low: float
    high: float


def paired_difference(ours: ArrayLike, theirs: ArrayLike, n_resamples: int = 10_000, seed: int = 0) -> Difference:
    """Compute the percentile bootstrap of a mean difference; documents are drawn with replacement, in pairs.

    Documents with equal differences are drawn together: the number of each value in a resample has a multinomial
    distribution, and F1 has few values.

    Parameters
    ----------
    ours, theirs : array-like of shape (n_samples,)
        One number per document, such as its F1.
    n_resamples : int
    seed : int

    Returns
    -------
    difference : Difference
        Of ``ours`` minus ``theirs``.

    Examples
    --------
    >>> from setwise.metrics import paired_difference
    >>> paired_difference([1.0, 0.5, 1.0], [0.5, 0.0, 0.5])
    Difference(mean=0.5, low=0.5, high=0.5)
    """
    if np.ndim(ours) != 1 or np.size(ours) == 0 or np.shape(ours) != np.shape(theirs):
        raise InvalidData(
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
