"""The losses of a binary fit, by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import exp
from typing import Literal

from setwise._validation import Constraint, OneOf
from setwise.learners.fits import CONSTANT_LOGIT

__all__ = ["LOSSES", "LOSS_CONSTRAINTS", "Loss", "LossName"]

LossName = Literal["logistic", "squared_hinge"]


@dataclass(frozen=True)
class Loss:
    """What a caller must know of a loss; the core computes it, under the same name."""

    formula: str
    """The loss of one document with score z and target y, where t = 2 y - 1."""
    takes_soft_targets: bool
    """Whether targets may lie between 0 and 1."""
    of_constant: float
    """Bound on the loss, and on its slope, of a document whose label is constant: its score is CONSTANT_LOGIT."""


LOSSES: Mapping[LossName, Loss] = {
    "logistic": Loss("log(1 + exp(z)) - y z", takes_soft_targets=True, of_constant=exp(-CONSTANT_LOGIT)),
    "squared_hinge": Loss("max(0, 1 - t z)^2", takes_soft_targets=False, of_constant=0.0),
}
"""Every loss by name."""

LOSS_CONSTRAINTS: Mapping[str, Constraint] = {"loss": OneOf(LOSSES)}
