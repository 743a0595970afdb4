"""Splits: every document is in one part, parts are similar, and the same random_state repeats them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from numpy.typing import NDArray

from setwise.data import folds, hold_out, random_hold_out, stratified_parts
from setwise.exceptions import InvalidData, InvalidParameter
from tests.strategies import indicators


def random_labels(n: int = 2000, n_labels: int = 30, random_state: int = 0) -> NDArray[np.int64]:
    random = np.random.default_rng(random_state)
    return (random.random((n, n_labels)) < np.geomspace(0.3, 0.002, n_labels)).astype(np.int64)


@given(y=indicators(max_samples=12), test_size=st.floats(0.01, 0.99), random_state=st.integers(0, 9))
def test_every_document_is_in_one_part_and_no_part_is_empty(
    y: NDArray[np.int64], test_size: float, random_state: int
) -> None:
    if len(y) < 2:
        return
    train, held = hold_out(y, test_size, random_state)
    assert_array_equal(np.sort(np.concatenate([train, held])), np.arange(len(y)))
    assert train.size
    assert held.size
    assert (np.diff(train) > 0).all()


def test_parts_have_their_share_of_documents_and_of_each_label() -> None:
    y = random_labels()
    _, held = hold_out(y, 0.2, random_state=1)
    assert abs(held.size - 400) <= 2
    expected = 0.2 * y.sum(axis=0)
    assert np.abs(y[held].sum(axis=0) - expected).max() <= 2.0


def test_stratified_parts_are_more_alike_than_random_ones() -> None:
    y = random_labels(random_state=3)
    stratified = np.stack([y[held].mean(axis=0) for _, held in folds(y, 5, random_state=0)])
    part = np.random.default_rng(0).permutation(len(y)) % 5
    random = np.stack([y[part == k].mean(axis=0) for k in range(5)])
    assert stratified.std(axis=0).max() < 0.4 * random.std(axis=0).max()


def test_a_label_of_one_document_stays_in_the_largest_part() -> None:
    y = np.zeros((50, 3), dtype=np.int64)
    y[7, 0] = 1
    y[::2, 1] = 1
    for random_state in range(5):
        train, _ = hold_out(y, 0.2, random_state)
        assert 7 in train


def test_each_document_is_held_out_by_one_fold() -> None:
    y = random_labels(200)
    times = np.zeros(200, dtype=np.int64)
    for train, held in folds(y, 7, random_state=2):
        times[held] += 1
        assert_array_equal(np.sort(np.concatenate([train, held])), np.arange(200))
    assert (times == 1).all()


def test_the_same_random_state_returns_the_same_parts() -> None:
    y = random_labels(300)
    assert_array_equal(stratified_parts(y, [0.5, 0.5], 4), stratified_parts(sp.csr_array(y), [0.5, 0.5], 4))
    assert (stratified_parts(y, [0.5, 0.5], 4) != stratified_parts(y, [0.5, 0.5], 5)).any()


def test_documents_without_labels_are_split_too() -> None:
    y = np.zeros((100, 3), dtype=np.int64)
    _, held = hold_out(y, 0.3, random_state=0)
    assert held.size == 30


@pytest.mark.parametrize("test_size", [0.0, 1.0, -0.5, "some", True])
def test_bad_test_sizes(test_size: Any) -> None:
    with pytest.raises(InvalidParameter, match=r"^test_size must lie between 0 and 1; got"):
        hold_out(random_labels(10), test_size)


@pytest.mark.parametrize("n_folds", [1, 0, 2.5, True])
def test_bad_numbers_of_folds(n_folds: Any) -> None:
    with pytest.raises(InvalidParameter, match=r"^n_folds must be an integer of at least 2; got"):
        folds(random_labels(10), n_folds)


def test_more_parts_than_samples() -> None:
    with pytest.raises(InvalidData, match="A split in 5 parts needs at least 5 documents; got 3"):
        folds(random_labels(3), 5)


@given(n_samples=st.integers(2, 40), test_size=st.floats(0.01, 0.99), random_state=st.integers(0, 9))
def test_random_parts_have_every_document_once(n_samples: int, test_size: float, random_state: int) -> None:
    train, held = random_hold_out(n_samples, test_size, random_state)
    assert_array_equal(np.sort(np.concatenate([train, held])), np.arange(n_samples))
    assert (np.diff(train) > 0).all()
    assert (np.diff(held) > 0).all()
    assert min(train.size, held.size) >= 1
    assert abs(held.size - test_size * n_samples) <= 1.0
    assert_array_equal(held, random_hold_out(n_samples, test_size, random_state)[1])
