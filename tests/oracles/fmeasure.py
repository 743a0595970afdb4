"""Expected F by its definition: the F of every set with every other, weighed by probability. Slow and obvious."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Sets = NDArray[np.int64]


def f_beta(true: Sets, chosen: Sets, beta: float = 1.0) -> float:
    """(1 + b^2) |true and chosen| / (b^2 |true| + |chosen|); 1 for two empty sets."""
    if not true.any() and not chosen.any():
        return 1.0
    return float((1.0 + beta**2) * (true & chosen).sum() / (beta**2 * true.sum() + chosen.sum()))


def expected_f_of_sets(probability: Array, sets: Sets, chosen: Sets, beta: float = 1.0) -> Array:
    """The expected F of each of ``chosen`` when the truth is one of ``sets`` with its probability."""
    table = np.array([[f_beta(true, choice, beta) for true in sets] for choice in chosen])
    return np.asarray(table @ probability)


def expected_f_of_sizes(joint: Array, empty: float, chosen: Sets, beta: float = 1.0) -> Array:
    """The same from p(y_l = 1, |y| = s) and p(y = 0): sum_l sum_s joint (1 + b^2) / (b^2 s + k), consistent or not."""
    s = np.arange(1, joint.shape[1] + 1)
    return np.array(
        [
            (joint[choice == 1] * (1.0 + beta**2) / (beta**2 * s + choice.sum())).sum() if choice.any() else empty
            for choice in chosen
        ]
    )
