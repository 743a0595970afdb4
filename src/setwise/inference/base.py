"""What every inference implements, and how many documents it takes at a time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from setwise.exceptions import Incompatible
from setwise.labels import Beliefs, MostProbable
from setwise.posterior import Posterior

__all__ = ["Inference", "documents_per_block"]

BLOCK_BYTES = 16_000_000
"""Memory of one block of documents: small enough for the cache to help, large enough for few blocks."""

_BYTES_PER_NUMBER = 8


def documents_per_block(n_numbers_per_document: int) -> int:
    """Return how many documents fit in a block; at least one."""
    return max(1, BLOCK_BYTES // (_BYTES_PER_NUMBER * max(1, n_numbers_per_document)))


class Inference(ABC):
    """A way from a model's posterior to beliefs about the label sets of documents."""

    beliefs: ClassVar[type]
    """What :meth:`infer` returns: SetDistribution, SizeMarginals, IndependentLabels or MostProbable."""

    @abstractmethod
    def n_numbers(self, n_labels: int) -> int:
        """Return how many numbers one document takes while it is inferred."""

    def n_numbers_of_decision(self, n_labels: int, abilities: frozenset[str]) -> int:
        """Return how many numbers one document takes for a decision that reads few documents at a time.

        ``abilities`` are those of the model.
        """
        return self.n_numbers(n_labels)

    def n_numbers_of_marginals(self, n_labels: int) -> int:
        """Return how many numbers one document takes while only its marginals are computed."""
        return self.n_numbers(n_labels)

    @abstractmethod
    def infer(self, posterior: Posterior) -> Beliefs:
        """Return the beliefs about the documents of a block."""

    def marginals(self, posterior: Posterior) -> NDArray[np.float64]:
        """Return p(y_l = 1 | x), documents by labels."""
        beliefs = self.infer(posterior)
        if isinstance(beliefs, MostProbable):
            raise Incompatible(
                "inference='mode' has no label probabilities. Hint: use 'support', 'exact' or 'sampled'."
            )
        return beliefs.marginals
