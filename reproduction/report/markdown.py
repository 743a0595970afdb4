"""Tables in GitHub's Markdown."""

from __future__ import annotations

import re

from reproduction.report.table import Entry, Table, notes_of

__all__ = ["as_markdown"]

_SPECIAL = re.compile(r"[\\`*\[\]<>|~$#]|&(?=#?\w+;)|(?<![^\W_])_")
"""Markup inside a line; underscores after letters are none, nor are ampersands that start no entity."""

_OPENING = re.compile(r"^(\d{0,9})(?=[+=.)-])")
"""Where a character could make the line a list item or a rule: at its start, or after its first digits."""


def as_markdown(table: Table) -> str:
    """Return the table under its title, with its text before it and its notes after it."""
    marks = notes_of(table)
    n_values = len(table.columns) - table.n_headings
    lines = [
        _line([_cell(column) for column in table.columns]),
        _line([":---"] * table.n_headings + ["---:"] * n_values),
        *(_line([_entry(entry, marks) for entry in row]) for row in table.rows),
    ]
    blocks = [
        f"### {_paragraph(table.title)}",
        _paragraph(table.text),
        "\n".join(lines),
        *(f"{_raised(mark)} {_paragraph(note)}" for note, mark in marks.items()),
    ]
    return "\n\n".join(block for block in blocks if block) + "\n"


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _entry(entry: Entry, marks: dict[str, str]) -> str:
    text = _cell(entry.text)
    strong = f"**{text}**" if entry.bold and text else text
    return strong if entry.note is None else strong + _raised(marks[entry.note])


def _raised(mark: str) -> str:
    return f"<sup>{mark}</sup>"


def _cell(text: str) -> str:
    return "<br>".join(map(_escape, text.strip().splitlines()))


def _paragraph(text: str) -> str:
    return _OPENING.sub(r"\1\\", _escape(text))


def _escape(text: str) -> str:
    """Return the text in one line, with all markup escaped."""
    return _SPECIAL.sub(r"\\\g<0>", " ".join(text.split()))
