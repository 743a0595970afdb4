"""The oracles themselves: gradients against finite differences, and the slow solver against a known solver."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize

from tests.oracles.logistic import (
    logistic_gradient,
    logistic_objective,
    penalty_value,
    penalty_violation,
    recompute_softmax_violation,
    recompute_violation,
    softmax_gradient,
    softmax_objective,
)
from tests.oracles.solver import solve_logistic, solve_softmax

Array = NDArray[np.float64]


def slopes(function: Callable[[Array], float], point: Array, step: float = 1e-6) -> Array:
    """Central differences."""
    moves = step * np.eye(point.size).reshape(point.size, *point.shape)
    return np.array([(function(point + m) - function(point - m)) / (2 * step) for m in moves]).reshape(point.shape)


@pytest.fixture
def data() -> dict[str, Array]:
    random = np.random.default_rng(11)
    return {
        "X": random.normal(size=(15, 4)),
        "y": random.random(15),
        "T": random.dirichlet(np.ones(3), size=15),
        "w": random.normal(size=4),
        "W": random.normal(size=(3, 4)),
        "b": random.normal(size=3),
        "weight": random.random(15),
        "offset": random.normal(size=15),
        "offsets": random.normal(size=(15, 3)),
    }


def test_gradient_is_the_slope_of_the_loss(data: dict[str, Array]) -> None:
    X, y, w, weight, offset = (data[name] for name in ("X", "y", "w", "weight", "offset"))
    by_w, by_b = logistic_gradient(X, y, w, 0.3, weight, offset)
    assert by_w == pytest.approx(slopes(lambda v: logistic_objective(X, y, v, 0.3, 0, 1, weight, offset), w), abs=1e-8)
    by_difference = slopes(lambda v: logistic_objective(X, y, w, v[0], 0, 1, weight, offset), np.array([0.3]))
    assert by_b == pytest.approx(by_difference[0], abs=1e-8)


def test_softmax_gradient_is_the_slope_of_its_loss(data: dict[str, Array]) -> None:
    X, T, W, b, weight, offset = (data[name] for name in ("X", "T", "W", "b", "weight", "offsets"))
    by_w, by_b = softmax_gradient(X, T, W, b, weight, offset)
    assert by_w == pytest.approx(slopes(lambda v: softmax_objective(X, T, v, b, 0, 1, weight, offset), W), abs=1e-8)
    assert by_b == pytest.approx(slopes(lambda v: softmax_objective(X, T, W, v, 0, 1, weight, offset), b), abs=1e-8)


def test_violation_is_the_least_slope_downhill() -> None:
    """Away from zero both one-sided slopes agree; at zero, the steeper way down is the violation, if there is one."""
    for w, gradient in [(0.7, 0.2), (-0.7, 0.2), (0.0, 0.1), (0.0, -0.9), (0.0, 0.9)]:

        def rise(move: float, w: float = w, gradient: float = gradient) -> float:
            moved, here = np.array([w + move]), np.array([w])
            return gradient * move + penalty_value(moved, 0.5, 0.6) - penalty_value(here, 0.5, 0.6)

        step = 1e-7
        downhill = max(-rise(step), -rise(-step), 0.0) / step
        (violation,) = penalty_violation(np.array([w]), np.array([gradient]), 0.5, 0.6)
        assert violation == pytest.approx(downhill, abs=1e-6)


@pytest.mark.parametrize("l1_ratio", [0.0, 0.5, 1.0])
def test_slow_solver_agrees_with_one_of_scipy(data: dict[str, Array], l1_ratio: float) -> None:
    """Positive and negative parts as variables with bounds make the penalty smooth."""
    X, y, weight, offset = (data[name] for name in ("X", "y", "weight", "offset"))
    strength = 0.03

    def split(v: Array) -> tuple[float, Array]:
        up, down, b = v[:4], v[4:8], v[8]
        by_w, by_b = logistic_gradient(X, y, up - down, b, weight, offset)
        value = logistic_objective(X, y, up - down, b, 0.0, 1.0, weight, offset)
        value += strength * (l1_ratio * (up + down).sum() + (1 - l1_ratio) * np.sum((up - down) ** 2))
        square = 2 * strength * (1 - l1_ratio) * (up - down)
        l1 = strength * l1_ratio
        return value, np.concatenate([by_w + square + l1, -by_w - square + l1, [by_b]])

    other = minimize(
        split,
        np.zeros(9),
        jac=True,
        method="L-BFGS-B",
        bounds=[(0, None)] * 8 + [(None, None)],
        options={"ftol": 1e-15, "gtol": 1e-9, "maxiter": 10_000},
    )
    w, b = solve_logistic(X, y, strength, l1_ratio, weight, offset)
    assert recompute_violation(X, y, w, b, strength, l1_ratio, weight, offset) <= 1e-11
    assert logistic_objective(X, y, w, b, strength, l1_ratio, weight, offset) == pytest.approx(other.fun, abs=1e-10)
    assert w == pytest.approx(other.x[:4] - other.x[4:8], abs=1e-4)


def test_slow_softmax_solver_with_two_classes_is_the_binary_one(data: dict[str, Array]) -> None:
    """The classes share a binary weight vector evenly, so the L1 part is the same and the squared one half."""
    X, y, weight = (data[name] for name in ("X", "y", "weight"))
    W, b = solve_softmax(X, np.column_stack([1 - y, y]), 0.03, 1.0, weight)
    assert recompute_softmax_violation(X, np.column_stack([1 - y, y]), W, b, 0.03, 1.0, weight) <= 1e-11
    w, intercept = solve_logistic(X, y, 0.03, 1.0, weight)
    assert W[1] - W[0] == pytest.approx(w, abs=1e-8)
    assert b[1] - b[0] == pytest.approx(intercept, abs=1e-8)
