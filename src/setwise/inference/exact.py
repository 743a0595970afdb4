"""Exact inference: the model's own probabilities of labels and set sizes, without a support."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from setwise.inference.base import Inference
from setwise.labels import IDENTITY, SetCalibration, SizeMarginals
from setwise.posterior import Posterior

__all__ = ["ExactInference", "rescaled"]


@dataclass(frozen=True, eq=False)
class ExactInference(Inference):
    """Size marginals in closed form, from models that have them.

    A calibration replaces every logit z by scale z + size; its prior has no counterpart, since no set is counted.

    Parameters
    ----------
    calibration : SetCalibration

    Examples
    --------
    >>> from setwise.inference import ExactInference
    >>> from setwise.models import BinaryRelevance
    >>> y = [["a"], ["b"], ["a", "b"]]
    >>> model = BinaryRelevance(strength=0.1).fit([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], y)
    >>> ExactInference().infer(model.posterior([[1.0, 0.0]])).joint.shape
    (1, 2, 2)
    """

    beliefs: ClassVar[type] = SizeMarginals

    calibration: SetCalibration = IDENTITY

    def n_numbers(self, n_labels: int) -> int:
        """Return how many numbers one document takes while it is inferred."""
        return n_labels * n_labels

    def n_numbers_of_marginals(self, n_labels: int) -> int:
        """Return how many numbers one document takes while only its marginals are computed."""
        return n_labels

    def infer(self, posterior: Posterior) -> SizeMarginals:
        """Return p(y_l = 1, |y| = s | x) for each document of a block."""
        return rescaled(posterior, self.calibration).size_marginals()

    def marginals(self, posterior: Posterior) -> NDArray[np.float64]:
        """Return the model's own p(y_l = 1 | x), which takes no sum over sizes."""
        return rescaled(posterior, self.calibration).marginals()


def rescaled(posterior: Posterior, calibration: SetCalibration) -> Posterior:
    """Return the posterior with every logit z replaced by scale z + size."""
    return posterior if calibration.keeps_logits else posterior.rescaled(calibration.scale, calibration.size)
