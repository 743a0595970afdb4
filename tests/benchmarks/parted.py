"""A small corpus in parts, that knows when its test part was read."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import scipy.sparse as sp

from setwise.experiments.corpora import Part, Parts


@dataclass(frozen=True)
class TinyParts(Parts):
    name: str = "tiny"
    events: list[str] = field(default_factory=list)

    def train(self) -> Part:
        self.events.append("train")
        return made(seed=1, n_documents=120)

    def test(self, train: Part) -> Part:
        self.events.append("test")
        return made(seed=2, n_documents=50)


def made(seed: int, n_documents: int) -> Part:
    """Five labels: three that can be learnt, one that all documents have, one that none has. Some have no other."""
    weights = np.random.default_rng(0).normal(size=(6, 3)) * 2
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_documents, 6))
    learnt = X @ weights + random.logistic(size=(n_documents, 3)) > 1.0
    y = np.column_stack([learnt, np.ones(n_documents), np.zeros(n_documents)])
    return Part(sp.csr_array(X), sp.csr_array(y.astype(np.int64)))
