"""Metrics that look at each document's label set, then average over documents."""

from __future__ import annotations

from typing import Any

import numpy as np

from setwise.metrics.overlap import Overlap, read_pair

__all__ = ["hamming_loss", "instance_f1", "instance_precision", "instance_recall", "set_accuracy"]


def instance_f1(y_true: Any, y_pred: Any) -> float:
    """F1 of each document's predicted set, averaged over documents."""
    return float(_by_document(y_true, y_pred).f1.mean())


def instance_precision(y_true: Any, y_pred: Any) -> float:
    """The share of each document's predicted labels that are true, averaged over documents."""
    return float(_by_document(y_true, y_pred).precision.mean())


def instance_recall(y_true: Any, y_pred: Any) -> float:
    """The share of each document's true labels that are predicted, averaged over documents."""
    return float(_by_document(y_true, y_pred).recall.mean())


def set_accuracy(y_true: Any, y_pred: Any) -> float:
    """The share of documents whose predicted set is exactly the true one."""
    overlap = _by_document(y_true, y_pred)
    return float(np.mean((overlap.shared == overlap.true) & (overlap.shared == overlap.predicted)))


def hamming_loss(y_true: Any, y_pred: Any) -> float:
    """The share of all (document, label) pairs that are predicted wrongly."""
    true, predicted = read_pair(y_true, y_pred)
    overlap = Overlap.by_document(true, predicted)
    wrong = overlap.true + overlap.predicted - 2 * overlap.shared
    return float(wrong.sum() / (true.n_samples * true.n_labels))


def _by_document(y_true: Any, y_pred: Any) -> Overlap:
    return Overlap.by_document(*read_pair(y_true, y_pred))
