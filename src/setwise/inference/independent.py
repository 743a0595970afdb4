"""Exact inference for independent labels: their logits determine everything, so that nothing is summed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from setwise.inference.base import Inference
from setwise.inference.exact import rescaled
from setwise.labels import IDENTITY, IndependentLabels, SetCalibration
from setwise.posterior import Posterior

__all__ = ["IndependentInference"]


@dataclass(frozen=True, eq=False)
class IndependentInference(Inference):
    """The logits of independent labels, from models that have them: what exact inference says, in fewer numbers.

    Size marginals have L^2 numbers per document, and logits L. Decisions that know that labels are independent find
    the same sets faster.

    Parameters
    ----------
    calibration : SetCalibration
        As for :class:`ExactInference`.

    Examples
    --------
    >>> from setwise.inference import IndependentInference
    >>> from setwise.models import BinaryRelevance
    >>> y = [["a"], ["b"], ["a", "b"]]
    >>> model = BinaryRelevance(strength=0.1).fit([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], y)
    >>> IndependentInference().infer(model.posterior([[1.0, 0.0]])).logits.shape
    (1, 2)
    """

    beliefs: ClassVar[type] = IndependentLabels

    calibration: SetCalibration = IDENTITY

    def n_numbers(self, n_labels: int) -> int:
        """Return how many numbers one document takes while it is inferred."""
        return n_labels

    def infer(self, posterior: Posterior) -> IndependentLabels:
        """Return the calibrated logit of each label for each document of a block."""
        return rescaled(posterior, self.calibration).independent_labels()

    def marginals(self, posterior: Posterior) -> NDArray[np.float64]:
        """Return the model's own p(y_l = 1 | x)."""
        return rescaled(posterior, self.calibration).marginals()
