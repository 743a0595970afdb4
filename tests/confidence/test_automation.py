"""Thresholds for a target: bounds against their definition, and promises that hold on other documents."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.stats
from numpy.typing import NDArray

from setwise.confidence import automation_threshold, clopper_pearson, empirical_threshold
from setwise.confidence.automation import N_CUTS
from setwise.exceptions import InvalidData, InvalidParameter

Array = NDArray[np.float64]


def documents(n: int, random_state: int) -> tuple[Array, Array]:
    """Return honest confidences, and outcomes that are right with that chance."""
    random = np.random.default_rng(random_state)
    confidence = random.beta(4, 1, n)
    return confidence, (random.random(n) < confidence).astype(np.float64)


@pytest.mark.parametrize(("n_right", "n"), [(10, 10), (0, 10), (45, 60), (1, 1), (999, 1000)])
def test_clopper_pearson_is_the_exact_test_turned_around(n_right: int, n: int) -> None:
    """At the bound, so many right ones or more have exactly the given chance."""
    bound = clopper_pearson(n_right, n, 0.05)
    assert bound == pytest.approx(scipy.stats.binomtest(n_right, n, alternative="greater").proportion_ci(0.95).low)
    if n_right:
        assert scipy.stats.binom.sf(n_right - 1, n, bound) == pytest.approx(0.05)


def test_the_lowest_cut_whose_bound_meets_the_target() -> None:
    confidence, outcome = documents(1000, 0)
    found = automation_threshold(confidence, outcome, 0.9)
    assert found.threshold is not None
    assert found.bound is not None
    assert found.bound >= 0.9
    accepted = found.accepts(confidence)
    assert found.share == accepted.mean()
    assert found.value == outcome[accepted].mean()
    assert found.bound == clopper_pearson(int(outcome[accepted].sum()), int(accepted.sum()), 0.1 / N_CUTS)
    for cut in np.sort(confidence)[:: 1000 // N_CUTS]:
        if cut < found.threshold:
            below = outcome[confidence >= cut]
            assert clopper_pearson(int(below.sum()), len(below), 0.1 / N_CUTS) < 0.9


def test_nothing_is_automated_where_no_cut_meets_the_target() -> None:
    confidence, outcome = documents(40, 0)
    found = automation_threshold(confidence, outcome, 0.99)
    assert (found.threshold, found.share, found.value, found.bound) == (None, 0.0, None, None)
    assert not found.accepts(confidence).any()


def test_documents_of_equal_confidence_are_accepted_together() -> None:
    found = automation_threshold(np.full(500, 0.7), np.ones(500), 0.9)
    assert (found.threshold, found.share) == (0.7, 1.0)


@pytest.mark.parametrize("metric", ["accuracy", "f1"])
def test_promises_hold_on_other_documents(metric: Any) -> None:
    """On other documents of the same kind the target is met in nine of ten splits; the empirical cut fails often."""
    kept, broken, n_splits = 0, 0, 200
    for split in range(n_splits):
        confidence, outcome = documents(1200, split)
        first, second = (confidence[:600], outcome[:600]), (confidence[600:], outcome[600:])
        accepted = automation_threshold(*first, 0.9, metric=metric, random_state=split).accepts(second[0])
        kept += not accepted.any() or second[1][accepted].mean() >= 0.9
        threshold = empirical_threshold(*first, 0.9)
        assert threshold is not None
        broken += second[1][second[0] >= threshold].mean() < 0.9
    assert kept >= 0.9 * n_splits
    assert broken >= 0.3 * n_splits


def test_the_empirical_cut_is_the_lowest_that_meets_the_target() -> None:
    confidence, outcome = np.array([0.9, 0.8, 0.8, 0.6, 0.5]), np.array([1.0, 1.0, 0.0, 1.0, 0.0])
    assert empirical_threshold(confidence, outcome, 0.75) == 0.6
    assert empirical_threshold(confidence, outcome, 0.9) == 0.9
    assert empirical_threshold(confidence, 1.0 - outcome, 0.9) is None


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"target": 1.5}, InvalidParameter, "target must be a number between 0 and 1; got 1.5."),
        ({"level": 1.0}, InvalidParameter, "level must be a number above 0 and below 1; got 1.0."),
        ({"metric": "recall"}, InvalidParameter, "metric must be one of"),
        ({"outcome": np.ones(3)}, InvalidData, "both must be lists"),
    ],
)
def test_parameters_are_checked(change: dict[str, Any], error: type[Exception], message: str) -> None:
    confidence, outcome = documents(10, 0)
    options = {"confidence": confidence, "outcome": outcome, "target": 0.9, **change}
    with pytest.raises(error, match=message):
        automation_threshold(**options)
