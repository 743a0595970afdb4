"""Scale and shift per label: what was put in is found again, and rare labels stay near the others."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray
from scipy.special import expit

from setwise.exceptions import InvalidData
from setwise.inference import fit_label_scaling

Array = NDArray[np.float64]


def drawn(scale: Array, shift: Array, n: int, seed: int = 0) -> tuple[Array, NDArray[np.bool_]]:
    """Draw logits, and labels that follow them after the scaling."""
    random = np.random.default_rng(seed)
    z = random.normal(size=(n, len(scale))) * 2.0
    return z, random.random(z.shape) < expit(scale * z + shift)


def test_scales_and_shifts_are_found_again() -> None:
    scale, shift = np.array([0.5, 1.0, 2.0, 4.0]), np.array([1.0, -1.0, 0.0, 0.5])
    found = fit_label_scaling(*drawn(scale, shift, 20_000))
    assert_allclose(found.scale, scale, rtol=0.1)
    assert_allclose(found.shift, shift, atol=0.1)


def test_a_label_without_evidence_gets_the_scaling_of_the_others() -> None:
    scale, shift = np.full(30, 0.6), np.full(30, -0.8)
    z, y = drawn(scale, shift, 2000)
    z[:, 0], y[:, 0] = 36.0, True  # a label that was constant in training
    found = fit_label_scaling(z, y)
    assert_allclose([found.scale[0], found.shift[0]], [0.6, -0.8], atol=0.1)


def test_few_documents_leave_labels_near_their_mean_and_many_do_not() -> None:
    random = np.random.default_rng(1)
    scale, shift = np.ones(40), random.normal(size=40)
    few, many = (drawn(scale, shift, n) for n in (5, 4000))
    assert (few[1].all(axis=0) | ~few[1].any(axis=0)).any()  # alone, such a label would have an infinite shift
    found = fit_label_scaling(*few)
    assert np.abs(found.shift - shift.mean()).max() < np.abs(shift - shift.mean()).max() + 0.5
    assert np.abs(found.scale - found.scale.mean()).max() < 1.0
    assert_allclose(fit_label_scaling(*many).shift, shift, atol=0.35)


def test_the_order_of_labels_does_not_matter() -> None:
    z, y = drawn(np.array([0.5, 1.0, 2.0]), np.array([0.0, 1.0, -1.0]), 300)
    found, turned = fit_label_scaling(z, y), fit_label_scaling(z[:, ::-1], y[:, ::-1])
    assert_allclose(found.scale, turned.scale[::-1], rtol=1e-6)
    assert_allclose(found.shift, turned.shift[::-1], atol=1e-6)


@given(st.integers(1, 8), st.integers(1, 5), st.integers(0, 10**6), st.floats(0.0, 50.0))
@settings(max_examples=60, deadline=None)
def test_odd_data_have_a_finite_scaling(n: int, n_labels: int, seed: int, spread: float) -> None:
    random = np.random.default_rng(seed)
    z = random.normal(size=(n, n_labels)) * spread
    found = fit_label_scaling(z, random.random(z.shape) < random.random())
    assert np.isfinite(found.scale).all()
    assert np.isfinite(found.shift).all()


def test_it_is_more_likely_on_other_documents_than_one_scaling_for_all() -> None:
    scale, shift = np.array([0.3, 1.0, 3.0] * 5), np.array([2.0, 0.0, -2.0] * 5)
    found = fit_label_scaling(*drawn(scale, shift, 400))
    z, y = drawn(scale, shift, 4000, seed=1)

    def loss(a: Array, b: Array) -> float:
        score = a * z + b
        return float((np.logaddexp(0.0, score) - y * score).mean())

    mean = np.full(15, found.scale.mean()), np.full(15, found.shift.mean())
    assert loss(found.scale, found.shift) < loss(*mean)


def test_shapes_that_disagree_are_refused() -> None:
    with pytest.raises(InvalidData, match=r"same shape, not empty; got \(3, 2\) and \(2, 3\)"):
        fit_label_scaling(np.zeros((3, 2)), np.zeros((2, 3), dtype=bool))
    with pytest.raises(InvalidData, match="not empty"):
        fit_label_scaling(np.zeros((0, 2)), np.zeros((0, 2), dtype=bool))
    assert_array_equal(fit_label_scaling(np.zeros((1, 2)), np.zeros((1, 2), dtype=bool)).scale.shape, (2,))
