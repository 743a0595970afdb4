"""Corpora as features; test documents are read by a call of their own, when all that is tuned is settled.

How each corpus comes: bibtex, medical, enron, tmc2007_500, ohsumed and imdb have 0/1 features and rcv1sub1 normalised
TF-IDF, all taken as they are stored. enron_raw, medical_raw, reuters21578 and goemotions are stored as counts of the
words that occur in at least two training documents; these become TF-IDF of unit length, with sublinear counts.

A corpus may be varied, to find out what a figure owes to its split or to its features: ``enron_raw@split1`` has the
same documents, of which chance by that seed takes others to test on; ``tmc2007_500@250`` keeps the 250 features that
most training documents have.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfTransformer

from setwise.data import Corpus, find_corpus
from setwise.data.splits import random_hold_out
from setwise.exceptions import InvalidParameter

__all__ = ["COUNTS", "Part", "Parts", "features"]

COUNTS = ("enron_raw", "medical_raw", "reuters21578", "goemotions")


@dataclass(frozen=True)
class Part:
    """Documents and 0/1 labels, and the weighting of words that training documents gave, where there is one."""

    X: sp.csr_array
    y: sp.csr_array
    weighting: TfidfTransformer | None = None

    def first(self, n_documents: int | None) -> Part:
        """Give so many documents; all of them for None."""
        return Part(self.X[:n_documents], self.y[:n_documents], self.weighting)


@dataclass(frozen=True)
class Parts:
    """A corpus by name, varied or not, of which nothing is read before it is asked for."""

    name: str
    folder: Path | None = None
    """That holds the corpora; None is where ``SETWISE_DATA`` says."""

    def train(self) -> Part:
        """Read the training documents."""
        return features(self.name, "train", folder=self.folder)

    def test(self, train: Part) -> Part:
        """Read the test documents; to be called when all else is settled."""
        return features(self.name, "test", train.weighting, folder=self.folder)

    def stored(self) -> Corpus:
        """Find the corpus as it is stored; an error where there is none."""
        return find_corpus(self.name.partition("@")[0], folder=self.folder)

    def bulk(self) -> tuple[int, int]:
        """Give the bytes of the training documents as stored, and the number of labels: a quick look at what awaits."""
        return (self.stored().folder / "train.svm.gz").stat().st_size, len(self.stored().label_names)

    def digest(self) -> str:
        """Give letters that differ where the documents do."""
        content = b"".join((self.stored().folder / f"{part}.svm.gz").read_bytes() for part in ("train", "test"))
        return hashlib.sha256(content).hexdigest()[:16]


def features(name: str, part: str, fitted: TfidfTransformer | None = None, *, folder: Path | None = None) -> Part:
    """Read one part of a corpus, and weigh words as ``fitted`` says; the train part fits its own weighting."""
    base, _, variation = name.partition("@")
    X, y = _varied(find_corpus(base, folder=folder), part, variation)
    # scikit-learn's LIBLINEAR wants doubles, and would make a copy for each label otherwise.
    X = sp.csr_array(X, dtype=np.float64)
    if base not in COUNTS:
        return Part(X, y)
    weighting = TfidfTransformer(sublinear_tf=True).fit(X) if part == "train" else fitted
    if weighting is None:
        raise InvalidParameter(f"The test part of {name} must be given the weighting of its train part; got none.")
    return Part(sp.csr_array(weighting.transform(X)), y, weighting)


def _varied(corpus: Corpus, part: str, variation: str) -> tuple[sp.csr_array, sp.csr_array]:
    if not variation:
        return corpus.read(part)
    if re.fullmatch(r"split\d+", variation):
        return _split_anew(corpus, part, int(variation.removeprefix("split")))
    if re.fullmatch(r"[1-9]\d*", variation):
        return _fewer_features(corpus, part, int(variation))
    raise InvalidParameter(f"A corpus must be varied by @split and a seed or @ and a number; got {variation!r}.")


def _split_anew(corpus: Corpus, part: str, seed: int) -> tuple[sp.csr_array, sp.csr_array]:
    """Take as many documents to test on as the corpus has for that, by chance from all of them."""
    parts = [corpus.read(one) for one in ("train", "test")]
    X, y = (sp.csr_array(sp.vstack(matrices, format="csr")) for matrices in zip(*parts, strict=True))
    rest, held = random_hold_out(X.shape[0], parts[1][0].shape[0] / X.shape[0], seed)
    chosen = rest if part == "train" else held
    return X[chosen], y[chosen]


def _fewer_features(corpus: Corpus, part: str, n_features: int) -> tuple[sp.csr_array, sp.csr_array]:
    counts = np.bincount(corpus.read("train")[0].indices, minlength=len(corpus.feature_names))
    kept = np.sort(np.argsort(-counts, kind="stable")[:n_features])
    X, y = corpus.read(part)
    return X[:, kept], y
