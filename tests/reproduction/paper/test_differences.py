"""Paired differences against all possible resamples, and the sign test against its sum."""

from __future__ import annotations

from itertools import product
from math import comb

import numpy as np
import pytest
from numpy.testing import assert_allclose
from numpy.typing import ArrayLike

from reproduction.paper import compare, paired_difference


@pytest.mark.parametrize("differences", [(1.0, 0.0, 0.0, 0.0), (0.5, -0.25, 1.0), (-1.0, 0.0, 0.0, 0.0, 0.25)])
def test_the_interval_is_that_of_all_resamples(differences: tuple[float, ...]) -> None:
    means = [np.mean(resample) for resample in product(differences, repeat=len(differences))]
    low, high = np.quantile(means, [0.025, 0.975], method="inverted_cdf")
    result = paired_difference(np.array(differences) + 1, np.ones(len(differences)))
    assert result.mean == pytest.approx(np.mean(differences))
    assert [result.low, result.high] == pytest.approx([low, high])


def test_the_interval_of_many_documents_is_that_of_the_normal_distribution() -> None:
    generator = np.random.default_rng(1)
    theirs, differences = generator.random(2_000), generator.normal(0.02, 0.2, size=2_000)
    result = paired_difference(theirs + differences, theirs, 4_000)
    error = differences.std() / np.sqrt(differences.size)
    assert result.mean == pytest.approx(differences.mean())
    assert_allclose([result.low, result.high], differences.mean() + np.array([-1.96, 1.96]) * error, atol=0.15 * error)


def test_the_interval_is_paired_seeded_and_symmetric() -> None:
    one, other = np.random.default_rng(2).random((2, 300))
    shifted = paired_difference(one + 0.1, one)
    assert [shifted.mean, shifted.low, shifted.high] == pytest.approx([0.1] * 3)
    forward, backward = paired_difference(one, other, 500), paired_difference(other, one, 500)
    assert forward == paired_difference(one, other, 500)
    assert forward != paired_difference(one, other, 500, seed=1)
    error = np.std(one - other) / np.sqrt(300)
    assert_allclose([forward.low, forward.high], [-backward.high, -backward.low], atol=0.3 * error)


@pytest.mark.parametrize("theirs", [np.ones(3), np.ones((2, 1)), 1.0])
def test_both_sides_need_one_number_per_document(theirs: ArrayLike) -> None:
    with pytest.raises(ValueError, match="one number per document"):
        paired_difference(np.ones(2), theirs)


@pytest.mark.parametrize(("wins", "losses", "ties"), [(9, 1, 0), (1, 9, 4), (3, 3, 2), (5, 0, 1), (7, 4, 0)])
def test_the_sign_test_is_the_sum_of_both_tails(wins: int, losses: int, ties: int) -> None:
    differences = np.array([0.1] * wins + [-0.2] * losses + [0.0] * ties)
    result = compare(0.5 + differences, np.full(differences.size, 0.5))
    n, most = wins + losses, max(wins, losses)
    tail = sum(comb(n, k) for k in range(most, n + 1)) / 2**n
    assert (result.wins, result.losses, result.ties) == (wins, losses, ties)
    assert result.p == pytest.approx(min(1.0, 2 * tail))


def test_sides_that_differ_by_rounding_only_are_ties() -> None:
    result = compare(np.array([0.1 + 0.2, 0.5]), np.array([0.3, 0.5]))
    assert (result.wins, result.losses, result.ties, result.p) == (0, 0, 2, 1.0)
