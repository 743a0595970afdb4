"""Paired differences against all possible resamples."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from numpy.typing import ArrayLike

from setwise.metrics import Difference, paired_difference


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


def test_outcomes_may_be_true_or_false() -> None:
    ours, theirs = [True, True, False, True], [True, False, False, False]
    expected = paired_difference([1.0, 1.0, 0.0, 1.0], [1.0, 0.0, 0.0, 0.0])
    assert paired_difference(ours, theirs) == expected
    assert expected.mean == 0.5


def test_one_document_is_its_own_interval() -> None:
    assert paired_difference([1.0], [0.25]) == Difference(0.75, 0.75, 0.75)


def test_every_resample_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    def empty(shape: Any, dtype: Any = np.float64, **options: Any) -> Any:
        return np.full(shape, np.nan if dtype is np.float64 else 0, dtype=dtype)  # what nobody wrote shows

    monkeypatch.setattr(np, "empty", empty)
    for n_resamples in (1, 999, 1000, 1001):
        found = paired_difference([1.0, 0.0, 1.0], [0.0, 0.0, 0.0], n_resamples)
        assert np.isfinite([found.low, found.high]).all()
