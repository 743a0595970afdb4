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


INVALID_LEARNER_PARAMETERS: list[tuple[dict[str, Any], str]] = [
    ({"strength": -1.0}, "strength must be a finite number of at least 0; got -1.0."),
    (
        {"l1_ratio": 2},
        "l1_ratio must be a number between 0 and 1; got 2. Hint: the overall weight of the penalty is strength.",
    ),
    ({"tol": 0.0}, "tol must be None or a finite number above 0; got 0.0."),
    ({"max_iter": 1.5}, "max_iter must be an integer of at least 0; got 1.5."),
    (
        {"n_jobs": 0},
        "n_jobs must be None or an integer other than 0; got 0. Hint: None and -1 use every core, -2 all but one.",
    ),
]
"""Parameters of the elastic-net learners that are refused, and the sentence for each."""
