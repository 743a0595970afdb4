"""The expected calibration error, against worked examples, bounds and bad input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from setwise.exceptions import InvalidData, InvalidParameter
from setwise.metrics import calibration_error

SHARES = st.floats(0.0, 1.0)


def test_worked_example() -> None:
    """Two bins of two documents: predicted 0.2 and 0.7 on average, observed 0.5 and 0.5."""
    predicted, observed = [0.9, 0.1, 0.5, 0.3], [1, 0, 0, 1]
    assert calibration_error(predicted, observed, n_bins=2) == pytest.approx((0.3 + 0.2) / 2)
    assert calibration_error(predicted, observed, n_bins=1) == pytest.approx(0.05)


def test_bins_have_equal_mass_up_to_one_document() -> None:
    """Five documents in two bins: the three lowest, and the two highest."""
    predicted, observed = [0.1, 0.2, 0.3, 0.8, 0.9], [0.0, 0.0, 0.0, 1.0, 1.0]
    assert calibration_error(predicted, observed, n_bins=2) == pytest.approx((3 * 0.2 + 2 * 0.15) / 5)


@given(st.lists(st.tuples(SHARES, SHARES), min_size=1, max_size=30), st.integers(1, 40), st.randoms())
def test_between_the_difference_of_means_and_the_mean_of_differences(
    pairs: list[tuple[float, float]], n_bins: int, random: Any
) -> None:
    predicted, observed = np.array(pairs).T
    error = calibration_error(predicted, observed, n_bins)
    assert abs(predicted.mean() - observed.mean()) - 1e-12 <= error <= np.abs(predicted - observed).mean() + 1e-12
    assert calibration_error(predicted, predicted, n_bins) == 0.0
    random.shuffle(pairs)
    shuffled, outcomes = np.array(pairs).T
    assert calibration_error(shuffled, outcomes, n_bins) == pytest.approx(error, abs=1e-12)


def test_true_probabilities_have_a_small_error_and_overconfident_ones_a_large_error() -> None:
    random = np.random.default_rng(0)
    probabilities = random.random(20_000)
    outcomes = random.random(20_000) < probabilities
    assert calibration_error(probabilities, outcomes) < 0.02
    assert calibration_error(np.sqrt(probabilities), outcomes) > 0.15


@pytest.mark.parametrize("n_bins", [0, 1.5, True, "ten"])
def test_invalid_numbers_of_bins_are_refused(n_bins: Any) -> None:
    with pytest.raises(InvalidParameter, match=r"^n_bins must be an integer of at least 1; got "):
        calibration_error([0.5], [1], n_bins)


@pytest.mark.parametrize(
    ("predicted", "observed", "message"),
    [
        ([0.5], [1, 0], "predicted has 1 values but observed has 2"),
        ([[0.5]], [1], "predicted must be a list of numbers, one per document; got shape"),
        ([], [], "predicted must be a list of numbers, one per document; got shape"),
        ([0.5], [np.nan], "observed must hold finite numbers; got nan"),
        (["half"], [1], "predicted must be a list of numbers, one per document"),
    ],
    ids=str,
)
def test_values_that_cannot_be_compared_are_refused(predicted: Any, observed: Any, message: str) -> None:
    with pytest.raises(InvalidData, match=f"^{message}"):
        calibration_error(predicted, observed)


def test_equal_predictions_that_are_right_on_average_have_no_error() -> None:
    """However their documents are spread over the bins: four of ten are right where 0.4 is predicted."""
    observed = [1.0, 0.0, 0.0, 1.0, 0.0] * 20
    assert calibration_error([0.4] * 100, observed) == pytest.approx(0.0, abs=1e-12)
    assert calibration_error([0.5] * 100, observed) == pytest.approx(0.1)
