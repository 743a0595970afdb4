"""Support inference: only label sets of the training documents have probability."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from setwise.inference.base import Inference
from setwise.labels import IDENTITY, IndependentSets, SetCalibration, SetDistribution, Support, calibrate
from setwise.posterior import Posterior

__all__ = ["SupportInference"]


@dataclass(frozen=True, eq=False)
class SupportInference(Inference):
    """The model's distribution restricted to the support, calibrated, and normalized to sum to one there.

    Parameters
    ----------
    support : Support
    calibration : SetCalibration
    n_jobs : int
        Number of threads.

    Examples
    --------
    >>> from setwise.inference import SupportInference
    >>> from setwise.labels import LabelMatrix, Support
    >>> from setwise.models import BinaryRelevance
    >>> y = [["a"], ["b"], ["a", "b"]]
    >>> model = BinaryRelevance(strength=0.1).fit([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], y)
    >>> inference = SupportInference(Support.of(LabelMatrix.of(y)))
    >>> inference.infer(model.posterior([[1.0, 0.0]])).probability.shape
    (1, 3)
    """

    beliefs: ClassVar[type] = SetDistribution

    support: Support
    calibration: SetCalibration = IDENTITY
    n_jobs: int = 1

    def n_numbers(self, n_labels: int) -> int:
        """Return how many numbers one document takes while it is inferred."""
        return self.support.n_sets + n_labels * int(self.support.sizes.max(initial=1))

    def n_numbers_of_decision(self, n_labels: int, abilities: frozenset[str]) -> int:
        """Return the number of logits of a document, where its scores follow from them and are not stored."""
        return n_labels if "independent_labels" in abilities else self.n_numbers(n_labels)

    def infer(self, posterior: Posterior) -> SetDistribution:
        """Return the distribution over the support's sets for each document of a block."""
        sets = self.support.sets
        if "independent_labels" in posterior.abilities and sets.names == posterior.classes:
            logits, scale, bias = posterior.independent_labels().logits, self.calibration.scale, self.calibration.bias
            return IndependentSets(
                sets, logits, partial(posterior.log_prob, sets), scale, bias(self.support), self.n_jobs
            )
        return calibrate(posterior.log_prob(sets), self.calibration, self.support, self.n_jobs)
