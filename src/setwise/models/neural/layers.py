"""A network with two hidden layers of rectified linear units: its values, its loss and its gradient."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy
import scipy.sparse as sp
from numpy.typing import DTypeLike, NDArray

from setwise.models.neural.optimizer import Array

__all__ = ["Activations", "Layers", "StandardizedInputs", "activations", "loss_and_gradient", "penalty"]


class Layers(NamedTuple):
    """Weights, inputs by outputs, and intercepts of the two hidden layers and of the output layer."""

    input_weights: Array
    input_intercept: Array
    hidden_weights: Array
    hidden_intercept: Array
    output_weights: Array
    output_intercept: Array

    @property
    def weights(self) -> tuple[Array, Array, Array]:
        """What the penalty applies to: everything but the intercepts."""
        return self.input_weights, self.hidden_weights, self.output_weights

    @classmethod
    def random(
        cls, n_inputs: int, n_hidden: int, n_outputs: int, random: np.random.Generator, dtype: DTypeLike = np.float32
    ) -> Layers:
        """Draw weights and intercepts uniformly within 1 / sqrt(inputs of the layer) around zero."""
        parts: list[Array] = []
        for n_in, n_out in ((n_inputs, n_hidden), (n_hidden, n_hidden), (n_hidden, n_outputs)):
            for shape in ((n_in, n_out), (n_out,)):
                parts.append((random.uniform(-1.0, 1.0, shape) / np.sqrt(n_in)).astype(dtype))
        return cls(*parts)


@dataclass(frozen=True, eq=False)
class StandardizedInputs:
    """Features with mean 0 and variance 1, (x - mean) * scale, whose zeros are not stored.

    Sparse features stay sparse: they are scaled, and what the means would add is added to the products. This is exact,
    and no document is ever made dense.

    Attributes
    ----------
    scaled : array or CSR array of shape (n_samples, n_features)
        x * scale.
    center : array of shape (n_features,)
        mean * scale.
    scale : array of shape (n_features,)
        One over the standard deviation; 0 where a feature is constant.
    """

    scaled: Any
    center: Array
    scale: NDArray[np.float64]

    @classmethod
    def of(cls, X: Any, weight: NDArray[np.float64], dtype: DTypeLike = np.float32) -> StandardizedInputs:
        """Standardize features by their weighted means and variances; ``weight`` sums to one."""
        matrix = _canonical_rows(X) if sp.issparse(X) else np.asarray(X, dtype=np.float64)
        peak = np.asarray(abs(matrix).max(axis=0).toarray() if sp.issparse(matrix) else abs(matrix).max(axis=0)).ravel()
        to_one = 1.0 / np.where(peak > 0.0, peak, 1.0)  # squares of what is at most 1 cannot overflow
        matrix = _scaled_columns(matrix, to_one)
        mean = np.asarray(matrix.T @ weight).ravel()
        square = np.asarray((matrix * matrix).T @ weight).ravel()
        variance = square - mean * mean
        varies = variance > _LEAST_VARIANCE * square
        scale = np.where(varies, 1.0 / np.sqrt(np.where(varies, variance, 1.0)), 0.0)
        scaled = _scaled_columns(matrix, scale).astype(dtype)
        return cls(scaled, (mean * scale).astype(dtype), scale * to_one)

    @property
    def n_samples(self) -> int:
        """Number of documents."""
        return int(self.scaled.shape[0])

    def product(self, rows: Any, weights: Array) -> Array:
        """Return the standardized documents times weights, documents by outputs."""
        return np.asarray(self.scaled[rows] @ weights - self.center @ weights)

    def transposed_product(self, rows: Any, values: Array) -> Array:
        """Return the transposed standardized documents times values, features by outputs."""
        product = np.asarray(self.scaled[rows].T @ values)
        product -= np.outer(self.center, values.sum(axis=0))
        return product

    def fold(self, layers: Layers) -> tuple[sp.csr_array, NDArray[np.float64]]:
        """Return the first layer for features that are not standardized: outputs by features, and intercepts."""
        weights = layers.input_weights.astype(np.float64)
        intercept = layers.input_intercept - self.center.astype(np.float64) @ weights
        return sp.csr_array((weights * self.scale[:, None]).T), intercept


_LEAST_VARIANCE = 1e-12
"""A variance that is a smaller share of the mean square is rounding: the feature is constant."""


def _canonical_rows(X: Any) -> sp.csr_array:
    """Return rows without repeated entries; the caller's arrays are not changed."""
    matrix = sp.csr_array(X, dtype=np.float64)
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    return matrix


def _scaled_columns(matrix: Any, scale: NDArray[np.float64]) -> Any:
    if not sp.issparse(matrix):
        return matrix * scale
    return sp.csr_array((matrix.data * scale[matrix.indices], matrix.indices, matrix.indptr), shape=matrix.shape)


class Activations(NamedTuple):
    """The values of both hidden layers, documents by units, and the logits, documents by labels."""

    first: Array
    second: Array
    logits: Array


def activations(layers: Layers, inputs: StandardizedInputs, rows: Any) -> Activations:
    """Return the values of every layer for some documents."""
    first = inputs.product(rows, layers.input_weights) + layers.input_intercept
    np.maximum(first, 0.0, out=first)
    second = np.maximum(first @ layers.hidden_weights + layers.hidden_intercept, 0.0)
    return Activations(first, second, second @ layers.output_weights + layers.output_intercept)


def loss_and_gradient(
    layers: Layers, inputs: StandardizedInputs, targets: Array, weight: Array, rows: Any, strength: float
) -> tuple[float, Layers]:
    """Return the cross-entropy of some documents, and the gradient of it and the penalty.

    The loss is ``sum_i weight_i sum_l log(1 + exp(z_il)) - y_il z_il``; the gradient also has that of the penalty,
    ``strength`` times the sum of the squared weights.

    Parameters
    ----------
    layers : Layers
    inputs : StandardizedInputs
    targets : array of shape (n_rows, n_labels)
        Zeros and ones of the documents ``rows``.
    weight : array of shape (n_rows,)
    rows : index
        Which documents of ``inputs``.
    strength : float
    """
    values = activations(layers, inputs, rows)
    losses = np.logaddexp(0.0, values.logits) - targets * values.logits
    loss = float(weight @ losses.sum(axis=1))
    wrong = (scipy.special.expit(values.logits) - targets) * weight[:, None]
    second = (wrong @ layers.output_weights.T) * (values.second > 0.0)
    first = (second @ layers.hidden_weights.T) * (values.first > 0.0)
    gradient = Layers(
        inputs.transposed_product(rows, first),
        first.sum(axis=0),
        values.first.T @ second,
        second.sum(axis=0),
        values.second.T @ wrong,
        wrong.sum(axis=0),
    )
    if strength > 0.0:
        for part, weights in zip(gradient.weights, layers.weights, strict=True):
            part += weights.dtype.type(2.0 * strength) * weights
    return loss, gradient


def penalty(layers: Layers, strength: float) -> float:
    """Return ``strength`` times the sum of the squared weights."""
    return strength * sum(float(np.vdot(one, one)) for one in layers.weights) if strength > 0.0 else 0.0
