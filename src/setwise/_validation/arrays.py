"""Checks of matrices, targets, weights and offsets."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from setwise.exceptions import InvalidData

__all__ = [
    "as_matrix",
    "check_column_limits",
    "check_offset",
    "check_sample_weight",
    "check_soft_targets",
    "check_sparse_structure",
    "class_values",
    "normalized_weights",
    "require_finite",
]


def as_matrix(value: Any, name: str) -> Any:
    """Return a scipy sparse array or a 2-D numpy array of real numbers, unchanged where it is one already."""
    matrix = value if sp.issparse(value) else _as_array(value, name)
    if matrix.ndim != 2:
        raise InvalidData(f"{name} must have two dimensions; got {matrix.ndim}. Hint: reshape one column to (-1, 1).")
    _require_real(matrix, name)
    if sp.issparse(matrix):
        check_sparse_structure(matrix, name)
    if 0 in matrix.shape:
        raise InvalidData(f"{name} must have at least one row and one column; got shape {tuple(matrix.shape)}.")
    if matrix.dtype.kind == "f" and matrix.dtype not in (np.float32, np.float64):
        return matrix.astype(np.float32 if matrix.dtype.itemsize == 2 else np.float64)  # half precision and the like
    return matrix.astype(matrix.dtype.newbyteorder("=")) if not matrix.dtype.isnative else matrix


def _as_array(value: Any, name: str) -> NDArray[Any]:
    try:
        return np.asarray(value)
    except ValueError:
        raise InvalidData(f"{name} must be a matrix with rows of one length; got rows of several lengths.") from None


def require_finite(values: NDArray[Any], name: str) -> None:
    """Raise ``InvalidData`` where a value is NaN or infinite."""
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        wrong = values[~np.isfinite(values)].ravel()[0]
        raise InvalidData(f"{name} must hold finite numbers; got {wrong}. Hint: fill or drop missing values first.")


def _require_real(array: Any, name: str) -> None:
    if array.dtype.kind not in "biuf":
        raise InvalidData(f"{name} must hold real numbers; got values of type {array.dtype}.")


def _vector(value: Any, name: str, n_samples: int) -> NDArray[np.float64]:
    array = _as_array(value, name)
    _require_real(array, name)
    if array.shape != (n_samples,):
        raise InvalidData(f"{name} must have one value per row of X, shape ({n_samples},); got shape {array.shape}.")
    require_finite(array, name)
    return array.astype(np.float64)


def normalized_weights(sample_weight: Any, n_samples: int) -> NDArray[np.float64]:
    """Scale the sample weights to sum to one; equal weights where there are none."""
    if sample_weight is None:
        return np.full(n_samples, 1.0 / n_samples)
    weights = check_sample_weight(sample_weight, n_samples)
    weights = weights / weights.max()  # so that the sum neither overflows nor vanishes
    return np.asarray(weights / weights.sum())


def check_sample_weight(sample_weight: Any, n_samples: int) -> NDArray[np.float64]:
    """Return the sample weights as an array; raise ``InvalidData`` unless there is one per row, zero or above."""
    weights = _vector(sample_weight, "sample_weight", n_samples)
    if (weights < 0).any():
        raise InvalidData(f"sample_weight must be zero or above; got {weights.min()}.")
    if not weights.any():
        raise InvalidData("sample_weight must be positive for at least one row; all are zero.")
    return weights


def check_offset(offset: Any, n_samples: int, n_outputs: int) -> NDArray[np.float64] | None:
    """Return offsets, outputs by documents, with a single row where all outputs share it; None where there are none."""
    if offset is None:
        return None
    array = _as_array(offset, "offset")
    if array.ndim == 2:
        if array.shape != (n_samples, n_outputs):
            raise InvalidData(
                f"offset must have shape ({n_samples},) or ({n_samples}, {n_outputs}); got shape {array.shape}."
            )
        _require_real(array, "offset")
        require_finite(array, "offset")
        return np.ascontiguousarray(array.T, dtype=np.float64)
    return _vector(array, "offset", n_samples)[None, :]


def check_column_limits(limits: Any, n_labels: int, n_features: int) -> NDArray[np.int64] | None:
    """Return the number of features that each label may use; None where every label may use all."""
    if limits is None:
        return None
    array = _as_array(limits, "column_limits")
    if array.dtype.kind not in "iu" or array.shape != (n_labels,):
        raise InvalidData(
            f"column_limits must have one integer per label, shape ({n_labels},); "
            f"got shape {array.shape} of type {array.dtype}."
        )
    if array.size and not (array.min() >= 0 and array.max() <= n_features):
        wrong = array[(array < 0) | (array > n_features)][0]
        raise InvalidData(f"column_limits must lie between 0 and the {n_features} features; got {wrong}.")
    return array.astype(np.int64)


def check_soft_targets(y: Any, name: str) -> sp.csc_array:
    """Return targets in [0, 1] as the columns of a sparse array."""
    matrix = as_matrix(y, name)
    targets = sp.csc_array(matrix, dtype=np.float64, copy=True)
    targets.sum_duplicates()
    require_finite(targets.data, name)
    if targets.nnz and not (targets.data.min() >= 0.0 and targets.data.max() <= 1.0):
        wrong = targets.data[(targets.data < 0) | (targets.data > 1)][0]
        raise InvalidData(f"{name} must hold targets in [0, 1]; got {wrong}.")
    targets.eliminate_zeros()
    return targets


def class_values(y: Any) -> NDArray[Any]:
    """Return one class per document; raise ``InvalidData`` unless all are numbers or all are strings."""
    values = _as_array(y, "y")
    if values.ndim != 1 or values.size == 0:
        raise InvalidData(f"y must have one class per row of X; got an array of shape {values.shape}.")
    require_finite(values, "y")
    if values.dtype.kind == "O" and not any(
        all(isinstance(value, kind) for value in values) for kind in (str, numbers.Real)
    ):
        raise InvalidData("y must hold numbers alone or strings alone; got values of another type among them.")
    if values.dtype.kind not in "biufUSO":
        raise InvalidData(f"y must hold numbers or strings; got values of type {values.dtype}.")
    return values


def check_sparse_structure(matrix: Any, name: str) -> None:
    """Raise ``InvalidData`` unless the index arrays of a scipy sparse matrix describe a matrix of its shape.

    scipy's compiled loops trust these arrays: an index out of range would make them read and write outside the matrix.
    Formats that are neither compressed nor coordinates check themselves when they are converted.
    """
    if matrix.format in ("csr", "csc", "bsr"):
        _check_compressed(matrix, name)
    elif matrix.format == "coo":
        for axis, index in enumerate(matrix.coords):
            _check_range(index, matrix.shape[axis], name)


def _check_compressed(matrix: Any, name: str) -> None:
    n_rows, n_columns = matrix.shape
    if matrix.format == "bsr":
        block_rows, block_columns = matrix.blocksize
        n_rows, n_columns = n_rows // block_rows, n_columns // block_columns
    n_outer, n_inner = (n_columns, n_rows) if matrix.format == "csc" else (n_rows, n_columns)
    starts = np.asarray(matrix.indptr)
    if starts.shape != (n_outer + 1,) or starts[0] != 0 or (starts[1:] < starts[:-1]).any():
        raise InvalidData(f"{name} is a damaged sparse matrix: its indptr must rise from 0 in {n_outer} steps.")
    if starts[-1] > min(len(matrix.indices), len(matrix.data)):
        raise InvalidData(f"{name} is a damaged sparse matrix: its indptr ends beyond its indices or data.")
    _check_range(matrix.indices[: starts[-1]], n_inner, name)


def _check_range(index: Any, length: int, name: str) -> None:
    if len(index) and not (index.min() >= 0 and index.max() < length):
        wrong = index.max() if index.max() >= length else index.min()
        raise InvalidData(f"{name} is a damaged sparse matrix: it has the index {wrong}, outside 0 to {length - 1}.")
