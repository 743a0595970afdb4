"""Label sets are checked once, where they are laid out, and keep what the caller's arrays said."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from setwise import _core


def label_sets(n_labels: int, indptr: list[int], indices: list[int]) -> _core.LabelSets:
    return _core.LabelSets(n_labels, np.array(indptr, dtype=np.int64), np.array(indices, dtype=np.int32))


def order_of(*labels: int) -> NDArray[np.int32]:
    return np.array(labels, dtype=np.int32)


@pytest.mark.parametrize(
    ("n_labels", "indptr", "indices", "message"),
    [
        (3, [0, 1], [3], "indices must lie between"),
        (3, [0, 1], [2**31 - 1], "indices must lie between"),
        (3, [0, 1], [-1], "indices must lie between"),
        (3, [0, 2], [1, 0], "indices must strictly rise"),
        (3, [0, 2], [1, 1], "indices must strictly rise"),
        (3, [0, 2], [1], "indptr must start at 0 and end"),
        (3, [1, 2], [0, 1], "indptr must start at 0 and end"),
        (3, [0, 1], [0, 1], "indptr must start at 0 and end"),
        (3, [0, 2, 1, 2], [0, 1], "indptr must not decrease"),
        (3, [0, -1, 2], [0, 1], "indptr must not decrease"),
        (3, [], [], "indptr must have one entry more"),
        (-1, [0], [], "n_labels must not be negative"),
        (0, [0, 1], [0], "indices must lie between"),
    ],
    ids=str,
)
def test_broken_structures_are_refused(n_labels: int, indptr: list[int], indices: list[int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        label_sets(n_labels, indptr, indices)


def test_sizes_are_those_of_the_arrays() -> None:
    sets = label_sets(4, [0, 0, 3, 4], [0, 1, 3, 2])
    assert (sets.n_sets, sets.n_labels, sets.largest_size) == (3, 4, 3)
    nothing = label_sets(0, [0], [])
    assert (nothing.n_sets, nothing.n_labels, nothing.largest_size) == (0, 0, 0)


def test_the_arrays_are_copied() -> None:
    indptr, indices = np.array([0, 1], dtype=np.int64), np.array([1], dtype=np.int32)
    sets = _core.LabelSets(2, indptr, indices)
    indices[0] = 7
    logits, gate = np.zeros((1, 1, 2)), np.zeros((1, 1))
    assert _core.mixture_log_prob(logits, gate, sets, 1)[0, 0] == pytest.approx(2 * np.log(0.5))


def test_permuted_sets_have_the_probability_of_permuted_scores() -> None:
    random = np.random.default_rng(0)
    sets = label_sets(5, [0, 0, 2, 5, 6], [0, 3, 1, 2, 4, 0])
    order = order_of(3, 0, 4, 2, 1)
    logits, gate = random.normal(size=(6, 1, 5)), np.zeros((6, 1))
    placed = np.ascontiguousarray(logits[:, :, order])
    np.testing.assert_allclose(
        _core.mixture_log_prob(placed, gate, sets.permuted(order), 1), _core.mixture_log_prob(logits, gate, sets, 1)
    )


@pytest.mark.parametrize(
    "order", [order_of(0, 1), order_of(0, 1, 2, 3), order_of(0, 1, 1), order_of(0, 1, 3), order_of(-1, 0, 1)], ids=str
)
def test_orders_that_are_no_permutation_are_refused(order: NDArray[np.int32]) -> None:
    sets = label_sets(3, [0, 1], [2])
    with pytest.raises(ValueError, match=r"^order must"):
        sets.permuted(order)
    with pytest.raises(ValueError, match=r"^order must"):
        _core.ChainTrie(sets, order)


def test_a_trie_has_the_sets_it_was_built_from() -> None:
    trie = _core.ChainTrie(label_sets(3, [0, 1, 1], [2]), order_of(2, 0, 1))
    assert (trie.n_sets, trie.n_labels) == (2, 3)
