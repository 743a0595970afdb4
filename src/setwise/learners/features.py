"""A matrix of features in the one form that the compiled core reads."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from setwise import _core
from setwise._validation import as_matrix, require_finite
from setwise.exceptions import InvalidData

__all__ = ["FeatureColumns", "padded"]

_PAD = 8
"""Dense weights have their labels padded with zeros to a multiple of this, so that the core reads whole vectors."""


@dataclass(frozen=True, eq=False)
class FeatureColumns:
    """Features checked and laid out once, for any number of fits. Make one with :meth:`of`.

    Empty columns are left out. The core stores the others by falling frequency, as its Hessian reads them, but its
    weights are in the order of ``kept``. Values are stored in single precision where that is exact, in double precision
    where it is not, and not at all where every one is 1.

    Attributes
    ----------
    n_samples, n_features : int
    kept : array of int
        The columns that are not empty.

    Examples
    --------
    >>> from setwise.learners import FeatureColumns
    >>> FeatureColumns.of([[1.0, 0.0, 0.0], [0.0, 0.0, 2.0]]).kept.tolist()
    [0, 2]
    """

    n_samples: int
    n_features: int
    kept: NDArray[np.int32]
    place: NDArray[np.int32]
    """Position of each of ``kept`` in the core."""
    native: _core.Features
    largest: float
    """Largest absolute value."""
    matrix: Any
    """The features as they were passed in."""
    derived: dict[Any, Any] = field(default_factory=dict, repr=False)
    """What was computed from the features and is needed by several fits."""

    @classmethod
    def of(cls, X: Any) -> FeatureColumns:
        """Read features from any scipy sparse matrix or anything that numpy takes for a dense one."""
        if isinstance(X, FeatureColumns):
            return X
        matrix = as_matrix(X, "X")
        columns = _canonical_columns(matrix)
        n_samples, n_features = columns.shape
        if max(n_samples, n_features) > np.iinfo(np.int32).max:
            raise InvalidData(f"X must have fewer than 2^31 rows and columns; got shape {columns.shape}.")
        counts = np.diff(columns.indptr)
        order = np.argsort(-counts, kind="stable")[: np.count_nonzero(counts)]
        inner = columns[:, order]
        rows = inner.tocsr()
        peak = np.maximum.reduceat(np.abs(inner.data), inner.indptr[:-1]) if order.size else np.zeros(0)
        place = np.argsort(order).astype(np.int32)
        native = _core.Features(
            n_samples,
            order.size,
            *_structure(inner),
            *_structure(rows),
            peak.astype(np.float64),
            place,
            **_values(inner, rows),
        )
        kept = np.sort(order).astype(np.int32)
        return cls(n_samples, n_features, kept, place, native, float(peak.max(initial=0.0)), matrix)

    @staticmethod
    def matrix_of(X: Any) -> Any:
        """Return the feature matrix, whether it was laid out already or not."""
        return X.matrix if isinstance(X, FeatureColumns) else as_matrix(X, "X")

    def inward(self, coef: sp.csr_array) -> sp.csr_array:
        """Return weights of the caller's features as the core numbers features."""
        inner = coef[:, self.kept]
        inner.sort_indices()
        return inner

    def outward(self, lengths: NDArray[np.int64], indices: NDArray[Any], values: NDArray[Any]) -> sp.csr_array:
        """Return weights of the core's features as the caller numbers them; ``lengths`` has their number per row."""
        return self._rows(lengths, self.kept[indices], values)

    def outward_dense(self, weights: NDArray[np.float64], rows: NDArray[np.intp], n_rows: int) -> sp.csr_array:
        """Return dense weights of the core's features, for some of ``n_rows`` rows, without those that are zero."""
        lengths = np.zeros(n_rows, dtype=np.int64)
        indices, values = np.tile(self.kept, rows.size), weights.reshape(-1)
        if values.all():
            lengths[rows] = self.kept.size
            return self._rows(lengths, indices, values)
        nonzero = weights != 0.0
        lengths[rows] = nonzero.sum(axis=1)
        return self._rows(lengths, indices[nonzero.reshape(-1)], weights[nonzero])

    def _rows(self, lengths: NDArray[np.int64], indices: NDArray[np.int32], values: NDArray[Any]) -> sp.csr_array:
        narrow = values.size <= np.iinfo(np.int32).max  # a wide indptr makes scipy copy all indices to its width
        indptr = np.zeros(len(lengths) + 1, dtype=np.int32 if narrow else np.int64)
        np.cumsum(lengths, out=indptr[1:])
        return sp.csr_array((values, indices, indptr), shape=(len(lengths), self.n_features))

    def dense_weights(self, coef: sp.csr_array) -> NDArray[np.float64]:
        """Return weights by label as a dense matrix in the core's order of features, labels padded with zeros."""
        n_labels = coef.shape[0]
        weights = np.zeros((self.kept.size, padded(n_labels)))
        weights[self.place, :n_labels] = coef[:, self.kept].toarray().T
        return weights

    def sparse_weights(self, weights: NDArray[np.float64], n_labels: int) -> sp.csr_array:
        """Undo :meth:`dense_weights`."""
        inner = sp.csr_array(weights[self.place, :n_labels].T)
        return self.outward(np.diff(inner.indptr), inner.indices, inner.data)


def padded(n_labels: int) -> int:
    """Round up to a multiple of the core's vector length."""
    return -(-n_labels // _PAD) * _PAD


def _canonical_columns(matrix: Any) -> sp.csc_array:
    """Return sorted columns without repeated or zero entries; the caller's arrays are not changed."""
    columns = sp.csc_array(matrix)
    if columns.dtype not in (np.float32, np.float64):
        columns = columns.astype(np.float64)
    require_finite(columns.data, "X")
    if not columns.has_canonical_format or not columns.data.all():
        columns = columns.copy()
        columns.sum_duplicates()
        columns.eliminate_zeros()
        require_finite(columns.data, "X")  # a sum of repeated entries can overflow
    return columns


def _structure(matrix: Any) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    return matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32)


def _values(inner: sp.csc_array, rows: sp.csr_array) -> dict[str, NDArray[Any]]:
    """Return the values in the narrowest form that is exact."""
    if (inner.data == 1).all():
        return {}
    with np.errstate(over="ignore", under="ignore"):
        narrow = inner.data.astype(np.float32)
    if np.array_equal(narrow, inner.data):
        return {"values32": narrow, "row_values32": rows.data.astype(np.float32)}
    return {"values64": inner.data.astype(np.float64), "row_values64": rows.data.astype(np.float64)}
