"""Mixtures of independent labels: p(y | x) = sum_k pi_k(x) prod_l b_kl(y_l | x), exactly, by the core's kernels.

``logits`` are documents by components by labels, ``log_gate`` documents by components. With one component and a gate of
1, made by :func:`one_component`, the mixture is BR.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import expit

from setwise import _core
from setwise.exceptions import InvalidParameter
from setwise.labels import MostProbable, SizeMarginals
from setwise.labels.distribution import require_room
from setwise.labels.matrix import csr_of_ones
from setwise.models.base import checked_count

__all__ = ["log_prob", "mode", "one_component", "size_marginals"]

Array = NDArray[np.float64]

NEGLIGIBLE_TAIL = 1e-15
"""Sizes are left out that are together less probable than this: below the rounding of the others."""


def one_component(scores: Array) -> tuple[Array, Array]:
    """Give the logits and the gate of independent labels, from documents by labels."""
    return np.ascontiguousarray(scores[:, None, :]), np.zeros((scores.shape[0], 1))


def log_prob(logits: Array, log_gate: Array, sets: sp.csr_array, n_jobs: int) -> Array:
    """Give log p(set | x), documents by sets, for sets with sorted columns."""
    return _core.mixture_log_prob(logits, log_gate, sets.indptr.astype(np.int64), sets.indices.astype(np.int32), n_jobs)


def size_marginals(logits: Array, log_gate: Array, max_size: Any, n_jobs: int) -> SizeMarginals:
    """Give p(y_l = 1, |y| = s | x) for sizes up to ``max_size``; None means as many as matter.

    Beyond the largest size that matters lies a probability of at most NEGLIGIBLE_TAIL, by Bernstein's bound.
    """
    n_labels = logits.shape[2]
    largest = _largest_size(logits, log_gate) if max_size is None else checked_count(max_size, "max_size")
    if largest > n_labels:
        raise InvalidParameter(f"max_size must be at most the number of labels, {n_labels}; got {max_size!r}.")
    require_room(n_labels, largest)
    return SizeMarginals(*_core.mixture_size_marginals(logits, log_gate, largest, n_jobs))


def _largest_size(logits: Array, log_gate: Array) -> int:
    """Find a size that no component exceeds but with a probability of NEGLIGIBLE_TAIL.

    A sum of independent labels with mean m and variance v exceeds m + t with a probability of at most
    exp(-t^2 / (2 (v + t / 3))); the root of that in t is taken.
    """
    chances = expit(logits)
    mean, variance = chances.sum(axis=2), (chances * (1.0 - chances)).sum(axis=2)
    log_tail = -np.log(NEGLIGIBLE_TAIL)
    beyond = log_tail / 3.0 + np.sqrt((log_tail / 3.0) ** 2 + 2.0 * variance * log_tail)
    largest = np.where(np.isneginf(log_gate), 0.0, mean + beyond).max(initial=1.0)
    return int(min(np.ceil(largest), logits.shape[2]))


def mode(logits: Array, log_gate: Array, max_steps: int, n_jobs: int) -> MostProbable:
    """Give the most probable set of each document; a search lists at most ``max_steps`` sets, or as many as it takes
    where that is 0.
    """
    indptr, indices, found, exact = _core.mixture_mode(logits, log_gate, max_steps, n_jobs)
    return MostProbable(csr_of_ones(indices, np.diff(indptr), logits.shape[2]), found, exact)
