"""Metrics that look at each label's documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from setwise.metrics.overlap import Overlap, read_pair

__all__ = ["LabelScore", "label_table", "macro_f1", "micro_f1"]


@dataclass(frozen=True)
class LabelScore:
    """One row of the label table: how often a label is true, predicted and both, and what follows."""

    name: str
    n_true: int
    n_predicted: int
    n_shared: int
    precision: float
    recall: float
    f1: float


def micro_f1(y_true: Any, y_pred: Any) -> float:
    """F1 over all (document, label) pairs at once."""
    return float(Overlap.by_label(*read_pair(y_true, y_pred)).pooled().f1[0])


def macro_f1(y_true: Any, y_pred: Any) -> float:
    """F1 of each label, averaged over labels.

    A label neither present nor predicted counts as 1, by the convention of this package. ``label_table`` shows which
    labels those are.
    """
    return float(Overlap.by_label(*read_pair(y_true, y_pred)).f1.mean())


def label_table(y_true: Any, y_pred: Any) -> list[LabelScore]:
    """Precision, recall and F1 of each label, in the order of the labels."""
    true, predicted = read_pair(y_true, y_pred)
    overlap = Overlap.by_label(true, predicted)
    counts = zip(
        *(part.astype(int).tolist() for part in (overlap.true, overlap.predicted, overlap.shared)), strict=True
    )
    ratios = zip(*(part.tolist() for part in (overlap.precision, overlap.recall, overlap.f1)), strict=True)
    return [LabelScore(name, *n, *r) for name, n, r in zip(true.names, counts, ratios, strict=True)]
