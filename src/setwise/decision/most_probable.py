"""The most probable set: best for exact matches, not for F1."""

from __future__ import annotations

import numpy as np

from setwise.exceptions import Incompatible
from setwise.labels import Decision, IndependentLabels, MostProbable, SetDistribution, SizeMarginals

__all__ = ["most_probable"]


def most_probable(beliefs: SetDistribution | MostProbable) -> Decision:
    """Choose the most probable set of each document, the first of equals.

    Parameters
    ----------
    beliefs : SetDistribution or MostProbable

    Returns
    -------
    decision : Decision
        The sets, and the probability of each.

    Examples
    --------
    >>> import numpy as np
    >>> from setwise.decision import most_probable
    >>> from setwise.labels import LabelMatrix, SetDistribution
    >>> decision = most_probable(SetDistribution(LabelMatrix.of([["a"], ["a", "b"]]), np.array([[0.4, 0.6]])))
    >>> decision.sets.toarray().tolist(), decision.value.tolist()
    ([[1, 1]], [0.6])
    """
    if isinstance(beliefs, SizeMarginals | IndependentLabels):
        raise Incompatible(
            "The most probable set needs probabilities of sets; got those of labels and sizes. "
            "Hint: use support or mode inference."
        )
    if isinstance(beliefs, MostProbable):
        return Decision(beliefs.sets, np.exp(beliefs.log_prob))
    best = beliefs.probability.argmax(axis=1)
    return Decision(beliefs.sets.indicator[best], beliefs.probability[np.arange(len(best)), best])
