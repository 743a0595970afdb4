"""Set calibration: how far to trust the scale of a model, the frequency of a set, and its size.

A set of the support is scored as::

    scale * log p(set | x)  +  prior * log count(set)  +  size * |set|

(1, 0, 0) is the paper. The three numbers are fitted on documents that the model was not trained on.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass

import numpy as np
from numpy.typing import NDArray

from setwise.labels.distribution import ScoredSets, SetDistribution
from setwise.labels.support import Support

__all__ = ["IDENTITY", "SetCalibration", "calibrate", "set_features"]

Array = NDArray[np.float64]

UNSEEN_COUNT = 0.5
"""Count of a set that was added to the support and that no training document has."""


@dataclass(frozen=True)
class SetCalibration:
    """Scale, prior and size tilt of the score of a set; the defaults change nothing.

    Parameters
    ----------
    scale : float
        Factor of the log-probability.
    prior : float
        Factor of the log of the set's count in training.
    size : float
        Score per label of the set.

    Examples
    --------
    >>> from setwise.labels import SetCalibration
    >>> SetCalibration().is_identity, SetCalibration(0.5).is_identity
    (True, False)
    """

    scale: float = 1.0
    prior: float = 0.0
    size: float = 0.0

    @property
    def is_identity(self) -> bool:
        """Whether scores stay as they are."""
        return astuple(self) == (1.0, 0.0, 0.0)

    @property
    def keeps_logits(self) -> bool:
        """Whether logits stay as they are, which the prior does not act on."""
        return (self.scale, self.size) == (1.0, 0.0)

    def bias(self, support: Support) -> Array:
        """Return what each set's score has beyond the scaled log-probability."""
        log_count, size = set_features(support)
        return self.prior * log_count + self.size * size


IDENTITY = SetCalibration()
"""The calibration that changes nothing."""


def set_features(support: Support) -> tuple[Array, Array]:
    """Return the log count and the size of each set."""
    return np.log(np.maximum(support.counts, UNSEEN_COUNT)), support.sizes.astype(np.float64)


def calibrate(log_prob: Array, calibration: SetCalibration, support: Support, n_jobs: int) -> SetDistribution:
    """Return the distribution over the support's sets from their log-probabilities.

    A set that the model rules out, with minus infinity, stays ruled out under any scale.
    """
    return ScoredSets(support.sets, log_prob, calibration.scale, calibration.bias(support), n_jobs)
