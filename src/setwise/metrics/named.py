"""Metrics by name, for those who choose by one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, get_args

from setwise.exceptions import InvalidParameter
from setwise.metrics.documents import hamming_loss, instance_f1, set_accuracy
from setwise.metrics.labels import macro_f1, micro_f1

__all__ = ["MetricName", "checked_metric", "evaluate_metric", "oriented"]

MetricName = Literal["instance_f1", "set_accuracy", "micro_f1", "macro_f1", "hamming_loss"]

_METRICS: dict[str, Callable[[Any, Any], float]] = {
    "instance_f1": instance_f1,
    "set_accuracy": set_accuracy,
    "micro_f1": micro_f1,
    "macro_f1": macro_f1,
    "hamming_loss": hamming_loss,
}


def evaluate_metric(metric: MetricName, truth: Any, predicted: Any) -> float:
    """Give the metric of that name."""
    return _METRICS[metric](truth, predicted)


def oriented(metric: MetricName, value: float) -> float:
    """Give what is higher where the metric is better: a loss with its sign changed. Twice, it is the value again."""
    return -value if metric == "hamming_loss" else value


def checked_metric(metric: Any) -> MetricName:
    """Give the name back where there is such a metric."""
    if metric not in get_args(MetricName):
        raise InvalidParameter(f"metric must be one of {', '.join(map(repr, _METRICS))}; got {metric!r}.")
    return metric  # type: ignore[no-any-return]
