"""A blend of support inference with exact or sampled size marginals, for corpora whose new sets are often unseen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from setwise import _core
from setwise.abilities import require
from setwise.inference.exact import ExactInference
from setwise.inference.sampling import SampledInference
from setwise.inference.support import SupportInference
from setwise.labels import SetDistribution, SizeMarginals

__all__ = ["BlendInference", "size_marginals_of"]


@dataclass(frozen=True, eq=False)
class BlendInference:
    """``weight`` parts of the distribution without support, the rest with it: as if a new set were that likely."""

    needs: ClassVar[tuple[str, ...]] = ("log_prob",)

    support: SupportInference
    free: ExactInference | SampledInference
    weight: float = 0.5

    def block(self, n_labels: int) -> int:
        """How many documents to ask about at a time."""
        return min(self.support.block(n_labels), self.free.block(n_labels))

    def infer(self, model: Any, X: Any) -> SizeMarginals:
        """Give p(y_l = 1, |y| = s | x) for each document of a block."""
        require(model, *self.needs, *self.free.needs, by="Blended inference")
        return blended(
            size_marginals_of(self.support.infer(model, X), self.support.n_jobs),
            self.free.infer(model, X),
            self.weight,
        )


def blended(first: SizeMarginals, second: SizeMarginals, weight: float) -> SizeMarginals:
    """``1 - weight`` parts of the first and ``weight`` parts of the second."""
    n_sizes = max(first.joint.shape[2], second.joint.shape[2])
    joint = np.zeros((*first.joint.shape[:2], n_sizes))
    joint[:, :, : first.joint.shape[2]] += (1.0 - weight) * first.joint
    joint[:, :, : second.joint.shape[2]] += weight * second.joint
    return SizeMarginals(joint, (1.0 - weight) * first.empty + weight * second.empty)


def size_marginals_of(known: SetDistribution | SizeMarginals, n_jobs: int = 1) -> SizeMarginals:
    """Give what is known of labels and sizes, from whatever form it is known in."""
    if isinstance(known, SizeMarginals):
        return known
    indptr, indices = known.sets.indptr.astype(np.int64), known.sets.indices.astype(np.int32)
    n_sizes = max(1, int(np.diff(indptr).max(initial=1)))
    return SizeMarginals(
        *_core.size_marginals_of_sets(known.probability, known.sets.shape[1], indptr, indices, n_sizes, n_jobs)
    )
