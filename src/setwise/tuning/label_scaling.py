"""The adjustment of a posterior by a scale and a shift per label."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy

from setwise.inference import LabelScaling, fit_label_scaling
from setwise.prediction import HeldOut, StoredPosterior

__all__ = ["FittedLabelScaling", "LabelScalingAdjustment"]

_LEAST_CHANCE = 1e-15
"""Lower bound of a probability whose logit is taken: its rounding error."""


@dataclass(frozen=True, eq=False)
class FittedLabelScaling:
    """A scaling of logits, which changes the posterior of any documents."""

    scaling: LabelScaling

    def __call__(self, part: HeldOut) -> HeldOut:
        """Return the documents with the logits of each label rescaled."""
        rescaled = part.posterior.rescaled(self.scaling.scale, self.scaling.shift)
        return replace(part, posterior=StoredPosterior(rescaled))


class LabelScalingAdjustment:
    """Rescales the logits of every label, for models of independent labels."""

    def fit(self, parts: Sequence[HeldOut]) -> FittedLabelScaling:
        """Fit on the documents of all parts together."""
        marginals = np.concatenate([part.posterior.marginals() for part in parts])
        truth = np.concatenate([part.y.indicator.toarray() for part in parts]).astype(bool)
        # Of independent labels, the logit of a marginal is the logit that the model computed.
        logits = scipy.special.logit(np.clip(marginals, _LEAST_CHANCE, 1.0 - _LEAST_CHANCE))
        return FittedLabelScaling(fit_label_scaling(logits, truth))
