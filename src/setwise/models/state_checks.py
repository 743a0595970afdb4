"""Checks of a fitted model's arrays before anything is computed from them."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import DTypeLike, NDArray

from setwise.exceptions import InvalidData
from setwise.labels import row_starts

__all__ = [
    "LARGEST_NUMBER",
    "check_array",
    "check_count",
    "check_range",
    "check_sparse",
    "csr_of_parts",
]

LARGEST_NUMBER = 1e100
"""Largest weight or intercept that is accepted: sums of products of smaller ones cannot overflow."""

_MOST = np.iinfo(np.int32).max
"""Most rows and columns: the core numbers them in 32 bits."""


def check_count(value: Any, name: str, least: int, most: int = _MOST) -> None:
    """Raise ``InvalidData`` unless a value is an integer from ``least`` to ``most``."""
    if not isinstance(value, numbers.Integral) or isinstance(value, bool) or not least <= value <= most:  # type: ignore[operator]
        raise InvalidData(f"{name} must be a whole number from {least} to {most}; got {value!r:.40}.")


def check_array(value: Any, name: str, shape: tuple[int, ...], dtype: DTypeLike = np.float64) -> None:
    """Raise ``InvalidData`` unless an array has this shape and type, and finite numbers that are not too large."""
    if not isinstance(value, np.ndarray) or value.shape != shape or value.dtype != dtype:
        raise InvalidData(f"{name} must have shape {shape} and type {np.dtype(dtype)}; got {_described(value)}.")
    _check_finite(value, name)


def check_range(value: NDArray[Any], name: str, low: int, high: int) -> None:
    """Raise ``InvalidData`` unless all values lie from ``low`` to ``high``."""
    if value.size and not (value.min() >= low and value.max() <= high):
        raise InvalidData(f"{name} must lie from {low} to {high}; got {value.min()} to {value.max()}.")


def check_sparse(value: Any, name: str, shape: tuple[int, int], dtype: DTypeLike = np.float64) -> None:
    """Raise ``InvalidData`` unless a sparse array has this shape and type, and finite numbers of usual size."""
    if not sp.issparse(value) or value.shape != shape or value.dtype != dtype:
        raise InvalidData(
            f"{name} must be sparse, of shape {shape} and type {np.dtype(dtype)}; got {_described(value)}."
        )
    _check_finite(value.data, name)


def csr_of_parts(name: str, data: Any, indices: Any, indptr: Any, shape: Any) -> sp.csr_array:
    """Return a CSR array from its parts after checking them: columns must rise within each row."""
    n_rows, n_columns = _checked_shape(name, shape)
    for part, array in (("indices", indices), ("indptr", indptr)):
        if array.ndim != 1 or array.dtype not in (np.int32, np.int64):
            raise InvalidData(f"{name}.{part} must be a row of whole numbers; got {_described(array)}.")
    if data.ndim != 1 or data.shape != indices.shape or data.dtype.kind not in "fi":
        raise InvalidData(f"{name}.data must have {indices.size} numbers; got {_described(data)}.")
    if indptr.size != n_rows + 1 or indptr[0] != 0 or indptr[-1] != data.size or (indptr[1:] < indptr[:-1]).any():
        raise InvalidData(f"{name}.indptr must rise from 0 to {data.size} in {n_rows} steps; got {_described(indptr)}.")
    check_range(indices, f"{name}.indices", 0, n_columns - 1)
    follows = np.ones(indices.size, dtype=bool)
    follows[indptr[:-1][indptr[:-1] < indices.size]] = False  # the first entry of a row follows none
    if (np.diff(indices)[follows[1:]] <= 0).any():
        raise InvalidData(f"{name}.indices must rise within each row; they do not.")
    parts = data, indices.astype(np.int32, copy=False), row_starts(np.diff(indptr))
    return sp.csr_array(parts, shape=(n_rows, n_columns))


def _checked_shape(name: str, shape: Any) -> tuple[int, int]:
    if shape.shape != (2,) or shape.dtype != np.int64 or not (shape.min() >= 0 and shape.max() <= _MOST):
        raise InvalidData(f"{name}.shape must be two whole numbers from 0 to {_MOST}; got {_described(shape)}.")
    return int(shape[0]), int(shape[1])


def _check_finite(values: NDArray[Any], name: str) -> None:
    if values.dtype.kind == "f" and values.size and not np.abs(values).max() <= LARGEST_NUMBER:  # NaN fails too
        raise InvalidData(f"{name} must hold finite numbers, none above {LARGEST_NUMBER:g}; it holds others.")


def _described(value: Any) -> str:
    if isinstance(value, np.ndarray) or sp.issparse(value):
        return f"shape {value.shape} and type {value.dtype}"
    return f"a value of type {type(value).__name__}"
