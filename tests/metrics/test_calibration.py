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
    """Two bins of two documents: stated 0.2 and 0.7 on average, attained 0.5 and 0.5."""
    stated, attained = [0.9, 0.1, 0.5, 0.3], [1, 0, 0, 1]
    assert calibration_error(stated, attained, n_bins=2) == pytest.approx((0.3 + 0.2) / 2)
    assert calibration_error(stated, attained, n_bins=1) == pytest.approx(0.05)


def test_bins_have_equal_mass_as_far_as_they_can() -> None:
    """Five documents in two bins: the three lowest, and the two highest."""
    stated, attained = [0.1, 0.2, 0.3, 0.8, 0.9], [0.0, 0.0, 0.0, 1.0, 1.0]
    assert calibration_error(stated, attained, n_bins=2) == pytest.approx((3 * 0.2 + 2 * 0.15) / 5)


@given(st.lists(st.tuples(SHARES, SHARES), min_size=1, max_size=30), st.integers(1, 40), st.randoms())
def test_between_the_difference_of_means_and_the_mean_of_differences(
    pairs: list[tuple[float, float]], n_bins: int, random: Any
) -> None:
    stated, attained = np.array(pairs).T
    error = calibration_error(stated, attained, n_bins)
    assert abs(stated.mean() - attained.mean()) - 1e-12 <= error <= np.abs(stated - attained).mean() + 1e-12
    assert calibration_error(stated, stated, n_bins) == 0.0
    random.shuffle(pairs)
    assert calibration_error(*np.array(pairs).T, n_bins) == pytest.approx(error, abs=1e-12)


def test_what_is_honest_has_little_error_and_what_boasts_has_much() -> None:
    random = np.random.default_rng(0)
    chances = random.random(20_000)
    came = random.random(20_000) < chances
    assert calibration_error(chances, came) < 0.02
    assert calibration_error(np.sqrt(chances), came) > 0.15


@pytest.mark.parametrize("n_bins", [0, 1.5, True, "ten"])
def test_bins_that_are_none_are_refused(n_bins: Any) -> None:
    with pytest.raises(InvalidParameter, match=r"^n_bins must be a whole number from 1 up; got "):
        calibration_error([0.5], [1], n_bins)


@pytest.mark.parametrize(
    ("stated", "attained", "message"),
    [
        ([0.5], [1, 0], "stated and attained must have one number a document; got 1 and 2"),
        ([[0.5]], [1], "stated must have one number a document; got shape"),
        ([], [], "stated must have one number a document; got shape"),
        ([0.5], [np.nan], "attained must hold finite numbers; got nan"),
        (["half"], [1], "stated must have one number a document"),
    ],
    ids=str,
)
def test_what_cannot_be_compared_is_refused(stated: Any, attained: Any, message: str) -> None:
    with pytest.raises(InvalidData, match=f"^{message}"):
        calibration_error(stated, attained)
