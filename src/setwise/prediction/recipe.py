"""The recipe: which inference, which decision, and their parameters. It is the one path from documents to sets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from setwise.decision import DECISIONS, expected_f
from setwise.inference import INFERENCES, Inference, documents_per_block, size_marginals_of
from setwise.labels import (
    IDENTITY,
    Beliefs,
    Decision,
    IndependentLabels,
    MostProbable,
    SetCalibration,
    Support,
    csr_of_ones,
)
from setwise.posterior import Posterior, lacking

__all__ = ["DecisionName", "DocumentBlock", "InferenceName", "Recipe", "are_compatible", "expected_f1"]

InferenceName = str
"""A key of :data:`setwise.inference.INFERENCES`."""

DecisionName = str
"""A key of :data:`setwise.decision.DECISIONS`."""


def are_compatible(inference: InferenceName, decision: DecisionName) -> bool:
    """Return whether the decision accepts beliefs that the inference returns, at least for some models."""
    return any(one.beliefs in DECISIONS[decision].accepts for one in INFERENCES[inference].inferences)


@dataclass(frozen=True, eq=False)
class Recipe:
    """Everything a prediction needs beside the posterior and the support.

    Parameters
    ----------
    inference : {"support", "exact", "sampled", "mode", "blend"}
    decision : {"gfm", "most_probable", "threshold", "expected_jaccard"}
    calibration : SetCalibration
        Of the distribution over the support.
    scaling : SetCalibration
        Of the logits, for exact inference.
    blend : float
        Weight of the part without support in blended inference.
    beta : float
        Weight of recall in the F that GFM maximizes.
    threshold : float or array of shape (n_labels,)
        One threshold for all labels, or one per label.
    at_least_one : bool
        Whether every document gets at least one label. The most probable set may be empty anyway.
    n_samples, random_state : int
        Number of sets drawn per document in sampled inference, and the seed of the draws.
    n_jobs : int
        Number of threads.
    """

    inference: InferenceName
    decision: DecisionName
    calibration: SetCalibration = IDENTITY
    scaling: SetCalibration = IDENTITY
    blend: float = 0.5
    beta: float = 1.0
    threshold: float | NDArray[np.float64] = 0.5
    at_least_one: bool = False
    n_samples: int = 1000
    random_state: int = 0
    n_jobs: int = 1

    def over(self, support: Support, abilities: frozenset[str]) -> Inference:
        """Return the inference over a support, for a model with these abilities."""
        return INFERENCES[self.inference].build(self, support, abilities)

    def needs(self, model: Any) -> tuple[str, ...]:
        """Return the abilities that the recipe needs; blended inference uses exact size marginals where it can.

        A decision by marginals alone needs no more than these; then there is no expected F1.
        """
        marginals_need = INFERENCES[self.inference].marginals_need
        if DECISIONS[self.decision].marginals_only and marginals_need is not None:
            return marginals_need(self, model.abilities)
        return (*self.needs_for_value(model), *DECISIONS[self.decision].needs)

    def needs_for_value(self, model: Any) -> tuple[str, ...]:
        """Return the abilities that the expected F1 of sets needs."""
        return INFERENCES[self.inference].needs(self, model.abilities)

    def decide(self, posterior: Posterior, support: Support, *, with_value: bool = True) -> Decision:
        """Choose a set for every document: the one path from a posterior to label sets, whoever asks.

        Parameters
        ----------
        posterior : Posterior
        support : Support
        with_value : bool
            Whether to compute the value: the expected F1 of each set, NaN with inference="mode", which has no
            probabilities, and for models without size marginals. Without it all values are NaN, and thresholds need no
            size marginals.

        Returns
        -------
        decision : Decision
        """
        entry = DECISIONS[self.decision]
        blocks = self.blocks(
            posterior,
            support,
            only_marginals=entry.marginals_only and not with_value,
            # The expected F1 of a set that another F chose takes the distribution itself.
            few_at_a_time=entry.reads_few_at_a_time and (self.beta == 1.0 or not with_value),
        )
        parts = [self.decide_block(block, with_value=with_value) for block in blocks]
        return Decision.stacked(parts or [Decision(csr_of_ones([], [], support.sets.n_labels), np.zeros(0))])

    def decide_block(self, block: DocumentBlock, *, with_value: bool = True) -> Decision:
        """Choose a set for each document of a block, as :meth:`decide` does."""
        block = self.conditioned(block)
        chosen = DECISIONS[self.decision].decide(block, self)
        if not with_value or lacking(block, *self.needs_for_value(block)):
            return Decision(chosen.sets, _no_value(chosen.sets))
        if np.isnan(chosen.value).any():
            return Decision(chosen.sets, expected_f1(block.beliefs, chosen.sets, self.n_jobs))
        return chosen

    def conditioned(self, block: DocumentBlock) -> DocumentBlock:
        """Return the block whose beliefs the decision is made by: where it asks for that, given a non-empty set."""
        conditions = self.at_least_one and DECISIONS[self.decision].conditions_on_non_empty
        return block.non_empty() if conditions else block

    def marginals(self, posterior: Posterior, support: Support) -> NDArray[np.float64]:
        """Return the probability of each label, documents by labels: what a threshold cuts."""
        parts = [block.marginals for block in self.blocks(posterior, support, only_marginals=True)]
        return np.concatenate(parts) if parts else np.zeros((0, support.sets.n_labels))

    def blocks(
        self,
        posterior: Posterior,
        support: Support,
        *,
        only_marginals: bool = False,
        few_at_a_time: bool = False,
    ) -> Iterator[DocumentBlock]:
        """Yield the documents in blocks that fit in memory, given what will be read of them."""
        inference, n_labels = self.over(support, posterior.abilities), support.sets.n_labels
        if only_marginals:
            n_numbers = inference.n_numbers_of_marginals(n_labels)
        elif few_at_a_time:
            n_numbers = inference.n_numbers_of_decision(n_labels, posterior.abilities)
        else:
            n_numbers = inference.n_numbers(n_labels)
        for block in posterior.blocks(documents_per_block(n_numbers)):
            yield DocumentBlock(inference, block.scored())


class DocumentBlock:
    """A block of documents with the beliefs of an inference about them, computed once and only when read."""

    def __init__(self, inference: Inference, posterior: Posterior) -> None:
        self._inference = inference
        self._posterior = posterior

    @property
    def abilities(self) -> frozenset[str]:
        """The abilities of the model."""
        return self._posterior.abilities

    @cached_property
    def beliefs(self) -> Beliefs:
        """Everything that the inference says."""
        return self._inference.infer(self._posterior)

    @cached_property
    def marginals(self) -> NDArray[np.float64]:
        """The probability of each label, documents by labels."""
        return self._inference.marginals(self._posterior)

    def non_empty(self) -> DocumentBlock:
        """Return the block with beliefs conditioned on a non-empty set."""
        conditioned = DocumentBlock(self._inference, self._posterior)
        beliefs = self.beliefs
        conditioned.beliefs = beliefs if isinstance(beliefs, MostProbable) else beliefs.non_empty()
        return conditioned


def expected_f1(beliefs: Beliefs, sets: sp.csr_array, n_jobs: int = 1) -> NDArray[np.float64]:
    """Return the expected F1 of one set per document, in [0, 1]; NaN where the beliefs have no probabilities."""
    if isinstance(beliefs, MostProbable):
        return _no_value(sets)
    consistent = beliefs if isinstance(beliefs, IndependentLabels) else size_marginals_of(beliefs).consistent()
    value = expected_f(consistent, sets, n_jobs=n_jobs)
    return np.minimum(value, 1.0)  # above 1 is rounding: see SizeMarginals.consistent


def _no_value(sets: sp.csr_array) -> NDArray[np.float64]:
    return np.full(sets.shape[0], np.nan)
