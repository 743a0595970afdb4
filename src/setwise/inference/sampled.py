"""Sampled inference: size marginals estimated from label sets that the model draws."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from setwise.inference.base import BLOCK_BYTES, Inference
from setwise.labels import SizeMarginals, require_room
from setwise.posterior import Posterior

__all__ = ["MAX_DRAWN", "SampledInference"]

MAX_DRAWN = 2**23
"""Labels that are drawn together, present or absent: samples times labels times documents."""

_DOCUMENTS_PER_BLOCK = 64


@dataclass(frozen=True, eq=False)
class SampledInference(Inference):
    """Size marginals as frequencies among sets that the model draws.

    The draws of a document depend on ``random_state`` and the document alone.

    Parameters
    ----------
    n_samples : int
        Number of sets per document.
    random_state : int
        Seed of the draws.

    Examples
    --------
    >>> from setwise.inference import SampledInference
    >>> from setwise.models import BinaryRelevance
    >>> y = [["a"], ["b"], ["a", "b"]]
    >>> model = BinaryRelevance(strength=0.1).fit([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], y)
    >>> beliefs = SampledInference(n_samples=100, random_state=0).infer(model.posterior([[1.0, 0.0]]))
    >>> round(float(beliefs.empty[0] + beliefs.sizes[0].sum()), 9)
    1.0
    """

    beliefs: ClassVar[type] = SizeMarginals

    n_samples: int = 1000
    random_state: int = 0

    def n_numbers(self, n_labels: int) -> int:
        """Return how many numbers one document takes while it is inferred."""
        return BLOCK_BYTES // (8 * _DOCUMENTS_PER_BLOCK)

    def infer(self, posterior: Posterior) -> SizeMarginals:
        """Estimate p(y_l = 1, |y| = s | x) for each document of a block."""
        n_together = max(1, MAX_DRAWN // (self.n_samples * len(posterior.classes)))
        return SizeMarginals.stacked([self._estimate(block) for block in posterior.blocks(n_together)])

    def _estimate(self, posterior: Posterior) -> SizeMarginals:
        drawn = posterior.sample(self.n_samples, self.random_state)
        n_documents, n_labels = posterior.n_samples, drawn.shape[1]
        sizes = np.diff(drawn.indptr).astype(np.int64)
        n_sizes = max(1, int(sizes.max(initial=1)))
        require_room(n_labels, n_sizes, n_documents)
        document = np.repeat(np.arange(n_documents), self.n_samples)
        place = (np.repeat(document, sizes) * n_labels + drawn.indices) * n_sizes + np.repeat(sizes, sizes) - 1
        counts = np.bincount(place, minlength=n_documents * n_labels * n_sizes)
        joint = counts.reshape(n_documents, n_labels, n_sizes) / self.n_samples
        empty = np.bincount(document[sizes == 0], minlength=n_documents) / self.n_samples
        return SizeMarginals(joint, empty)
