"""Thresholds on the probability of each label, and how to fit them on held-out documents."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from setwise.labels import LabelMatrix
from setwise.metrics import F1_OF_EMPTY_SETS

__all__ = ["best_threshold", "best_thresholds", "threshold"]

Array = NDArray[np.float64]


def threshold(marginals: Array, at: float | Array = 0.5, *, at_least_one: bool = False) -> sp.csr_array:
    """Choose the labels whose probability is above ``at``: one threshold for all labels, or one per label.

    Parameters
    ----------
    marginals : array of shape (n_samples, n_labels)
    at : float or array of shape (n_labels,)
    at_least_one : bool
        Whether a document without any such label gets the one closest to its threshold.

    Returns
    -------
    sets : sparse array of shape (n_samples, n_labels)

    Examples
    --------
    >>> import numpy as np
    >>> from setwise.decision import threshold
    >>> threshold(np.array([[0.7, 0.2], [0.4, 0.1]]), at_least_one=True).toarray().tolist()
    [[1, 0], [1, 0]]
    """
    levels = np.asarray(at, dtype=np.float64)
    chosen = marginals > levels
    if at_least_one:
        without = ~chosen.any(axis=1)
        # A common threshold is not subtracted: rounding would make small probabilities equal.
        above = marginals[without] if levels.ndim == 0 else marginals[without] - levels
        chosen[without, above.argmax(axis=1)] = True
    return sp.csr_array(chosen.astype(np.int64))


def best_threshold(marginals: Array, y: Any, *, at_least_one: bool = False) -> float:
    """Return the common threshold with the highest instance F1 on held-out documents.

    Labels of all documents are added one by one, the most probable first; each changes the F1 of its document, and the
    cumulative sum of the changes is the score of the threshold just below. Between two consecutive probabilities every
    threshold is equally good, and the middle is taken; of equally good gaps, the highest.
    """
    truth = LabelMatrix.of(y).indicator.toarray().astype(bool)
    order = np.argsort(-marginals, axis=1, kind="stable")
    p = np.take_along_axis(marginals, order, axis=1)
    hits = np.cumsum(np.take_along_axis(truth, order, axis=1), axis=1)
    size = truth.sum(axis=1, keepdims=True)
    f1 = 2.0 * hits / (np.arange(1, marginals.shape[1] + 1) + size)
    without = f1[:, :1] if at_least_one else np.where(size == 0, F1_OF_EMPTY_SETS, 0.0)
    change = np.diff(f1, axis=1, prepend=without).ravel()
    falling = np.argsort(-p.ravel(), kind="stable")
    levels, score = p.ravel()[falling], np.cumsum(change[falling])
    below = np.append(levels[1:], 0.0)
    score[levels == below] = -np.inf  # no threshold separates equal probabilities, and none is below zero
    if not score.max() > 0.0:
        return float(levels[0])  # predicting nothing is best
    best = int(np.argmax(score))
    middle = 0.5 * (levels[best] + below[best])
    return float(middle if middle < levels[best] else below[best])  # adjacent floats have no middle


def best_thresholds(marginals: Array, y: Any) -> Array:
    """Return the threshold of each label with the highest F1 of that label on held-out documents.

    Between two consecutive probabilities every threshold is equally good, and the middle is taken. It is 0.5 for a
    label that no document has, or whose probability is 0 in every document that has it.
    """
    truth = LabelMatrix.of(y).indicator.toarray().astype(bool)
    found = np.full(marginals.shape[1], 0.5)
    for label in np.flatnonzero(truth.any(axis=0)):
        order = np.argsort(-marginals[:, label], kind="stable")
        p, hits = marginals[order, label], np.cumsum(truth[order, label])
        f1 = 2.0 * hits / (np.arange(1, len(p) + 1) + hits[-1])
        below = np.append(p[1:], 0.0)
        f1[p == below] = 0.0  # no threshold separates equal probabilities, and none is below zero
        if f1.any():
            best = int(np.argmax(f1))
            middle = 0.5 * (p[best] + below[best])
            found[label] = middle if middle < p[best] else below[best]  # adjacent floats have no middle
    return found
