"""The squared hinge as the theory prints it: dense, in double precision, nothing clever.

Over w and b, with z_i = offset_i + b + x_i . w, targets y_i in {0, 1} and t_i = 2 y_i - 1::

    (1 / sum_i c_i) sum_i c_i max(0, 1 - t_i z_i)^2  +  strength (l1_ratio |w|_1 + (1 - l1_ratio) |w|_2^2)
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tests.oracles.logistic import penalty_value, penalty_violation, shares

Array = NDArray[np.float64]


def hinge_objective(
    X: Array,
    y: Array,
    w: Array,
    b: float,
    strength: float,
    l1_ratio: float,
    weight: Array | None = None,
    offset: Array | float = 0.0,
) -> float:
    gaps = np.maximum(0.0, 1.0 - (2.0 * y - 1.0) * (X @ w + b + offset))
    return float(shares(weight, len(y)) @ gaps**2) + penalty_value(w, strength, l1_ratio)


def hinge_gradient(
    X: Array, y: Array, w: Array, b: float, weight: Array | None = None, offset: Array | float = 0.0
) -> tuple[Array, float]:
    """The gradient of the mean loss alone, by w and by b."""
    sign = 2.0 * y - 1.0
    residual = -2.0 * shares(weight, len(y)) * sign * np.maximum(0.0, 1.0 - sign * (X @ w + b + offset))
    return X.T @ residual, float(residual.sum())


def hinge_violation(
    X: Array,
    y: Array,
    w: Array,
    b: float,
    strength: float,
    l1_ratio: float,
    weight: Array | None = None,
    offset: Array | float = 0.0,
) -> float:
    """The largest violation of the optimality conditions: what a fit's certificate must say."""
    by_w, by_b = hinge_gradient(X, y, w, b, weight, offset)
    return float(max(abs(by_b), np.max(penalty_violation(w, by_w, strength, l1_ratio), initial=0.0)))
