"""A recipe: which inference, which decision, and their numbers. It holds for any model that has what it needs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from setwise.decision import gfm, most_probable, threshold
from setwise.exceptions import Incompatible
from setwise.inference import (
    BlendInference,
    ExactInference,
    ModeInference,
    SampledInference,
    SetCalibration,
    SupportInference,
)
from setwise.inference.blocks import document_blocks
from setwise.inference.calibration import AS_IT_IS
from setwise.labels import Decided, Modes, SetDistribution, SizeMarginals, Support

__all__ = ["DecisionName", "Inference", "InferenceName", "Known", "Recipe", "marginals_of"]

InferenceName = Literal["support", "exact", "sampled", "mode", "blend"]
DecisionName = Literal["gfm", "most_probable", "threshold"]
Known = SetDistribution | SizeMarginals | Modes
Inference = SupportInference | ExactInference | SampledInference | ModeInference | BlendInference


@dataclass(frozen=True, eq=False)
class Recipe:
    """All that a prediction needs beside the model and the support."""

    inference: InferenceName
    decision: DecisionName
    calibration: SetCalibration = AS_IT_IS
    """Of the distribution over the support."""
    scaling: SetCalibration = AS_IT_IS
    """Of the logits, for exact inference."""
    blend: float = 0.5
    beta: float = 1.0
    threshold: float | NDArray[np.float64] = 0.5
    at_least_one: bool = False
    """Whether no document may go without a label."""
    n_samples: int = 1000
    seed: int = 0
    n_threads: int = 1

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
                return SampledInference(self.n_samples, self.seed)
            case "mode":
                return ModeInference()
            case "blend":
                return BlendInference(self._over(support), self._free(model), self.blend)

    def _over(self, support: Support) -> SupportInference:
        return SupportInference(support, self.calibration, self.n_threads)

    def _free(self, model: Any) -> ExactInference | SampledInference:
        if callable(getattr(model, "size_marginals", None)):
            return ExactInference(self.scaling)
        return SampledInference(self.n_samples, self.seed)

    def decide(self, known: Known) -> Decided:
        """Choose a set a document. A threshold does not say what its choice is worth."""
        match self.decision:
            case "gfm":
                if self.at_least_one and not isinstance(known, Modes):
                    known = known.non_empty()
                return gfm(known, beta=self.beta, n_threads=self.n_threads)  # type: ignore[arg-type]
            case "most_probable":
                return most_probable(known)  # type: ignore[arg-type]
            case "threshold":
                return self._cut(marginals_of(known))

    def _cut(self, marginals: NDArray[np.float64]) -> Decided:
        sets = threshold(marginals, self.threshold, at_least_one=self.at_least_one)
        return Decided(sets, np.full(len(marginals), np.nan))

    def known(self, model: Any, X: Any, support: Support) -> Iterator[Known]:
        """Ask the model about the documents, block by block."""
        inference = self.asked(model, support)
        for some in document_blocks(X, inference.block(support.sets.n_labels)):
            yield inference.infer(model, some)

    def marginals(self, model: Any, X: Any, support: Support) -> NDArray[np.float64]:
        """Give the probability of each label; what the model itself knows of it needs no sizes of sets."""
        if self.inference == "exact" and not self.scaling.changes_nothing:
            return np.asarray(model.scaled_marginals(X, self.scaling.scale, self.scaling.size))
        if self.inference == "exact" and callable(getattr(model, "marginals", None)):
            return np.asarray(model.marginals(X))
        return np.concatenate([marginals_of(known) for known in self.known(model, X, support)])

    def decided(self, model: Any, X: Any, support: Support) -> Decided:
        """Choose a set for every document."""
        if self.decision == "threshold":
            return self._cut(self.marginals(model, X, support))
        return Decided.stacked([self.decide(known) for known in self.known(model, X, support)])


def marginals_of(known: Known) -> NDArray[np.float64]:
    """Probabilities of labels, where there are any."""
    if isinstance(known, Modes):
        raise Incompatible(
            "inference='mode' gives sets, not probabilities of labels. Hint: use 'support', 'exact' or 'sampled'."
        )
    return known.marginals
