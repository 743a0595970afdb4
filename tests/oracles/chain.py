"""A mixture of classifier chains in plain loops: every set, one label after the other."""

from __future__ import annotations

from itertools import product
from math import exp, log1p

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def every_set(n_labels: int) -> NDArray[np.int64]:
    """All 2^n_labels sets, a row each."""
    return np.array(list(product([0, 1], repeat=n_labels)), dtype=np.int64).reshape(-1, n_labels)


def log_sigmoid(z: float) -> float:
    return -log1p(exp(-z)) if z > 0 else z - log1p(exp(z))


def chain_log_prob(scores: Array, feedback: Array, order: NDArray[np.int32], y: NDArray[np.int64]) -> float:
    """log p(y) of one document: ``scores[l]`` without feedback, ``feedback[l, k]`` what label k adds to label l."""
    total = 0.0
    before: list[int] = []
    for label in order:
        logit = scores[label] + sum(feedback[label, k] for k in before if y[k])
        total += log_sigmoid(logit if y[label] else -logit)
        before.append(label)
    return total


def mixture_log_prob(scores: Array, feedback: Array, orders: NDArray[np.int32], sets: NDArray[np.int64]) -> Array:
    """log p of each set for one document, the mean of the chains' p: a row of scores and a matrix of feedback each."""
    chains = [[chain_log_prob(*chain, y) for y in sets] for chain in zip(scores, feedback, orders, strict=True)]
    return np.asarray(np.logaddexp.reduce(np.array(chains), axis=0) - np.log(len(orders)))
