"""What tells how sure a predicted set is: a few numbers per document, read off the same beliefs that chose the set."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from setwise.labels import Decision, MostProbable, SetDistribution, Support, csr_of_ones
from setwise.posterior import Posterior, lacking
from setwise.prediction import DocumentBlock, Recipe

__all__ = ["COLUMNS", "MONOTONE", "Evidence"]

Array = NDArray[np.float64]

MONOTONE: dict[str, int] = {
    "set_probability": 1,
    "expected_f1": 1,
    "margin": 1,
    "certainty": 1,
    "log_count": 1,
    "size": 0,
    "log_n_features": 0,
    "coverage": 1,
}
"""The columns of the evidence. Where a column has 1, more of it never makes a prediction less sure."""

COLUMNS = tuple(MONOTONE)

_LEAST = 1e-12
"""Probabilities are not taken to be smaller, so that logarithms stay finite."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """Predicted sets, and what tells how sure they are.

    Attributes
    ----------
    decision : Decision
        The sets and their stated expected F1.
    columns : array of shape (n_samples, len(COLUMNS))
        - set_probability: the stated probability of the set, under the beliefs that it was chosen by;
        - expected_f1: its stated expected F1, 0 where there is none;
        - margin: its probability minus that of the most probable other set;
        - certainty: log-probability of all labels being as predicted, as if they were independent;
        - log_count: log(1 + training documents with this set);
        - size: number of labels;
        - log_n_features: log(1 + features of the document that are not zero);
        - coverage: share of the words that the vocabulary contains, 1 where it is not known.
    knows_coverage : bool
        Whether the last column was measured.
    """

    decision: Decision
    columns: Array
    knows_coverage: bool = True

    @classmethod
    def of(
        cls, recipe: Recipe, posterior: Posterior, support: Support, features: Any, coverage: Array | None = None
    ) -> Evidence:
        """Decide all documents as ``recipe.decide`` does, and collect the evidence on the way.

        Parameters
        ----------
        recipe : Recipe
        posterior : Posterior
        support : Support
        features : array or sparse matrix of shape (n_samples, n_features)
            The documents that ``posterior`` scored.
        coverage : array of shape (n_samples,), optional
        """
        parts = [_of_block(recipe, block, support) for block in recipe.blocks(posterior, support)]
        if not parts:
            return cls(Decision(csr_of_ones([], [], support.sets.n_labels), np.zeros(0)), np.zeros((0, len(COLUMNS))))
        decision = Decision.stacked([one for one, _ in parts])
        stated = np.concatenate([columns for _, columns in parts])
        position = support.index_of(support.sets.with_indicator(decision.sets))
        count = np.where(position >= 0, support.counts[position], 0)
        known = np.ones(len(stated)) if coverage is None else coverage
        more = (np.log1p(count), np.diff(decision.sets.indptr), np.log1p(_n_features(features)), known)
        return cls(decision, np.column_stack([stated, *more]).astype(np.float64), coverage is not None)


def _of_block(recipe: Recipe, block: DocumentBlock, support: Support) -> tuple[Decision, Array]:
    """Return the decision of a block, and the columns that need its beliefs."""
    decision = recipe.decide_block(block)
    value = np.nan_to_num(decision.value)
    beliefs = None if lacking(block, *recipe.needs_for_value(block)) else block.beliefs  # None: marginals alone
    if isinstance(beliefs, MostProbable):  # a search has found one set, and no other probability is known
        probability = np.exp(np.minimum(beliefs.log_prob, 0.0))
        return decision, np.column_stack([probability, value, probability, np.log(np.maximum(probability, _LEAST))])
    chances = _chances(block.marginals, decision.sets)
    certainty = np.log(chances).sum(axis=1)
    if isinstance(beliefs, SetDistribution):
        position = support.index_of(support.sets.with_indicator(decision.sets))
        probability, other = _probabilities(beliefs.probability, position)
    else:
        probability = np.exp(certainty)
        least = chances.min(axis=1, initial=1.0)
        other = probability * (1.0 - least) / least  # the label that is least sure is the other way
    return decision, np.column_stack([probability, value, probability - other, certainty])


def _chances(marginals: Array, sets: sp.csr_array) -> Array:
    """Return the probability of each label being as in the set, documents by labels."""
    chances = 1.0 - marginals
    rows = np.repeat(np.arange(sets.shape[0]), np.diff(sets.indptr))
    chances[rows, sets.indices] = marginals[rows, sets.indices]
    return np.clip(chances, _LEAST, 1.0)


def _probabilities(probability: Array, position: NDArray[np.int64]) -> tuple[Array, Array]:
    """Return the probability of the set at each document's position (-1: none), and the largest of the other sets."""
    rows, seen = np.arange(len(position)), position >= 0
    own = np.where(seen, probability[rows, position], 0.0)
    if probability.shape[1] == 1:
        return own, np.where(seen, 0.0, probability[:, 0])
    largest = np.partition(probability, -2, axis=1)[:, -2:]
    return own, np.where(seen & (own >= largest[:, 1]), largest[:, 0], largest[:, 1])


def _n_features(features: Any) -> NDArray[np.int64]:
    """Return the number of features of each document that are not zero."""
    return np.asarray((features != 0).sum(axis=1)).ravel()
