"""Independent subsets of the labels, by the product of their distributions over all 2^L sets."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tests.oracles.sets import every_set, size_marginals_by_sums

Array = NDArray[np.float64]


def product_of_subsets(parts: list[tuple[list[int], Array]]) -> Array:
    """The probability of every set of all labels, documents by sets, in the order of ``every_set``.

    Each part has the labels of a subset, and documents by sets of these labels.
    """
    sets = every_set(sum(len(labels) for labels, _ in parts))
    probability = np.ones((len(parts[0][1]), len(sets)))
    for labels, of_subset in parts:
        number = sets[:, labels] @ (1 << np.arange(len(labels)))  # of the part of each set that lies in the subset
        probability *= of_subset[:, number]
    return probability


def size_marginals_of_subsets(parts: list[tuple[list[int], Array]]) -> tuple[Array, Array]:
    """p(y_l = 1, |y| = s), documents by labels by sizes from 1 up, and p(y = 0), summed over all sets."""
    n_labels = sum(len(labels) for labels, _ in parts)
    return size_marginals_by_sums(product_of_subsets(parts), every_set(n_labels), n_labels)
