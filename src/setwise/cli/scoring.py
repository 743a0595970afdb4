"""Metrics of predictions that come batch by batch."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from setwise.classifier import SetClassifier
from setwise.labels import LabelMatrix
from setwise.metrics import (
    calibration_error,
    hamming_loss,
    instance_f1,
    instance_precision,
    instance_recall,
    label_table,
    macro_f1,
    micro_f1,
    n_absent_labels,
    set_accuracy,
)
from setwise.metrics.overlap import Overlap

__all__ = ["Scores", "Scoring"]


@dataclass(frozen=True)
class Scores:
    """How well sets were predicted; all shares are fractions."""

    n_documents: int
    instance_f1: float
    instance_precision: float
    instance_recall: float
    set_accuracy: float
    hamming_loss: float
    micro_f1: float
    macro_f1: float
    n_labels_left_out: int
    """Labels that are neither true nor predicted; macro F1 leaves them out."""
    predicted_unseen: int
    """Predicted sets that no training document has."""
    true_unseen: int
    expected_f1: float | None
    """The mean of what the predictions were expected to be worth; None where that cannot be told."""
    expected_f1_error: float | None
    """How far expectation and F1 are apart, on the average over bins of like expectation."""
    unknown_labels: list[str]
    labels: list[dict[str, Any]]


class Scoring:
    """Collects predictions and true sets; only these are held, not the documents."""

    def __init__(self, classifier: SetClassifier) -> None:
        self._classifier = classifier
        self._truth: list[list[str]] = []
        self._predicted: list[sp.csr_array] = []
        self._expected: list[NDArray[np.float64]] = []

    def add(self, X: Any, truth: list[list[str]]) -> None:
        """Predict some documents and note their true sets."""
        self._truth += truth
        decided = self._classifier.decide(X)
        self._predicted.append(decided.sets)
        self._expected.append(decided.value)

    def scores(self) -> Scores:
        """Measure all that was added. Labels that the model does not know are columns of their own."""
        known = [str(name) for name in self._classifier.classes_]
        unknown = sorted({name for names in self._truth for name in names} - set(known))
        predicted = sp.csr_array(sp.vstack(self._predicted, format="csr"))
        support = self._classifier.support_
        truth = LabelMatrix.of(self._truth, [*known, *unknown])
        wide = sp.csr_array((predicted.data, predicted.indices, predicted.indptr), shape=truth.shape)
        found = truth.with_indicator(wide)
        true_known = [names for names in self._truth if not set(names) - set(known)]
        n_seen = int((support.index_of(true_known) >= 0).sum()) if true_known else 0
        values = np.concatenate(self._expected)
        expected = None if np.isnan(values).any() else values
        f1 = Overlap.by_document(truth, found).f1
        return Scores(
            n_documents=len(self._truth),
            instance_f1=instance_f1(truth, found),
            instance_precision=instance_precision(truth, found),
            instance_recall=instance_recall(truth, found),
            set_accuracy=set_accuracy(truth, found),
            hamming_loss=hamming_loss(truth, found),
            micro_f1=micro_f1(truth, found),
            macro_f1=macro_f1(truth, found),
            n_labels_left_out=n_absent_labels(truth, found),
            predicted_unseen=int((support.index_of(support.sets.with_indicator(predicted)) < 0).sum()),
            true_unseen=len(self._truth) - n_seen,
            expected_f1=None if expected is None else float(expected.mean()),
            expected_f1_error=None if expected is None else float(calibration_error(expected, f1)),
            unknown_labels=unknown,
            labels=[asdict(row) for row in label_table(truth, found)],
        )
