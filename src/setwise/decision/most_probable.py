"""The most probable set: best for exact matches, not for F1."""

from __future__ import annotations

import numpy as np

from setwise.exceptions import Incompatible
from setwise.labels import Decision, MostProbable, SetDistribution, SizeMarginals

__all__ = ["most_probable"]


def most_probable(known: SetDistribution | MostProbable) -> Decision:
    """Choose the most probable set of each document, the first of equals, and give its probability."""
    if isinstance(known, SizeMarginals):
        raise Incompatible(
            "The most probable set needs probabilities of sets; got those of labels and sizes. "
            "Hint: use support or mode inference."
        )
    if isinstance(known, MostProbable):
        return Decision(known.sets, np.exp(known.log_prob))
    best = known.probability.argmax(axis=1)
    return Decision(known.sets[best], known.probability[np.arange(len(best)), best])
