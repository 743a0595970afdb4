"""What a table holds, before anything is said about how it looks."""

from __future__ import annotations

from dataclasses import dataclass
from string import ascii_lowercase

from setwise.exceptions import InvalidData, InvalidParameter
from setwise.reports.names import checked_name

__all__ = ["Entry", "Table", "notes_of"]


@dataclass(frozen=True)
class Entry:
    """What stands in one place of a table."""

    text: str
    bold: bool = False
    note: str | None = None
    """Shown below the table, as the reason of a dash is; entries of equal notes share one mark."""


@dataclass(frozen=True)
class Table:
    """Rows of entries under named columns."""

    name: str
    """A word for names of files."""
    title: str
    """One line."""
    columns: tuple[str, ...]
    rows: tuple[tuple[Entry, ...], ...]
    text: str = ""
    """A paragraph before the table."""
    n_headings: int = 1
    """How many of the first columns are headings of rows; they are aligned to the left, the others to the right."""

    def __post_init__(self) -> None:
        checked_name(self.name)
        if not self.columns:
            raise InvalidData(f"A table must have a column; {self.name} has none.")
        for number, row in enumerate(self.rows, start=1):
            if len(row) != len(self.columns):
                raise InvalidData(
                    f"Every row of a table must have an entry a column; {self.name} has {len(self.columns)} columns, "
                    f"and its row {number} has {len(row)} entries."
                )
        if not 0 <= self.n_headings <= len(self.columns):
            raise InvalidParameter(
                f"n_headings must lie between 0 and the number of columns, {len(self.columns)}; got {self.n_headings}."
            )


def notes_of(table: Table) -> dict[str, str]:
    """Give the mark of every note, in the order in which the notes first appear: a to z, then aa, ab and so on."""
    notes = dict.fromkeys(entry.note for row in table.rows for entry in row if entry.note is not None)
    return {note: _mark(number) for number, note in enumerate(notes)}


def _mark(number: int) -> str:
    rest, last = divmod(number, len(ascii_lowercase))
    return (_mark(rest - 1) if rest else "") + ascii_lowercase[last]
