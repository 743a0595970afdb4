"""The training documents of a network, and the epochs that fit it to them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from setwise._validation import normalized_weights, require_finite
from setwise.labels import LabelMatrix
from setwise.learners import CONSTANT_LOGIT, FeatureColumns
from setwise.models.neural.layers import Dropout, Layers, ScaledInputs, activations, loss_and_gradient, penalty
from setwise.models.neural.optimizer import Adam, Array, mini_batches

__all__ = ["Documents", "coactivation", "network_epochs"]

_ROWS_AT_ONCE = 1024
"""Documents that go through a network together where all of them do."""


@dataclass(frozen=True, eq=False)
class Documents:
    """Training documents in the form that networks read.

    Attributes
    ----------
    labels : LabelMatrix
    inputs : ScaledInputs
    targets : array of shape (n_samples, n_learned)
        Zeros and ones of the labels that are learned.
    weight : array of shape (n_samples,)
        Weight of each document, with mean 1.
    learned : array of int
        The labels that some of the documents have and others have not; the rest are constants.
    constant_logits : array of shape (n_labels,)
        Logits of the constant labels; 0 for those that are learned.
    """

    labels: LabelMatrix
    inputs: ScaledInputs
    targets: NDArray[np.float32]
    weight: NDArray[np.float64]
    learned: NDArray[np.intp]
    constant_logits: NDArray[np.float64]

    @classmethod
    def of(cls, X: Any, y: Any, sample_weight: Any, standardize: bool = True) -> Documents:
        """Check and scale documents, and find the labels that are constants."""
        labels, matrix = LabelMatrix.of(y), FeatureColumns.matrix_of(X)
        labels.check_rows(matrix.shape[0])
        require_finite(matrix.data if sp.issparse(matrix) else matrix, "X")
        share = normalized_weights(sample_weight, labels.n_samples)
        indicator = labels.indicator.toarray() > 0
        counted = indicator[share > 0.0]
        always, never = counted.all(axis=0), ~counted.any(axis=0)
        learned = np.flatnonzero(~(always | never))
        constant_logits = CONSTANT_LOGIT * (always.astype(np.float64) - never)
        scaled = ScaledInputs.standardized if standardize else ScaledInputs.on_one_scale
        return cls(
            labels,
            scaled(matrix, share),
            indicator[:, learned].astype(np.float32),
            share * labels.n_samples,
            learned,
            constant_logits,
        )

    @property
    def n_samples(self) -> int:
        """Number of documents."""
        return self.labels.n_samples

    def batches(
        self, batch_size: int, random: np.random.Generator
    ) -> Iterator[tuple[NDArray[np.intp], NDArray[np.float64]]]:
        """Yield the documents of one epoch in mini-batches, with their weights, whose mean is about one per batch."""
        for rows in mini_batches(self.n_samples, batch_size, random):
            yield rows, self.weight[rows] / rows.size

    def blocks(self) -> Iterator[slice]:
        """Yield all documents in order, a limited number at a time."""
        for start in range(0, self.n_samples, _ROWS_AT_ONCE):
            yield slice(start, start + _ROWS_AT_ONCE)

    def spread(self, values: Array, constants: NDArray[np.float64] | float = 0.0) -> NDArray[np.float64]:
        """Return numbers of the learned labels, in the last dimension, as numbers of all labels."""
        shape = (*values.shape[:-1], self.labels.n_labels)
        whole = np.array(np.broadcast_to(constants, shape), dtype=np.float64)
        whole[..., self.learned] = values
        return whole


def network_epochs(
    documents: Documents,
    layers: Layers,
    n_epochs: int,
    *,
    batch_size: int,
    learning_rate: float,
    strength: float,
    random: np.random.Generator,
    dropout: float = 0.0,
) -> Iterator[float]:
    """Train the layers in place; after each epoch yield the mean of the objectives that its steps started from."""
    optimizer = Adam(layers, learning_rate)
    thinned = Dropout(dropout, random) if dropout > 0.0 else None
    for _ in range(n_epochs):
        total = 0.0
        for rows, weight in documents.batches(batch_size, random):
            targets, share = documents.targets[rows], rows.size / documents.n_samples
            total += share * penalty(layers, strength)
            loss, gradient = loss_and_gradient(
                layers, documents.inputs, targets, weight.astype(np.float32), rows, strength, thinned
            )
            total += share * loss
            optimizer.step(gradient)
        yield total


def coactivation(documents: Documents, layers: Layers) -> NDArray[np.float64]:
    """Return the share of documents for which a unit of the first and one of the last hidden layer are both active."""
    n_hidden = layers.input_intercept.size
    together = np.zeros((n_hidden, n_hidden))
    for rows in documents.blocks():
        hidden = activations(layers, documents.inputs, rows).hidden
        active = (hidden[0] > 0.0) * documents.weight[rows, None]
        together += active.T @ (hidden[-1] > 0.0).astype(np.float64)
    return together / documents.n_samples
