"""Thresholds against a search over every threshold that makes a difference."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_array_equal
from numpy.typing import NDArray

from setwise.decision import best_threshold, best_thresholds, threshold
from setwise.metrics import instance_f1, label_table

Array = NDArray[np.float64]

# Ties, certain labels and neighbours that only the last bit tells apart.
CHANCES = st.one_of(st.sampled_from([0.0, 0.5, np.nextafter(0.5, 1.0), 1.0, 5e-324]), st.floats(0.0, 1.0))


@st.composite
def held_out(draw: st.DrawFn) -> tuple[Array, NDArray[np.int64]]:
    shape = draw(st.tuples(st.integers(1, 8), st.integers(1, 5)))
    truth = draw(hnp.arrays(np.int64, shape, elements=st.integers(0, 1)))
    return draw(hnp.arrays(np.float64, shape, elements=CHANCES)), truth


def every_level(marginals: Array) -> Array:
    """All thresholds that lead to different choices: each probability, since above it is not at it, and 0."""
    return np.unique(np.append(marginals, 0.0))


@given(held_out(), st.floats(0.0, 1.0))
def test_labels_above_the_threshold_are_chosen(case: tuple[Array, NDArray[np.int64]], at: float) -> None:
    marginals, _ = case
    assert_array_equal(threshold(marginals, at).toarray(), marginals > at)
    each = np.linspace(0.0, at, marginals.shape[1])
    assert_array_equal(threshold(marginals, each).toarray(), marginals > each)


@given(held_out(), st.floats(0.0, 1.0))
def test_at_least_one_adds_the_label_least_below_to_documents_without_any(
    case: tuple[Array, NDArray[np.int64]], at: float
) -> None:
    marginals, _ = case
    for level in (at, np.linspace(0.1, 0.9, marginals.shape[1])):
        plain = threshold(marginals, level).toarray()
        filled = threshold(marginals, level, at_least_one=True).toarray()
        some = plain.any(axis=1)
        assert_array_equal(filled[some], plain[some])
        assert (filled[~some].sum(axis=1) == 1).all()
        above = marginals if np.ndim(level) == 0 else marginals - level
        assert_array_equal(filled[~some].argmax(axis=1), above[~some].argmax(axis=1))


@pytest.mark.parametrize("at_least_one", [False, True])
@given(held_out())
def test_no_threshold_has_a_better_instance_f1(at_least_one: bool, case: tuple[Array, NDArray[np.int64]]) -> None:
    marginals, truth = case
    found = best_threshold(marginals, truth, at_least_one=at_least_one)
    scores = [
        instance_f1(truth, threshold(marginals, level, at_least_one=at_least_one)) for level in every_level(marginals)
    ]
    assert instance_f1(truth, threshold(marginals, found, at_least_one=at_least_one)) == pytest.approx(max(scores))


def test_the_highest_of_equally_good_thresholds_is_taken() -> None:
    assert best_threshold(np.array([[0.2, 0.9], [0.2, 0.9]]), [[0, 1], [0, 1]]) == pytest.approx(0.55)
    assert best_threshold(np.zeros((2, 2)), [[0, 1], [0, 1]]) == 0.0
    assert best_threshold(np.array([[0.7, 0.3]]), [[0, 0]]) == 0.7


@given(held_out())
def test_no_threshold_of_a_label_has_a_better_f1_of_it(case: tuple[Array, NDArray[np.int64]]) -> None:
    marginals, truth = case
    found = best_thresholds(marginals, truth)
    attained = [row.f1 for row in label_table(truth, threshold(marginals, found))]
    for label in np.flatnonzero(truth.any(axis=0)):
        every = [
            label_table(truth, threshold(marginals, np.where(np.arange(len(found)) == label, level, 2.0)))[label].f1
            for level in every_level(marginals[:, label])
        ]
        assert attained[label] == pytest.approx(max(every))
    assert (found[~truth.any(axis=0)] == 0.5).all()
    assert ((found >= 0.0) & (found <= 1.0)).all()


def test_the_threshold_of_a_label_lies_midway() -> None:
    assert best_thresholds(np.array([[0.8], [0.4], [0.1]]), [[1], [0], [0]])[0] == pytest.approx(0.6)
    assert best_thresholds(np.array([[0.8], [0.4]]), [[1], [1]])[0] == pytest.approx(0.2)


def test_a_threshold_that_is_as_good_as_predicting_nothing_is_not_taken() -> None:
    assert best_threshold(np.array([[0.5], [0.5]]), [[1], [0]]) == 0.5


def test_between_adjacent_floats_the_lower_one_is_the_threshold() -> None:
    below = np.nextafter(0.5, 1.0)
    level = np.nextafter(below, 1.0)
    assert 0.5 * (below + level) == level  # the middle is rounded up, and nothing is above the level itself
    assert best_threshold(np.array([[level], [below]]), [[1], [0]]) == below
    assert best_thresholds(np.array([[level], [below]]), [[1], [0]]).tolist() == [below]
