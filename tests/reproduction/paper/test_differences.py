"""The sign test of two sides against its sum."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest

from reproduction.paper import compare


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
