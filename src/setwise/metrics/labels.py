"""Metrics that look at each label's documents."""

from __future__ import annotations

import numbers
from dataclasses import dataclass
from typing import Any

import numpy as np

from setwise.exceptions import InvalidParameter
from setwise.metrics.convention import F1_OF_EMPTY_SETS
from setwise.metrics.overlap import Overlap, read_pair

__all__ = ["LabelScore", "label_table", "macro_f1", "micro_f1", "n_absent_labels"]


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


def macro_f1(y_true: Any, y_pred: Any, *, zero_division: float = np.nan) -> float:
    """Return the F1 of each label, averaged over labels.

    Parameters
    ----------
    y_true, y_pred
        True and predicted labels, in any form that ``SetClassifier.fit`` takes.
    zero_division : {nan, 0.0, 1.0}
        The F1 of a label that is neither true nor predicted in any document, as in scikit-learn's ``f1_score``. NaN
        leaves such labels out of the mean; 0.0 is scikit-learn's default. Where all labels are left out, the result is
        ``F1_OF_EMPTY_SETS``, as for ``micro_f1``. :func:`n_absent_labels` counts these labels.
    """
    value = _checked_zero_division(zero_division)
    overlap = Overlap.by_label(*read_pair(y_true, y_pred))
    f1, absent = overlap.f1, overlap.both_empty
    if not np.isnan(value):
        return float(np.where(absent, value, f1).mean())
    return F1_OF_EMPTY_SETS if absent.all() else float(f1[~absent].mean())


def n_absent_labels(y_true: Any, y_pred: Any) -> int:
    """Return the number of labels that are neither true nor predicted in any document."""
    return int(Overlap.by_label(*read_pair(y_true, y_pred)).both_empty.sum())


def label_table(y_true: Any, y_pred: Any) -> list[LabelScore]:
    """Precision, recall and F1 of each label, in the order of the labels."""
    true, predicted = read_pair(y_true, y_pred)
    overlap = Overlap.by_label(true, predicted)
    counts = zip(
        *(part.astype(int).tolist() for part in (overlap.true, overlap.predicted, overlap.shared)), strict=True
    )
    ratios = zip(*(part.tolist() for part in (overlap.precision, overlap.recall, overlap.f1)), strict=True)
    return [LabelScore(name, *n, *r) for name, n, r in zip(true.names, counts, ratios, strict=True)]


def _checked_zero_division(value: Any) -> float:
    number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if not number or not (value in (0, 1) or np.isnan(float(value))):
        raise InvalidParameter(f"zero_division must be 0, 1 or NaN (leave out); got {value!r}.")
    return float(value)
