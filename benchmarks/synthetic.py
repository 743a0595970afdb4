"""Made-up corpora of the shapes that real ones have and that are not at hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class MadeCorpus:
    """Documents and labels, to train and to test."""

    X: sp.csr_array
    y: sp.csr_array
    X_test: sp.csr_array
    y_test: sp.csr_array


def many_tags(
    n_train: int = 12_714,
    n_test: int = 3_000,
    n_labels: int = 983,
    n_words: int = 500,
    labels_a_document: float = 19.0,
    n_topics: int = 60,
    seed: int = 0,
) -> MadeCorpus:
    """Make bookmarks with many tags each, so that nearly every label set occurs once, in training as in testing.

    A document is a mixture of a few topics; its words, and each of its labels by itself, are drawn from them.
    """
    random = np.random.default_rng(seed)
    n = n_train + n_test
    mixture = random.dirichlet(np.full(n_topics, 0.02), size=n)
    words = random.dirichlet(np.full(n_words, 0.05), size=n_topics)
    lengths = random.poisson(30, size=n) + 5
    counts = np.stack([random.multinomial(length, p) for length, p in zip(lengths, mixture @ words, strict=True)])
    X = sp.csr_array(np.log1p(counts))
    popularity = random.permutation(np.arange(1, n_labels + 1)) ** -0.7
    liking = random.gamma(0.06, size=(n_topics, n_labels))
    chances = mixture @ (liking * popularity)
    chances = with_mean(chances, labels_a_document)
    y = sp.csr_array((random.random(chances.shape) < chances).astype(np.int64))
    return MadeCorpus(X[:n_train], y[:n_train], X[n_train:], y[n_train:])


def many_sets(
    n_train: int = 50_000,
    n_test: int = 2_000,
    n_labels: int = 1_000,
    n_features: int = 20,
    labels_a_document: float = 3.0,
    seed: int = 0,
) -> MadeCorpus:
    """Make documents of label sets that are all different, some labels far more frequent than others.

    Their features say nothing about their labels: only the shape matters here.
    """
    random = np.random.default_rng(seed)
    popularity = np.arange(1, n_labels + 1) ** -0.7
    popularity /= popularity.sum()
    seen: set[tuple[int, ...]] = set()
    while len(seen) < n_train + n_test:
        size = 1 + int(random.poisson(labels_a_document - 1))
        drawn = np.unique(random.choice(n_labels, size=size, p=popularity))
        seen.add(tuple(drawn.tolist()))
    sets = random.permutation(np.array(sorted(seen), dtype=object))
    rows = np.repeat(np.arange(len(sets)), [len(labels) for labels in sets])
    columns = np.concatenate([np.array(labels) for labels in sets])
    y = sp.csr_array((np.ones(len(rows), dtype=np.int64), (rows, columns)), shape=(len(sets), n_labels))
    X = sp.csr_array(random.normal(size=(len(sets), n_features)).astype(np.float32))
    return MadeCorpus(X[:n_train], y[:n_train], X[n_train:], y[n_train:])


def with_mean(chances: Array, labels_a_document: float) -> Array:
    """Scale chances, held below 0.95, until a document has so many labels on average."""
    low, high = 0.0, 1e6
    for _ in range(60):
        middle = 0.5 * (low + high)
        mean = np.minimum(middle * chances, 0.95).sum(axis=1).mean()
        low, high = (middle, high) if mean < labels_a_document else (low, middle)
    return np.minimum(low * chances, 0.95)


MADE: dict[str, Callable[[], MadeCorpus]] = {"many_tags": many_tags, "many_sets": many_sets}
"""By the names that benchmarks call them."""
