"""The energy of relaxed labels: gradients against finite differences, and what the descent finds."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray

from setwise.models.neural.energy import Descent, Energy, hinge_and_gradient
from tests.oracles.sets import every_set

Array = NDArray[np.float64]

N, H, L, K = 6, 4, 5, 3
STEP = 1e-6


def energy(scale: float = 1.0) -> Energy:
    random = np.random.default_rng(11)
    return Energy(
        random.normal(size=(H, L)), random.normal(size=L), random.normal(size=(L, K)), scale * random.normal(size=K)
    )


def hidden() -> Array:
    return np.maximum(np.random.default_rng(12).normal(size=(N, H)), 0.0)


def differences(value: Callable[[], float], array: Array) -> Array:
    """Return the derivative of a value by each number of an array, by central differences."""
    slopes = np.zeros_like(array)
    for place in np.ndindex(array.shape):
        kept = array[place]
        array[place] = kept + STEP
        above = value()
        array[place] = kept - STEP
        slopes[place] = (above - value()) / (2.0 * STEP)
        array[place] = kept
    return slopes


def test_the_value_is_the_formula() -> None:
    one, f, y = energy(), hidden(), np.random.default_rng(13).random((N, L))
    for i in range(N):
        local = sum(
            y[i, label] * (f[i] @ one.local_weights[:, label] + one.local_intercept[label]) for label in range(L)
        )
        expected = local + one.unit_energies @ np.log1p(np.exp(one.unit_weights.T @ y[i]))
        assert one.value(one.local(f), y)[i] == pytest.approx(expected, rel=1e-12)


def test_gradient_in_the_labels_against_finite_differences() -> None:
    one, y = energy(), np.random.default_rng(14).random((N, L))
    local = one.local(hidden())
    slopes = differences(lambda: float(one.value(local, y).sum()), y)
    assert_allclose(one.gradient(local, y), slopes, atol=1e-8)


@pytest.mark.parametrize("strength", [0.0, 0.2])
def test_gradient_in_the_parameters_against_finite_differences(strength: float) -> None:
    one, f, descent = energy(), hidden(), Descent(5)
    targets = np.random.default_rng(15).integers(0, 2, (N, L)).astype(np.float64)
    weight = np.linspace(0.2, 1.5, N)
    margin = 0.7
    found = descent.minimize(one, one.local(f), targets, margin)  # the gradient takes these as fixed

    def objective() -> float:
        local = one.local(f)
        gap = margin * ((found - targets) ** 2).sum(axis=1) - one.value(local, found) + one.value(local, targets)
        squares = sum((part**2).sum() for part in (one.local_weights, one.unit_weights, one.unit_energies))
        return float(weight @ np.maximum(gap, 0.0) + strength * squares)

    loss, gradient = hinge_and_gradient(one, f, targets, weight, descent, margin, strength)
    squares = sum((part**2).sum() for part in (one.local_weights, one.unit_weights, one.unit_energies))
    assert loss + strength * squares == pytest.approx(objective(), rel=1e-12)
    assert loss > 0.0
    for part, slope in zip(one, gradient, strict=True):
        assert_allclose(slope, differences(objective, part), atol=1e-7)


def test_documents_beyond_the_margin_have_no_gradient() -> None:
    one, f = energy(0.0), hidden()
    targets = (one.local(f) < 0.0).astype(np.float64)  # the labels of least energy
    loss, gradient = hinge_and_gradient(one, f, targets, np.ones(N), Descent(), 0.0, 0.0)
    assert loss == pytest.approx(0.0, abs=1e-12)
    assert not any(part.any() for part in gradient)


class TestDescent:
    def test_every_step_without_momentum_lowers_the_energy(self) -> None:
        one = energy()
        local = one.local(hidden())
        values = [one.value(local, Descent(n, 0.01, 0.0).minimize(one, local)) for n in range(1, 60)]
        assert np.diff(values, axis=0).max() <= 1e-12
        assert (values[-1] < one.value(local, np.zeros((N, L)))).any()

    def test_the_usual_descent_lowers_the_energy(self) -> None:
        one = energy()
        local = one.local(hidden())
        assert (one.value(local, Descent().minimize(one, local)) <= one.value(local, np.zeros((N, L))) + 1e-12).all()

    def test_without_a_label_energy_it_is_the_sign_of_the_local_part(self) -> None:
        one = energy(0.0)
        local = one.local(hidden())
        local[np.abs(local) < 0.01] = 0.01  # the descent takes ever longer where it is flat
        assert_array_equal(Descent(200).minimize(one, local), local < 0.0)

    def test_a_concave_energy_ends_at_the_set_of_least_energy_of_all(self) -> None:
        """Where c2 < 0 the least energy is at a vertex; the local part here is strong enough for one basin."""
        random = np.random.default_rng(16)
        one = Energy(np.eye(L), np.zeros(L), 0.3 * random.normal(size=(L, K)), -np.full(K, 0.5))
        local = one.local(random.choice([-1.0, 1.0], size=(N, L)))
        found = Descent(300).minimize(one, local)
        sets = every_set(L).astype(np.float64)
        for i in range(N):
            values = one.value(np.repeat(local[i : i + 1], len(sets), axis=0), sets)
            assert_array_equal(found[i], sets[values.argmin()])

    def test_targets_pull_the_labels_away_from_them(self) -> None:
        one = energy(0.0)
        local = one.local(hidden())
        targets = (local < 0.0).astype(np.float64)
        augmented = Descent(200).minimize(one, local, targets, 100.0)
        assert ((augmented - targets) ** 2).sum() > ((Descent(200).minimize(one, local) - targets) ** 2).sum()

    def test_labels_stay_between_zero_and_one(self) -> None:
        one = energy(50.0)
        found = Descent(30, 10.0, 0.99).minimize(one, one.local(100.0 * hidden()))
        assert found.min() >= 0.0
        assert found.max() <= 1.0

    def test_batch_equals_one_by_one(self) -> None:
        one = energy()
        local = one.local(hidden())
        whole = Descent(17).minimize(one, local)
        for i in range(N):
            assert_array_equal(Descent(17).minimize(one, one.local(hidden()[i : i + 1])), whole[i : i + 1])
