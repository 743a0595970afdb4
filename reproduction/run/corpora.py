"""Corpora as feature matrices; test documents are read by a call of their own, once everything is tuned.

bibtex, medical, enron, tmc2007_500 and imdb have 0/1 features and rcv1sub1 has normalized TF-IDF; all are used as they
are stored. enron_raw, medical_raw, reuters21578 and goemotions are stored as counts of the words that occur in at least
two training documents; they are converted to TF-IDF of unit length with sublinear counts. ohsumed_raw is stored as
text, and its words are found here, with the same weighting.

A corpus has variants that show how much a result depends on its split or its features: ``enron_raw@split1`` has the
same documents, with other test documents drawn with seed 1; ``tmc2007_500@250`` has only the 250 features that occur in
most training documents.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.preprocessing import MultiLabelBinarizer

from setwise.data import Corpus, find_corpus, random_hold_out, read_dataset
from setwise.exceptions import InvalidData, InvalidParameter
from setwise.labels import LabelMatrix, Support
from setwise.metrics import Overlap
from setwise.models import LabelModel
from setwise.prediction import Recipe
from setwise.text import TextVectorizer

__all__ = ["COUNTS", "MIN_DF", "Documents", "Part", "Parts", "features", "random_subset"]

COUNTS = ("enron_raw", "medical_raw", "reuters21578", "goemotions")
"""Corpora that are stored as word counts."""
MIN_DF = {"ohsumed_raw": 3}
"""Corpora that are stored as text, with the least number of training documents that a word must occur in."""

Weighting = Any
"""A TfidfTransformer of counts or a TextVectorizer of texts, fitted to the training documents."""


@dataclass(frozen=True)
class Part:
    """Documents and their 0/1 labels, with the weighting of the training documents where there is one."""

    X: sp.csr_array
    y: sp.csr_array
    weighting: Weighting | None = None

    def first(self, n_documents: int | None) -> Part:
        """Return the first documents, or all of them for None."""
        return Part(self.X[:n_documents], self.y[:n_documents], self.weighting)


@dataclass(frozen=True)
class Parts:
    """The training and the test part of a corpus or of a variant of it; a part is read when it is requested."""

    name: str
    folder: Path | None = None
    """The folder that contains the corpora; None is the one that ``SETWISE_DATA`` names."""

    def train(self) -> Part:
        """Read the training documents."""
        return features(self.name, "train", folder=self.folder)

    def test(self, train: Part) -> Part:
        """Read the test documents, to be called once everything is tuned."""
        return features(self.name, "test", train.weighting, folder=self.folder)

    def stored(self) -> Corpus:
        """Return the corpus as it is stored; raise ``InvalidData`` where there is none."""
        return find_corpus(self.name.partition("@")[0], folder=self.folder)

    def size(self) -> tuple[int, int]:
        """Return the compressed bytes of the training documents and the number of labels, without reading documents."""
        corpus = self.stored()
        return _file(corpus, "train").stat().st_size, len(corpus.label_names)

    def digest(self) -> str:
        """Return a digest of the stored documents."""
        content = b"".join(_file(self.stored(), part).read_bytes() for part in ("train", "test"))
        return hashlib.sha256(content).hexdigest()[:16]


def features(name: str, part: str, fitted: Weighting | None = None, *, folder: Path | None = None) -> Part:
    """Read one part of a corpus; the test part of counts or texts needs the weighting that the train part fitted."""
    base, _, variant = name.partition("@")
    corpus = find_corpus(base, folder=folder)
    if base not in COUNTS and base not in MIN_DF:
        X, y = _read_variant(corpus, part, variant)
        return Part(_doubles(X), y)
    if part != "train" and fitted is None:
        raise InvalidParameter(f"The test part of {name} needs the weighting of its train part.")
    if base in COUNTS:
        X, y = _read_variant(corpus, part, variant)
        weighting = fitted or TfidfTransformer(sublinear_tf=True).fit(_doubles(X))
        return Part(_doubles(weighting.transform(_doubles(X))), y, weighting)
    if variant:
        raise InvalidParameter(f"{base} is stored as text, which has no variants; got {variant!r}.")
    texts, y = _read_texts(corpus, part)
    weighting = fitted or TextVectorizer(min_df=MIN_DF[base], n_jobs=1).fit(texts)
    return Part(_doubles(weighting.transform(texts)), y, weighting)


def _doubles(X: Any) -> sp.csr_array:
    """Return the matrix in double precision."""
    return sp.csr_array(X, dtype=np.float64)


def _file(corpus: Corpus, part: str) -> Path:
    """Return the file of a part."""
    return corpus.folder / f"{part}.{'jsonl' if corpus.name in MIN_DF else 'svm'}.gz"


def _read_texts(corpus: Corpus, part: str) -> tuple[list[str], sp.csr_array]:
    """Read texts and their labels, with one column per label of the corpus."""
    documents = read_dataset(_file(corpus, part))
    if not isinstance(documents.X, list) or documents.y is None:
        raise InvalidData(f"{_file(corpus, part)} must contain texts with labels.")
    binarizer = MultiLabelBinarizer(classes=corpus.label_names, sparse_output=True)
    return documents.X, sp.csr_array(binarizer.fit_transform(documents.y))


def _read_variant(corpus: Corpus, part: str, variant: str) -> tuple[sp.csr_array, sp.csr_array]:
    if not variant:
        return corpus.read(part)
    if re.fullmatch(r"split\d+", variant):
        return _read_other_split(corpus, part, int(variant.removeprefix("split")))
    if re.fullmatch(r"[1-9]\d*", variant):
        return _read_frequent_features(corpus, part, int(variant))
    raise InvalidParameter(f"A variant must be 'split' and a seed, or a number of features; got {variant!r}.")


def _read_other_split(corpus: Corpus, part: str, seed: int) -> tuple[sp.csr_array, sp.csr_array]:
    """Draw the test documents from all documents, as many as the stored test part has."""
    parts = [corpus.read(one) for one in ("train", "test")]
    X, y = (sp.csr_array(sp.vstack(matrices, format="csr")) for matrices in zip(*parts, strict=True))
    train, test = random_hold_out(X.shape[0], parts[1][0].shape[0] / X.shape[0], seed)
    rows = train if part == "train" else test
    return X[rows], y[rows]


def _read_frequent_features(corpus: Corpus, part: str, n_features: int) -> tuple[sp.csr_array, sp.csr_array]:
    counts = np.bincount(corpus.read("train")[0].indices, minlength=len(corpus.feature_names))
    columns = np.sort(np.argsort(-counts, kind="stable")[:n_features])
    X, y = corpus.read(part)
    return X[:, columns], y


@dataclass(frozen=True, eq=False)
class Documents:
    """The documents of a corpus or of a variant, each part read at its first use."""

    corpus: Parts
    max_training: int | None = None
    """Most training documents, drawn at random; None means all."""
    random_state: int = 0

    @cached_property
    def train(self) -> Part:
        """The training documents."""
        whole = self.corpus.train()
        if self.max_training is None:
            return whole
        rows = random_subset(whole.X.shape[0], self.max_training, self.random_state)
        return Part(whole.X[rows], whole.y[rows], whole.weighting)

    @cached_property
    def y(self) -> LabelMatrix:
        """The labels of the training documents."""
        return LabelMatrix.of(self.train.y)

    @cached_property
    def support(self) -> Support:
        """The label sets of the training documents."""
        return Support.of(self.y)

    @cached_property
    def test(self) -> tuple[Any, LabelMatrix]:
        """The test documents and their labels."""
        part = self.corpus.test(self.train)
        return part.X, LabelMatrix.of(part.y)

    def test_f1(self, recipe: Recipe, model: LabelModel) -> NDArray[np.float64]:
        """Predict the test documents, and return the F1 of each."""
        X, truth = self.test
        sets = recipe.decide(model.posterior(X), self.support, with_value=False).sets
        return Overlap.by_document(truth, truth.with_indicator(sets)).f1


def random_subset(n_documents: int, at_most: int, random_state: int) -> NDArray[np.int64]:
    """Draw the numbers of at most this many documents, in ascending order."""
    if n_documents <= at_most:
        return np.arange(n_documents)
    return random_hold_out(n_documents, at_most / n_documents, random_state)[1]
