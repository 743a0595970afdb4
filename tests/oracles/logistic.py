"""The learners' objectives as the theory prints them: dense, in double precision, nothing clever.

Binary, over w and b, with z_i = offset_i + b + x_i . w and targets y_i in [0, 1]::

    (1 / sum_i c_i) sum_i c_i [log(1 + exp z_i) - y_i z_i]  +  strength (l1_ratio |w|_1 + (1 - l1_ratio) |w|_2^2)

Multinomial, over W (classes x features) and b, with z_ik = offset_ik + b_k + x_i . w_k and targets t_ik >= 0::

    (1 / sum_i c_i) sum_i c_i [(sum_k t_ik) log sum_k exp z_ik - sum_k t_ik z_ik]  +  the same penalty of all of W

The intercepts are free of penalty in both.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logsumexp, softmax

Array = NDArray[np.float64]


def penalty_value(w: Array, strength: float, l1_ratio: float) -> float:
    return float(strength * (l1_ratio * np.sum(np.abs(w)) + (1.0 - l1_ratio) * np.sum(w**2)))


def penalty_violation(w: Array, gradient: Array, strength: float, l1_ratio: float) -> Array:
    """How far 0 is from gradient + d penalty, by coordinate: a point where w is not zero, else an interval."""
    smooth = gradient + 2.0 * strength * (1.0 - l1_ratio) * w
    low, high = smooth - strength * l1_ratio, smooth + strength * l1_ratio
    at_zero = np.maximum(np.maximum(low, -high), 0.0)
    return np.where(w > 0, np.abs(high), np.where(w < 0, np.abs(low), at_zero))


def shares(weight: Array | None, n_samples: int) -> Array:
    """The document weights divided by their sum."""
    return np.full(n_samples, 1.0 / n_samples) if weight is None else weight / weight.sum()


def logistic_objective(
    X: Array,
    y: Array,
    w: Array,
    b: float,
    strength: float,
    l1_ratio: float,
    weight: Array | None = None,
    offset: Array | float = 0.0,
) -> float:
    z = X @ w + b + offset
    losses = np.logaddexp(0.0, z) - y * z
    return float(shares(weight, len(y)) @ losses) + penalty_value(w, strength, l1_ratio)


def logistic_gradient(
    X: Array, y: Array, w: Array, b: float, weight: Array | None = None, offset: Array | float = 0.0
) -> tuple[Array, float]:
    """The gradient of the mean loss alone, by w and by b."""
    residual = shares(weight, len(y)) * (expit(X @ w + b + offset) - y)
    return X.T @ residual, float(residual.sum())


def recompute_violation(
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
    by_w, by_b = logistic_gradient(X, y, w, b, weight, offset)
    return float(max(abs(by_b), np.max(penalty_violation(w, by_w, strength, l1_ratio), initial=0.0)))


def softmax_objective(
    X: Array,
    T: Array,
    W: Array,
    b: Array,
    strength: float,
    l1_ratio: float,
    weight: Array | None = None,
    offset: Array | float = 0.0,
) -> float:
    z = X @ W.T + b + offset
    losses = T.sum(axis=1) * logsumexp(z, axis=1) - np.sum(T * z, axis=1)
    return float(shares(weight, len(T)) @ losses) + penalty_value(W, strength, l1_ratio)


def softmax_gradient(
    X: Array, T: Array, W: Array, b: Array, weight: Array | None = None, offset: Array | float = 0.0
) -> tuple[Array, Array]:
    """The gradient of the mean loss alone, by W (classes x features) and by b."""
    probability = softmax(X @ W.T + b + offset, axis=1)
    residual = shares(weight, len(T))[:, None] * (T.sum(axis=1, keepdims=True) * probability - T)
    return residual.T @ X, residual.sum(axis=0)


def recompute_softmax_violation(
    X: Array,
    T: Array,
    W: Array,
    b: Array,
    strength: float,
    l1_ratio: float,
    weight: Array | None = None,
    offset: Array | float = 0.0,
) -> float:
    by_w, by_b = softmax_gradient(X, T, W, b, weight, offset)
    largest = np.max(penalty_violation(W, by_w, strength, l1_ratio), initial=0.0)
    return float(max(np.max(np.abs(by_b)), largest))
