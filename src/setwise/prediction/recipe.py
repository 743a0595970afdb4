"""A recipe: which inference, which decision, and their numbers. It holds for any model that has what it needs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from setwise.decision import expected_f, gfm, most_probable, threshold
from setwise.exceptions import Incompatible
from setwise.inference import (
    BlendInference,
    ExactInference,
    ModeInference,
    SampledInference,
    SetCalibration,
    SupportInference,
)
from setwise.inference.blend import size_marginals_of
from setwise.inference.blocks import document_blocks
from setwise.inference.calibration import IDENTITY
from setwise.labels import Decision, MostProbable, SetDistribution, SizeMarginals, Support
from setwise.labels.matrix import csr_of_ones

__all__ = ["Beliefs", "DecisionName", "DocumentBlock", "Inference", "InferenceName", "Recipe", "expected_f1"]

InferenceName = Literal["support", "exact", "sampled", "mode", "blend"]
DecisionName = Literal["gfm", "most_probable", "threshold"]
Beliefs = SetDistribution | SizeMarginals | MostProbable
Inference = SupportInference | ExactInference | SampledInference | ModeInference | BlendInference


@dataclass(frozen=True, eq=False)
class Recipe:
    """All that a prediction needs beside the model and the support."""

    inference: InferenceName
    decision: DecisionName
    calibration: SetCalibration = IDENTITY
    """Of the distribution over the support."""
    scaling: SetCalibration = IDENTITY
    """Of the logits, for exact inference."""
    blend: float = 0.5
    beta: float = 1.0
    threshold: float | NDArray[np.float64] = 0.5
    at_least_one: bool = False
    """Whether no document may go without a label."""
    n_samples: int = 1000
    random_state: int = 0
    n_jobs: int = 1

    def needs(self, model: Any) -> tuple[str, ...]:
        """What the model must be able to do; a blend takes exact marginals where the model has them."""
        scaled = () if self.scaling.changes_nothing else ("scaled_size_marginals",)
        match self.inference:
            case "support":
                return SupportInference.needs
            case "exact":
                return (*ExactInference.needs, *scaled)
            case "sampled":
                return SampledInference.needs
            case "mode":
                return ModeInference.needs
            case "blend":
                free = self._free(model)
                return (*BlendInference.needs, *free.needs, *(scaled if isinstance(free, ExactInference) else ()))

    def asked(self, model: Any, support: Support) -> Inference:
        """The inference, over this support."""
        match self.inference:
            case "support":
                return self._over(support)
            case "exact":
                return ExactInference(self.scaling)
            case "sampled":
                return SampledInference(self.n_samples, self.random_state)
            case "mode":
                return ModeInference()
            case "blend":
                return BlendInference(self._over(support), self._free(model), self.blend)

    def _over(self, support: Support) -> SupportInference:
        return SupportInference(support, self.calibration, self.n_jobs)

    def _free(self, model: Any) -> ExactInference | SampledInference:
        if callable(getattr(model, "size_marginals", None)):
            return ExactInference(self.scaling)
        return SampledInference(self.n_samples, self.random_state)

    def blocks(self, model: Any, X: Any, support: Support, *, only_marginals: bool = False) -> Iterator[DocumentBlock]:
        """Yield the documents in blocks that fit the memory, which may be larger where only marginals are asked for."""
        inference, n_labels = self.asked(model, support), support.sets.n_labels
        size = inference.block(n_labels)
        if only_marginals and isinstance(inference, ExactInference):
            size = inference.block_of_marginals(model, n_labels)
        for some in document_blocks(X, size):
            yield DocumentBlock(inference, model, some)

    def marginals(self, model: Any, X: Any, support: Support) -> NDArray[np.float64]:
        """Return the probability of each label, documents by labels: what a threshold cuts."""
        parts = [block.marginals for block in self.blocks(model, X, support, only_marginals=True)]
        return np.concatenate(parts) if parts else np.zeros((0, support.sets.n_labels))

    def decided(self, model: Any, X: Any, support: Support, *, with_value: bool = False) -> Decision:
        """Choose a set for every document: the one path from documents to sets, whoever asks.

        With ``with_value`` the value is the expected F1 of each set, NaN where inference="mode" cannot tell. Without it
        the value is NaN, and thresholds need no size marginals.
        """
        nothing = Decision(csr_of_ones([], [], support.sets.n_labels), np.zeros(0))
        only_marginals = self.decision == "threshold" and not with_value
        blocks = self.blocks(model, X, support, only_marginals=only_marginals)
        return Decision.stacked([self.decide(block, with_value=with_value) for block in blocks] or [nothing])

    def decide(self, block: DocumentBlock, *, with_value: bool = False) -> Decision:
        """Choose a set for each document of a block, as :meth:`decided` does."""
        if self.decision == "threshold":
            sets = threshold(block.marginals, self.threshold, at_least_one=self.at_least_one)
            return Decision(sets, expected_f1(block.known, sets) if with_value else _no_value(sets))
        known = block.known
        if self.decision == "most_probable":
            sets = most_probable(known).sets  # type: ignore[arg-type]
            return Decision(sets, expected_f1(known, sets) if with_value else _no_value(sets))
        if self.at_least_one and not isinstance(known, MostProbable):
            known = known.non_empty()
        best = gfm(known, beta=self.beta, n_jobs=self.n_jobs)  # type: ignore[arg-type]
        if not with_value:
            return Decision(best.sets, _no_value(best.sets))
        if isinstance(known, SetDistribution) and self.beta == 1.0:
            return Decision(best.sets, np.minimum(best.value, 1.0))  # beyond 1 is rounding
        return Decision(best.sets, expected_f1(known, best.sets))


class DocumentBlock:
    """Some documents and what an inference says of them, computed once and only when asked for."""

    def __init__(self, inference: Inference, model: Any, X: Any) -> None:
        self._inference = inference
        self._model = model
        self._X = X

    @cached_property
    def known(self) -> Beliefs:
        """What the inference says."""
        return self._inference.infer(self._model, self._X)

    @cached_property
    def marginals(self) -> NDArray[np.float64]:
        """The probability of each label; exact inference takes the model's own, without sizes of sets."""
        if isinstance(self._inference, ExactInference):
            return self._inference.marginals(self._model, self._X)
        return _marginals_of(self.known)


def expected_f1(known: Beliefs, sets: sp.csr_array) -> NDArray[np.float64]:
    """Return the expected F1 of a set per document, in [0, 1]; NaN where only the most probable sets are known."""
    if isinstance(known, MostProbable):
        return _no_value(sets)
    value = expected_f(size_marginals_of(known).consistent(), sets)
    return np.minimum(value, 1.0)  # beyond 1 is rounding: see SizeMarginals.consistent


def _no_value(sets: sp.csr_array) -> NDArray[np.float64]:
    return np.full(sets.shape[0], np.nan)


def _marginals_of(known: Beliefs) -> NDArray[np.float64]:
    """Probabilities of labels, where there are any."""
    if isinstance(known, MostProbable):
        raise Incompatible(
            "inference='mode' gives sets, not probabilities of labels. Hint: use 'support', 'exact' or 'sampled'."
        )
    return known.marginals
