from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from setwise.exceptions import InvalidData, InvalidParameter
from setwise.labels import LabelMatrix, Support
from tests.strategies import indicators


def sets_of(labels: LabelMatrix) -> list[tuple[int, ...]]:
    return [tuple(np.flatnonzero(row).tolist()) for row in labels.indicator.toarray()]


@given(indicators(max_samples=12, max_labels=3))
def test_support_is_what_counting_tuples_gives(dense: NDArray[np.int64]) -> None:
    labels = LabelMatrix.of(dense)
    support = Support.of(labels)
    counted = Counter(sets_of(labels))
    assert list(zip(sets_of(support.sets), support.counts.tolist(), strict=True)) == sorted(
        counted.items(), key=lambda item: (-item[1], item[0])
    )
    assert [sets_of(support.sets)[index] for index in support.set_of] == sets_of(labels)


def test_order_is_by_count_then_by_labels_also_past_256_labels() -> None:
    y = np.zeros((5, 300), dtype=int)
    y[0, 256] = y[1, 2] = y[2, 299] = y[4, 299] = 1  # byte by byte, the wrong way round, 256 would precede 2
    support = Support.of(LabelMatrix.of(y))
    assert sets_of(support.sets) == [(299,), (), (2,), (256,)]
    assert support.counts.tolist() == [2, 1, 1, 1]


@given(indicators(max_samples=10), st.randoms(use_true_random=False))
def test_order_of_documents_does_not_matter(dense: NDArray[np.int64], random: Random) -> None:
    order = random.sample(range(len(dense)), len(dense))
    support, shuffled = Support.of(LabelMatrix.of(dense)), Support.of(LabelMatrix.of(dense[order]))
    assert sets_of(support.sets) == sets_of(shuffled.sets)
    assert support.set_of[order].tolist() == shuffled.set_of.tolist()


def test_sets_keep_the_names_of_the_labels() -> None:
    support = Support.of(LabelMatrix.of([["b"], ["a", "b"], ["b"], []]))
    assert support.sets.name_lists() == [["b"], [], ["a", "b"]]


def test_index_of_finds_sets_of_other_documents() -> None:
    support = Support.of(LabelMatrix.of([["b"], ["a", "b"], ["b"]]))
    assert support.index_of([["b", "a"], ["a"], ["b"], []]).tolist() == [1, -1, 0, -1]
    with pytest.raises(InvalidData, match="got 'z' in document 0"):
        support.index_of([["z"]])


def test_extra_sets_are_added_once_with_count_0_behind_the_others() -> None:
    support = Support.of(LabelMatrix.of([["b"], ["a", "b"], ["b"]]))
    more = support.with_sets([["a"], ["b"], ["a"]]).with_sets([[]])
    assert more.sets.name_lists() == [["b"], ["a", "b"], [], ["a"]]
    assert more.counts.tolist() == [2, 1, 0, 0]
    assert more.set_of.tolist() == support.set_of.tolist() == [0, 1, 0]


def test_rare_sets_are_dropped_and_their_documents_have_none() -> None:
    support = Support.of(LabelMatrix.of([["b"], ["a", "b"], ["b"], ["c"]])).at_least(2)
    assert support.n_sets == 1
    assert support.sets.names == ("a", "b", "c")
    assert support.sets.name_lists() == [["b"]]
    assert support.set_of.tolist() == [0, -1, 0, -1]
    assert support.at_least(1).set_of.tolist() == [0, -1, 0, -1]


def test_dropping_every_set_is_refused() -> None:
    with pytest.raises(
        InvalidParameter, match="min_count must leave at least one set; got 3, and the most frequent set occurs 2 times"
    ):
        Support.of(LabelMatrix.of([["b"], ["b"]])).at_least(3)


def test_a_hundred_thousand_documents_are_all_counted() -> None:
    rng = np.random.default_rng(0)
    y = LabelMatrix.of(sp.csr_array((rng.random((100_000, 100)) < 0.03).astype(np.int8)))
    support = Support.of(y)
    assert support.counts.sum() == 100_000


class TestCheck:
    """What a support read from a file must be."""

    SETS = LabelMatrix.of([["a"], ["b"], ["a", "b"]])

    def support(self, counts: Any, sets: LabelMatrix | None = None) -> Support:
        return Support(sets or self.SETS, np.asarray(counts), np.zeros(0, dtype=np.int64))

    @pytest.mark.parametrize("counts", [[3, 2, 1], [2, 2, 2], [1, 0, 0], [0, 0, 0]])
    def test_counts_fall(self, counts: list[int]) -> None:
        self.support(counts).check()

    @pytest.mark.parametrize(
        ("counts", "message"),
        [
            ([2, 1], "3 label sets need one count each; got (2,)."),
            ([[2, 1, 1]], "3 label sets need one count each; got (1, 3)."),
            ([], "3 label sets need one count each; got (0,)."),
            ([3, 1, 2], "Counts of label sets must be integers of at least 0, the largest first."),
            ([3, 1, -1], "Counts of label sets must be integers of at least 0, the largest first."),
            ([3.0, 2.0, 1.0], "Counts of label sets must be integers of at least 0, the largest first."),
        ],
    )
    def test_other_counts_are_refused(self, counts: Any, message: str) -> None:
        with pytest.raises(InvalidData) as refusal:
            self.support(counts).check()
        assert str(refusal.value) == message

    def test_no_sets_are_refused(self) -> None:
        nothing = self.SETS.take(np.zeros(0, dtype=int))
        with pytest.raises(InvalidData, match=r"^0 label sets need one count each; got \(0,\)\.$"):
            self.support([], nothing).check()

    def test_a_set_that_occurs_twice_is_refused(self) -> None:
        with pytest.raises(InvalidData, match="must all differ; one occurs twice"):
            self.support([2, 1], LabelMatrix.of([["a"], ["a"]])).check()


def test_a_support_finds_its_own_sets_at_once() -> None:
    support = Support.of(LabelMatrix.of([["b"], ["a", "b"], ["b"], []]))
    assert support.index_of(support.sets).tolist() == [0, 1, 2]
    assert support.index_of(LabelMatrix.of([["a", "b"], ["a"]], ["a", "b"])).tolist() == [2, -1]


def test_counts_and_places_are_64_bit_integers_also_where_there_are_none() -> None:
    support = Support.of(LabelMatrix.of([["b"], ["a"]]))
    more = support.with_sets([["a", "b"]])
    nowhere = support.index_of(LabelMatrix.of([["a"], ["b"]], ["a", "b"]).take(np.zeros(0, dtype=int)))
    for numbers in (support.counts, support.set_of, more.counts, nowhere):
        assert numbers.dtype == np.int64
    with pytest.raises(InvalidData, match=r"^extra must "):
        support.with_sets([["c"]])
