"""The checks of a table, and the marks of its notes."""

from __future__ import annotations

import pytest

from reproduction.report import Entry, Figure, Table, notes_of
from setwise.exceptions import InvalidData, InvalidParameter
from tests.reproduction.report.tables import SMALL, row_of


def test_a_ragged_row_is_refused_by_its_number() -> None:
    with pytest.raises(InvalidData, match=r"^Table t has 2 columns, but its row 2 has 1 entries\.$"):
        Table("t", "", ("a", "b"), (row_of("1", "2"), row_of("1")))


def test_a_table_without_columns_is_refused() -> None:
    with pytest.raises(InvalidData, match=r"^Table t has no columns\.$"):
        Table("t", "", (), ())


@pytest.mark.parametrize("n_headings", [-1, 3])
def test_there_cannot_be_more_headings_than_columns(n_headings: int) -> None:
    with pytest.raises(InvalidParameter, match=f"between 0 and the number of columns, 2; got {n_headings}"):
        Table("t", "", ("a", "b"), (), n_headings=n_headings)


@pytest.mark.parametrize("name", ["", "two words", "../up", ".hidden", "a/b", 'a"b', "line\n"])
def test_a_name_must_be_usable_in_a_file_name(name: str) -> None:
    with pytest.raises(InvalidParameter, match="must start with a letter or digit"):
        Table(name, "", ("a",), ())
    with pytest.raises(InvalidParameter, match="must start with a letter or digit"):
        Figure(name, "", "<svg/>")


def test_equal_notes_share_a_mark_in_the_order_in_which_they_appear() -> None:
    assert list(notes_of(SMALL).items()) == [("no sampler", "a"), ("too slow", "b")]


def test_after_z_come_marks_of_two_letters() -> None:
    entries = tuple(Entry("-", note=str(number)) for number in range(26 * 27 + 1))
    marks = list(notes_of(Table("t", "", ("a",) * len(entries), (entries,))).values())
    assert marks[:2] + marks[25:28] + marks[51:53] + marks[-2:] == ["a", "b", "z", "aa", "ab", "az", "ba", "zz", "aaa"]
    assert len(set(marks)) == len(marks)
