"""Labels as integers and as columns of a data frame: read by name, and given back as they came."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from setwise.exceptions import Incompatible, InvalidData, InvalidParameter
from setwise.labels import LabelMatrix
from setwise.labels.forms import frame_of, is_frame, lists_of_names
from setwise.metrics import instance_f1, label_table


class Frame:
    """What setwise reads of a data frame, without pandas."""

    def __init__(self, values: Any, columns: list[Any]) -> None:
        self.values = np.asarray(values)
        self.columns = columns

    @property
    def iloc(self) -> Any:
        frame = self

        class Rows:
            def __getitem__(self, key: Any) -> Frame:
                _, places = key
                return Frame(frame.values[:, places], [frame.columns[place] for place in places])

        return Rows()

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self.values.astype(dtype or self.values.dtype)

    def __iter__(self) -> Any:
        return iter(self.columns)


class TestIntegers:
    @pytest.mark.parametrize(
        "given_lists",
        [
            [[1, 5], [7], []],
            [[5, 1], (7,), set()],
            [np.array([1, 5]), np.array([7]), np.array([], dtype=int)],
            [[np.int64(1), np.uint8(5)], [np.int32(7)], []],
            np.array([[1, 5], [7], []], dtype=object),
        ],
        ids=["lists", "collections", "arrays", "numpy integers", "array of lists"],
    )
    def test_lists_of_integers_are_label_names(self, given_lists: Any) -> None:
        labels = LabelMatrix.of(given_lists)
        assert labels.kind == "integers"
        assert labels.names == ("1", "5", "7")
        assert labels.labels == (1, 5, 7)
        assert labels.as_given() == [[1, 5], [7], []]
        assert all(type(label) is int for row in labels.as_given() for label in row)
        assert labels.name_lists() == [["1", "5"], ["7"], []]

    @given(st.lists(st.sets(st.integers(-50, 50), max_size=5), min_size=1, max_size=8))
    def test_they_come_back_sorted_by_number(self, sets: list[set[int]]) -> None:
        sets = [*sets, {2}]  # not all empty, and never an indicator
        labels = LabelMatrix.of([list(one) for one in sets])
        assert labels.as_given() == [sorted(one) for one in sets]
        assert labels.labels == tuple(sorted(set().union(*sets)))

    @pytest.mark.parametrize("rows", [[[0, 1], [1, 0]], [[1], [0]], [[1], [1]], [[True, False]], [[0.0, 1.0]]])
    def test_rows_of_one_length_that_hold_0_and_1_are_an_indicator(self, rows: Any) -> None:
        labels = LabelMatrix.of(rows)
        assert labels.kind == "dense"
        assert_array_equal(labels.as_given(), rows)

    def test_a_row_that_repeats_a_number_is_an_indicator_with_a_wrong_value(self) -> None:
        with pytest.raises(InvalidData, match=r"^y must hold only 0 and 1; got 2.* in document 1, label '0'\.$"):
            LabelMatrix.of([[0, 1, 1], [2, 0, 0]])

    def test_an_array_of_integers_stays_an_indicator(self) -> None:
        with pytest.raises(InvalidData, match="must hold only 0 and 1; got 5"):
            LabelMatrix.of(np.array([[1, 5], [7, 2]]))

    @pytest.mark.parametrize("mixed", [[[1, "a"], [2]], [["a"], [3]], [[3], ["a"]]])
    def test_integers_and_strings_together_are_refused(self, mixed: Any) -> None:
        with pytest.raises(InvalidData, match=r"^y must hold label names that are all strings or all integers; got "):
            LabelMatrix.of(mixed)

    def test_known_labels_are_found_by_their_number(self) -> None:
        fitted = LabelMatrix.of([[10, 5], [7]])
        assert fitted.names == ("5", "7", "10")
        again = LabelMatrix.of([[7], [10]], fitted.names)
        assert_array_equal(again.indicator.toarray(), [[0, 1, 0], [0, 0, 1]])
        assert again.as_given() == [[7], [10]]
        with pytest.raises(InvalidData, match="must hold only the 3 known labels; got '8' in document 0"):
            LabelMatrix.of([[8]], fitted.names)

    def test_metrics_read_them(self) -> None:
        assert instance_f1([[1, 5], [10]], [[1], [10]]) == pytest.approx((2 / 3 + 1) / 2)
        assert [row.name for row in label_table([[1, 5], [10]], [[1], [10]])] == ["1", "5", "10"]

    def test_names_that_are_no_integers_cannot_be_of_that_kind(self) -> None:
        with pytest.raises(InvalidData, match="label names must be integers; got 'a'"):
            LabelMatrix(("1", "a"), sp.csr_array((1, 2), dtype=np.int64), "integers")


class TestFrames:
    def test_columns_keep_their_names(self) -> None:
        labels = LabelMatrix.of(Frame([[0, 1], [1, 0]], ["sport", "art"]))
        assert labels.kind == "frame"
        assert labels.names == labels.labels == ("sport", "art")
        assert labels.name_lists() == [["art"], ["sport"]]

    def test_columns_may_be_integers(self) -> None:
        labels = LabelMatrix.of(Frame([[0, 1], [1, 0]], [np.int64(30), 4]))
        assert labels.kind == "integer frame"
        assert labels.names == ("30", "4")
        assert labels.labels == (30, 4)

    def test_columns_in_another_order_are_matched_by_name(self) -> None:
        labels = LabelMatrix.of(Frame([[0, 1], [1, 1]], ["sport", "art"]), ["art", "sport"])
        assert_array_equal(labels.indicator.toarray(), [[1, 0], [1, 1]])
        with pytest.raises(InvalidData, match="got 'sport' in place of 'art'"):
            LabelMatrix.of(Frame([[0, 1]], ["sport", "art"]), ["art", "chess"])

    def test_metrics_match_frames_and_arrays(self) -> None:
        frame = Frame([[0, 1], [1, 1]], ["sport", "art"])
        assert instance_f1(frame, np.array([[0, 1], [1, 0]])) == pytest.approx((1 + 2 / 3) / 2)
        assert instance_f1(np.array([[0, 1], [1, 1]]), frame) == 1.0
        assert instance_f1(frame, frame) == 1.0

    @pytest.mark.parametrize(
        ("columns", "message"),
        [
            (["a", " "], r"^y must have a name for every label; column 1 has a blank one\.$"),
            (["a", 3], r"^y must have columns that are all strings or all integers; got 3 beside 'a'\.$"),
            (["a", ("b", "c")], r"^y must have columns that are strings or integers; got \('b', 'c'\)\.$"),
        ],
    )
    def test_columns_that_are_no_names_are_refused(self, columns: list[Any], message: str) -> None:
        with pytest.raises(InvalidData, match=message):
            LabelMatrix.of(Frame([[0, 1]], columns))

    def test_columns_of_one_name_are_refused(self) -> None:
        with pytest.raises(InvalidParameter, match="must all differ; got 'a' twice"):
            LabelMatrix.of(Frame([[0, 1]], ["a", "a"]))

    def test_values_that_are_no_labels_are_refused(self) -> None:
        with pytest.raises(InvalidData, match="got 2.0 in document 0, label 'b'"):
            LabelMatrix.of(Frame([[0, 2]], ["a", "b"]))
        with pytest.raises(InvalidData, match="^y must hold numbers 0 and 1 in its columns"):
            LabelMatrix.of(Frame([["yes", "no"]], ["a", "b"]))

    def test_with_pandas_a_frame_comes_back(self) -> None:
        pandas = pytest.importorskip("pandas", reason="pandas is not installed here")
        given_frame = pandas.DataFrame({"sport": [0, 1], "art": [True, False]}, index=["x", "y"])
        labels = LabelMatrix.of(given_frame)
        found = labels.as_given(index=given_frame.index)
        pandas.testing.assert_frame_equal(found, given_frame.astype("int64"))
        numbered = LabelMatrix.of(pandas.DataFrame([[1, 0]], columns=[7, 3])).as_given()
        assert numbered.columns.tolist() == [7, 3]
        assert numbered.index.tolist() == [0]


@pytest.mark.parametrize("name", ["", " ", "\t\n"])
def test_blank_names_are_refused(name: str) -> None:
    with pytest.raises(InvalidData, match=r"^y must hold label names that are not blank; got .* in document 1\.$"):
        LabelMatrix.of([["a"], ["b", name]])


class TestWhatIsAFrame:
    def test_rows_and_columns_make_a_frame(self) -> None:
        assert is_frame(Frame(np.eye(2), ["a", "b"]))
        assert not is_frame(SimpleNamespace(iloc=None))  # as a column of pandas has it
        assert not is_frame(SimpleNamespace(columns=["a"]))

    def test_without_pandas_none_comes_back(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "pandas", None)
        with pytest.raises(Incompatible, match=r"^The labels came as a data frame, but pandas is not installed"):
            frame_of(np.eye(2), ["a", "b"], None)


def test_errors_name_the_argument() -> None:
    with pytest.raises(InvalidData, match=r"^y_true must be an indicator"):
        LabelMatrix.of(5, called="y_true")
    with pytest.raises(InvalidData, match=r"^y_true must have 3 labels; got 2"):
        LabelMatrix.of(Frame(np.eye(2), ["a", "b"]), ["a", "b", "c"], called="y_true")


def test_names_of_lists_and_of_nothing_else() -> None:
    assert lists_of_names([["b", "a"], []]) == [["b", "a"], []]
    assert lists_of_names([[3, 1], [2]]) == [["3", "1"], ["2"]]
    assert lists_of_names(np.eye(2)) is None
    with pytest.raises(InvalidData, match=r"^labels must be an indicator"):
        lists_of_names(5, called="labels")
