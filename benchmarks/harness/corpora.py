"""Corpora as features or as texts, their test documents read last, and paired differences."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from reproduction.run import COUNTS, Part, Parts, features
from setwise.data import TextDocument, find_corpus, open_documents
from setwise.labels import LabelMatrix
from setwise.metrics import Difference, paired_difference

__all__ = [
    "COUNTS",
    "Difference",
    "Part",
    "Parts",
    "TextParts",
    "features",
    "paired_difference",
    "read_texts",
    "texts_or_features",
]


@dataclass(frozen=True)
class TextParts(Parts):
    """The parts of a corpus of texts: X is an array of strings, and is sliced and indexed as features are."""

    def train(self) -> Part:
        return self._read("train")

    def test(self, train: Part) -> Part:
        return self._read("test")

    def _read(self, part: str) -> Part:
        documents = read_texts(self.name, part, folder=self.folder)
        labels = LabelMatrix.of([document.labels or () for document in documents], self.stored().label_names)
        return Part(np.array([document.text for document in documents], dtype=object), labels.indicator)


def texts_or_features(name: str) -> Parts:
    """Return a corpus as texts where these are stored, else as features."""
    stored_as_text = text_file(name, "train").exists()
    return TextParts(name) if stored_as_text else Parts(name)


def read_texts(name: str, part: str, *, folder: Path | None = None) -> list[TextDocument]:
    """Read one part of a corpus of texts."""
    with open_documents(text_file(name, part, folder=folder)) as documents:
        return [document for document in documents if isinstance(document, TextDocument)]


def text_file(name: str, part: str, *, folder: Path | None = None) -> Path:
    """Return the file with the texts of one part."""
    return find_corpus(name, folder=folder).folder / f"{part}.jsonl.gz"
