"""Tables as comma-separated values."""

from __future__ import annotations

import csv
import io

from reproduction.report.table import Entry, Table, notes_of

__all__ = ["as_csv"]


def as_csv(table: Table) -> str:
    """Return the columns and the rows; if there are notes, the last column holds those of each row.

    Every line ends in a line feed, also within a text.
    """
    with_notes = bool(notes_of(table))
    lines = [[*table.columns, *(["notes"] if with_notes else [])]]
    lines += [[*(entry.text for entry in row), *([_notes(row)] if with_notes else [])] for row in table.rows]
    buffer = io.StringIO(newline="")
    csv.writer(buffer, lineterminator="\n").writerows([map(_with_line_feeds, line) for line in lines])
    return buffer.getvalue()


def _notes(row: tuple[Entry, ...]) -> str:
    return "; ".join(dict.fromkeys(entry.note for entry in row if entry.note is not None))


def _with_line_feeds(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
