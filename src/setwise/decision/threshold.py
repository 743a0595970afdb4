"""Thresholds on the probability of each label: what most people do, so that one can compare."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from setwise.exceptions import InvalidParameter
from setwise.labels import LabelMatrix
from setwise.metrics import instance_f1

__all__ = ["best_threshold", "best_thresholds", "threshold"]

Array = NDArray[np.float64]


def threshold(marginals: Array, at: float | Array = 0.5, *, at_least_one: bool = False) -> sp.csr_array:
    """Choose the labels whose probability is above ``at``: one number, or one a label.

    With ``at_least_one`` a document without any gets the label that is furthest above, or least below.
    """
    levels = np.broadcast_to(np.asarray(at, dtype=np.float64), marginals.shape[1:])
    chosen = marginals > levels
    if at_least_one:
        without = ~chosen.any(axis=1)
        chosen[without, (marginals[without] - levels).argmax(axis=1)] = True
    return sp.csr_array(chosen.astype(np.int64))


def best_threshold(marginals: Array, Y: Any, *, at_least_one: bool = False, n_levels: int = 100) -> float:
    """Find the one threshold of the highest instance F1 on held-out documents; the lowest of equals."""
    if n_levels < 1:
        raise InvalidParameter(f"n_levels must be a whole number from 1 up; got {n_levels!r}.")
    truth = LabelMatrix.of(Y).indicator
    levels = (
        np.unique(np.quantile(marginals[marginals > 0.0], np.linspace(0.0, 1.0, 8 * n_levels)))
        if marginals.any()
        else np.array([0.5])
    )
    levels = np.union1d(np.linspace(0.0, 1.0, n_levels, endpoint=False), levels)
    scores = [instance_f1(truth, threshold(marginals, level, at_least_one=at_least_one)) for level in levels]
    return float(levels[int(np.argmax(scores))])


def best_thresholds(marginals: Array, Y: Any) -> Array:
    """Find for each label the threshold of its highest F1 on held-out documents.

    Between two probabilities that occur any threshold is as good: the middle is taken. It is 0.5 for a label that no
    document has, or that has a probability in none that has it.
    """
    truth = LabelMatrix.of(Y).indicator.toarray().astype(bool)
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
