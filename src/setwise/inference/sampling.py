"""Size marginals estimated from label sets that the model draws."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from setwise.abilities import Samples, require
from setwise.labels import SizeMarginals
from setwise.labels.distribution import require_room

__all__ = ["MOST_DRAWN", "SampledInference"]

MOST_DRAWN = 2**23
"""Labels that are drawn at one time, present or absent: samples times labels times documents."""

_BLOCK = 64
"""Documents whose samples are held at one time."""


@dataclass(frozen=True, eq=False)
class SampledInference:
    """``n_samples`` label sets per document; they depend on ``random_state`` and the document alone."""

    needs: ClassVar[tuple[str, ...]] = ("sample",)

    n_samples: int = 1000
    random_state: int = 0

    def block(self, n_labels: int) -> int:
        """How many documents to ask about at a time."""
        return _BLOCK

    def infer(self, model: Any, X: Any) -> SizeMarginals:
        """Estimate p(y_l = 1, |y| = s | x) for each document of a block, from a model that draws sets."""
        require(model, *self.needs, by="Sampled inference")
        n_documents, n_labels = X.shape[0], len(model.classes_)
        n_at_a_time = max(1, MOST_DRAWN // (self.n_samples * n_labels))
        parts = [self._estimated(model, X[start : start + n_at_a_time]) for start in range(0, n_documents, n_at_a_time)]
        n_sizes = max(part.joint.shape[2] for part in parts)
        require_room(n_labels, n_sizes, n_documents)
        joint = [np.pad(part.joint, ((0, 0), (0, 0), (0, n_sizes - part.joint.shape[2]))) for part in parts]
        return SizeMarginals(np.concatenate(joint), np.concatenate([part.empty for part in parts]))

    def _estimated(self, model: Samples, X: Any) -> SizeMarginals:
        """Estimate for some documents of the block."""
        drawn = model.sample(X, self.n_samples, self.random_state)
        n_documents, n_labels = X.shape[0], drawn.shape[1]
        sizes = np.diff(drawn.indptr).astype(np.int64)
        n_sizes = max(1, int(sizes.max(initial=1)))
        require_room(n_labels, n_sizes, n_documents)
        document = np.repeat(np.arange(n_documents), self.n_samples)
        place = (np.repeat(document, sizes) * n_labels + drawn.indices) * n_sizes + np.repeat(sizes, sizes) - 1
        counts = np.bincount(place, minlength=n_documents * n_labels * n_sizes)
        joint = counts.reshape(n_documents, n_labels, n_sizes) / self.n_samples
        empty = np.bincount(document[sizes == 0], minlength=n_documents) / self.n_samples
        return SizeMarginals(joint, empty)
