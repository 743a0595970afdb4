"""The quasi-Newton method on functions whose optimum is known."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice, pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose
from numpy.typing import NDArray

from setwise import _core
from setwise.learners import ElasticNet
from setwise.learners.quasi_newton import quasi_newton

Vector = NDArray[np.float64]


def quadratic(curvature: Vector, centre: Vector) -> Callable[[Vector], tuple[float, Vector]]:
    def evaluate(v: Vector) -> tuple[float, Vector]:
        return float(0.5 * (curvature * (v - centre) ** 2).sum()), curvature * (v - centre)

    return evaluate


@pytest.mark.parametrize("l1_ratio", [0.0, 0.5, 1.0])
def test_separable_quadratic_ends_at_the_prox(l1_ratio: float) -> None:
    curvature, centre = np.array([1.0, 10.0, 100.0, 1e3]), np.array([2.0, -0.01, 0.3, -4.0])
    net = ElasticNet(0.5, l1_ratio)
    iterates = list(islice(quasi_newton(quadratic(curvature, centre), np.zeros(4), [(slice(0, 3), net)]), 200))
    best = [float(net.prox(c, 1.0 / h)) for c, h in zip(centre[:3], curvature[:3], strict=True)]
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


class TestStepMemory:
    """The core's memory of steps, which stands for the curvature."""

    @staticmethod
    def two_loops(pairs: list[tuple[Vector, Vector]], gradient: Vector) -> Vector:
        """L-BFGS as the textbook has it."""
        direction, shares = -gradient, []
        for moved, turned in reversed(pairs):
            shares.append(moved @ direction / (moved @ turned))
            direction = direction - shares[-1] * turned
        moved, turned = pairs[-1]
        direction = direction * (moved @ turned) / (turned @ turned)
        for (moved, turned), share in zip(pairs, reversed(shares), strict=True):
            direction = direction + (share - turned @ direction / (moved @ turned)) * moved
        return direction

    @pytest.mark.parametrize("size", [3, 20_000])
    def test_direction_is_that_of_the_two_loops_whatever_the_threads(self, size: int) -> None:
        random = np.random.default_rng(0)
        curvature = random.uniform(0.5, 2.0, size)
        one, two = (_core.StepMemory(size, 4, n_jobs) for n_jobs in (1, 2))
        points = random.normal(size=(7, size))
        for before, after in pairwise(points):
            for memory in (one, two):
                assert memory.remember(before, after, curvature * before, curvature * after, 1e-12)
        gradient = random.normal(size=size)
        pairs = [(b - a, curvature * (b - a)) for a, b in pairwise(points[-5:])]  # the last four are remembered
        found = one.direction(gradient)
        assert_allclose(found, self.two_loops(pairs, gradient), atol=1e-5)  # pairs are kept in single precision
        assert (found == two.direction(gradient)).all()

    def test_steps_without_curvature_are_not_remembered(self) -> None:
        memory = _core.StepMemory(2, 3, 1)
        zeros, ones = np.zeros(2), np.ones(2)
        assert not memory.remember(zeros, ones, zeros, -ones, 1e-12)
        assert memory.empty
        assert_allclose(memory.direction(ones), -ones)
        assert memory.remember(zeros, ones, zeros, ones, 1e-12)
        memory.clear()
        assert memory.empty

    def test_arrays_of_another_length_are_refused(self) -> None:
        with pytest.raises(ValueError, match="wrong length"):
            _core.StepMemory(2, 3, 1).direction(np.zeros(3))
        with pytest.raises(ValueError, match="too small"):
            _core.StepMemory(2, 0, 1)
