"""Blended inference: support inference mixed with size marginals without support, for corpora with many unseen sets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from setwise import _core
from setwise.inference.base import Inference
from setwise.inference.exact import ExactInference
from setwise.inference.sampled import SampledInference
from setwise.inference.support import SupportInference
from setwise.labels import SetDistribution, SizeMarginals
from setwise.posterior import Posterior

__all__ = ["BlendInference", "size_marginals_of"]


@dataclass(frozen=True, eq=False)
class BlendInference(Inference):
    """A mixture of the size marginals with the support and without it.

    Parameters
    ----------
    support : SupportInference
    free : ExactInference or SampledInference
        The inference without support.
    weight : float
        Weight of ``free``, from 0 to 1: that of sets that no training document has.

    Examples
    --------
    >>> from setwise.inference import BlendInference, ExactInference, SupportInference
    >>> from setwise.labels import LabelMatrix, Support
    >>> from setwise.models import BinaryRelevance
    >>> y = [["a"], ["b"], ["a", "b"]]
    >>> model = BinaryRelevance(strength=0.1).fit([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], y)
    >>> support = SupportInference(Support.of(LabelMatrix.of(y)))
    >>> BlendInference(support, ExactInference(), weight=0.2).infer(model.posterior([[1.0, 0.0]])).joint.shape
    (1, 2, 2)
    """

    beliefs: ClassVar[type] = SizeMarginals

    support: SupportInference
    free: ExactInference | SampledInference
    weight: float = 0.5

    def n_numbers(self, n_labels: int) -> int:
        """Return how many numbers one document takes while it is inferred."""
        return max(self.support.n_numbers(n_labels), self.free.n_numbers(n_labels))

    def infer(self, posterior: Posterior) -> SizeMarginals:
        """Return p(y_l = 1, |y| = s | x) for each document of a block."""
        first = size_marginals_of(self.support.infer(posterior), self.support.n_jobs)
        second = self.free.infer(posterior)
        n_sizes = max(first.joint.shape[2], second.joint.shape[2])
        joint = np.zeros((*first.joint.shape[:2], n_sizes))
        joint[:, :, : first.joint.shape[2]] += (1.0 - self.weight) * first.joint
        joint[:, :, : second.joint.shape[2]] += self.weight * second.joint
        return SizeMarginals(joint, (1.0 - self.weight) * first.empty + self.weight * second.empty)


def size_marginals_of(beliefs: SetDistribution | SizeMarginals, n_jobs: int = 1) -> SizeMarginals:
    """Return p(y_l = 1, |y| = s | x), whichever of the two forms the beliefs have."""
    if isinstance(beliefs, SizeMarginals):
        return beliefs
    n_sizes = max(1, int(beliefs.sets.sizes.max(initial=1)))
    return SizeMarginals(*_core.size_marginals_of_sets(beliefs.probability, beliefs.sets.native, n_sizes, n_jobs))
