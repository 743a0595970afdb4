"""Tables: their content, independent of the format they are written in."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from string import ascii_lowercase

from setwise.exceptions import InvalidData, InvalidParameter

__all__ = ["Entry", "Table", "checked_name", "notes_of", "text_rows"]

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


@dataclass(frozen=True)
class Entry:
    """One entry of a table."""

    text: str
    bold: bool = False
    note: str | None = None
    """Shown below the table, such as the reason for a dash; equal notes share one mark."""


@dataclass(frozen=True)
class Table:
    """Rows of entries under named columns."""

    name: str
    """Used in the names of files."""
    title: str
    """One line."""
    columns: tuple[str, ...]
    rows: tuple[tuple[Entry, ...], ...]
    text: str = ""
    """A paragraph before the table."""
    n_headings: int = 1
    """Number of first columns that are row headings, aligned to the left; the others are aligned to the right."""

    def __post_init__(self) -> None:
        checked_name(self.name)
        if not self.columns:
            raise InvalidData(f"Table {self.name} has no columns.")
        for number, row in enumerate(self.rows, start=1):
            if len(row) != len(self.columns):
                raise InvalidData(
                    f"Table {self.name} has {len(self.columns)} columns, but its row {number} has {len(row)} entries."
                )
        if not 0 <= self.n_headings <= len(self.columns):
            raise InvalidParameter(
                f"n_headings must be between 0 and the number of columns, {len(self.columns)}; got {self.n_headings}."
            )


def checked_name(name: str) -> str:
    """Return the name if it can be part of a file name, a link and a LaTeX label; raise otherwise."""
    if not _NAME.fullmatch(name):
        raise InvalidParameter(
            "The name of a table or figure must start with a letter or digit and contain only those, dots, dashes and "
            f"underscores; got {name!r}."
        )
    return name


def notes_of(table: Table) -> dict[str, str]:
    """Return the mark of every note, in the order in which the notes first appear: a to z, then aa, ab and so on."""
    notes = dict.fromkeys(entry.note for row in table.rows for entry in row if entry.note is not None)
    return {note: _mark(number) for number, note in enumerate(notes)}


def _mark(number: int) -> str:
    rest, last = divmod(number, len(ascii_lowercase))
    return (_mark(rest - 1) if rest else "") + ascii_lowercase[last]


def text_rows(lines: Iterable[Iterable[str]]) -> tuple[tuple[Entry, ...], ...]:
    """Return rows of plain entries."""
    return tuple(tuple(map(Entry, line)) for line in lines)
