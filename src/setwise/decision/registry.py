"""The registry of decisions: the function of each, and the beliefs it works with.

Which inference goes with which decision follows from it: an inference is compatible with a decision when the decision
accepts the beliefs that the inference returns.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from setwise.decision.expected_jaccard import expected_jaccard
from setwise.decision.gfm import gfm
from setwise.decision.most_probable import most_probable
from setwise.decision.threshold import threshold
from setwise.labels import Beliefs, Decision, IndependentLabels, MostProbable, SetDistribution, SizeMarginals

__all__ = ["DECISIONS", "DecisionEntry", "DecisionOptions", "DocumentBeliefs"]


class DocumentBeliefs(Protocol):
    """The beliefs about a block of documents, computed when first read."""

    @property
    def beliefs(self) -> Beliefs:
        """Everything that the inference says."""

    @property
    def marginals(self) -> NDArray[np.float64]:
        """The probability of each label, documents by labels, which may be cheaper than ``beliefs``."""


class DecisionOptions(Protocol):
    """The options of a recipe that decisions read."""

    @property
    def beta(self) -> float:
        """Weight of recall in F_beta."""

    @property
    def threshold(self) -> float | NDArray[np.float64]:
        """One threshold for all labels, or one per label."""

    @property
    def at_least_one(self) -> bool:
        """Whether every document gets at least one label."""

    @property
    def n_jobs(self) -> int:
        """Number of threads."""


@dataclass(frozen=True)
class DecisionEntry:
    """One decision of the registry."""

    name: str
    decide: Callable[[DocumentBeliefs, DecisionOptions], Decision]
    """Chooses the sets; the value is NaN unless the decision computes the expected F1 anyway."""
    accepts: tuple[type, ...]
    """The beliefs it works with."""
    marginals_only: bool = False
    """Whether it reads nothing but the marginals."""
    conditions_on_non_empty: bool = False
    """Whether ``at_least_one`` conditions the beliefs on a non-empty set before the decision."""
    reads_few_at_a_time: bool = False
    """Whether it computes what it reads of scored sets for few documents at a time, and stores nothing of it."""
    needs: tuple[str, ...] = ()
    """The abilities that the model must have beyond those that the inference needs."""


def _gfm(documents: DocumentBeliefs, options: DecisionOptions) -> Decision:
    beliefs = documents.beliefs
    best = gfm(beliefs, beta=options.beta, n_jobs=options.n_jobs)  # type: ignore[arg-type]
    if isinstance(beliefs, SetDistribution | IndependentLabels) and options.beta == 1.0:
        return Decision(best.sets, np.minimum(best.value, 1.0))  # above 1 is rounding
    return _without_value(best.sets)


def _most_probable(documents: DocumentBeliefs, options: DecisionOptions) -> Decision:
    return _without_value(most_probable(documents.beliefs).sets)  # type: ignore[arg-type]


def _threshold(documents: DocumentBeliefs, options: DecisionOptions) -> Decision:
    return _without_value(threshold(documents.marginals, options.threshold, at_least_one=options.at_least_one))


def _expected_jaccard(documents: DocumentBeliefs, options: DecisionOptions) -> Decision:
    return _without_value(expected_jaccard(documents.beliefs, n_jobs=options.n_jobs).sets)  # type: ignore[arg-type]


def _without_value(sets: sp.csr_array) -> Decision:
    return Decision(sets, np.full(sets.shape[0], np.nan))


DECISIONS: dict[str, DecisionEntry] = {
    entry.name: entry
    for entry in (
        DecisionEntry(
            "gfm",
            _gfm,
            (SetDistribution, SizeMarginals, IndependentLabels),
            conditions_on_non_empty=True,
            reads_few_at_a_time=True,
        ),
        DecisionEntry("most_probable", _most_probable, (SetDistribution, MostProbable)),
        DecisionEntry(
            "threshold", _threshold, (SetDistribution, SizeMarginals, IndependentLabels), marginals_only=True
        ),
        DecisionEntry(
            "expected_jaccard",
            _expected_jaccard,
            (IndependentLabels,),
            conditions_on_non_empty=True,
            needs=("independent_labels",),
        ),
    )
}
"""Every decision by name."""
