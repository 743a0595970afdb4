"""Synthetic corpora of shapes that the real ones lack, and a classifier with synthetic weights."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from benchmarks.harness.corpora import Part, Parts
from setwise import SetClassifier
from setwise.labels import LabelMatrix
from setwise.learners import FeatureColumns
from setwise.models import BinaryRelevance, Callback

Array = NDArray[np.float64]

MAX_PROBABILITY = 0.95  # of a label, so that no label of `many_tags` is certain


@dataclass(frozen=True)
class SyntheticCorpus:
    """Documents and labels for training and for testing."""

    X: sp.csr_array
    y: sp.csr_array
    X_test: sp.csr_array
    y_test: sp.csr_array


def many_tags(
    n_train: int = 12_714,
    n_test: int = 3_000,
    n_labels: int = 983,
    n_words: int = 500,
    labels_per_document: float = 19.0,
    n_topics: int = 60,
    seed: int = 0,
) -> SyntheticCorpus:
    """Generate bookmarks with so many tags each that nearly every label set occurs once, test documents included.

    Every document is a mixture of a few topics. Its words, and each of its labels independently, are drawn from them.
    """
    random = np.random.default_rng(seed)
    n = n_train + n_test
    mixture = random.dirichlet(np.full(n_topics, 0.02), size=n)
    words = random.dirichlet(np.full(n_words, 0.05), size=n_topics)
    lengths = random.poisson(30, size=n) + 5
    counts = np.stack([random.multinomial(length, p) for length, p in zip(lengths, mixture @ words, strict=True)])
    X = sp.csr_array(np.log1p(counts))
    popularity = random.permutation(np.arange(1, n_labels + 1)) ** -0.7
    affinity = random.gamma(0.06, size=(n_topics, n_labels))
    probabilities = scale_to_mean(mixture @ (affinity * popularity), labels_per_document)
    y = sp.csr_array((random.random(probabilities.shape) < probabilities).astype(np.int64))
    return SyntheticCorpus(X[:n_train], y[:n_train], X[n_train:], y[n_train:])


def many_sets(
    n_train: int = 50_000,
    n_test: int = 2_000,
    n_labels: int = 1_000,
    n_features: int = 20,
    labels_per_document: float = 3.0,
    seed: int = 0,
) -> SyntheticCorpus:
    """Generate documents whose label sets are all different, some labels far more frequent than others.

    The features are independent of the labels: only the shape of the problem matters here.
    """
    random = np.random.default_rng(seed)
    popularity = np.arange(1, n_labels + 1) ** -0.7
    popularity /= popularity.sum()
    seen: set[tuple[int, ...]] = set()
    while len(seen) < n_train + n_test:
        size = 1 + int(random.poisson(labels_per_document - 1))
        drawn = np.unique(random.choice(n_labels, size=size, p=popularity))
        seen.add(tuple(drawn.tolist()))
    sets = random.permutation(np.array(sorted(seen), dtype=object))
    rows = np.repeat(np.arange(len(sets)), [len(labels) for labels in sets])
    columns = np.concatenate([np.array(labels) for labels in sets])
    y = sp.csr_array((np.ones(len(rows), dtype=np.int64), (rows, columns)), shape=(len(sets), n_labels))
    X = sp.csr_array(random.normal(size=(len(sets), n_features)).astype(np.float32))
    return SyntheticCorpus(X[:n_train], y[:n_train], X[n_train:], y[n_train:])


def scale_to_mean(probabilities: Array, labels_per_document: float) -> Array:
    """Scale label probabilities, clipped at ``MAX_PROBABILITY``, to a mean number of labels per document."""
    low, high = 0.0, 1e6
    for _ in range(60):
        middle = 0.5 * (low + high)
        mean = np.minimum(middle * probabilities, MAX_PROBABILITY).sum(axis=1).mean()
        low, high = (middle, high) if mean < labels_per_document else (low, middle)
    return np.minimum(low * probabilities, MAX_PROBABILITY)


SYNTHETIC: dict[str, Callable[[], SyntheticCorpus]] = {
    "many_tags": many_tags,
    "many_sets": many_sets,
    # A quarter of the test sets are unseen in training.
    "new_sets": partial(
        many_tags, n_train=3_000, n_test=2_000, n_labels=40, n_words=300, labels_per_document=3.0, n_topics=12
    ),
}


@dataclass(frozen=True)
class SyntheticParts(Parts):
    """The parts of a synthetic corpus."""

    def train(self) -> Part:
        corpus = SYNTHETIC[self.name]()
        return Part(corpus.X, corpus.y)

    def test(self, train: Part) -> Part:
        corpus = SYNTHETIC[self.name]()
        return Part(corpus.X_test, corpus.y_test)


class SyntheticRelevance(BinaryRelevance):
    """BR with random weights, for where only shapes matter; its intercepts match the label frequencies of y."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None, callback: Callback | None = None) -> SyntheticRelevance:
        """Draw the weights instead of training them."""
        labels, random = LabelMatrix.of(y), np.random.default_rng(0)
        self.classes_, self.n_features_in_ = labels.names, FeatureColumns.matrix_of(X).shape[1]
        shape = (labels.n_labels, self.n_features_in_)
        self.coef_ = sp.csr_array(random.normal(size=shape) / np.sqrt(self.n_features_in_))
        frequency = (labels.indicator.sum(axis=0) + 1) / (labels.n_samples + 2)
        self.intercept_ = np.log(frequency / (1 - frequency))
        return self


def synthetic_classifier(X: sp.csr_array, y: sp.csr_array) -> SetClassifier:
    """Return a classifier by support inference and GFM over the sets of y, on one thread, without any training."""
    documents = sp.csr_array((y.shape[0], X.shape[1]), dtype=X.dtype)
    return SetClassifier(SyntheticRelevance(n_jobs=1), "support", "gfm", calibration=None, n_jobs=1).fit(documents, y)
