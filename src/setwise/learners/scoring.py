"""Scores of documents under linear models with sparse weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from setwise import _core
from setwise._validation import as_matrix, require_finite
from setwise.exceptions import InvalidData

__all__ = ["linear_scores"]


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
    matrix = as_matrix(X, "X")
    if matrix.shape[1] != coef.shape[1]:
        raise InvalidData(f"X must have the {coef.shape[1]} features of the fit; got {matrix.shape[1]}.")
    require_finite(matrix.data if sp.issparse(matrix) else matrix, "X")
    if coef.shape[0] == 0:
        return np.zeros((matrix.shape[0], 0))
    # From a quarter of non-zeros on, a dense matrix is no larger and its rows are read faster.
    few = coef.nnz <= coef.shape[0] * coef.shape[1] / 4
    if few and sp.issparse(matrix):
        documents, weights = _rows_of(matrix), _rows_of(coef.astype(np.float64, copy=False))
        n_features = coef.shape[1]
        if n_features > _FEATURES_PER_ENTRY * (matrix.nnz + coef.nnz):
            documents, weights, n_features = _used_features(documents, weights)
        shift = np.ascontiguousarray(intercept, dtype=np.float64)
        return _core.linear_scores(*documents, *weights, shift, n_features)
    # A product of two dense matrices would let other documents change a document's bits.
    product = matrix @ (np.ascontiguousarray(coef.toarray().T) if sp.issparse(matrix) else coef.T)
    return np.asarray(product + intercept, dtype=np.float64)


_Rows = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[Any]]

_FEATURES_PER_ENTRY = 4
"""The core's memory grows with the number of features: where most have no entry, they are left out first."""


def _used_features(documents: _Rows, weights: _Rows) -> tuple[_Rows, _Rows, int]:
    """Renumber the features that have weights from 0, and drop all others, which add nothing to a score."""
    starts, columns, values = documents
    used, renumbered = np.unique(weights[1], return_inverse=True)
    place = np.searchsorted(used, columns)
    kept = np.append(used, -1)[place] == columns
    kept_before = np.concatenate([[0], np.cumsum(kept)])
    return (
        (kept_before[starts], place[kept].astype(np.int32), values[kept]),
        (weights[0], renumbered.astype(np.int32), weights[2]),
        max(1, used.size),
    )


def _rows_of(matrix: Any) -> _Rows:
    """Return starts, columns and values of the rows; values of single or double precision are not copied."""
    rows = matrix.tocsr()
    values = rows.data if rows.dtype in (np.float32, np.float64) else rows.data.astype(np.float64)
    return rows.indptr.astype(np.int64), rows.indices.astype(np.int32, copy=False), np.ascontiguousarray(values)
