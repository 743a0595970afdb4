"""What simpler predictions reach on the same documents: the most frequent set, and labels cut at a threshold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from setwise.classifier import SetClassifier
from setwise.exceptions import Incompatible
from setwise.labels import LabelMatrix
from setwise.metrics import F1_OF_EMPTY_SETS, micro_f1
from setwise.posterior import lacking
from setwise.reports.scoring import Evaluation
from setwise.reports.tables import Column, Table

__all__ = ["Baselines"]

Array = NDArray[np.float64]

LEVELS = np.arange(1, 100) / 100
"""Thresholds that are tried."""

DECIMALS = 9
"""Sums of F1 that agree in so many are equal: the order in which documents are added changes later ones."""

HALF = int(np.searchsorted(LEVELS, 0.5))


@dataclass
class _Sums:
    """Sums over documents: for one prediction, or one number per threshold."""

    f1: Any = 0.0
    right: Any = 0.0
    shared: Any = 0.0
    sizes: Any = 0.0
    """Of the predicted and the true set together."""
    n: int = 0

    def add(self, shared: Array, sizes: Array) -> None:
        """Add documents: the size of each intersection, and that of both sets together."""
        f1 = np.where(sizes > 0, 2 * shared / np.maximum(sizes, 1), F1_OF_EMPTY_SETS)
        self.f1 = self.f1 + f1.sum(axis=0)
        self.right = self.right + (f1 == 1.0).sum(axis=0)
        self.shared = self.shared + shared.sum(axis=0)
        self.sizes = self.sizes + sizes.sum(axis=0)
        self.n += len(shared)

    def at(self, level: int) -> _Sums:
        """Return the sums for one threshold."""
        return _Sums(self.f1[level], self.right[level], self.shared[level], self.sizes[level], self.n)

    def best_level(self) -> int:
        """Return the threshold of the highest F1, the lowest of equals."""
        return int(np.argmax(np.round(self.f1, DECIMALS)))

    def with_other(self, other: _Sums) -> _Sums:
        """Return the sums over the documents of both."""
        names = ("f1", "right", "shared", "sizes", "n")
        return _Sums(*(getattr(self, name) + getattr(other, name) for name in names))

    def row(self) -> tuple[float, float, float]:
        """Return the instance F1, the share of sets that are exactly right, and the micro F1."""
        micro = 2 * self.shared / self.sizes if self.sizes else F1_OF_EMPTY_SETS
        return float(self.f1 / self.n), float(self.right / self.n), float(micro)


class Baselines:
    """Scores simpler predictions batch by batch; stores sums, not documents.

    Labels are cut at thresholds of the model's own probabilities, before support inference and calibration; for a model
    that has none, at those of its inference. The tuned threshold is the one of the best instance F1 on one half of the
    documents, applied to the other half, and the reverse, so that no document is scored with a threshold that was tuned
    on it. Where every training document has a label, it predicts at least one.
    """

    def __init__(self, classifier: SetClassifier) -> None:
        self._classifier = classifier
        self._classes = tuple(map(str, classifier.classes_))
        support = classifier.support_
        self._at_least_one = not (support.sizes == 0).any()
        self._frequent = {str(name) for name in support.sets.label_lists()[int(np.argmax(support.counts))]}
        self._most_frequent, self._half = _Sums(), _Sums()
        self._folds = _Sums(), _Sums()
        self._random = np.random.default_rng(0)
        self._why_not = ""

    def add(self, X: Any, y: list[list[str]]) -> None:
        """Predict a batch of documents, and add how well that agrees with the true label sets."""
        sizes = np.array([len(set(names)) for names in y], dtype=np.float64)
        shared = np.array([len(self._frequent & set(names)) for names in y], dtype=np.float64)
        self._most_frequent.add(shared, sizes + len(self._frequent))
        if self._why_not:
            return
        try:
            probability = self._probabilities(X)
        except Incompatible as refusal:
            self._why_not = str(refusal)
            return
        known = set(self._classes)
        truth = LabelMatrix.of([[name for name in names if name in known] for names in y], self._classes)
        hits, chosen = _counts(probability, truth, at_least_one=False)
        self._half.add(hits[:, HALF], chosen[:, HALF] + sizes)
        if self._at_least_one:
            hits, chosen = _counts(probability, truth, at_least_one=True)
        fold = self._random.random(len(y)) < 0.5  # the same in batches of any size
        for number, sums in enumerate(self._folds):
            inside = fold == number
            sums.add(hits[inside], chosen[inside] + sizes[inside, None])

    def table(self, evaluation: Evaluation) -> Table:
        """Return one row per prediction, that of the model first."""
        set_accuracy, f1 = float(evaluation.right.mean()), float(evaluation.f1.mean())
        micro = micro_f1(evaluation.y_true, evaluation.y_pred)
        rows: list[tuple[Any, ...]] = [("this model", f1, set_accuracy, micro, "its own inference and decision")]
        first, second = self._folds
        if not self._why_not:
            levels = [sums.best_level() for sums in self._folds] if first.n and second.n else []
            if levels:
                tuned = first.at(levels[1]).with_other(second.at(levels[0]))
                told = " and ".join(f"{LEVELS[level]:.2f}" for level in sorted(levels))
                rows.append(("tuned threshold", *tuned.row(), f"tuned on one half, used on the other: {told}"))
            rows.append(("cut at one half", *self._half.row(), "every label whose own probability is above 0.5"))
        shown = ", ".join(sorted(self._frequent)) or "no label"
        rows.append(("most frequent set", *self._most_frequent.row(), f"always: {shown}"))
        return Table(
            "baselines",
            "Against simpler predictions",
            (
                Column("prediction", "prediction"),
                Column("instance_f1", "mean F1", "share"),
                Column("set_accuracy", "exactly right", "share"),
                Column("micro_f1", "micro F1", "share"),
                Column("how", "how"),
            ),
            rows,
            self._why_not
            or "The thresholds cut the probabilities of the same model. The tuned one was found on these documents, "
            "but never on the half that it is scored on.",
        )

    def _probabilities(self, X: Any) -> Array:
        if lacking(self._classifier.model_, "marginals"):
            return self._classifier.predict_proba(X)
        return np.asarray(self._classifier.posterior(X).marginals(), dtype=np.float64)


def _counts(probability: Array, truth: LabelMatrix, *, at_least_one: bool) -> tuple[Array, Array]:
    """Return, per document and threshold, the labels above it that are true, and all labels above it."""
    n_documents, n_levels = len(probability), len(LEVELS)
    below = np.searchsorted(LEVELS, probability)  # thresholds that the probability is above
    if at_least_one:
        below[np.arange(n_documents), probability.argmax(axis=1)] = n_levels
    rows, columns = np.nonzero(below)
    place = rows * (n_levels + 1) + below[rows, columns]
    is_true = truth.indicator.toarray()[rows, columns] > 0
    counts = []
    for places in (place[is_true], place):
        by_level = np.bincount(places, minlength=n_documents * (n_levels + 1)).reshape(n_documents, n_levels + 1)
        counts.append(by_level[:, :0:-1].cumsum(axis=1)[:, ::-1].astype(np.float64))
    return counts[0], counts[1]
