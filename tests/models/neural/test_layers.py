"""The layers of a network: standardized inputs, gradients and Adam, against plain formulas."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray

from setwise.models.neural.hidden_layers import row_products
from setwise.models.neural.layers import Layers, StandardizedInputs, activations, loss_and_gradient, penalty
from setwise.models.neural.optimizer import Adam, mini_batches

Array = NDArray[np.float64]

N, D, H, L = 7, 5, 4, 3
STEP = 1e-6


def documents(sparse: bool = True) -> Any:
    random = np.random.default_rng(3)
    X = random.normal(size=(N, D)) * (random.random((N, D)) < 0.6)
    X[:, 2] = 4.0  # constant
    return sp.csr_array(X) if sparse else X


def weights() -> Array:
    weight = np.random.default_rng(4).random(N)
    return np.asarray(weight / weight.sum())


def standardized(X: Any, weight: Array) -> Array:
    dense = X.toarray() if sp.issparse(X) else X
    mean = weight @ dense
    deviation = np.sqrt(weight @ (dense - mean) ** 2)
    return np.asarray(np.divide(dense - mean, deviation, out=np.zeros_like(dense), where=deviation > 1e-9))


def layers() -> Layers:
    return Layers.random(D, H, L, np.random.default_rng(5), np.float64)


class TestStandardizedInputs:
    @pytest.mark.parametrize("sparse", [True, False])
    def test_products_are_those_of_standardized_features(self, sparse: bool) -> None:
        X, weight, w = documents(sparse), weights(), np.random.default_rng(6).normal(size=(D, H))
        inputs = StandardizedInputs.of(X, weight, np.float64)
        dense = standardized(X, weight)
        rows = np.array([5, 0, 3])
        assert_allclose(inputs.product(rows, w), dense[rows] @ w, atol=1e-12)
        values = np.random.default_rng(7).normal(size=(3, H))
        assert_allclose(inputs.transposed_product(rows, values), dense[rows].T @ values, atol=1e-12)

    def test_the_folded_layer_reads_raw_features(self) -> None:
        X, weight, parts = documents(), weights(), layers()
        inputs = StandardizedInputs.of(X, weight, np.float64)
        coef, intercept = inputs.fold(parts)
        expected = inputs.product(slice(None), parts.input_weights) + parts.input_intercept
        assert_allclose(X @ coef.T.toarray() + intercept, expected, atol=1e-12)
        assert coef[:, [2]].nnz == 0  # a constant feature has no weight

    def test_huge_and_tiny_features(self) -> None:
        X = documents().toarray() * np.array([1e200, 1e-200, 1.0, 1.0, 1.0])
        inputs = StandardizedInputs.of(sp.csr_array(X), weights(), np.float64)
        plain = StandardizedInputs.of(documents(), weights(), np.float64)
        assert_allclose(inputs.scaled.toarray(), plain.scaled.toarray(), rtol=1e-9)

    def test_inputs_are_not_changed(self) -> None:
        X = documents()
        before = X.data.copy()
        StandardizedInputs.of(X, weights())
        assert_array_equal(X.data, before)

    def test_repeated_entries_are_summed_first(self) -> None:
        twice = sp.csr_array((np.array([1.0, 2.0, 5.0]), np.array([0, 0, 1]), np.array([0, 2, 3])), shape=(2, 2))
        half = np.array([0.5, 0.5])
        expected = StandardizedInputs.of(twice.toarray(), half, np.float64)
        assert_allclose(StandardizedInputs.of(twice, half, np.float64).scaled.toarray(), expected.scaled)


@pytest.mark.parametrize("strength", [0.0, 0.3])
def test_gradient_against_finite_differences(strength: float) -> None:
    inputs, parts = StandardizedInputs.of(documents(), weights(), np.float64), layers()
    rows, weight = np.array([1, 4, 6, 2]), np.array([0.5, 1.0, 2.0, 0.1])
    targets = np.random.default_rng(8).integers(0, 2, (4, L)).astype(np.float64)

    def objective() -> float:
        z = activations(parts, inputs, rows).logits
        loss = weight @ (np.log1p(np.exp(z)) - targets * z).sum(axis=1)
        return float(loss) + strength * sum(float((one**2).sum()) for one in parts.weights)

    loss, gradient = loss_and_gradient(parts, inputs, targets, weight, rows, strength)
    assert loss + penalty(parts, strength) == pytest.approx(objective(), rel=1e-12)
    for part, slope in zip(parts, gradient, strict=True):
        for place in np.ndindex(part.shape):
            kept = part[place]
            part[place] = kept + STEP
            above = objective()
            part[place] = kept - STEP
            below = objective()
            part[place] = kept
            assert slope[place] == pytest.approx((above - below) / (2.0 * STEP), abs=1e-7)


def test_adam_by_hand() -> None:
    x, gradients = np.array([1.0, -2.0]), [np.array([0.5, -3.0]), np.array([-0.1, 2.0])]
    optimizer, m, v, expected = Adam((x,), 0.1), np.zeros(2), np.zeros(2), x.copy()
    for t, g in enumerate(gradients, start=1):
        optimizer.step((g.copy(),))
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g**2
        expected -= 0.1 * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.999**t)) + 1e-8)
    assert_allclose(x, expected, rtol=1e-12)


def test_an_epoch_has_each_document_once() -> None:
    batches = list(mini_batches(10, 4, np.random.default_rng(0)))
    assert [batch.size for batch in batches] == [4, 4, 2]
    assert sorted(np.concatenate(batches)) == list(range(10))
    assert (np.concatenate(batches) != np.arange(10)).any()
    (whole,) = mini_batches(10, 10, np.random.default_rng(0))
    assert_array_equal(whole, np.arange(10))


def test_the_product_of_a_row_does_not_depend_on_the_others() -> None:
    random = np.random.default_rng(9)
    rows, factor = random.normal(size=(33, 150)), random.normal(size=(150, 159))
    whole = row_products(rows, factor)
    assert_allclose(whole, rows @ factor, atol=1e-10)
    for i in range(33):
        assert_array_equal(row_products(rows[i : i + 1], factor), whole[i : i + 1])
