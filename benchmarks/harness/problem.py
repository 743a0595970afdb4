"""The learning problem that every entry gets: documents, labels and a penalty."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from benchmarks.harness.synthetic import SYNTHETIC
from setwise.data import find_corpus


@dataclass(frozen=True)
class Penalty:
    """``strength * (l1_ratio |w|_1 + (1 - l1_ratio) |w|_2^2)``, added to the mean loss; the intercept is free."""

    strength: float
    l1_ratio: float

    @classmethod
    def from_c(cls, c: float, l1_ratio: float, n_samples: int) -> Penalty:
        """Map LIBLINEAR's C, which multiplies the summed loss, to a strength.

        LIBLINEAR adds ``|w|_1`` or ``|w|_2^2 / 2`` to the summed loss: hence the factor 2 where there is no L1 part.
        """
        return cls(1 / (c * n_samples) if l1_ratio > 0 else 1 / (2 * c * n_samples), l1_ratio)

    @property
    def halved(self) -> tuple[float, float]:
        """The same penalty as (strength, l1_ratio) of the form with 1/2 before the squared norm.

        glmnet, skglm and scikit-learn use that form.
        """
        return self.strength * (2 - self.l1_ratio), self.l1_ratio / (2 - self.l1_ratio)


@dataclass(frozen=True)
class Problem:
    """One data set: ``X`` as stored, and 0/1 labels without those that are constant in training."""

    name: str
    X: sp.csr_array
    y: NDArray[np.float64]
    X_test: sp.csr_array
    y_test: NDArray[np.float64]

    @property
    def n_samples(self) -> int:
        return int(self.X.shape[0])

    @property
    def n_features(self) -> int:
        return int(self.X.shape[1])

    @property
    def all_labels(self) -> NDArray[np.intp]:
        return np.arange(self.y.shape[1])

    def first(self, n_documents: int) -> Problem:
        """Return the problem with the first training documents, and the labels that vary among them."""
        return from_matrices(self.name, self.X[:n_documents], self.y[:n_documents], self.X_test, self.y_test)

    def first_test(self, n_documents: int) -> Problem:
        """Return the problem with the first test documents."""
        return replace(self, X_test=self.X_test[:n_documents], y_test=self.y_test[:n_documents])

    def labels_over_frequency(self, n_labels: int) -> NDArray[np.intp]:
        """Return labels from the rarest to the most frequent, in even steps of rank: the same ones every run."""
        by_frequency = np.argsort(self.y.sum(axis=0), kind="stable")
        ranks = np.linspace(0, len(by_frequency) - 1, min(n_labels, len(by_frequency)))
        return by_frequency[ranks.round().astype(np.intp)]


def load(name: str) -> Problem:
    """Read a corpus by name, or generate a synthetic one."""
    if name in SYNTHETIC:
        corpus = SYNTHETIC[name]()
        return from_matrices(name, corpus.X, dense(corpus.y), corpus.X_test, dense(corpus.y_test))
    stored = find_corpus(name)
    (X, y), (X_test, y_test) = stored.read("train"), stored.read("test")
    return from_matrices(name, X, dense(y), X_test, dense(y_test))


def dense(y: sp.csr_array) -> NDArray[np.float64]:
    """Return a label matrix as a dense array of float64."""
    return np.asarray(y.astype(np.float64).toarray())


def from_matrices(
    name: str, X: sp.csr_array, y: NDArray[np.generic], X_test: sp.csr_array, y_test: NDArray[np.generic]
) -> Problem:
    """Return a problem without the labels that are constant in training."""
    y_train, y_true = np.asarray(y, dtype=np.float64), np.asarray(y_test, dtype=np.float64)
    varies = y_train.min(axis=0) < y_train.max(axis=0)
    if not varies.all():  # indexing copies, and the arrays may be large
        y_train, y_true = y_train[:, varies], y_true[:, varies]
    return Problem(name, sp.csr_array(X), y_train, sp.csr_array(X_test), y_true)
