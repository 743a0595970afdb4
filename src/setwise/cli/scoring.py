"""Metrics of predictions that are computed batch by batch."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from setwise.classifier import SetClassifier
from setwise.labels import LabelMatrix
from setwise.metrics import METRICS, Overlap, calibration_error, evaluate_metric, label_table, n_absent_labels

__all__ = ["BatchScorer", "Scores", "metric_title"]


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


class BatchScorer:
    """Predicts batches of documents and scores all of them; stores label sets, not documents."""

    def __init__(self, classifier: SetClassifier) -> None:
        self._classifier = classifier
        self._true: list[list[str]] = []
        self._predicted: list[sp.csr_array] = []
        self._expected: list[NDArray[np.float64]] = []

    def add(self, X: Any, y: list[list[str]]) -> None:
        """Predict a batch of documents and store the result with the true label sets ``y``."""
        self._true += y
        decision = self._classifier.predict_with_value(X)
        self._predicted.append(decision.sets)
        self._expected.append(decision.value)

    def scores(self) -> Scores:
        """Score all batches; labels that the model was not trained on count as missed."""
        classes = [str(name) for name in self._classifier.classes_]
        unknown = sorted({name for names in self._true for name in names} - set(classes))
        predicted = sp.csr_array(sp.vstack(self._predicted, format="csr"))
        support = self._classifier.support_
        y_true = LabelMatrix.of(self._true, [*classes, *unknown])
        widened = sp.csr_array((predicted.data, predicted.indices, predicted.indptr), shape=y_true.shape)
        y_pred = y_true.with_indicator(widened)
        of_known_labels = [names for names in self._true if not set(names) - set(classes)]
        n_seen = int((support.index_of(of_known_labels) >= 0).sum()) if of_known_labels else 0
        values = np.concatenate(self._expected)
        expected = None if np.isnan(values).any() else values
        f1 = Overlap.by_document(y_true, y_pred).f1
        return Scores(
            n_documents=len(self._true),
            metrics={name: evaluate_metric(name, y_true, y_pred) for name in METRICS},
            n_absent_labels=n_absent_labels(y_true, y_pred),
            n_predicted_unseen=int((support.index_of(support.sets.with_indicator(predicted)) < 0).sum()),
            n_true_unseen=len(self._true) - n_seen,
            expected_f1=None if expected is None else float(expected.mean()),
            expected_f1_error=None if expected is None else float(calibration_error(expected, f1)),
            unknown_labels=unknown,
            labels=[asdict(row) for row in label_table(y_true, y_pred)],
        )
