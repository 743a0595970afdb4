"""Slow, sure solvers for the objectives of :mod:`tests.oracles.logistic` and :mod:`tests.oracles.squared_hinge`.

FISTA: gradient steps of one safe length, each followed by the penalty's prox, with momentum that is dropped whenever it
points uphill (O'Donoghue and Candes 2015). It shares no idea with Newton's method and needs thousands of products with
a small dense matrix, so keep the problems small.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from tests.oracles.logistic import logistic_gradient, penalty_violation, shares, softmax_gradient
from tests.oracles.squared_hinge import hinge_gradient

Array = NDArray[np.float64]


def solve_logistic(
    X: Array,
    y: Array,
    strength: float,
    l1_ratio: float,
    weight: Array | None = None,
    offset: Array | float = 0.0,
    tol: float = 1e-11,
) -> tuple[Array, float]:
    """The best w and b, to a violation of ``tol``."""

    def gradient(point: Array) -> Array:
        by_w, by_b = logistic_gradient(X, y, point[:-1], float(point[-1]), weight, offset)
        return np.append(by_w, by_b)

    point = _fista(gradient, np.zeros(X.shape[1] + 1), 0.25 * _largest_curvature(X, weight), strength, l1_ratio, tol)
    return point[:-1], float(point[-1])


def solve_hinge(
    X: Array,
    y: Array,
    strength: float,
    l1_ratio: float,
    weight: Array | None = None,
    offset: Array | float = 0.0,
    tol: float = 1e-11,
) -> tuple[Array, float]:
    """The best w and b with the squared hinge, to a violation of ``tol``."""

    def gradient(point: Array) -> Array:
        by_w, by_b = hinge_gradient(X, y, point[:-1], float(point[-1]), weight, offset)
        return np.append(by_w, by_b)

    point = _fista(gradient, np.zeros(X.shape[1] + 1), 2.0 * _largest_curvature(X, weight), strength, l1_ratio, tol)
    return point[:-1], float(point[-1])


def solve_softmax(
    X: Array,
    T: Array,
    strength: float,
    l1_ratio: float,
    weight: Array | None = None,
    offset: Array | float = 0.0,
    tol: float = 1e-11,
) -> tuple[Array, Array]:
    """The best W (classes x features) and b, to a violation of ``tol``; b sums to zero."""

    def gradient(point: Array) -> Array:
        by_w, by_b = softmax_gradient(X, T, point[:, :-1], point[:, -1], weight, offset)
        return np.column_stack([by_w, by_b])

    start = np.zeros((T.shape[1], X.shape[1] + 1))
    curvature = 0.5 * T.sum(axis=1).max() * _largest_curvature(X, weight)
    point = _fista(gradient, start, curvature, strength, l1_ratio, tol)
    return point[:, :-1], point[:, -1]


def _largest_curvature(X: Array, weight: Array | None) -> float:
    """The largest eigenvalue of [X 1]' C [X 1]; the losses curve at most 1/4 (logistic), 1/2
    (softmax) or 2 (squared hinge) times as much."""
    design = np.column_stack([X, np.ones(len(X))]) * np.sqrt(shares(weight, len(X)))[:, None]
    return float(np.linalg.norm(design, 2) ** 2)


def _fista(
    gradient: Callable[[Array], Array],
    start: Array,
    curvature: float,
    strength: float,
    l1_ratio: float,
    tol: float,
    max_iter: int = 200_000,
) -> Array:
    """Minimise a smooth function plus the penalty of all but the last entry of each row."""
    step = 1.0 / curvature
    shrink = step * strength * l1_ratio * np.append(np.ones(start.shape[-1] - 1), 0.0)
    scale = 1.0 + 2.0 * step * strength * (1.0 - l1_ratio) * np.append(np.ones(start.shape[-1] - 1), 0.0)
    point, ahead, momentum = start, start, 1.0
    for iteration in range(max_iter):
        moved = ahead - step * gradient(ahead)
        following = np.sign(moved) * np.maximum(np.abs(moved) - shrink, 0.0) / scale
        if np.sum((ahead - following) * (following - point)) > 0.0:
            momentum = 1.0
        next_momentum = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * momentum**2))
        ahead = following + (momentum - 1.0) / next_momentum * (following - point)
        point, momentum = following, next_momentum
        if iteration % 20 == 0 and _violation(gradient(point), point, strength, l1_ratio) <= tol:
            return point
    raise AssertionError(f"the slow solver has not reached a violation of {tol} in {max_iter} steps")


def _violation(gradient: Array, point: Array, strength: float, l1_ratio: float) -> float:
    weights = penalty_violation(point[..., :-1], gradient[..., :-1], strength, l1_ratio)
    return float(max(np.max(np.abs(gradient[..., -1])), np.max(weights, initial=0.0)))
