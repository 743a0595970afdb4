"""Pair terms of a random field: four weights per pair of labels, trained as one.

They do not depend on the document, so they belong to sets: one number per set. With the weights v00, v01, v10, v11 of
each pair l < m, what they add to the score of a set y is

    sum_{l < m} v_{lm, y_l y_m}  =  constant + sum_{l in y} u_l + sum_{l < m in y} q_lm
    q = v11 - v10 - v01 + v00        u_l = sum_{m > l} (v10 - v00)_lm + sum_{m < l} (v01 - v00)_ml

The constant is the same for all sets. The intercept b_l is free of penalty and can make up for any u_l, so of all four
weights with the same q the optimum takes those of least square: v = q/4 (1, -1, -1, 1), with |v|^2 = q^2 / 4. One
weight q per pair under that penalty is therefore the same model, and a better conditioned one to train. A pair of
labels that no set contains has q = 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from setwise.learners import ElasticNet

__all__ = ["PairTerms"]

_FOUR = np.array([1.0, -1.0, -1.0, 1.0]) / 4.0
"""v00, v01, v10, v11 for q = 1."""


@dataclass(frozen=True, eq=False)
class PairTerms:
    """The pairs of labels that occur together in some set, first < second."""

    first: NDArray[np.int32]
    second: NDArray[np.int32]
    held: sp.csr_array
    """Sets by pairs: 1 where the set contains both labels."""
    sets: sp.csr_array
    """Sets by labels."""

    @classmethod
    def of(cls, sets: sp.csr_array, pairs: bool) -> PairTerms:
        """Collect the pairs of the sets; without ``pairs``, none."""
        n_sets, n_labels = sets.shape
        rows, first, second = _pairs_of_sets(sets) if pairs else np.zeros((3, 0), dtype=np.int64)
        numbers, place = np.unique(first * n_labels + second, return_inverse=True)
        held = sp.csr_array((np.ones(rows.size), (rows, place.ravel())), shape=(n_sets, numbers.size))
        return cls((numbers // n_labels).astype(np.int32), (numbers % n_labels).astype(np.int32), held, sets)

    @property
    def n_pairs(self) -> int:
        """Number of pairs."""
        return len(self.first)

    @staticmethod
    def penalty(strength: float) -> ElasticNet:
        """Return the penalty of q that equals the squared penalty of the four weights."""
        return ElasticNet(strength / 4.0, 0.0)

    def set_scores(self, q: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the sum of q over the pairs of each set."""
        return np.asarray(self.held @ q, dtype=np.float64)

    def gradient(self, excess: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the gradient by q, from the gradient by the score of each set."""
        return np.asarray(self.held.T @ excess, dtype=np.float64)

    def four_weights(self, q: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return rows v00, v01, v10, v11, one column per pair."""
        return np.outer(_FOUR, q)

    def single_terms(self, q: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return u of each label for these four weights: minus half the sum of its q."""
        n_labels = self.sets.shape[1]
        both_ways = np.bincount(self.first, q, n_labels) + np.bincount(self.second, q, n_labels)
        return np.asarray(-0.5 * both_ways)


def _pairs_of_sets(sets: sp.csr_array) -> NDArray[np.int64]:
    """Return three rows: the set, and two of its labels, the smaller first."""
    found = [np.zeros((3, 0), dtype=np.int64)]
    for row in range(sets.shape[0]):
        labels = sets.indices[sets.indptr[row] : sets.indptr[row + 1]].astype(np.int64)
        first, second = np.triu_indices(labels.size, k=1)
        found.append(np.stack([np.full(first.size, row), labels[first], labels[second]]))
    return np.concatenate(found, axis=1)
