"""What the learners accept, each refusal one sentence: the argument, what must hold, what came, what to do."""

from __future__ import annotations

import numbers
import os
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from setwise import _core
from setwise._validation import check_sparse_structure
from setwise.exceptions import InvalidData, InvalidParameter

__all__ = [
    "as_matrix",
    "checked_column_limits",
    "checked_l1_ratio",
    "checked_max_iter",
    "checked_n_jobs",
    "checked_offset",
    "checked_soft_targets",
    "checked_strength",
    "checked_tol",
    "class_values",
    "document_weights",
    "linear_scores",
    "require_finite",
]


def _checked_number(value: Any, name: str, must: str, low: float, high: float, hint: str = "") -> float:
    real = isinstance(value, numbers.Real) and not isinstance(value, bool | np.bool_)
    if not real or not low <= float(value) <= high:  # NaN fails the comparison too
        raise InvalidParameter(f"{name} must {must}; got {value!r}.{hint}")
    return float(value)


def checked_strength(value: Any, name: str = "strength") -> float:
    """Return ``value`` as a float where it can be the overall weight of the penalty."""
    return _checked_number(value, name, "be a finite number, zero or above", 0.0, np.finfo(np.float64).max)


def checked_l1_ratio(value: Any, name: str = "l1_ratio") -> float:
    """Return ``value`` as a float where it can be the share of L1."""
    return _checked_number(value, name, "lie in [0, 1]", 0.0, 1.0, " Hint: the overall weight is `strength`.")


def checked_tol(value: Any) -> float | None:
    """Return ``value`` as a float, or None for the learner's own choice."""
    if value is None:
        return None
    least = np.nextafter(0.0, 1.0)
    return _checked_number(value, "tol", "be None or a positive finite number", least, np.finfo(np.float64).max)


def checked_max_iter(value: Any) -> int:
    """Return ``value`` as an int where it can be a number of iterations."""
    if not isinstance(value, numbers.Integral) or isinstance(value, bool) or value < 0:
        raise InvalidParameter(f"max_iter must be a whole number, zero or above; got {value!r}.")
    return min(int(value), np.iinfo(np.int32).max)


def checked_n_jobs(value: Any) -> int:
    """Return a number of threads, at most one per core.

    None means the number in the environment variable ``OMP_NUM_THREADS``, or every core this process may use.
    """
    if value is None:
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        return min(_threads_of_environment() or cores, cores)
    if not isinstance(value, numbers.Integral) or isinstance(value, bool) or value < 1:
        raise InvalidParameter(f"n_jobs must be None (all cores) or a whole number from 1 up; got {value!r}.")
    return min(int(value), os.cpu_count() or 1)  # more than one a core only waits


def _threads_of_environment() -> int | None:
    """Return what ``OMP_NUM_THREADS`` asks for; None where it is not set or no number from 1 up.

    It may list a number per level of nesting, as in "4,2": the first is that of the outermost loops.
    """
    first = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0].strip()
    return int(first) if first.isascii() and first.isdigit() and int(first) >= 1 else None


def as_matrix(value: Any, name: str) -> Any:
    """Give a scipy sparse array or a 2-D numpy array of real numbers, unchanged where it is one."""
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
        raise InvalidData(f"{name} must have one value a row of X, shape ({n_samples},); got shape {array.shape}.")
    require_finite(array, name)
    return array.astype(np.float64)


def document_weights(sample_weight: Any, n_samples: int) -> NDArray[np.float64]:
    """Scale the sample weights to sum to one; equal weights where there are none."""
    if sample_weight is None:
        return np.full(n_samples, 1.0 / n_samples)
    weights = _vector(sample_weight, "sample_weight", n_samples)
    if (weights < 0).any():
        raise InvalidData(f"sample_weight must be zero or above; got {weights.min()}.")
    if not weights.any():
        raise InvalidData("sample_weight must be positive for at least one row; got zeros alone.")
    weights = weights / weights.max()  # so that the sum neither overflows nor vanishes
    return np.asarray(weights / weights.sum())


def checked_offset(offset: Any, n_samples: int, n_outputs: int) -> NDArray[np.float64] | None:
    """Give offsets by output: one row for all outputs or a row each; None where there are none."""
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


def checked_column_limits(limits: Any, n_labels: int, n_features: int) -> NDArray[np.int64] | None:
    """Give the number of features that each label may use; None where all may use all."""
    if limits is None:
        return None
    array = _as_array(limits, "column_limits")
    if array.dtype.kind not in "iu" or array.shape != (n_labels,):
        raise InvalidData(
            f"column_limits must have one whole number a label, shape ({n_labels},); "
            f"got shape {array.shape} of type {array.dtype}."
        )
    if array.size and not (array.min() >= 0 and array.max() <= n_features):
        wrong = array[(array < 0) | (array > n_features)][0]
        raise InvalidData(f"column_limits must lie between 0 and the {n_features} features; got {wrong}.")
    return array.astype(np.int64)


def checked_soft_targets(y: Any, name: str) -> sp.csc_array:
    """Give targets in [0, 1] as columns."""
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
    """Give one class a document, of values that can be told apart and put in order."""
    values = _as_array(y, "y")
    if values.ndim != 1 or values.size == 0:
        raise InvalidData(f"y must have one class a row of X; got an array of shape {values.shape}.")
    require_finite(values, "y")
    if values.dtype.kind == "O" and not any(
        all(isinstance(value, kind) for value in values) for kind in (str, numbers.Real)
    ):
        raise InvalidData("y must hold numbers alone or strings alone; got values of another type among them.")
    if values.dtype.kind not in "biufUSO":
        raise InvalidData(f"y must hold numbers or strings; got values of type {values.dtype}.")
    return values


def linear_scores(X: Any, coef: sp.csr_array, intercept: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give X @ coef.T + intercept, dense, where X has the features of the weights."""
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
    """Give starts, columns and values of the rows, the values as they are where they are of a precision of ours."""
    rows = matrix.tocsr()
    values = rows.data if rows.dtype in (np.float32, np.float64) else rows.data.astype(np.float64)
    return rows.indptr.astype(np.int64), rows.indices.astype(np.int32, copy=False), np.ascontiguousarray(values)
