"""A random field by brute force: every score of every set, pair by pair, and the loss with its gradient."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Sets = NDArray[np.int64]


def pair_score(pair_weights: Array, labels: Sets) -> float:
    """Add v_{lm, y_l y_m} over all pairs l < m; rows of weights: 00, 01, 10, 11."""
    if pair_weights.shape[1] == 0:
        return 0.0
    total, column = 0.0, 0
    for l in range(len(labels)):  # noqa: E741
        for m in range(l + 1, len(labels)):
            total += pair_weights[2 * labels[l] + labels[m], column]
            column += 1
    return total


def set_scores(X: Array, W: Array, b: Array, pair_weights: Array, sets: Sets) -> Array:
    """Documents by sets."""
    pairs = np.array([pair_score(pair_weights, labels) for labels in sets])
    return np.asarray((X @ W.T + b) @ sets.T + pairs)


def probabilities(X: Array, W: Array, b: Array, pair_weights: Array, sets: Sets) -> Array:
    scores = set_scores(X, W, b, pair_weights, sets)
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def mean_loss(X: Array, y: Sets, W: Array, b: Array, pair_weights: Array, sets: Sets) -> float:
    own = [next(s for s, labels in enumerate(sets) if (labels == row).all()) for row in y]
    return float(-np.log(probabilities(X, W, b, pair_weights, sets)[np.arange(len(y)), own]).mean())


def loss_gradient(X: Array, y: Sets, W: Array, b: Array, pair_weights: Array, sets: Sets) -> tuple[Array, Array, Array]:
    """By W, b and pair weights: what the model expects less what is there."""
    p = probabilities(X, W, b, pair_weights, sets)
    residual = (p @ sets - y) / len(y)
    by_pair = np.zeros_like(pair_weights)
    for number in range(pair_weights.size):
        one = np.zeros_like(pair_weights)
        one.flat[number] = 1.0
        count = np.array([pair_score(one, labels) for labels in sets])
        there = np.mean([pair_score(one, labels) for labels in y])
        by_pair.flat[number] = (p @ count).mean() - there
    return residual.T @ X, residual.sum(axis=0), by_pair
