"""Whether stated probabilities, or stated F1, are what is attained."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np

from setwise.exceptions import InvalidData, InvalidParameter

__all__ = ["calibration_error"]


def calibration_error(stated: Any, attained: Any, n_bins: int = 10) -> float:
    """Expected calibration error: how far what was stated lies from what was attained, on average.

    ``stated`` has one number a document, such as the probability of its predicted set or its expected F1; ``attained``
    what it came to: 1 or 0 for a right or wrong set, or its F1. Documents are put in order of what was stated and cut
    into ``n_bins`` bins of equal mass (as equal as whole documents can be; at most one a document); the error is the
    mean over bins, weighed by their documents, of |mean stated - mean attained|.
    """
    if not isinstance(n_bins, numbers.Integral) or isinstance(n_bins, bool) or n_bins < 1:
        raise InvalidParameter(f"n_bins must be a whole number from 1 up; got {n_bins!r}.")
    said, came = (_numbers(values, name) for values, name in ((stated, "stated"), (attained, "attained")))
    if said.shape != came.shape:
        raise InvalidData(f"stated and attained must have one number a document; got {said.size} and {came.size}.")
    # Among equals what was attained decides, so that the order of documents does not.
    order = np.lexsort((came, said))
    bins = np.array_split(order, min(int(n_bins), said.size))
    return float(sum(abs((said[some] - came[some]).sum()) for some in bins) / said.size)


def _numbers(values: Any, name: str) -> Any:
    found = np.asarray(values)
    if found.ndim != 1 or found.size == 0 or found.dtype.kind not in "biuf":
        raise InvalidData(f"{name} must have one number a document; got shape {found.shape} of type {found.dtype}.")
    found = found.astype(np.float64)
    if not np.isfinite(found).all():
        raise InvalidData(f"{name} must hold finite numbers; got {found[~np.isfinite(found)][0]}.")
    return found
