"""Output to the terminal: results on standard output, and names of labels, words and files as plain text."""

from __future__ import annotations

import io
import json
import os
import sys
import unicodedata
from typing import Any

from rich.console import Console, RenderableType
from rich.table import Table as RichTable
from rich.text import Text

__all__ = ["Table", "plain", "prepare_streams", "say", "say_json", "show"]

_OBEYED = frozenset(["Cc", "Cf", "Cs", "Zl", "Zp"])
"""Unicode categories of characters that a terminal obeys or hides: control, format, surrogate, line and paragraph."""
_JOINERS = "\u200c\u200d"
"""Format characters that are part of how words and emoji are written."""


def plain(text: str) -> str:
    r"""Return the text with control characters and escape sequences made visible, as in ``\x1b[31m``."""
    if text.isprintable():
        return text
    return "".join(
        character.encode("unicode_escape").decode()
        if unicodedata.category(character) in _OBEYED and character not in _JOINERS
        else character
        for character in text
    )


class Table(RichTable):
    """A table whose cells are plain text: nothing in them is read as markup, emoji codes or escape sequences."""

    def add_row(self, *cells: RenderableType | None, **options: Any) -> None:
        """Add a row of cells."""
        super().add_row(*(Text(plain(cell)) if isinstance(cell, str) else cell for cell in cells), **options)


def show(table: Table) -> None:
    """Print a table to standard output."""
    Console().print(table)


def say(line: str) -> None:
    """Print a line of a result to standard output."""
    print(plain(line))


def say_json(value: object) -> None:
    """Print a result for a machine to standard output: one line of JSON, in UTF-8 whatever the terminal's encoding."""
    sys.stdout.flush()
    sys.stdout.buffer.write(json.dumps(value).encode() + b"\n")
    sys.stdout.flush()


def prepare_streams() -> None:
    """Make standard streams safe to use: one that is closed is replaced, and no character fails to be printed.

    The number of a closed stream would go to the next file that is opened, and what is printed would end up in that
    file. In its place, input and output fail when they are used, and notes are dropped.
    """
    replacements = (("stdin", "r", os.O_WRONLY), ("stdout", "w", os.O_RDONLY), ("stderr", "w", os.O_WRONLY))
    for number, (name, mode, flags) in enumerate(replacements):
        if getattr(sys, name) is None:
            _occupy(number, flags)
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115 - open to the end
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _occupy(number: int, flags: int) -> None:
    """Open the null device as a stream's number, for this process and those that it starts."""
    opened = os.open(os.devnull, flags)
    if opened != number:
        os.dup2(opened, number)
        os.close(opened)
    os.set_inheritable(number, True)
