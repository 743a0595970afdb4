"""Metrics of predicted label sets, and the registry by which users choose one.

One convention applies throughout: **F1 of two empty sets is 1** (:data:`F1_OF_EMPTY_SETS`), and so are their precision
and recall; where only one of the two sets is empty, all three are 0. scikit-learn's default gives 0 for two empty sets,
and agrees with setwise in every other case.

:func:`macro_f1` leaves labels that are neither true nor predicted out of its mean, and :func:`n_absent_labels` counts
them; ``macro_f1(..., zero_division=0.0)`` counts them as 0, which is scikit-learn's default.
"""

from setwise.metrics.calibration import calibration_error
from setwise.metrics.differences import Difference, paired_difference
from setwise.metrics.documents import hamming_loss, instance_f1, instance_precision, instance_recall, set_accuracy
from setwise.metrics.labels import LabelScore, label_table, macro_f1, micro_f1, n_absent_labels
from setwise.metrics.overlap import F1_OF_EMPTY_SETS, Overlap, read_pair
from setwise.metrics.registry import METRICS, Metric, MetricName, checked_metric, evaluate_metric, oriented

__all__ = [
    "F1_OF_EMPTY_SETS",
    "METRICS",
    "Difference",
    "LabelScore",
    "Metric",
    "MetricName",
    "Overlap",
    "calibration_error",
    "checked_metric",
    "evaluate_metric",
    "hamming_loss",
    "instance_f1",
    "instance_precision",
    "instance_recall",
    "label_table",
    "macro_f1",
    "micro_f1",
    "n_absent_labels",
    "oriented",
    "paired_difference",
    "read_pair",
    "set_accuracy",
]
