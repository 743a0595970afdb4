"""What a table must be, and the marks of its notes."""

from __future__ import annotations

import pytest

from setwise.exceptions import InvalidData, InvalidParameter
from setwise.reports import Entry, Figure, Table, notes_of
from tests.reports.tables import SMALL, row_of


def test_a_ragged_row_is_refused_by_its_number():
    with pytest.raises(InvalidData, match=r"t has 2 columns, and its row 2 has 1 entries\.$"):
        Table("t", "", ("a", "b"), (row_of("1", "2"), row_of("1")))


def test_a_table_without_columns_is_refused():
    with pytest.raises(InvalidData, match="must have a column; t has none"):
        Table("t", "", (), ())


@pytest.mark.parametrize("n_headings", [-1, 3])
def test_there_are_no_more_headings_than_columns(n_headings):
    with pytest.raises(InvalidParameter, match=f"between 0 and the number of columns, 2; got {n_headings}"):
        Table("t", "", ("a", "b"), (), n_headings=n_headings)


@pytest.mark.parametrize("name", ["", "two words", "../up", ".hidden", "a/b", 'a"b', "line\n"])
def test_a_name_can_stand_in_the_name_of_a_file(name):
    with pytest.raises(InvalidParameter, match="must begin with a letter or digit"):
        Table(name, "", ("a",), ())
    with pytest.raises(InvalidParameter, match="must begin with a letter or digit"):
        Figure(name, "", "<svg/>")


def test_equal_notes_share_a_mark_in_the_order_in_which_they_appear():
    assert list(notes_of(SMALL).items()) == [("no sampler", "a"), ("too slow", "b")]


def test_after_z_come_marks_of_two_letters():
    entries = tuple(Entry("-", note=str(number)) for number in range(26 * 27 + 1))
    marks = list(notes_of(Table("t", "", ("a",) * len(entries), (entries,))).values())
    assert marks[:2] + marks[25:28] + marks[51:53] + marks[-2:] == ["a", "b", "z", "aa", "ab", "az", "ba", "zz", "aaa"]
    assert len(set(marks)) == len(marks)
