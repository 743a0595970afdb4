"""Corpora as features; test documents are read by a call of their own, when all that is tuned is settled.

How each corpus comes: bibtex, medical, enron, tmc2007_500, ohsumed and imdb have 0/1 features and rcv1sub1 normalised
TF-IDF, all taken as they are stored. enron_raw, medical_raw, reuters21578 and goemotions are stored as counts of the
words that occur in at least two training documents; these become TF-IDF of unit length, with sublinear counts.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfTransformer

from setwise.data import find_corpus
from setwise.exceptions import InvalidParameter

__all__ = ["COUNTS", "Part", "Parts", "features"]

COUNTS = ("enron_raw", "medical_raw", "reuters21578", "goemotions")


@dataclass(frozen=True)
class Part:
    """Documents and 0/1 labels, and the weighting of words that training documents gave, where there is one."""

    X: sp.csr_array
    Y: sp.csr_array
    weighting: TfidfTransformer | None = None

    def first(self, n_documents: int | None) -> Part:
        """Give so many documents; all of them for None."""
        return Part(self.X[:n_documents], self.Y[:n_documents], self.weighting)


@dataclass(frozen=True)
class Parts:
    """A corpus by name, of which nothing is read before it is asked for."""

    name: str
    folder: Path | None = None
    """That holds the corpora; None is where ``SETWISE_DATA`` says."""

    def train(self) -> Part:
        """Read the training documents."""
        return features(self.name, "train", folder=self.folder)

    def test(self, train: Part) -> Part:
        """Read the test documents; to be called when all else is settled."""
        return features(self.name, "test", train.weighting, folder=self.folder)

    def bulk(self) -> tuple[int, int]:
        """Give the bytes of the training documents as stored, and the number of labels: a quick look at what awaits."""
        corpus = find_corpus(self.name, folder=self.folder)
        return (corpus.folder / "train.svm.gz").stat().st_size, len(corpus.label_names)

    def digest(self) -> str:
        """Give letters that differ where the documents do."""
        folder = find_corpus(self.name, folder=self.folder).folder
        content = b"".join((folder / f"{part}.svm.gz").read_bytes() for part in ("train", "test"))
        return hashlib.sha256(content).hexdigest()[:16]


def features(name: str, part: str, fitted: TfidfTransformer | None = None, *, folder: Path | None = None) -> Part:
    """Read one part of a corpus, and weigh words as ``fitted`` says; the train part fits its own weighting."""
    X, Y = find_corpus(name, folder=folder).read(part)
    # scikit-learn's LIBLINEAR wants doubles, and would make a copy for each label otherwise.
    X = sp.csr_array(X, dtype=np.float64)
    if name not in COUNTS:
        return Part(X, Y)
    weighting = TfidfTransformer(sublinear_tf=True).fit(X) if part == "train" else fitted
    if weighting is None:
        raise InvalidParameter(f"The test part of {name} must be given the weighting of its train part; got none.")
    return Part(sp.csr_array(weighting.transform(X)), Y, weighting)
