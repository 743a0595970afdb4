"""What all networks share: hidden layers that predict the same bits for a document, whatever the batch."""

from __future__ import annotations

from abc import abstractmethod
from functools import reduce
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from setwise._estimator import check_is_fitted
from setwise._validation import N_JOBS, STRENGTH, Interval, RandomState
from setwise.exceptions import InvalidData
from setwise.models.base import LabelModel
from setwise.models.neural.layers import Layers
from setwise.models.neural.training import Documents, coactivation
from setwise.models.state_checks import check_array, check_range, check_sparse

__all__ = ["LEARNING_RATE", "HiddenLayersModel", "check_magnitude", "row_products"]

Array = NDArray[np.float64]

LEARNING_RATE = Interval("real", 0, 1, closed="right")

_LARGEST_WEIGHT = 1e50
"""Largest weight that is accepted: products of those of three layers cannot overflow."""


class HiddenLayersModel(LabelModel):
    """Base class of networks whose features of a document are the last of one or two hidden layers, F(x)."""

    _parameter_constraints: ClassVar = {
        "n_hidden": Interval("integer", 1, 2**14),
        "strength": STRENGTH,
        "max_iter": Interval("integer", 1),
        "batch_size": Interval("integer", 1),
        "learning_rate": LEARNING_RATE,
        "random_state": RandomState(),
        "n_jobs": N_JOBS,
    }
    _fitted: ClassVar[tuple[str, ...]] = (
        "input_coef_",
        "input_intercept_",
        "hidden_weights_",
        "hidden_intercept_",
        "coactivation_",
    )

    n_hidden: int
    n_layers: int = 2
    """Number of hidden layers."""
    input_coef_: sp.csr_array
    input_intercept_: Array
    hidden_weights_: Array
    hidden_intercept_: Array
    coactivation_: Array
    objective_: float
    n_iter_: int
    history_: list[dict[str, float]]

    @property
    @abstractmethod
    def _output_weights(self) -> Array:
        """What each label's score adds per hidden unit, units by labels."""

    def _set_hidden_layers(self, documents: Documents, layers: Layers) -> None:
        """Set the fitted attributes of the hidden layers; the scaling of the features becomes part of the first one."""
        self.classes_ = documents.labels.names
        self.n_features_in_ = int(documents.inputs.scaled.shape[1])
        self.input_coef_, self.input_intercept_ = documents.inputs.fold(layers)
        self.hidden_weights_ = layers.hidden_weights.reshape(-1, self.n_hidden).astype(np.float64)
        self.hidden_intercept_ = layers.hidden_intercept.ravel().astype(np.float64)
        self.coactivation_ = coactivation(documents, layers)

    def _record(self, iteration: int, objective: float) -> None:
        """Add an epoch to the history."""
        self.n_iter_, self.objective_ = iteration, objective
        self.history_.append({"iteration": iteration, "objective": objective})

    def _hidden(self, X: Any) -> Array:
        """Return F(x), documents by hidden units."""
        first = np.maximum(self._linear_scores(X, "input_coef_", "input_intercept_"), 0.0)
        n = self.n_hidden
        following = zip(self.hidden_weights_.reshape(-1, n, n), self.hidden_intercept_.reshape(-1, n), strict=True)
        return reduce(_next_layer, following, first)

    def label_weights(self) -> sp.csr_array:
        """Return the mean derivative of each label's score by each feature, labels by features, for inspection.

        A network has no weight per label and feature. Its derivative depends on the document, through the hidden units
        that are active; the mean is that over the training documents.
        """
        check_is_fitted(self)
        between = self.hidden_weights_ if self.n_layers > 1 else np.eye(self.n_hidden)
        through = (between * self.coactivation_) @ self._output_weights
        return sp.csr_array((self.input_coef_.T @ through).T)

    def _check_state(self) -> None:
        super()._check_state()
        n = self.n_hidden
        check_sparse(self.input_coef_, "input_coef_", (n, self.n_features_in_))
        check_array(self.input_intercept_, "input_intercept_", (n,))
        check_array(self.hidden_weights_, "hidden_weights_", ((self.n_layers - 1) * n, n))
        check_array(self.hidden_intercept_, "hidden_intercept_", ((self.n_layers - 1) * n,))
        check_array(self.coactivation_, "coactivation_", (n, n))
        check_range(self.coactivation_, "coactivation_", 0, 1)
        check_magnitude(self.input_coef_.data, "input_coef_")
        for name in ("input_intercept_", "hidden_weights_", "hidden_intercept_"):
            check_magnitude(getattr(self, name), name)

    @property
    def _n_scores(self) -> int:
        return self.n_hidden + len(self.classes_)


def _next_layer(values: Array, layer: tuple[Array, Array]) -> Array:
    weights, intercept = layer
    return np.maximum(row_products(values, weights) + intercept, 0.0)


def row_products(rows: Array, weights: Array) -> Array:
    """Return ``rows @ weights``, one row at a time, so that the bits of a row do not depend on the others.

    They may depend on the threads of BLAS: callers hold :func:`one_blas_thread`.
    """
    return np.asarray(np.matmul(rows[:, None, :], weights)[:, 0, :])


def check_magnitude(values: NDArray[Any], name: str) -> None:
    """Raise ``InvalidData`` where a weight is so large that products over the layers could overflow."""
    if values.size and np.abs(values).max() > _LARGEST_WEIGHT:
        raise InvalidData(f"{name} must hold numbers of at most {_LARGEST_WEIGHT:g}; got {np.abs(values).max():g}.")
