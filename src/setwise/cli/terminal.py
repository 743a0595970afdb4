"""Results on standard output; names of labels, words and files are printed as plain text."""

from __future__ import annotations

import io
import json
import os
import sys
import unicodedata
from typing import Any

__all__ = [
    "Table",
    "escape_control",
    "prepare_streams",
    "print_highlighted",
    "print_json",
    "print_line",
    "print_table",
]

_CONTROL = frozenset(["Cc", "Cf", "Cs", "Zl", "Zp"])
"""Unicode categories that a terminal obeys or hides: control, format, surrogate, line and paragraph separators."""
_JOINERS = "\u200c\u200d"
"""Format characters that belong to words and emoji, and stay as they are."""


def escape_control(text: str) -> str:
    r"""Return the text with control characters escaped, as in ``\x1b[31m``."""
    if text.isprintable():
        return text
    return "".join(
        character.encode("unicode_escape").decode()
        if unicodedata.category(character) in _CONTROL and character not in _JOINERS
        else character
        for character in text
    )


class Table:
    """Table whose cells are plain text, without markup, emoji codes or escape sequences.

    The options are those of ``rich.table.Table``.
    """

    def __init__(self, *headers: str, **options: Any) -> None:
        self.headers, self.options = headers, options
        self.rows: list[tuple[str, ...]] = []
        self.right_aligned: set[int] = set()

    def add_row(self, *cells: str) -> None:
        """Add one row of cells."""
        self.rows.append(cells)

    def align_right(self, *columns: int) -> None:
        """Align columns, such as those of numbers, to the right."""
        self.right_aligned.update(columns)


def print_table(table: Table) -> None:
    """Print a table to standard output."""
    from rich.console import Console  # late: `setwise predict` prints no table
    from rich.table import Table as RichTable
    from rich.text import Text

    printed = RichTable(*table.headers, **table.options)
    for column in table.right_aligned:
        printed.columns[column].justify = "right"
    for cells in table.rows:
        printed.add_row(*(Text(escape_control(cell)) for cell in cells))
    Console().print(printed)


def print_highlighted(text: str, weights: list[tuple[int, int, float]]) -> None:
    """Print a text with ranges in color: green where the weight is positive, red where it is negative."""
    from rich.console import Console  # late: `setwise predict` prints no colors
    from rich.text import Text

    pieces, shown = Text(), 0
    for begin, end, weight in sorted(weights):
        if begin >= shown:  # a range within another one has its color already
            pieces.append(escape_control(text[shown:begin]))
            pieces.append(escape_control(text[begin:end]), "bold green" if weight > 0 else "bold red")
            shown = end
    pieces.append(escape_control(text[shown:]))
    Console().print(pieces)


def print_line(line: str) -> None:
    """Print one line of a result to standard output."""
    print(escape_control(line))


def print_json(value: object) -> None:
    """Print a result to standard output as one line of JSON, in UTF-8 whatever the encoding of the terminal."""
    sys.stdout.flush()
    sys.stdout.buffer.write(json.dumps(value).encode() + b"\n")
    sys.stdout.flush()


def prepare_streams() -> None:
    """Replace standard streams that are closed, and let every character be printed.

    The next file that is opened would take the descriptor of a closed stream, and output would go into that file. The
    replacement of standard input or output fails when it is used; the replacement of standard error drops its input.
    """
    replacements = (("stdin", "r", os.O_WRONLY), ("stdout", "w", os.O_RDONLY), ("stderr", "w", os.O_WRONLY))
    for descriptor, (name, mode, flags) in enumerate(replacements):
        if getattr(sys, name) is None:
            _open_null_device(descriptor, flags)
            setattr(sys, name, open(descriptor, mode, encoding="utf-8", closefd=False))  # noqa: SIM115 - open to the end
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _open_null_device(descriptor: int, flags: int) -> None:
    """Open the null device under a descriptor, for this process and its children."""
    opened = os.open(os.devnull, flags)
    if opened != descriptor:
        os.dup2(opened, descriptor)
        os.close(opened)
    os.set_inheritable(descriptor, True)
