"""Whether predicted probabilities, or expected F1 values, agree with the outcomes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from setwise._validation import Interval, check_parameters, require_finite
from setwise.exceptions import InvalidData

__all__ = ["calibration_error"]


def calibration_error(predicted: Any, observed: Any, n_bins: int = 10) -> float:
    """Return the expected calibration error: the mean distance of predictions from outcomes over bins.

    Documents are sorted by prediction and cut into bins of equal mass, as equal as whole documents allow; those of the
    same prediction count with their mean outcome, wherever they are cut. The error is the mean over bins, weighted by
    their number of documents, of ``|mean predicted - mean observed|``.

    Parameters
    ----------
    predicted : array-like of shape (n_samples,)
        One number per document, such as the probability of its predicted set or its expected F1.
    observed : array-like of shape (n_samples,)
        The outcome for each document: 1 or 0 for a right or wrong set, or its F1.
    n_bins : int
        Number of bins; at most one per document is used.

    Returns
    -------
    float
        The error in the unit of the predictions; 0 is best.

    Examples
    --------
    >>> from setwise.metrics import calibration_error
    >>> round(calibration_error([0.9, 0.1, 0.5, 0.3], [1, 0, 0, 1], n_bins=2), 6)
    0.25
    """
    check_parameters({"n_bins": Interval("integer", 1)}, {"n_bins": n_bins})
    expected, actual = _numbers(predicted, "predicted"), _numbers(observed, "observed")
    if expected.shape != actual.shape:
        raise InvalidData(f"predicted has {expected.size} values but observed has {actual.size}.")
    order = np.argsort(expected, kind="stable")
    bins = np.array_split(_mean_of_ties(expected, expected - actual)[order], min(int(n_bins), expected.size))
    return float(sum(abs(part.sum()) for part in bins) / expected.size)


def _mean_of_ties(predicted: NDArray[np.float64], error: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean error of all documents with the same prediction, per document.

    Which of them a boundary between bins puts where must not matter: neither by the order of the documents, nor by
    their outcomes, which would make an error of what is none.
    """
    _, group, count = np.unique(predicted, return_inverse=True, return_counts=True)
    return np.asarray((np.bincount(group, weights=error) / count)[group])


def _numbers(values: Any, name: str) -> NDArray[np.float64]:
    array = np.asarray(values)
    if array.ndim != 1 or array.size == 0 or array.dtype.kind not in "biuf":
        raise InvalidData(
            f"{name} must be a list of numbers, one per document; got shape {array.shape} of type {array.dtype}."
        )
    require_finite(array, name)
    return array.astype(np.float64)
