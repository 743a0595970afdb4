"""Paired differences against every resample there is, and the sign test against its sum."""

from __future__ import annotations

from itertools import product
from math import comb

import numpy as np
import pytest
from numpy.testing import assert_allclose

from setwise.experiments.differences import Difference, compared, paired_difference


@pytest.mark.parametrize("apart", [(1.0, 0.0, 0.0, 0.0), (0.5, -0.25, 1.0), (-1.0, 0.0, 0.0, 0.0, 0.25)])
def test_interval_is_that_of_every_resample(apart: tuple[float, ...]) -> None:
    means = [np.mean(drawn) for drawn in product(apart, repeat=len(apart))]
    low, high = np.quantile(means, [0.025, 0.975], method="inverted_cdf")
    found = paired_difference(np.array(apart) + 1, np.ones(len(apart)))
    assert found.mean == pytest.approx(np.mean(apart))
    assert (found.low, found.high) == (pytest.approx(low), pytest.approx(high))


def test_interval_is_that_of_the_normal_law_for_many_documents() -> None:
    random = np.random.default_rng(1)
    theirs, apart = random.random(2_000), random.normal(0.02, 0.2, size=2_000)
    found = paired_difference(theirs + apart, theirs, 4_000)
    error = apart.std() / np.sqrt(apart.size)
    assert found.mean == pytest.approx(apart.mean())
    assert_allclose([found.low, found.high], apart.mean() + np.array([-1.96, 1.96]) * error, atol=0.15 * error)


def test_interval_is_paired_seeded_and_fair() -> None:
    random = np.random.default_rng(2)
    one, other = random.random((2, 300))
    assert paired_difference(one + 0.1, one) == Difference(*[pytest.approx(0.1)] * 3)  # type: ignore[arg-type]
    there, back = paired_difference(one, other, 500), paired_difference(other, one, 500)
    assert there == paired_difference(one, other, 500)
    assert there != paired_difference(one, other, 500, seed=1)
    error = np.std(one - other) / np.sqrt(300)
    assert_allclose([there.low, there.high], [-back.high, -back.low], atol=0.3 * error)


@pytest.mark.parametrize("theirs", [np.ones(3), np.ones((2, 1)), 1.0])
def test_interval_needs_both_of_each_document(theirs: object) -> None:
    with pytest.raises(ValueError, match="one number a document"):
        paired_difference(np.ones(2), theirs)  # type: ignore[arg-type]


@pytest.mark.parametrize(("wins", "losses", "ties"), [(9, 1, 0), (1, 9, 4), (3, 3, 2), (5, 0, 1), (7, 4, 0)])
def test_sign_test_is_the_sum_of_both_tails(wins: int, losses: int, ties: int) -> None:
    apart = np.array([0.1] * wins + [-0.2] * losses + [0.0] * ties)
    found = compared(0.5 + apart, np.full(apart.size, 0.5))
    n, least = wins + losses, max(wins, losses)
    tail = sum(comb(n, k) for k in range(least, n + 1)) / 2**n
    assert (found.wins, found.losses, found.ties) == (wins, losses, ties)
    assert found.p == pytest.approx(min(1.0, 2 * tail))


def test_equal_sides_are_all_ties() -> None:
    found = compared(np.array([0.1 + 0.2, 0.5]), np.array([0.3, 0.5]))
    assert (found.wins, found.losses, found.ties, found.p) == (0, 0, 2, 1.0)
