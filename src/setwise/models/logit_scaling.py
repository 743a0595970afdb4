"""Linear transformations of logits, as changes of weights and intercepts."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from setwise.exceptions import InvalidParameter

__all__ = ["checked_scaling", "scaled_rows"]

Array = NDArray[np.float64]


def checked_scaling(scale: Any, shift: Any, n_labels: int) -> tuple[Array, Array]:
    """Return scale and shift with one number per label."""
    return _one_per_label("scale", scale, n_labels), _one_per_label("shift", shift, n_labels)


def _one_per_label(name: str, value: Any, n_labels: int) -> Array:
    try:
        numbers = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidParameter(f"{name} must be a number, or one per label; got {value!r:.60}.") from None
    if numbers.shape not in ((), (n_labels,)):
        raise InvalidParameter(f"{name} must be one number, or {n_labels}, one per label; got shape {numbers.shape}.")
    if not np.isfinite(numbers).all():
        raise InvalidParameter(f"{name} must be finite; got {value!r:.60}.")
    return np.broadcast_to(numbers, n_labels)


def scaled_rows(weights: sp.csr_array, scales: Array) -> sp.csr_array:
    """Return the matrix with each row multiplied by its number; the same entries are stored."""
    data = weights.data * np.repeat(scales, np.diff(weights.indptr))
    return sp.csr_array((data, weights.indices, weights.indptr), shape=weights.shape)
