"""Mode inference: the most probable of all label sets, from models that can find it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from setwise.inference.base import Inference
from setwise.labels import MostProbable
from setwise.posterior import Posterior

__all__ = ["ModeInference"]


@dataclass(frozen=True, eq=False)
class ModeInference(Inference):
    """The most probable of all sets, without a support and without probabilities of other sets. The paper's MAP.

    Parameters
    ----------
    non_empty : bool
        Whether the empty set is excluded. A :class:`setwise.prediction.Recipe` includes it.

    Examples
    --------
    >>> from setwise.inference import ModeInference
    >>> from setwise.models import BinaryRelevance
    >>> y = [["a"], ["b"], ["a", "b"]]
    >>> model = BinaryRelevance(strength=0.1).fit([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], y)
    >>> ModeInference().infer(model.posterior([[1.0, 0.0]])).exact.tolist()
    [True]
    """

    non_empty: bool = False

    beliefs: ClassVar[type] = MostProbable

    def n_numbers(self, n_labels: int) -> int:
        """Return how many numbers one document takes while it is inferred."""
        return n_labels

    def infer(self, posterior: Posterior) -> MostProbable:
        """Return the most probable set of each document of a block."""
        return posterior.mode(non_empty=self.non_empty)
