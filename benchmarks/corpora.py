"""Corpora as features, the same for every contestant; test documents are read by a call of their own.

How each corpus comes: bibtex, tmc2007_500 and ohsumed have 0/1 features and rcv1sub1 normalised TF-IDF, all taken as
they are stored. enron_raw, medical_raw, reuters21578 and goemotions are stored as counts of the words that occur in at
least two training documents; these become TF-IDF of unit length, with sublinear counts.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfTransformer

from setwise.data import find_corpus

COUNTS = ("enron_raw", "medical_raw", "reuters21578", "goemotions")


@dataclass(frozen=True)
class Part:
    """Documents and 0/1 labels, and the weighting of words that training documents gave, where there is one."""

    X: sp.csr_array
    Y: sp.csr_array
    weighting: TfidfTransformer | None = None

    def first(self, n_documents: int | None) -> Part:
        return Part(self.X[:n_documents], self.Y[:n_documents], self.weighting)


@dataclass(frozen=True)
class Parts:
    """A corpus by name, of which nothing is read before it is asked for."""

    name: str

    def train(self) -> Part:
        return features(self.name, "train")

    def test(self, train: Part) -> Part:
        """Read the test documents; contestants call it when all of theirs is settled."""
        return features(self.name, "test", train.weighting)


def features(name: str, part: str, fitted: TfidfTransformer | None = None) -> Part:
    """Read one part of a corpus, and weigh words as ``fitted`` says; the train part fits its own weighting."""
    X, Y = find_corpus(name).read(part)
    # scikit-learn's LIBLINEAR wants doubles, and would make a copy for each label otherwise.
    X = sp.csr_array(X, dtype=np.float64)
    if name not in COUNTS:
        return Part(X, Y)
    weighting = TfidfTransformer(sublinear_tf=True).fit(X) if part == "train" else fitted
    if weighting is None:
        raise ValueError(f"the test part of {name} needs the weighting of the train part")
    return Part(sp.csr_array(weighting.transform(X)), Y, weighting)
