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


@dataclass(frozen=True)
class Shape:
    """The size of a generated corpus in every direction; the default is that of WISE in the paper."""

    documents: int = 64_857
    features: int = 301_561
    labels: int = 203
    sets: int = 3_536


def wise(shape: Shape | None = None, n_test: int = 5_000, seed: int = 0) -> SyntheticCorpus:
    """Generate news articles: words by Zipf's law, a tenth of which belong to the topics of the article's labels.

    Every label has its own order of the words, whose first ones are its keywords. One article in eight has the keywords
    of another's labels. Every set of labels occurs in training. Values are TF-IDF in rows of length one.
    """
    shape = shape or Shape()
    random = np.random.default_rng(seed)
    n = shape.documents + n_test
    sets, frequency = _label_sets(random, shape)
    n_once = min(len(sets), shape.documents)
    drawn = random.choice(len(sets), p=frequency, size=n - n_once)
    train = np.concatenate([random.permutation(len(sets))[:n_once], drawn[n_test:]])
    set_of = np.concatenate([random.permutation(train), drawn[:n_test]])
    told = np.where(random.random(n) < MISTAKEN, set_of[random.integers(0, n, n)], set_of)

    lengths = np.maximum(10, random.lognormal(np.log(MEDIAN_LENGTH), 0.7, n).astype(np.int64))
    document = np.repeat(np.arange(n), lengths)
    words = _zipf(random, shape.features, len(document))
    topical = random.random(len(document)) < TOPICAL
    indptr = np.concatenate([[0], np.cumsum([len(labels) for labels in sets])])
    flat = np.concatenate(sets)
    chosen = told[document[topical]]
    place = (random.random(len(chosen)) * np.diff(indptr)[chosen]).astype(np.int64)
    label = flat[indptr[chosen] + place]
    step, shift = random.integers(0, shape.features, (2, shape.labels))
    words[topical] = (words[topical] * (step[label] | 1) + shift[label]) % shape.features

    counts = sp.csr_array((np.ones(len(words), dtype=np.float32), (document, words)), shape=(n, shape.features))
    X = _tf_idf(counts)
    columns = np.concatenate([sets[one] for one in set_of])
    rows = np.repeat(np.arange(n), np.diff(indptr)[set_of])
    y = sp.csr_array((np.ones(len(rows), dtype=np.int64), (rows, columns)), shape=(n, shape.labels))
    return SyntheticCorpus(X[: shape.documents], y[: shape.documents], X[shape.documents :], y[shape.documents :])


MEDIAN_LENGTH = 200  # words of an article
TOPICAL = 0.1  # share of the words that belong to a label
MISTAKEN = 0.12  # share of the articles with the words of another's labels


def _label_sets(random: np.random.Generator, shape: Shape) -> tuple[list[NDArray[np.int64]], Array]:
    """Return the label sets, every single label among them, and how frequent each is."""
    popularity = np.arange(1, shape.labels + 1) ** -0.9
    popularity /= popularity.sum()
    found = {(label,): popularity[label] for label in range(shape.labels)}
    while len(found) < shape.sets:
        labels = np.unique(random.choice(shape.labels, size=2 + random.poisson(0.5), p=popularity))
        found[tuple(labels.tolist())] = popularity[labels].prod() / 2
    sets = sorted(found, key=lambda labels: (-found[labels], labels))[: shape.sets]
    frequency = np.arange(1, len(sets) + 1) ** -1.1
    return [np.array(labels) for labels in sets], frequency / frequency.sum()


def _zipf(random: np.random.Generator, n_words: int, n: int) -> NDArray[np.int64]:
    """Draw numbers of words, of which the first are the most frequent."""
    cumulated = np.cumsum(1.0 / (np.arange(n_words) + 3.7) ** 1.07)
    return np.asarray(np.searchsorted(cumulated, random.random(n) * cumulated[-1]), dtype=np.int64)


def _tf_idf(counts: sp.csr_array) -> sp.csr_array:
    counts.sum_duplicates()
    n_with = np.bincount(counts.indices, minlength=counts.shape[1])
    rarity = np.log((1 + counts.shape[0]) / (1 + n_with)) + 1
    counts.data = (1 + np.log(counts.data)) * rarity[counts.indices]
    length = np.sqrt(np.bincount(np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr)), counts.data**2))
    counts.data = (counts.data / np.repeat(length, np.diff(counts.indptr))).astype(np.float32)
    return counts


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
    "wise": wise,
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
