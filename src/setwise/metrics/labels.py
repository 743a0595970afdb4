"""Metrics that compare the documents of each label."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from setwise._validation import Interval
from setwise.exceptions import InvalidParameter
from setwise.metrics.overlap import F1_OF_EMPTY_SETS, Overlap, read_pair

__all__ = ["LabelScore", "label_table", "macro_f1", "micro_f1", "n_absent_labels"]


@dataclass(frozen=True)
class LabelScore:
    """Precision, recall and F1 of one label: a row of :func:`label_table`.

    Attributes
    ----------
    name : str
        The label.
    n_true, n_predicted, n_shared : int
        Number of documents that have the label, for which it is predicted, and both.
    precision, recall, f1 : float
        All three are 1 where no document has the label and it is never predicted.
    """

    name: str
    n_true: int
    n_predicted: int
    n_shared: int
    precision: float
    recall: float
    f1: float


def micro_f1(y_true: Any, y_pred: Any) -> float:
    """Return the F1 over all (document, label) pairs.

    Parameters
    ----------
    y_true, y_pred : array-like, sparse matrix, data frame or list of label lists
        True and predicted labels, in any form that ``SetClassifier.fit`` accepts.

    Returns
    -------
    float
        A number between 0 and 1; higher is better. It is 1 where no label is true or predicted.

    Examples
    --------
    >>> from setwise.metrics import micro_f1
    >>> micro_f1([["news", "sport"], ["sport"]], [["sport"], ["sport"]])
    0.8
    """
    return float(Overlap.by_label(*read_pair(y_true, y_pred)).pooled().f1[0])


def macro_f1(y_true: Any, y_pred: Any, *, zero_division: float = np.nan) -> float:
    """Return the F1 of each label, averaged over labels.

    Parameters
    ----------
    y_true, y_pred : array-like, sparse matrix, data frame or list of label lists
        True and predicted labels, in any form that ``SetClassifier.fit`` accepts.
    zero_division : {nan, 0.0, 1.0}
        The F1 of a label that is neither true nor predicted in any document, as in scikit-learn's ``f1_score``. NaN
        leaves such labels out of the mean; 0.0 is scikit-learn's default. Where all labels are left out, the result is
        ``F1_OF_EMPTY_SETS``, as for ``micro_f1``. :func:`n_absent_labels` counts these labels.

    Returns
    -------
    float
        A number between 0 and 1; higher is better.

    Examples
    --------
    >>> from setwise.metrics import macro_f1
    >>> macro_f1([[1, 0, 0], [1, 0, 0]], [[1, 1, 0], [1, 0, 0]])
    0.5
    >>> round(macro_f1([[1, 0, 0], [1, 0, 0]], [[1, 1, 0], [1, 0, 0]], zero_division=0.0), 4)
    0.3333
    """
    value = _checked_zero_division(zero_division)
    overlap = Overlap.by_label(*read_pair(y_true, y_pred))
    f1, absent = overlap.f1, overlap.both_empty
    if not np.isnan(value):
        return float(np.where(absent, value, f1).mean())
    return F1_OF_EMPTY_SETS if absent.all() else float(f1[~absent].mean())


def n_absent_labels(y_true: Any, y_pred: Any) -> int:
    """Return the number of labels that are neither true nor predicted in any document.

    Parameters
    ----------
    y_true, y_pred : array-like, sparse matrix, data frame or list of label lists
        True and predicted labels, in any form that ``SetClassifier.fit`` accepts.

    Returns
    -------
    int
        The number of labels that :func:`macro_f1` leaves out of its mean.

    Examples
    --------
    >>> from setwise.metrics import n_absent_labels
    >>> n_absent_labels([[1, 0, 0], [1, 0, 0]], [[1, 1, 0], [1, 0, 0]])
    1
    """
    return int(Overlap.by_label(*read_pair(y_true, y_pred)).both_empty.sum())


def label_table(y_true: Any, y_pred: Any) -> list[LabelScore]:
    """Return precision, recall and F1 of each label, in the order of the labels.

    Parameters
    ----------
    y_true, y_pred : array-like, sparse matrix, data frame or list of label lists
        True and predicted labels, in any form that ``SetClassifier.fit`` accepts.

    Returns
    -------
    list of LabelScore
        One row per label.

    Examples
    --------
    >>> from setwise.metrics import label_table
    >>> [(row.name, row.f1) for row in label_table([["news"], ["sport"]], [["news"], []])]
    [('news', 1.0), ('sport', 0.0)]
    """
    true, predicted = read_pair(y_true, y_pred)
    overlap = Overlap.by_label(true, predicted)
    counts = zip(
        *(part.astype(int).tolist() for part in (overlap.true, overlap.predicted, overlap.shared)), strict=True
    )
    ratios = zip(*(part.tolist() for part in (overlap.precision, overlap.recall, overlap.f1)), strict=True)
    return [LabelScore(name, *n, *r) for name, n, r in zip(true.names, counts, ratios, strict=True)]


def _checked_zero_division(value: Any) -> float:
    is_nan = isinstance(value, float | np.floating) and np.isnan(value)
    if not is_nan and not (Interval("real", 0, 1).holds(value) and value in (0, 1)):
        raise InvalidParameter(
            f"zero_division must be 0, 1 or NaN; got {value!r}. Hint: NaN leaves absent labels out of the mean."
        )
    return float(value)
