"""All label sets of a few labels, and what a table of their probabilities says by plain sums."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def every_set(n_labels: int) -> NDArray[np.int64]:
    """All 2^L sets, a row of 0 and 1 each; the first is empty."""
    return (np.arange(2**n_labels)[:, None] >> np.arange(n_labels)) & 1


def marginals_by_sums(probability: Array, sets: NDArray[np.int64]) -> Array:
    """p(y_l = 1), documents by labels, from documents by sets."""
    return probability @ sets


def size_marginals_by_sums(probability: Array, sets: NDArray[np.int64], n_sizes: int) -> tuple[Array, Array]:
    """p(y_l = 1, |y| = s), documents by labels by sizes from 1 up, and p(y = 0)."""
    sizes = sets.sum(axis=1)
    joint = np.zeros((len(probability), sets.shape[1], n_sizes))
    for size in range(1, n_sizes + 1):
        joint[:, :, size - 1] = probability[:, sizes == size] @ sets[sizes == size]
    return joint, probability[:, sizes == 0].sum(axis=1)
