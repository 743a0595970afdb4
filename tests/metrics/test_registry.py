"""The registry of metrics: a new metric needs one entry, and tuning reads it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from setwise import SetClassifier
from setwise.exceptions import InvalidParameter
from setwise.labels import LabelMatrix
from setwise.metrics import METRICS, Metric, checked_metric, evaluate_metric, oriented
from setwise.models import BinaryRelevance
from tests.models.corpora import small_corpus


def mean_size(y_true: Any, y_pred: Any) -> float:
    """Return the mean number of predicted labels."""
    return float(LabelMatrix.of(y_pred).sizes.mean())


@pytest.mark.parametrize("higher_is_better", [True, False])
def test_a_metric_of_the_registry_can_be_tuned_for(monkeypatch: pytest.MonkeyPatch, higher_is_better: bool) -> None:
    """The largest sets are best, or the smallest; the chosen threshold follows."""
    monkeypatch.setitem(METRICS, "toy", Metric("toy", mean_size, higher_is_better))
    X, y = small_corpus(n=60)
    classifier = SetClassifier(BinaryRelevance(strength=0.01), scoring="toy", budget="quick").fit(X, y)
    assert classifier.tuning_ is not None
    values = [alternative.value for alternative in classifier.tuning_.alternatives]
    assert classifier.tuning_.scoring == "toy"
    assert classifier.tuning_.value == (max(values) if higher_is_better else min(values))
    assert min(values) < max(values)


@pytest.mark.parametrize("name", METRICS)
def test_every_metric_is_best_for_exact_predictions(name: str) -> None:
    y = np.array([[1, 0, 1], [0, 0, 0], [0, 1, 0]])
    assert METRICS[name].name == name
    best, worse = (oriented(name, evaluate_metric(name, y, predicted)) for predicted in (y, 1 - y))
    assert best > worse
    assert best == (1.0 if METRICS[name].higher_is_better else 0.0)
    assert oriented(name, oriented(name, 0.25)) == 0.25


@pytest.mark.parametrize("name", ["f1", "", None, 3, ["instance_f1"]])
def test_an_unknown_metric_is_refused(name: Any) -> None:
    with pytest.raises(InvalidParameter, match=r"^metric must be one of 'instance_f1', .*; got "):
        checked_metric(name)


def test_a_metric_that_exists_is_returned_as_a_string() -> None:
    assert checked_metric("micro_f1") == "micro_f1"
