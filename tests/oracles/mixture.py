"""Mixtures of independent labels by enumeration of every set, and sizes in long integers: slow and obvious."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logsumexp

Array = NDArray[np.float64]


def every_set(n_labels: int) -> NDArray[np.int64]:
    """All 2^L sets as rows of 0 and 1, in lexicographic order."""
    return np.array(list(product([0, 1], repeat=n_labels)), dtype=np.int64)


def set_log_prob(logits: Array, log_gate: Array, sets: NDArray[np.int64]) -> Array:
    """log sum_k pi_k prod_l b_kl(y_l), documents by sets; a label adds -log(1 + e^-z) where it is in, else with +z."""
    signed = np.where(sets[None, :, None, :] == 1, -logits[:, None], logits[:, None])
    return np.asarray(logsumexp(log_gate[:, None] - np.logaddexp(0.0, signed).sum(axis=3), axis=2))


def size_marginals(logits: Array, log_gate: Array) -> tuple[Array, Array]:
    """joint[i, l, s - 1] = p(y_l = 1, |y| = s | x_i) and p(y = 0 | x_i), summed over every set."""
    sets = every_set(logits.shape[2])
    probability = np.exp(set_log_prob(logits, log_gate, sets))
    sizes = sets.sum(axis=1)[:, None] == np.arange(1, logits.shape[2] + 1)
    return np.einsum("iy,yl,ys->ils", probability, sets, sizes), probability[:, 0]


def leave_one_out_joint(logits: Array, label: int, places: int = 160) -> Array:
    """p(y_l = 1, |y| = s) of one document and component by convolution of the other labels, to 160 binary places."""
    one = 1 << places
    chances = [int(Fraction(float(p)) * one) for p in expit(logits)]
    sizes = [one]
    for p in chances[:label] + chances[label + 1 :]:
        without, with_it = [*sizes, 0], [0, *sizes]
        sizes = [((one - p) * a + p * b) >> places for a, b in zip(without, with_it, strict=True)]
    return np.array([float(Fraction(chances[label] * value, one * one)) for value in sizes])
