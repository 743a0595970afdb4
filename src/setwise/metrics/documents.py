"""Metrics that compare the label sets of each document and average over documents."""

from __future__ import annotations

from typing import Any

import numpy as np

from setwise.metrics.overlap import Overlap, read_pair

__all__ = ["hamming_loss", "instance_f1", "instance_precision", "instance_recall", "set_accuracy"]


def instance_f1(y_true: Any, y_pred: Any) -> float:
    """Return the F1 of each document's predicted set, averaged over documents.

    The F1 of a true set T and a predicted set P is ``2 |T and P| / (|T| + |P|)``, and 1 where both are empty.

    Parameters
    ----------
    y_true, y_pred : array-like, sparse matrix, data frame or list of label lists
        True and predicted labels, in any form that ``SetClassifier.fit`` accepts.

    Returns
    -------
    float
        A number between 0 and 1; higher is better.

    Examples
    --------
    >>> from setwise.metrics import instance_f1
    >>> instance_f1([["news", "sport"], []], [["sport"], []])
    0.8333333333333333
    """
    return float(_by_document(y_true, y_pred).f1.mean())


def instance_precision(y_true: Any, y_pred: Any) -> float:
    """Return the share of each document's predicted labels that are true, averaged over documents.

    Two empty sets count as 1, and an empty prediction for a document with labels as 0.

    Parameters
    ----------
    y_true, y_pred : array-like, sparse matrix, data frame or list of label lists
        True and predicted labels, in any form that ``SetClassifier.fit`` accepts.

    Returns
    -------
    float
        A number between 0 and 1; higher is better.

    Examples
    --------
    >>> from setwise.metrics import instance_precision
    >>> instance_precision([["news"], ["sport"]], [["news", "sport"], ["sport"]])
    0.75
    """
    return float(_by_document(y_true, y_pred).precision.mean())


def instance_recall(y_true: Any, y_pred: Any) -> float:
    """Return the share of each document's true labels that are predicted, averaged over documents.

    Two empty sets count as 1, and a prediction for a document without labels as 0.

    Parameters
    ----------
    y_true, y_pred : array-like, sparse matrix, data frame or list of label lists
        True and predicted labels, in any form that ``SetClassifier.fit`` accepts.

    Returns
    -------
    float
        A number between 0 and 1; higher is better.

    Examples
    --------
    >>> from setwise.metrics import instance_recall
    >>> instance_recall([["news", "sport"], ["sport"]], [["news"], ["sport"]])
    0.75
    """
    return float(_by_document(y_true, y_pred).recall.mean())


def set_accuracy(y_true: Any, y_pred: Any) -> float:
    """Return the share of documents whose predicted set equals the true set.

    This is scikit-learn's ``accuracy_score`` for multi-label targets.

    Parameters
    ----------
    y_true, y_pred : array-like, sparse matrix, data frame or list of label lists
        True and predicted labels, in any form that ``SetClassifier.fit`` accepts.

    Returns
    -------
    float
        A number between 0 and 1; higher is better.

    Examples
    --------
    >>> from setwise.metrics import set_accuracy
    >>> set_accuracy([["news", "sport"], ["sport"]], [["sport"], ["sport"]])
    0.5
    """
    overlap = _by_document(y_true, y_pred)
    return float(np.mean((overlap.shared == overlap.true) & (overlap.shared == overlap.predicted)))


def hamming_loss(y_true: Any, y_pred: Any) -> float:
    """Return the share of all (document, label) pairs that are predicted wrongly.

    Parameters
    ----------
    y_true, y_pred : array-like, sparse matrix, data frame or list of label lists
        True and predicted labels, in any form that ``SetClassifier.fit`` accepts.

    Returns
    -------
    float
        A number between 0 and 1; lower is better.

    Examples
    --------
    >>> from setwise.metrics import hamming_loss
    >>> hamming_loss([["news", "sport"], ["sport"]], [["sport"], ["sport"]])
    0.25
    """
    true, predicted = read_pair(y_true, y_pred)
    overlap = Overlap.by_document(true, predicted)
    wrong = overlap.true + overlap.predicted - 2 * overlap.shared
    return float(wrong.sum() / (true.n_samples * true.n_labels))


def _by_document(y_true: Any, y_pred: Any) -> Overlap:
    return Overlap.by_document(*read_pair(y_true, y_pred))
