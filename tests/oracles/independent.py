"""Independent labels: the expected F1, Jaccard index and Hamming loss of sets, from their definitions.

Probabilities of one document are a row ``p``. The F1 of the k most probable labels has three more forms that share
nothing with one another: a double sum, a joint distribution, and a recurrence from the last label to the first.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import fsum

import numpy as np
from numpy.typing import NDArray

from tests.oracles.fmeasure import f_beta
from tests.oracles.sets import every_set

Array = NDArray[np.float64]
Sets = NDArray[np.int64]


def jaccard(true: Sets, chosen: Sets) -> float:
    """|both| / |either|; 1 for two empty sets."""
    either = int((true | chosen).sum())
    return 1.0 if either == 0 else int((true & chosen).sum()) / either


def hamming_agreement(true: Sets, chosen: Sets) -> float:
    """The share of labels on which the sets agree: 1 minus the Hamming loss."""
    return float((true == chosen).mean())


def probabilities(p: Array, *, excludes_empty: bool = False) -> tuple[Sets, Array]:
    """Return all 2^L sets, the empty one first, and the probability of each."""
    sets = every_set(len(p))
    probability = np.where(sets == 1, p, 1.0 - p).prod(axis=1)
    if excludes_empty:
        probability[0] = 0.0
        probability /= fsum(probability)
    return sets, probability


def expected_values(
    p: Array, measure: Callable[[Sets, Sets], float], *, excludes_empty: bool = False
) -> tuple[Sets, Array]:
    """Return all sets, and the expected measure of each where the truth is drawn from all sets."""
    sets, probability = probabilities(p, excludes_empty=excludes_empty)
    return sets, np.array([fsum(row * probability) for row in _table(measure, len(p))])


@cache
def _table(measure: Callable[[Sets, Sets], float], n_labels: int) -> Array:
    """Return the measure of every chosen set, by rows, with every true one."""
    sets = every_set(n_labels)
    return np.array([[measure(true, chosen) for true in sets] for chosen in sets])


@cache
def f_with(beta: float) -> Callable[[Sets, Sets], float]:
    return lambda true, chosen: f_beta(true, chosen, beta)


def counts_of(p: Array) -> Array:
    """Return p(j labels are on) for j from 0 to len(p)."""
    counts = np.array([1.0])
    for chance in p:
        counts = np.convolve(counts, [1.0 - chance, chance])
    return counts


def chai_expected_f(p: Array, beta: float = 1.0) -> Array:
    """Return the F of each number k > 0 of first labels as a sum over how many are on among them and after (Chai 2005).

    ``p`` falls.
    """
    square, values = beta**2, []
    for k in range(1, len(p) + 1):
        inside, outside = counts_of(p[:k]), counts_of(p[k:])
        values.append(
            fsum(
                a * b * (1.0 + square) * i / (k + square * (i + j))
                for i, a in enumerate(inside)
                for j, b in enumerate(outside)
            )
        )
    return np.array(values)


def jansche_expected_f(p: Array, beta: float = 1.0) -> Array:
    """Return the same from p(hits, labels that are on), built label by label for each k (Jansche 2007)."""
    square, values = beta**2, []
    for k in range(1, len(p) + 1):
        joint = {(0, 0): 1.0}
        for label, chance in enumerate(p):
            following: dict[tuple[int, int], float] = {}
            for (hits, on), mass in joint.items():
                with_it = (hits + (label < k), on + 1)
                following[hits, on] = following.get((hits, on), 0.0) + (1.0 - chance) * mass
                following[with_it] = following.get(with_it, 0.0) + chance * mass
            joint = following
        values.append(fsum((1.0 + square) * hits / (k + square * on) * mass for (hits, on), mass in joint.items()))
    return np.array(values)


def nan_expected_f1(p: Array) -> Array:
    """Return the same for beta = 1 by the recurrence of Nan et al. 2012, which takes O(L^2) for all k together.

    S_k[m] = E[1 / (m + how many labels after the first k are on)], from S_L[m] = 1 / m down.
    """
    n_labels = len(p)
    s = np.append(0.0, 1.0 / np.arange(1, 2 * n_labels + 1))  # S_k[0] is never read
    values = np.zeros(n_labels)
    for k in range(n_labels, 0, -1):
        inside = counts_of(p[:k])
        values[k - 1] = fsum(2.0 * j * inside[j] * s[k + j] for j in range(k + 1))
        s = np.append(p[k - 1] * s[1:] + (1.0 - p[k - 1]) * s[:-1], 0.0)  # the last one is beyond what is read
    return values
