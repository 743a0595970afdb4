"""The quasi-Newton method on functions whose optimum is known."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
from numpy.testing import assert_allclose
from numpy.typing import NDArray

from setwise.learners import ElasticNet
from setwise.learners.quasi_newton import quasi_newton

Vector = NDArray[np.float64]


def quadratic(curvature: Vector, centre: Vector):  # type: ignore[no-untyped-def]
    def evaluate(v: Vector) -> tuple[float, Vector]:
        return float(0.5 * (curvature * (v - centre) ** 2).sum()), curvature * (v - centre)

    return evaluate


@pytest.mark.parametrize("l1_ratio", [0.0, 0.5, 1.0])
def test_separable_quadratic_ends_at_the_prox(l1_ratio: float) -> None:
    curvature, centre = np.array([1.0, 10.0, 100.0, 1e3]), np.array([2.0, -0.01, 0.3, -4.0])
    net = ElasticNet(0.5, l1_ratio)
    iterates = list(islice(quasi_newton(quadratic(curvature, centre), np.zeros(4), [(slice(0, 3), net)]), 200))
    best = [net.prox(c, 1.0 / h) for c, h in zip(centre[:3], curvature[:3], strict=True)]
    assert_allclose(iterates[-1].point, [*best, -4.0], atol=1e-9)
    assert iterates[-1].violation < 1e-7
    assert np.diff([i.objective for i in iterates]).max() <= 0.0


def test_rosenbrock_is_solved() -> None:
    def evaluate(v: Vector) -> tuple[float, Vector]:
        a, b = 1.0 - v[0], v[1] - v[0] ** 2
        return float(a * a + 100.0 * b * b), np.array([-2.0 * a - 400.0 * v[0] * b, 200.0 * b])

    last = list(islice(quasi_newton(evaluate, np.array([-1.2, 1.0]), []), 300))[-1]
    assert_allclose(last.point, [1.0, 1.0], atol=1e-6)


def test_at_the_optimum_it_says_that_nothing_can_be_gained() -> None:
    (first, last) = quasi_newton(quadratic(np.ones(2), np.zeros(2)), np.zeros(2), [])
    assert not first.stalled
    assert last.stalled
    assert last.violation == 0.0


def test_weights_that_cannot_pay_stay_at_zero_exactly() -> None:
    net = ElasticNet(1.0, 1.0)
    evaluate = quadratic(np.ones(3), np.array([0.5, -0.99, 3.0]))
    last = list(islice(quasi_newton(evaluate, np.zeros(3), [(slice(0, 3), net)]), 50))[-1]
    assert last.point.tolist()[:2] == [0.0, 0.0]
    assert last.point[2] == pytest.approx(2.0)
