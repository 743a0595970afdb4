"""Small problems that every entry solves in milliseconds, and shorthands for rows."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import scipy.sparse as sp

from benchmarks.harness.corpora import Part, Parts
from benchmarks.harness.problem import Problem, from_matrices
from benchmarks.harness.rows import Row
from benchmarks.text.corpora import TextCorpus


def tiny_problem() -> Problem:
    random = np.random.default_rng(7)
    X = random.normal(size=(80, 6)) * (random.random((80, 6)) < 0.6)
    weights = random.normal(size=(6, 4)) * 1.5
    y = X @ weights + random.logistic(size=(80, 4)) + [-2.0, -0.5, 0.0, 0.5] > 0
    documents = sp.csr_array(X.astype(np.float32))
    return from_matrices("tiny", documents, y, documents[::2], y[::2])


def load_tiny(name: str) -> Problem:
    """Stand in for ``Benchmark.load``."""
    return tiny_problem()


def tiny_texts(name: str = "tiny") -> TextCorpus:
    """Return texts with line breaks, and labels with spaces or none at all."""
    texts = ["red fox\nruns", "red hen sits", "blue fox sits", "blue hen\nruns"] * 6
    labels = [["a fox"], ["hen", "still"], ["a fox", "still"], []] * 6
    return TextCorpus("tiny", texts, labels, texts[:7])


@dataclass(frozen=True)
class TinyParts(Parts):
    """A small corpus that records when its train and test parts are read."""

    name: str = "tiny"
    events: list[str] = field(default_factory=list)

    def train(self) -> Part:
        self.events.append("train")
        return tiny_part(seed=1, n_documents=120)

    def test(self, train: Part) -> Part:
        self.events.append("test")
        return tiny_part(seed=2, n_documents=50)


def tiny_part(seed: int, n_documents: int) -> Part:
    """Generate five labels: three that depend on X, one that all documents have, and one that none has."""
    weights = np.random.default_rng(0).normal(size=(6, 3)) * 2
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_documents, 6))
    learnable = X @ weights + random.logistic(size=(n_documents, 3)) > 1.0
    y = np.column_stack([learnable, np.ones(n_documents), np.zeros(n_documents)])
    return Part(sp.csr_array(X), sp.csr_array(y.astype(np.int64)))


def number(row: Row, column: str) -> float:
    """Return a value that the row must have."""
    value = row.values[column]
    assert value is not None
    return value
