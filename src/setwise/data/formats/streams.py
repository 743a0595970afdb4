"""Bytes in, line by line: plain or packed, from a file or from standard input, never whole."""

from __future__ import annotations

import gzip
import io
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import BinaryIO, cast

from setwise.data.formats.problems import Refused
from setwise.data.paths import STANDARD, cannot_read
from setwise.exceptions import InvalidData

__all__ = ["BOM", "STANDARD", "Lines", "Source", "decoded", "open_source"]

BOM = b"\xef\xbb\xbf"
# A file that is no text at all may have no line ends: it is refused before it fills the memory.
LONGEST_LINE = 1 << 27
BUFFER_SIZE = 1 << 17
_FAULTS = (EOFError, zlib.error, OSError, ValueError)  # the last for a path that no file can have


@dataclass(frozen=True)
class Source:
    """An open file, its name in messages, and where it is; ``path`` is None for standard input."""

    file: BinaryIO
    name: str
    path: Path | None


@contextmanager
def open_source(path: str | PathLike[str]) -> Iterator[Source]:
    """Open a file to read, unpacked where its name ends in ``.gz``; ``-`` is standard input."""
    if fspath(path) == STANDARD:
        yield Source(sys.stdin.buffer, "standard input", None)
        return
    path = Path(path)
    try:
        file = open(path, "rb")  # noqa: SIM115 - closed below, apart from what may go wrong in opening it
    except _FAULTS as error:
        raise _unreadable(str(path), error) from error
    with file:
        if path.suffix.lower() != ".gz":
            yield Source(file, str(path), path)
            return
        with gzip.GzipFile(fileobj=file) as unpacked:
            yield Source(cast(BinaryIO, io.BufferedReader(unpacked, BUFFER_SIZE)), str(path), path)


class Lines:
    """The lines of a file without their ends; ``number`` is the number of the last one given, counted from 1."""

    def __init__(self, source: Source) -> None:
        self.number = 0
        self._source = source

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        return self.with_end().removesuffix(b"\n").removesuffix(b"\r")

    def with_end(self) -> bytes:
        """Give the next line with its end; the mark that some editors begin a file with is left out."""
        name = self._source.name
        try:
            line = self._source.file.readline(LONGEST_LINE + 1)
        except _FAULTS as error:
            raise _unreadable(name, error) from error
        if not line:
            raise StopIteration
        self.number += 1
        if len(line) > LONGEST_LINE:
            raise InvalidData(f"{name}, line {self.number}: a line must have at most {LONGEST_LINE:,} bytes.")
        return line.removeprefix(BOM) if self.number == 1 else line


def decoded(line: bytes) -> str:
    """Decode a line as UTF-8, and refuse it where it is not."""
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        column = len(line[: error.start].decode("utf-8")) + 1
        raise Refused(f"text must be UTF-8; got the byte 0x{line[error.start]:02x}.", column) from None


def _unreadable(name: str, error: Exception) -> InvalidData:
    if isinstance(error, EOFError | zlib.error):
        return InvalidData(f"{name} must be a whole gzip file; it is cut short or damaged ({error}).")
    reason = error.strerror if isinstance(error, OSError) else None  # a broken gzip header is an OSError without one
    return cannot_read(name, reason or str(error))
