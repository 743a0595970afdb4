"""The layers of a network: standardized inputs, gradients and Adam, against plain formulas."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray

from setwise.models.neural.hidden_layers import row_products
from setwise.models.neural.layers import NORM, Dropout, Layers, ScaledInputs, loss_and_gradient, penalty
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


def layers(n_layers: int = 2) -> Layers:
    return Layers.random(D, H, L, np.random.default_rng(5), n_layers, np.float64)


class TestScaledInputs:
    @pytest.mark.parametrize("sparse", [True, False])
    def test_products_are_those_of_standardized_features(self, sparse: bool) -> None:
        X, weight, w = documents(sparse), weights(), np.random.default_rng(6).normal(size=(D, H))
        inputs = ScaledInputs.standardized(X, weight, np.float64)
        dense = standardized(X, weight)
        rows = np.array([5, 0, 3])
        assert_allclose(inputs.product(rows, w), dense[rows] @ w, atol=1e-12)
        values = np.random.default_rng(7).normal(size=(3, H))
        assert_allclose(inputs.transposed_product(rows, values), dense[rows].T @ values, atol=1e-12)

    def test_the_folded_layer_reads_raw_features(self) -> None:
        X, weight, parts = documents(), weights(), layers()
        inputs = ScaledInputs.standardized(X, weight, np.float64)
        coef, intercept = inputs.fold(parts)
        expected = inputs.product(slice(None), parts.input_weights) + parts.input_intercept
        assert_allclose(X @ coef.T.toarray() + intercept, expected, atol=1e-12)
        assert coef[:, [2]].nnz == 0  # a constant feature has no weight

    def test_huge_and_tiny_features(self) -> None:
        X = documents().toarray() * np.array([1e200, 1e-200, 1.0, 1.0, 1.0])
        inputs = ScaledInputs.standardized(sp.csr_array(X), weights(), np.float64)
        plain = ScaledInputs.standardized(documents(), weights(), np.float64)
        assert_allclose(inputs.scaled.toarray(), plain.scaled.toarray(), rtol=1e-9)

    def test_inputs_are_not_changed(self) -> None:
        X = documents()
        before = X.data.copy()
        ScaledInputs.standardized(X, weights())
        assert_array_equal(X.data, before)

    def test_repeated_entries_are_summed_first(self) -> None:
        twice = sp.csr_array((np.array([1.0, 2.0, 5.0]), np.array([0, 0, 1]), np.array([0, 2, 3])), shape=(2, 2))
        half = np.array([0.5, 0.5])
        expected = ScaledInputs.standardized(twice.toarray(), half, np.float64)
        assert_allclose(ScaledInputs.standardized(twice, half, np.float64).scaled.toarray(), expected.scaled)


class TestOneScale:
    @pytest.mark.parametrize("sparse", [True, False])
    def test_documents_keep_their_proportions_and_get_a_common_norm(self, sparse: bool) -> None:
        X, weight = documents(sparse), weights()
        inputs = ScaledInputs.on_one_scale(X, weight, np.float64)
        plain, scaled = documents(False), inputs.product(slice(None), np.eye(D))
        assert_allclose(scaled, plain * inputs.scale, atol=1e-12)
        assert np.ptp(inputs.scale) == 0.0
        assert weight @ (scaled**2).sum(axis=1) == pytest.approx(NORM**2, rel=1e-12)

    @pytest.mark.parametrize("factor", [1e200, 1e-200])
    def test_huge_and_tiny_features(self, factor: float) -> None:
        huge = ScaledInputs.on_one_scale(documents() * factor, weights(), np.float64)
        plain = ScaledInputs.on_one_scale(documents(), weights(), np.float64)
        assert_allclose(huge.scaled.toarray(), plain.scaled.toarray(), rtol=1e-9)

    def test_documents_without_features(self) -> None:
        inputs = ScaledInputs.on_one_scale(sp.csr_array((N, D)), weights(), np.float64)
        assert_array_equal(inputs.product(slice(None), np.ones((D, H))), np.zeros((N, H)))


class _SameMasks(Dropout):
    """Draws the same units at each call, so that the loss is a function of the weights."""

    def mask(self, values: Any) -> Any:
        return Dropout(self.chance, np.random.default_rng(values.shape[1])).mask(values)


def test_dropout_keeps_the_mean() -> None:
    mask = Dropout(0.3, np.random.default_rng(0)).mask(np.zeros((1000, 100)))
    assert_allclose(np.unique(mask), [0.0, 1.0 / 0.7])
    assert mask.mean() == pytest.approx(1.0, abs=0.01)


@pytest.mark.parametrize("dropout", [None, _SameMasks(0.4, np.random.default_rng(0))], ids=["whole", "dropout"])
@pytest.mark.parametrize("n_layers", [1, 2, 3])
@pytest.mark.parametrize("strength", [0.0, 0.3])
def test_gradient_against_finite_differences(strength: float, n_layers: int, dropout: Dropout | None) -> None:
    inputs, parts = ScaledInputs.standardized(documents(), weights(), np.float64), layers(n_layers)
    rows, weight = np.array([1, 4, 6, 2]), np.array([0.5, 1.0, 2.0, 0.1])
    targets = np.random.default_rng(8).integers(0, 2, (4, L)).astype(np.float64)

    def objective() -> float:
        values = inputs.product(rows, parts.input_weights) + parts.input_intercept
        for number in range(n_layers):
            if number:
                values = values @ parts.hidden_weights[number - 1] + parts.hidden_intercept[number - 1]
            values = np.maximum(values, 0.0) * (1.0 if dropout is None else dropout.mask(values))
        z = values @ parts.output_weights + parts.output_intercept
        loss = weight @ (np.log1p(np.exp(z)) - targets * z).sum(axis=1)
        return float(loss) + strength * sum(float((one**2).sum()) for one in parts.weights)

    loss, gradient = loss_and_gradient(parts, inputs, targets, weight, rows, strength, dropout)
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


def test_adam_has_the_bits_of_its_formula_in_single_precision() -> None:
    """A network is not convex: its steps must not depend on how the machine fuses sums and products."""
    random = np.random.default_rng(3)
    x = random.normal(size=(7, 5)).astype(np.float32)
    optimizer, expected = Adam((x,), 0.01), x.copy()
    mean, square = np.zeros_like(x), np.zeros_like(x)
    for t in range(1, 6):
        gradient = random.normal(size=x.shape).astype(np.float32)
        mean = mean * np.float32(0.9) + gradient * np.float32(1.0 - 0.9)
        square = square * np.float32(0.999) + gradient * gradient * np.float32(1.0 - 0.999)
        root = (np.sqrt(square) * np.float64(1.0 / np.sqrt(1.0 - 0.999**t))).astype(np.float32) + np.float32(1e-8)
        expected -= mean / root * np.float32(0.01 / (1.0 - 0.9**t))
        optimizer.step((np.asfortranarray(gradient),))
        assert_array_equal(x, expected)


def test_adam_refuses_parameters_that_it_could_not_change_in_place() -> None:
    with pytest.raises(ValueError, match="C-contiguous"):
        Adam((np.zeros((3, 2)).T,), 0.1)


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
