"""The elastic net as a value."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from setwise.exceptions import InvalidParameter
from setwise.learners import ElasticNet

RATIOS = st.sampled_from([0.0, 0.1, 0.5, 1.0])
STRENGTHS = st.sampled_from([0.0, 0.01, 0.3, 2.0])
POINTS = st.floats(-3.0, 3.0)


def test_value_is_the_printed_formula_without_a_half() -> None:
    penalty = ElasticNet(strength=0.5, l1_ratio=0.2)
    assert penalty.value([3.0, 0.0, -1.0]) == pytest.approx(0.5 * (0.2 * (3 + 1) + 0.8 * (9 + 1)))


@given(strength=STRENGTHS, l1_ratio=RATIOS, v=POINTS, step=st.floats(0.1, 4.0))
def test_prox_is_the_best_point_of_a_grid(strength: float, l1_ratio: float, v: float, step: float) -> None:
    penalty = ElasticNet(strength, l1_ratio)
    grid = np.linspace(-3.0, 3.0, 6001)
    costs = [0.5 * (u - v) ** 2 + step * penalty.value(u) for u in grid]
    assert penalty.prox(v, step) == pytest.approx(grid[np.argmin(costs)], abs=1e-3)


@given(strength=STRENGTHS, l1_ratio=RATIOS, centre=POINTS, curvature=st.floats(0.1, 4.0), away=st.floats(1e-3, 2.0))
def test_violation_is_zero_at_the_optimum_and_nowhere_else(
    strength: float, l1_ratio: float, centre: float, curvature: float, away: float
) -> None:
    """The function is curvature / 2 (u - centre)^2 + penalty(u): its least point is a prox."""
    penalty = ElasticNet(strength, l1_ratio)
    best = float(penalty.prox(centre, 1.0 / curvature))

    def violation(u: float) -> float:
        return float(penalty.violation(u, curvature * (u - centre)))

    assert violation(best) == pytest.approx(0.0, abs=1e-12)
    for other in (best - away, best + away):
        assert violation(other) >= 0.99 * curvature * away  # strong convexity


def test_violation_and_prox_work_by_coordinate() -> None:
    penalty = ElasticNet(strength=0.5, l1_ratio=1.0)
    assert penalty.violation([1.0, -1.0, 0.0, 0.0], [-0.5, 0.25, 0.4, -0.7]).tolist() == pytest.approx(
        [0, 0.25, 0, 0.2]
    )
    assert penalty.prox(np.array([[2.0, -0.2], [-1.0, 0.5]])).tolist() == [[1.5, 0.0], [-0.5, 0.0]]


@given(
    l1_ratio=st.sampled_from([0.1, 0.5, 1.0]),
    gradient=st.lists(st.floats(-5.0, 5.0, allow_subnormal=False), min_size=1, max_size=6),
)
def test_critical_strength_is_where_zero_becomes_optimal(l1_ratio: float, gradient: list[float]) -> None:
    critical = ElasticNet(1.0, l1_ratio).critical_strength(gradient)
    zeros = np.zeros(len(gradient))
    assert ElasticNet(critical * (1 + 1e-12), l1_ratio).violation(zeros, gradient).max() == 0.0
    if critical > 1e-200:
        assert ElasticNet(0.99 * critical, l1_ratio).violation(zeros, gradient).max() > 0.0


def test_without_l1_no_strength_makes_zero_optimal() -> None:
    assert ElasticNet(1.0, 0.0).critical_strength([0.1, -0.2]) == np.inf
    assert ElasticNet(1.0, 0.0).critical_strength([0.0]) == 0.0
    assert ElasticNet(1.0, 0.5).critical_strength([]) == 0.0


@pytest.mark.parametrize("strength", [-1e-9, np.nan, np.inf, "1", None, True, 1j])
def test_strength_out_of_range_is_refused(strength: Any) -> None:
    with pytest.raises(InvalidParameter, match=r"^strength must .*; got "):
        ElasticNet(strength, 0.5)


@pytest.mark.parametrize("l1_ratio", [-1e-9, 1.0 + 1e-9, np.nan, "0.5", None, True])
def test_l1_ratio_out_of_range_is_refused(l1_ratio: Any) -> None:
    with pytest.raises(InvalidParameter, match=r"^l1_ratio must be a number between 0 and 1; got .* Hint: "):
        ElasticNet(1.0, l1_ratio)
