"""Thresholds on the probability of each label: what most people do, so that one can compare."""

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
    """Choose the labels whose probability is above ``at``: one number, or one a label.

    With ``at_least_one`` a document without any gets the label that is furthest above, or least below.
    """
    levels = np.asarray(at, dtype=np.float64)
    chosen = marginals > levels
    if at_least_one:
        without = ~chosen.any(axis=1)
        # One level for all is not taken off: rounding would make equals of small probabilities.
        above = marginals[without] if levels.ndim == 0 else marginals[without] - levels
        chosen[without, above.argmax(axis=1)] = True
    return sp.csr_array(chosen.astype(np.int64))


def best_threshold(marginals: Array, y: Any, *, at_least_one: bool = False) -> float:
    """Find the one threshold of the highest instance F1 on held-out documents, of all there are.

    Labels are let in one by one, the most probable of all documents first; each changes the F1 of its document by what
    it finds there, and the sum of these changes is followed. Between two probabilities that occur any threshold is as
    good: the middle is taken. Of equally good ones it is the highest.
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
    score[levels == below] = -np.inf  # no threshold parts equals, and none lies below zero
    if not score.max() > 0.0:
        return float(levels[0])  # nothing let in is best
    best = int(np.argmax(score))
    middle = 0.5 * (levels[best] + below[best])
    return float(middle if middle < levels[best] else below[best])  # neighbours have no middle


def best_thresholds(marginals: Array, y: Any) -> Array:
    """Find for each label the threshold of its highest F1 on held-out documents.

    Between two probabilities that occur any threshold is as good: the middle is taken. It is 0.5 for a label that no
    document has, or that has a probability in none that has it.
    """
    truth = LabelMatrix.of(y).indicator.toarray().astype(bool)
    found = np.full(marginals.shape[1], 0.5)
    for label in np.flatnonzero(truth.any(axis=0)):
        order = np.argsort(-marginals[:, label], kind="stable")
        p, hits = marginals[order, label], np.cumsum(truth[order, label])
        f1 = 2.0 * hits / (np.arange(1, len(p) + 1) + hits[-1])
        below = np.append(p[1:], 0.0)
        f1[p == below] = 0.0  # no threshold parts equals, and none lies below zero
        if f1.any():
            best = int(np.argmax(f1))
            middle = 0.5 * (p[best] + below[best])
            found[label] = middle if middle < p[best] else below[best]  # neighbours have no middle
    return found
