"""What a format's reader gives: names that hold for all documents, and the documents, one at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from setwise.data.documents import Document, Names
from setwise.data.formats.errors import Problems, Refused
from setwise.data.formats.streams import Lines

__all__ = ["Reading", "line_by_line"]

Parsed = TypeVar("Parsed")


@dataclass(frozen=True)
class Reading:
    """A file whose head has been read."""

    names: Names
    documents: Iterator[Document]
    kept: tuple[str, ...] | None = ()
    """The columns that documents keep; None where all are kept and each document has its own."""


def line_by_line(lines: Lines, parse: Callable[[bytes], Parsed | None], problems: Problems) -> Iterator[Parsed]:
    """Parse each line; ``parse`` gives None for a line that is no document, and raises ``Refused`` for a bad one."""
    for line in lines:
        try:
            parsed = parse(line)
        except Refused as refused:
            problems.refuse(f"line {lines.number}", refused)
        else:
            if parsed is not None:
                yield parsed
            else:
                lines.skip_empty()  # often there are more of them
