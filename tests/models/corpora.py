"""Small random corpora for the models, and a comparison of fitted models."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

Array = NDArray[np.float64]

NAMES = ("ape", "bee", "cat", "dog", "eel")


def small_corpus(
    random_state: int = 0, n: int = 60, d: int = 12, empty: bool = True
) -> tuple[sp.csr_array, NDArray[np.int64]]:
    """Return sparse documents, and five labels that depend on them; the first few sets hold every size there is."""
    random = np.random.default_rng([random_state, n, d])
    X = sp.csr_array(random.normal(size=(n, d)) * (random.random((n, d)) < 0.5))
    scores = X @ random.normal(size=(d, len(NAMES))) - 0.4
    y = (scores + random.logistic(size=scores.shape) > 0).astype(np.int64)
    y[:2] = [[1, 1, 1, 1, 1], [0, 0, 0, 0, 1]]
    if not empty:
        y[y.sum(axis=1) == 0, 2] = 1
    return X, y


def name_lists(y: NDArray[np.int64]) -> list[list[str]]:
    return [[NAMES[label] for label in np.flatnonzero(row)] for row in y]


def same_state(one: Any, other: Any) -> bool:
    """Return whether two fitted models have the same bits, whatever their parameters."""
    a, b = one.state(), other.state()
    return (
        a.values == b.values
        and a.arrays.keys() == b.arrays.keys()
        and all(np.array_equal(a.arrays[name], b.arrays[name]) for name in a.arrays)
    )
