"""Scores of documents under linear models with sparse weights."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from setwise import _core
from setwise._validation import as_matrix, require_finite
from setwise.exceptions import InvalidData

__all__ = ["LinearScorer", "linear_scores"]


def linear_scores(X: Any, coef: sp.csr_array, intercept: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return X @ coef.T + intercept as a dense array.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
    coef : sparse array of shape (n_labels, n_features)
    intercept : array of shape (n_labels,)

    Returns
    -------
    scores : array of shape (n_samples, n_labels)
        The bits of a document's scores do not depend on the other documents.

    Examples
    --------
    >>> import numpy as np
    >>> import scipy.sparse as sp
    >>> from setwise.learners import linear_scores
    >>> linear_scores([[1.0, 2.0]], sp.csr_array([[3.0, 0.0]]), np.array([0.5])).tolist()
    [[3.5]]
    """
    return LinearScorer(coef, intercept).scores(X)


class LinearScorer:
    """Linear models with sparse weights, laid out once for any number of calls.

    The arrays of ``coef`` become read-only: what is laid out would not follow a change.

    Parameters
    ----------
    coef : sparse array of shape (n_labels, n_features)
    intercept : array of shape (n_labels,)

    Examples
    --------
    >>> import numpy as np
    >>> import scipy.sparse as sp
    >>> from setwise.learners import LinearScorer
    >>> LinearScorer(sp.csr_array([[3.0, 0.0]]), np.array([0.5])).scores([[1.0, 2.0]]).tolist()
    [[3.5]]
    """

    def __init__(self, coef: sp.csr_array, intercept: NDArray[np.float64]) -> None:
        self._coef, self._intercept = coef, np.array(intercept, dtype=np.float64).reshape(-1)
        self._arrays = _arrays_of(coef)
        for array in self._arrays:
            array.flags.writeable = False

    def belongs_to(self, coef: sp.csr_array, intercept: NDArray[np.float64]) -> bool:
        """Return whether these are the weights that are laid out: the same arrays, and equal intercepts."""
        same = all(one is other for one, other in zip(self._arrays, _arrays_of(coef), strict=True))
        return same and np.array_equal(self._intercept, intercept.reshape(-1))

    def scores(self, X: Any) -> NDArray[np.float64]:
        """Return X @ coef.T + intercept as a dense array, see :func:`linear_scores`."""
        matrix, coef = as_matrix(X, "X"), self._coef
        if matrix.shape[1] != coef.shape[1]:
            raise InvalidData(f"X must have the {coef.shape[1]} features of the fit; got {matrix.shape[1]}.")
        require_finite(matrix.data if sp.issparse(matrix) else matrix, "X")
        if coef.shape[0] == 0:
            return np.zeros((matrix.shape[0], 0))
        # From a quarter of non-zeros on, a dense matrix is no larger and its rows are read faster.
        if sp.issparse(matrix) and coef.nnz <= coef.shape[0] * coef.shape[1] / 4:
            used, weights = self._by_feature
            documents = _rows_of(matrix)
            return weights.scores(*(documents if used is None else _among(used, documents)))
        # A product of two dense matrices would let other documents change a document's bits.
        product = matrix @ (self._dense if sp.issparse(matrix) else coef.T)
        return np.asarray(product + self._intercept, dtype=np.float64)

    @cached_property
    def _by_feature(self) -> tuple[NDArray[np.int32] | None, _core.LinearWeights]:
        """The features that have weights, None for all, and the weights in the core's layout."""
        starts, columns, values = _rows_of(self._coef.astype(np.float64, copy=False))
        n_features, used = self._coef.shape[1], None
        if n_features > _FEATURES_PER_ENTRY * columns.size:
            used, renumbered = np.unique(columns, return_inverse=True)
            columns, n_features = renumbered.astype(np.int32), max(1, used.size)
        return used, _core.LinearWeights(starts, columns, values, self._intercept, n_features)

    @cached_property
    def _dense(self) -> NDArray[Any]:
        return np.asarray(self._coef.T.toarray(order="C"))  # one copy, where toarray().T would take two


_Rows = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[Any]]

_FEATURES_PER_ENTRY = 4
"""The core's memory grows with the number of features: where most have no weight, they are left out first."""


def _arrays_of(coef: sp.csr_array) -> tuple[NDArray[Any], ...]:
    return coef.data, coef.indices, coef.indptr


def _among(used: NDArray[np.int32], documents: _Rows) -> _Rows:
    """Renumber the given features from 0 and drop all others, which add nothing to a score."""
    starts, columns, values = documents
    place = np.searchsorted(used, columns)
    kept = np.append(used, -1)[place] == columns
    kept_before = np.concatenate([[0], np.cumsum(kept)])
    return kept_before[starts], place[kept].astype(np.int32), values[kept]


def _rows_of(matrix: Any) -> _Rows:
    """Return starts, columns and values of the rows; values of single or double precision are not copied."""
    rows = matrix.tocsr()
    values = rows.data if rows.dtype in (np.float32, np.float64) else rows.data.astype(np.float64)
    return rows.indptr.astype(np.int64), rows.indices.astype(np.int32, copy=False), np.ascontiguousarray(values)
