"""A network with hidden layers of rectified linear units: its values, its loss and its gradient."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import scipy
import scipy.sparse as sp
from numpy.typing import DTypeLike, NDArray

from setwise.models.neural.optimizer import Array

__all__ = ["Activations", "Dropout", "Layers", "ScaledInputs", "activations", "loss_and_gradient", "penalty"]

NORM = 10.0
"""Root mean square of the norms of documents on one scale. The weights of the first layer start small and move by about
the learning rate at each step, so documents have to be this long for a few epochs to be enough."""


class Layers(NamedTuple):
    """Weights, inputs by outputs, and intercepts of all layers.

    Attributes
    ----------
    input_weights, input_intercept : arrays of shape (n_features, n_hidden) and (n_hidden,)
        The first hidden layer.
    hidden_weights, hidden_intercept : arrays of shape (n_layers - 1, n_hidden, n_hidden) and (n_layers - 1, n_hidden)
        The other hidden layers.
    output_weights, output_intercept : arrays of shape (n_hidden, n_labels) and (n_labels,)
    """

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
        cls,
        n_inputs: int,
        n_hidden: int,
        n_outputs: int,
        random: np.random.Generator,
        n_layers: int = 2,
        dtype: DTypeLike = np.float32,
    ) -> Layers:
        """Draw weights and intercepts uniformly within 1 / sqrt(inputs of the layer) around zero."""

        def layer(n_in: int, n_out: int) -> tuple[Array, Array]:
            weights, intercept = (random.uniform(-1.0, 1.0, shape) / np.sqrt(n_in) for shape in ((n_in, n_out), n_out))
            return weights.astype(dtype), intercept.astype(dtype)

        first = layer(n_inputs, n_hidden)
        hidden = [layer(n_hidden, n_hidden) for _ in range(n_layers - 1)]
        weights = np.array([one for one, _ in hidden], dtype).reshape(-1, n_hidden, n_hidden)
        intercepts = np.array([one for _, one in hidden], dtype).reshape(-1, n_hidden)
        return cls(*first, weights, intercepts, *layer(n_hidden, n_outputs))


@dataclass(frozen=True, eq=False)
class ScaledInputs:
    """Features with mean 0 and variance 1, (x - mean) * scale, or features on one common scale.

    Sparse features stay sparse: they are scaled, and what the means would add is added to the products. This is exact,
    and no document is ever made dense.

    Attributes
    ----------
    scaled : array or CSR array of shape (n_samples, n_features)
        x * scale.
    center : array of shape (n_features,)
        mean * scale; zeros where features are not standardized.
    scale : array of shape (n_features,)
        One over the standard deviation, 0 where a feature is constant; or the same number for all features.
    """

    scaled: Any
    center: Array
    scale: NDArray[np.float64]

    @classmethod
    def standardized(cls, X: Any, weight: NDArray[np.float64], dtype: DTypeLike = np.float32) -> ScaledInputs:
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

    @classmethod
    def on_one_scale(cls, X: Any, weight: NDArray[np.float64], dtype: DTypeLike = np.float32) -> ScaledInputs:
        """Divide all features by one number, so that the mean square of a document's norm is that of ``NORM``."""
        matrix = _canonical_rows(X) if sp.issparse(X) else np.asarray(X, dtype=np.float64)
        peak = float(abs(matrix).max()) if matrix.size else 0.0
        to_one = 1.0 / peak if peak > 0.0 else 1.0  # squares of what is at most 1 cannot overflow
        matrix = matrix * to_one
        mean_square = float(np.asarray((matrix * matrix).sum(axis=1)).ravel() @ weight)
        scale = NORM / np.sqrt(mean_square) if mean_square > 0.0 else 0.0
        n_features = matrix.shape[1]
        return cls((matrix * scale).astype(dtype), np.zeros(n_features, dtype), np.full(n_features, scale * to_one))

    @property
    def n_samples(self) -> int:
        """Number of documents."""
        return int(self.scaled.shape[0])

    @cached_property
    def _is_centered(self) -> bool:
        return bool(self.center.any())

    def product(self, rows: Any, weights: Array) -> Array:
        """Return the standardized documents times weights, documents by outputs."""
        product = np.asarray(self.scaled[rows] @ weights)
        return product - self.center @ weights if self._is_centered else product

    def transposed_product(self, rows: Any, values: Array) -> Array:
        """Return the transposed standardized documents times values, features by outputs."""
        product = np.asarray(self.scaled[rows].T @ values)
        if self._is_centered:  # otherwise this would read and write as many numbers as there are weights, for nothing
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
    """The values of the hidden layers, documents by units, and the logits, documents by labels."""

    hidden: list[Array]
    """Of each layer in turn, at least one."""
    logits: Array


@dataclass(frozen=True)
class Dropout:
    """Sets each unit of the hidden layers to zero for a document with this chance, and scales the others up."""

    chance: float
    random: np.random.Generator

    def mask(self, values: Array) -> Array:
        """Draw what the values are multiplied by; their mean stays what it is."""
        kept = self.random.random(values.shape, dtype=np.float32) >= self.chance
        return kept * values.dtype.type(1.0 / (1.0 - self.chance))


def activations(layers: Layers, inputs: ScaledInputs, rows: Any) -> Activations:
    """Return the values of every layer for some documents."""
    return _forward(layers, inputs, rows, None)[0]


def _forward(
    layers: Layers, inputs: ScaledInputs, rows: Any, dropout: Dropout | None
) -> tuple[Activations, list[Array]]:
    """Return the values of every layer, and what the gradient of each hidden layer's values is multiplied by."""
    values: Array = inputs.product(rows, layers.input_weights) + layers.input_intercept
    hidden: list[Array] = []
    slopes: list[Array] = []
    following = zip(layers.hidden_weights, layers.hidden_intercept, strict=True)
    while True:
        slope = (values > 0.0).astype(values.dtype)
        if dropout is not None:
            slope *= dropout.mask(values)
        values = values * slope
        hidden.append(values)
        slopes.append(slope)
        if (layer := next(following, None)) is None:
            break
        values = values @ layer[0] + layer[1]
    return Activations(hidden, values @ layers.output_weights + layers.output_intercept), slopes


def loss_and_gradient(
    layers: Layers,
    inputs: ScaledInputs,
    targets: Array,
    weight: Array,
    rows: Any,
    strength: float,
    dropout: Dropout | None = None,
) -> tuple[float, Layers]:
    """Return the cross-entropy of some documents, and the gradient of it and the penalty.

    The loss is ``sum_i weight_i sum_l log(1 + exp(z_il)) - y_il z_il``; the gradient also has that of the penalty,
    ``strength`` times the sum of the squared weights.

    Parameters
    ----------
    layers : Layers
    inputs : ScaledInputs
    targets : array of shape (n_rows, n_labels)
        Zeros and ones of the documents ``rows``.
    weight : array of shape (n_rows,)
    rows : index
        Which documents of ``inputs``.
    strength : float
    dropout : Dropout, optional
    """
    values, slopes = _forward(layers, inputs, rows, dropout)
    losses = np.logaddexp(0.0, values.logits) - targets * values.logits
    loss = float(weight @ losses.sum(axis=1))
    wrong = (scipy.special.expit(values.logits) - targets) * weight[:, None]
    hidden_weights, hidden_intercept = np.empty_like(layers.hidden_weights), np.empty_like(layers.hidden_intercept)
    back = (wrong @ layers.output_weights.T) * slopes[-1]
    for number in reversed(range(len(hidden_weights))):
        hidden_weights[number] = values.hidden[number].T @ back
        hidden_intercept[number] = back.sum(axis=0)
        back = (back @ layers.hidden_weights[number].T) * slopes[number]
    gradient = Layers(
        inputs.transposed_product(rows, back),
        back.sum(axis=0),
        hidden_weights,
        hidden_intercept,
        values.hidden[-1].T @ wrong,
        wrong.sum(axis=0),
    )
    if strength > 0.0:
        for part, weights in zip(gradient.weights, layers.weights, strict=True):
            part += weights.dtype.type(2.0 * strength) * weights
    return loss, gradient


def penalty(layers: Layers, strength: float) -> float:
    """Return ``strength`` times the sum of the squared weights."""
    return strength * sum(float(np.vdot(one, one)) for one in layers.weights) if strength > 0.0 else 0.0
