"""Corpora of texts with the labels of their training documents."""

from __future__ import annotations

from dataclasses import dataclass, replace

from benchmarks.harness.corpora import read_texts


@dataclass(frozen=True)
class TextCorpus:
    """Training texts with their labels, and test texts."""

    name: str
    train: list[str]
    labels: list[list[str]]
    test: list[str]

    def first(self, n_texts: int) -> TextCorpus:
        """Return the corpus with the first texts of each part."""
        return replace(self, train=self.train[:n_texts], labels=self.labels[:n_texts], test=self.test[:n_texts])


def read_corpus(name: str) -> TextCorpus:
    """Read a corpus by name."""
    train, test = (read_texts(name, part) for part in ("train", "test"))
    labels = [list(document.labels or ()) for document in train]
    return TextCorpus(name, [one.text for one in train], labels, [one.text for one in test])
