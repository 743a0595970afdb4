"""Predictions of labeled documents, batch by batch, and their metrics."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from setwise.classifier import SetClassifier
from setwise.labels import LabelMatrix, Support
from setwise.metrics import METRICS, Overlap, calibration_error, evaluate_metric, label_table, n_absent_labels

__all__ = ["BatchScorer", "Evaluation", "Predicted", "Scores", "metric_title", "paired_labels"]

Array = NDArray[np.float64]

N_TENTHS = 10
"""Rows of the reliability table."""


@dataclass(frozen=True)
class Scores:
    """Metrics of predicted label sets; all shares are fractions."""

    n_documents: int
    metrics: dict[str, float]
    """Every registered metric by name."""
    n_absent_labels: int
    """Labels that are neither true nor predicted in any document; macro F1 leaves them out."""
    n_predicted_unseen: int
    """Documents whose predicted set no training document has."""
    n_true_unseen: int
    """Documents whose true set no training document has."""
    expected_f1: float | None
    """Mean expected F1 of the predictions; None if the inference cannot compute it."""
    expected_f1_error: float | None
    """Calibration error of the expected F1: its distance from the true F1, averaged over bins."""
    confidence: float | None
    """Mean probability that a predicted set is exactly right; None if the model has no confidence."""
    confidence_error: float | None
    """Calibration error of that probability."""
    confidence_brier: float | None
    """Mean squared distance of that probability from the outcome, 1 or 0."""
    reliability: list[dict[str, float]]
    """Per tenth of the documents, the least sure first: mean confidence, share of sets that are exactly right, mean
    expected F1, mean F1."""
    unknown_labels: list[str]
    """True labels that the model was not trained on."""
    labels: list[dict[str, Any]]
    """One row of counts and metrics per label."""

    def as_json(self) -> dict[str, Any]:
        """Return all scores as one object, the metrics under their own names."""
        scores = asdict(self)
        return {"n_documents": scores.pop("n_documents"), **scores.pop("metrics"), **scores}


def metric_title(name: str) -> str:
    """Return the name of a metric as a table shows it."""
    return name.replace("_", " ").replace("f1", "F1")


@dataclass(frozen=True, eq=False)
class Evaluation:
    """True and predicted label sets of documents, and how sure each prediction was.

    Attributes
    ----------
    y_true, y_pred : LabelMatrix
        Their columns are the labels of the model, and then those that it was not trained on.
    expected_f1 : array of shape (n_samples,) or None
        None if the inference cannot compute it.
    probability : array of shape (n_samples,) or None
        That each predicted set is exactly right; None if the model has no confidence.
    support : Support
        The label sets of the training documents.
    unknown_labels : list of str
        True labels that the model was not trained on.
    """

    y_true: LabelMatrix
    y_pred: LabelMatrix
    expected_f1: Array | None
    probability: Array | None
    support: Support
    unknown_labels: list[str]

    @cached_property
    def f1(self) -> Array:
        """Return the F1 of each predicted set."""
        return Overlap.by_document(self.y_true, self.y_pred).f1

    @property
    def right(self) -> Array:
        """Return 1 where the predicted set is exactly right, else 0."""
        return np.asarray(self.f1 == 1.0, dtype=np.float64)

    @cached_property
    def seen(self) -> NDArray[np.bool_]:
        """Return which true sets a training document has."""
        return np.asarray(self._positions(self.y_true) >= 0)

    @cached_property
    def predicted_seen(self) -> NDArray[np.bool_]:
        """Return which predicted sets a training document has."""
        return np.asarray(self._positions(self.y_pred) >= 0)

    def scores(self) -> Scores:
        """Return all metrics; labels that the model was not trained on count as missed."""
        y_true, y_pred, expected = self.y_true, self.y_pred, self.expected_f1
        return Scores(
            n_documents=y_true.n_samples,
            metrics={name: evaluate_metric(name, y_true, y_pred) for name in METRICS},
            n_absent_labels=n_absent_labels(y_true, y_pred),
            n_predicted_unseen=int((~self.predicted_seen).sum()),
            n_true_unseen=int((~self.seen).sum()),
            expected_f1=None if expected is None else float(expected.mean()),
            expected_f1_error=None if expected is None else calibration_error(expected, self.f1),
            **self._agreement(),
            unknown_labels=self.unknown_labels,
            labels=[asdict(row) for row in label_table(y_true, y_pred)],
        )

    def _positions(self, y: LabelMatrix) -> NDArray[np.int64]:
        """Return the position of each set in the support; -1 where it has a label of no training document."""
        n_known = self.support.sets.n_labels
        known = np.diff(y.indicator[:, n_known:].indptr) == 0
        positions = np.full(y.n_samples, -1, dtype=np.int64)
        positions[known] = self.support.index_of(self.support.sets.with_indicator(y.indicator[known][:, :n_known]))
        return positions

    def _agreement(self) -> dict[str, Any]:
        """Return how the confidence agrees with the outcomes."""
        if self.probability is None or self.expected_f1 is None:
            return {"confidence": None, "confidence_error": None, "confidence_brier": None, "reliability": []}
        probability, right = self.probability, self.right
        tenths = np.array_split(np.argsort(probability, kind="stable"), min(N_TENTHS, len(right)))
        columns = {
            "confidence": probability,
            "exactly_right": right,
            "expected_f1": self.expected_f1,
            "f1": self.f1,
        }
        return {
            "confidence": float(probability.mean()),
            "confidence_error": calibration_error(probability, right),
            "confidence_brier": float(((probability - right) ** 2).mean()),
            "reliability": [
                {"n_documents": len(rows), **{name: float(values[rows].mean()) for name, values in columns.items()}}
                for rows in tenths
            ],
        }


@dataclass(frozen=True, eq=False)
class Predicted:
    """The predictions of a batch of documents."""

    sets: sp.csr_array
    expected_f1: Array
    """NaN where the inference cannot compute it."""
    probability: Array | None


def paired_labels(
    classifier: SetClassifier, y: list[list[str]], predicted: sp.csr_array
) -> tuple[LabelMatrix, LabelMatrix]:
    """Return true and predicted label sets with equal columns: the labels of the classifier, then unknown ones.

    Parameters
    ----------
    classifier : SetClassifier
    y : list of lists of str
        The true labels of each document.
    predicted : sparse array of shape (n_samples, n_labels)
        Over the labels of the classifier.
    """
    classes = [str(name) for name in classifier.classes_]
    unknown = sorted({name for names in y for name in names} - set(classes))
    y_true = LabelMatrix.of(y, [*classes, *unknown])
    widened = sp.csr_array((predicted.data, predicted.indices, predicted.indptr), shape=y_true.shape)
    return y_true, y_true.with_indicator(widened)


class BatchScorer:
    """Predicts batches of documents and scores all of them; stores label sets, not documents."""

    def __init__(self, classifier: SetClassifier) -> None:
        self._classifier = classifier
        self._true: list[list[str]] = []
        self._batches: list[Predicted] = []

    def add(self, X: Any, y: list[list[str]], coverage: Array | None = None) -> Predicted:
        """Predict a batch of documents, store the result with the true label sets ``y``, and return it."""
        predicted = self.predicted(X, coverage)
        self.add_predicted(predicted, y)
        return predicted

    def predicted(self, X: Any, coverage: Array | None = None) -> Predicted:
        """Predict a batch of documents, and store nothing."""
        if self._classifier.confidence_ is None:
            decision = self._classifier.predict_with_value(X)
            return Predicted(decision.sets, decision.value, None)
        found = self._classifier.confidence(X, coverage)
        return Predicted(found.sets, found.expected_f1, found.probability)

    def add_predicted(self, predicted: Predicted, y: list[list[str]]) -> None:
        """Store what was predicted for a batch of documents, with their true label sets."""
        self._true += y
        self._batches.append(predicted)

    def evaluation(self) -> Evaluation:
        """Return the label sets of all batches."""
        predicted = sp.csr_array(sp.vstack([one.sets for one in self._batches], format="csr"))
        y_true, y_pred = paired_labels(self._classifier, self._true, predicted)
        values = np.concatenate([one.expected_f1 for one in self._batches])
        sure = [one.probability for one in self._batches if one.probability is not None]
        return Evaluation(
            y_true,
            y_pred,
            None if np.isnan(values).any() else values,
            np.concatenate(sure) if sure else None,
            self._classifier.support_,
            list(y_true.names[len(self._classifier.classes_) :]),
        )

    def scores(self) -> Scores:
        """Score all batches; labels that the model was not trained on count as missed."""
        return self.evaluation().scores()
