"""The registry of metrics: what a classifier can be tuned for, and what an evaluation reports."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from setwise._validation import OneOf, check_parameters
from setwise.metrics.documents import hamming_loss, instance_f1, instance_precision, instance_recall, set_accuracy
from setwise.metrics.labels import macro_f1, micro_f1

__all__ = ["METRICS", "Metric", "MetricName", "checked_metric", "evaluate_metric", "oriented"]

MetricName = str
"""A key of :data:`METRICS`."""


@dataclass(frozen=True)
class Metric:
    """A function of true and predicted label sets, under the name by which users choose it."""

    name: str
    function: Callable[[Any, Any], float]
    """Called as ``function(y_true, y_pred)``, each in any form that ``SetClassifier.fit`` accepts."""
    higher_is_better: bool = True
    """False for losses."""


METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric("instance_f1", instance_f1),
        Metric("set_accuracy", set_accuracy),
        Metric("micro_f1", micro_f1),
        Metric("macro_f1", macro_f1),
        Metric("hamming_loss", hamming_loss, higher_is_better=False),
        Metric("instance_precision", instance_precision),
        Metric("instance_recall", instance_recall),
    )
}
"""Every metric by name. A metric added here can be tuned for like the others."""


def evaluate_metric(metric: MetricName, y_true: Any, y_pred: Any) -> float:
    """Return the metric of that name for true and predicted label sets."""
    return METRICS[metric].function(y_true, y_pred)


def oriented(metric: MetricName, value: float) -> float:
    """Return the metric oriented so that higher is better; losses are negated. Applied twice, it is the identity."""
    return value if METRICS[metric].higher_is_better else -value


def checked_metric(metric: Any, called: str = "metric") -> MetricName:
    """Return ``metric``; raise ``InvalidParameter`` under the parameter's name unless it is a registered metric."""
    check_parameters({called: OneOf(METRICS)}, {called: metric})
    return str(metric)
