"""Support inference: only label sets of the training documents have probability."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from setwise.abilities import ScoresSets, require
from setwise.inference.blocks import documents_that_fit
from setwise.inference.calibration import IDENTITY, SetCalibration, calibrated
from setwise.labels import SetDistribution, Support

__all__ = ["SupportInference"]


@dataclass(frozen=True, eq=False)
class SupportInference:
    """The model's distribution, restricted to a support and scaled to sum to one there; calibrated, where asked."""

    needs: ClassVar[tuple[str, ...]] = ("log_prob",)

    support: Support
    calibration: SetCalibration = IDENTITY
    n_jobs: int = 1

    def block(self, n_labels: int) -> int:
        """How many documents to ask about at a time."""
        largest = int(np.diff(self.support.sets.indicator.indptr).max(initial=1))
        return documents_that_fit(self.support.n_sets + n_labels * largest)

    def infer(self, model: ScoresSets, X: Any) -> SetDistribution:
        """Give the distribution over the support's sets for each document of a block."""
        require(model, *self.needs, by="Support inference")
        return calibrated(model.log_prob(X, self.support.sets), self.calibration, self.support, self.n_jobs)
