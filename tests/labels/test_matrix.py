from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from setwise.exceptions import InvalidData, InvalidParameter
from setwise.labels import LabelMatrix
from setwise.labels.matrix import row_starts
from tests.strategies import indicators, name_lists, sparse_forms


def assert_canonical(labels: LabelMatrix) -> None:
    indicator = labels.indicator
    assert isinstance(indicator, sp.csr_array)
    assert indicator.dtype == np.int64
    assert indicator.indices.dtype == indicator.indptr.dtype == np.int32
    assert indicator.has_canonical_format
    assert (indicator.data == 1).all()


@given(indicators())
def test_dense_indicator_comes_back_as_it_went_in(dense: NDArray[np.int64]) -> None:
    labels = LabelMatrix.of(dense)
    assert_canonical(labels)
    assert labels.kind == "dense"
    assert labels.names == tuple(str(column) for column in range(dense.shape[1]))
    np.testing.assert_array_equal(labels.as_given(), dense)


@given(st.data(), indicators())
def test_sparse_indicator_of_any_form_comes_back_in_its_kind(data: st.DataObject, dense: NDArray[np.int64]) -> None:
    given_form = data.draw(sparse_forms(dense))
    labels = LabelMatrix.of(given_form)
    assert_canonical(labels)
    returned = labels.as_given()
    assert isinstance(returned, sp.sparray) == isinstance(given_form, sp.sparray)
    np.testing.assert_array_equal(returned.toarray(), dense)


@given(name_lists())
def test_name_lists_come_back_sorted_and_without_repeats(documents: Any) -> None:
    labels = LabelMatrix.of(documents)
    assert_canonical(labels)
    assert labels.kind == "names"
    assert list(labels.names) == sorted({name for names in documents for name in names})
    assert labels.as_given() == [sorted(set(names)) for names in documents]


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint64, np.float16, np.float32, np.longdouble])
def test_every_number_type_may_hold_labels(dtype: Any) -> None:
    np.testing.assert_array_equal(LabelMatrix.of(np.array([[0, 1], [1, 0]], dtype=dtype)).as_given(), [[0, 1], [1, 0]])


def test_rows_of_numbers_in_a_list_are_a_dense_indicator() -> None:
    labels = LabelMatrix.of([[0, 1], [True, False]])
    assert labels.kind == "dense"
    np.testing.assert_array_equal(labels.as_given(), [[0, 1], [1, 0]])


@pytest.mark.parametrize("documents", [[{"b", "a"}, set()], [("b", "a"), ()], np.array([["b", "a"], ["b", "b"]])])
def test_the_names_of_a_document_may_come_in_any_collection(documents: Any) -> None:
    assert LabelMatrix.of(documents).name_lists()[0] == ["a", "b"]


def test_names_may_come_from_a_generator() -> None:
    assert LabelMatrix.of(names for names in (["x"], [])).name_lists() == [["x"], []]


def test_given_names_fix_the_columns_and_their_order() -> None:
    labels = LabelMatrix.of([["a"], ["c", "a"]], ["c", "b", "a"])
    np.testing.assert_array_equal(labels.indicator.toarray(), [[0, 0, 1], [1, 0, 1]])


def test_documents_without_labels_need_a_vocabulary() -> None:
    assert LabelMatrix.of([[], []], ["a"]).shape == (2, 1)
    with pytest.raises(InvalidData, match="at least one document and one label; got 2 and 0"):
        LabelMatrix.of([[], []])


def test_the_input_is_copied_and_left_alone() -> None:
    unsorted = sp.csr_array((np.array([1, 0, 1, 1]), np.array([2, 1, 0, 0]), np.array([0, 3, 4])), shape=(2, 3))
    labels = LabelMatrix.of(unsorted)
    assert unsorted.indices.tolist() == [2, 1, 0, 0]
    unsorted.data[:] = 7
    assert labels.indicator.indices.tolist() == [0, 2, 0]
    np.testing.assert_array_equal(labels.indicator.toarray(), [[1, 0, 1], [1, 0, 0]])


def test_sizes_counts_and_constant_labels() -> None:
    labels = LabelMatrix.of([[1, 0, 1], [1, 0, 0]], ["all", "none", "some"])
    assert labels.sizes.tolist() == [2, 1]
    assert labels.counts.tolist() == [2, 0, 1]
    assert labels.always == ("all",)
    assert labels.never == ("none",)


def test_predictions_take_the_kind_and_names_of_the_labels_given() -> None:
    labels = LabelMatrix.of([["news"], ["sport"]])
    assert labels.with_indicator(np.array([[True, True], [False, False], [False, True]])).as_given() == [
        ["news", "sport"],
        [],
        ["sport"],
    ]


@pytest.mark.parametrize("chosen", [[2, 0], np.array([True, False, True])])
def test_take_keeps_names_and_kind(chosen: Any) -> None:
    labels = LabelMatrix.of([["a"], ["b"], ["a", "c"]]).take(chosen)
    assert labels.names == ("a", "b", "c")
    assert sorted(labels.as_given()) == [["a"], ["a", "c"]]
    assert_canonical(labels)


@pytest.mark.parametrize("bad", [2, -1, 0.5, np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("form", [np.array, sp.csr_array, sp.csc_matrix], ids=lambda form: form.__name__)
def test_values_other_than_0_and_1_are_refused_with_their_place(bad: Any, form: Any) -> None:
    y = np.array([[0.0, 1.0], [1.0, 0.0], [0.0, bad]])
    with pytest.raises(InvalidData, match=rf"^y must hold only 0 and 1; got {bad!s}.*in document 2, label 'b'\.$"):
        LabelMatrix.of(form(y), ["a", "b"])


@pytest.mark.parametrize(
    "twice",
    [
        sp.coo_array(([1, 1], ([0, 0], [1, 1])), shape=(1, 2)),
        sp.csr_array(([1, 1], [1, 1], [0, 2]), shape=(1, 2)),
    ],
    ids=["coo", "csr"],
)
def test_an_entry_stored_twice_counts_twice_and_is_refused(twice: Any) -> None:
    with pytest.raises(InvalidData, match=r"got 2\.0 in document 0"):
        LabelMatrix.of(twice)


@pytest.mark.parametrize(
    ("y", "names", "message"),
    [
        (np.array([0, 1]), None, "y must have two dimensions, documents by labels; got 1"),
        (np.zeros((2, 2, 2)), None, "y must have two dimensions, documents by labels; got 3"),
        (np.zeros((0, 3)), None, "at least one document and one label; got 0 and 3"),
        (np.zeros((3, 0)), None, "at least one document and one label; got 3 and 0"),
        (sp.csr_array((0, 3)), None, "at least one document and one label; got 0 and 3"),
        ([], None, "at least one document and one label; got 0 and 0"),
        (np.array([[1j]]), None, "y must hold numbers 0 and 1; got values of type complex128"),
        ([[1, 2, 2], [3]], None, "rows of one length where they hold numbers"),
        ([[0, 0], ["a", "b"]], None, "y must hold numbers 0 and 1"),
        (np.zeros((2, 2)), ["a"], "one column per name; got 2 columns and 1 names"),
        ("sport", None, "a list of label names for each document; got a value of type str"),
        (["sport"], None, r"got the string 'sport' for document 0. Hint: write \['sport'\]"),
        ([["a"], None], None, "got None for document 1"),
        ([["a", 3]], None, "all strings or all integers; got 3 in document 0 beside 'a'"),
        ([[b"a"]], None, "label names that are strings or integers; got b'a' in document 0"),
        (3, None, "got a value of type int"),
        (None, None, "got a value of type NoneType"),
        ([["a"], ["a", "z"]], ["a", "b"], "y must hold only the 2 known labels; got 'z' in document 1"),
    ],
)
def test_what_is_no_label_matrix_is_refused_in_one_sentence(y: Any, names: Any, message: str) -> None:
    with pytest.raises(InvalidData, match=message):
        LabelMatrix.of(y, names)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["a", "a"], "must all differ; got 'a' twice"),
        (["a", 1], "must be strings; got 1"),
        ("ab", "got the string 'ab'"),
    ],
)
def test_bad_names_are_refused(names: Any, message: str) -> None:
    with pytest.raises(InvalidParameter, match=message):
        LabelMatrix.of(np.zeros((1, 2)), names)


def test_the_argument_is_called_what_the_caller_calls_it() -> None:
    with pytest.raises(InvalidData, match="^y_pred must hold only 0 and 1"):
        LabelMatrix.of(np.array([[3]]), called="y_pred")


def test_a_label_matrix_passes_through_where_its_names_agree() -> None:
    labels = LabelMatrix.of([["a", "b"]])
    assert LabelMatrix.of(labels) is labels
    assert LabelMatrix.of(labels, ["a", "b"]) is labels
    with pytest.raises(InvalidData, match="same labels in the same order; got 'a' in place of 'b'"):
        LabelMatrix.of(labels, ["b", "a"])
    with pytest.raises(InvalidData, match=r"^y_pred must have 3 labels; got 2"):
        LabelMatrix.of(labels, ["a", "b", "c"], called="y_pred")


def test_numbers_of_labels_and_documents_are_64_bit_integers() -> None:
    y = LabelMatrix.of([["a"], [], ["a", "b"]])
    assert (y.sizes.tolist(), y.counts.tolist()) == ([1, 0, 2], [2, 1])
    assert y.sizes.dtype == y.counts.dtype == np.int64


def test_a_matrix_has_one_row_per_row_of_the_features() -> None:
    y = LabelMatrix.of([["a"], ["b"]])
    y.check_rows(2)
    with pytest.raises(InvalidData, match=r"^X has 3 rows but y has 2\.$"):
        y.check_rows(3)


def test_a_damaged_sparse_matrix_is_refused() -> None:
    damaged = sp.csr_array(np.eye(2))
    damaged.indices[1] = 7
    with pytest.raises(InvalidData, match=r"^y_true "):
        LabelMatrix.of(damaged, called="y_true")


class TestWhatIsBuiltOnce:
    Y = LabelMatrix.of([["a"], [], ["a", "b"]])

    def test_rows_with_labels(self) -> None:
        assert self.Y.non_empty.name_lists() == [["a"], ["a", "b"]]
        assert self.Y.non_empty is self.Y.non_empty
        full, empty = self.Y.take([0, 2]), self.Y.take([1])
        assert full.non_empty is full
        assert empty.non_empty is empty  # there is nothing else to return

    def test_the_core_has_the_same_sets_once(self) -> None:
        assert self.Y.native is self.Y.native
        forwards, backwards = np.array([0, 1], dtype=np.int32), np.array([1, 0], dtype=np.int32)
        assert self.Y.chain_trie(forwards) is self.Y.chain_trie(forwards.copy())
        assert self.Y.chain_trie(forwards) is not self.Y.chain_trie(backwards)

    def test_a_pickle_leaves_it_out(self) -> None:
        y = LabelMatrix.of([["a"], [], ["a", "b"]])
        assert y.native is not None
        assert y.non_empty is not None
        assert y.chain_trie(np.array([0, 1], dtype=np.int32)) is not None
        assert set(y.__getstate__()) == {"names", "indicator", "kind"}
        copy = pickle.loads(pickle.dumps(y))
        assert copy.name_lists() == y.name_lists()
        assert copy.non_empty.name_lists() == y.non_empty.name_lists()


def test_rows_start_in_32_bits_where_they_suffice() -> None:
    assert row_starts([2, 0, 3]).tolist() == [0, 2, 2, 5]
    largest = np.iinfo(np.int32).max
    assert row_starts([largest]).dtype == np.int32
    assert row_starts([largest, 1]).dtype == np.int64
    assert row_starts([largest, 1]).tolist() == [0, largest, largest + 1]
