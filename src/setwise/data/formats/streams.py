"""Bytes in, line by line: plain or packed, from a file or from standard input, never whole."""

from __future__ import annotations

import codecs
import gzip
import io
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Any, BinaryIO

from setwise.data.formats.errors import Refused
from setwise.data.formats.options import is_utf_8
from setwise.data.formats.sniffing import GZIP, encoding_hint, not_utf_8, what_else
from setwise.data.paths import STANDARD, cannot_read
from setwise.exceptions import InvalidData

__all__ = ["BOM", "LONGEST_LINE", "STANDARD", "Lines", "Source", "decoded", "directory_given", "open_source"]

BOM = b"\xef\xbb\xbf"
# A file that is no text at all may have no line ends: it is refused before it fills the memory. What is made of a line,
# lists of numbers or of JSON objects, takes up to thirty times as much.
LONGEST_LINE = 1 << 24
# Where an empty line is a document, a few bytes of a packed file could be millions of them.
MOST_EMPTY_LINES = 1_000_000
BUFFER_SIZE = 1 << 17
LONGEST_HEAD = BUFFER_SIZE // 2  # of a pipe, looked at before it is read
_FAULTS = (EOFError, zlib.error, OSError, ValueError)  # the last for a path that no file can have


@dataclass(frozen=True)
class Source:
    """An open file, its name in messages, and where it is; ``path`` is None for standard input."""

    file: io.BufferedReader
    name: str
    path: Path | None

    def head(self) -> bytes:
        """Return the first bytes, which are still to be read; there are none where the file is empty."""
        try:
            return self.file.peek(1)
        except InvalidData:
            raise
        except _FAULTS as error:
            raise _unreadable(self.name, error) from error


@contextmanager
def open_source(path: str | PathLike[str], encoding: str = "utf-8", *, binary: bool = False) -> Iterator[Source]:
    """Open a file to read, as UTF-8 whatever its ``encoding``; ``-`` is standard input.

    A file whose name ends in ``.gz`` is unpacked, and so is standard input that is packed. A file that is no text, or
    is UTF-16 where that was not said, is an ``InvalidData`` that names what it is; ``binary`` files are not looked at.
    """
    with _opened(path) as source:
        packed = source.head().startswith(GZIP) if source.path is None else source.path.suffix.lower() == ".gz"
        if packed:
            unpacked: Any = gzip.GzipFile(fileobj=source.file)
            source = Source(io.BufferedReader(unpacked, BUFFER_SIZE), source.name, source.path)
        if not binary:
            _check_is_text(source, encoding)
            if not is_utf_8(encoding):
                source = Source(io.BufferedReader(_Decoding(source, encoding), BUFFER_SIZE), source.name, source.path)
        yield source


@contextmanager
def _opened(path: str | PathLike[str]) -> Iterator[Source]:
    if fspath(path) == STANDARD:
        if sys.stdin is None:
            raise InvalidData("standard input must be open to be read; it is closed.")
        file = sys.stdin.buffer
        if not isinstance(file, io.BufferedReader) or not file.seekable():
            file = io.BufferedReader(_Replayed(file), BUFFER_SIZE)
        yield Source(file, "standard input", None)
        return
    path = Path(path)
    try:
        opened = open(path, "rb")  # noqa: SIM115 - closed below, apart from what may go wrong in opening it
    except IsADirectoryError:
        raise directory_given(path) from None
    except _FAULTS as error:
        raise _unreadable(str(path), error) from error
    with opened:
        yield Source(opened, str(path), path)


def directory_given(path: str | PathLike[str]) -> InvalidData:
    """Return the error for a directory where a file is needed."""
    return InvalidData(
        f"{path} is a directory; give a file, and its format (`--from`) where the file's ending does not tell it."
    )


def _check_is_text(source: Source, encoding: str) -> None:
    head = source.head()
    if what := what_else(head):
        raise InvalidData(f"{source.name} is {what}.")
    if is_utf_8(encoding) and (other := not_utf_8(head)):
        raise InvalidData(f"{source.name} looks like {other}; use `--encoding {other}`.")


class _Replayed(io.RawIOBase):
    """A pipe, from which whole lines are read: its first one can be looked at before it is read."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._head: bytes | None = None

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if self._head is None:
            self._head = self._first_line()
        piece = self._head[: len(buffer)] or self._file.readline(len(buffer))
        self._head = self._head[len(piece) :]
        buffer[: len(piece)] = piece
        return len(piece)

    def _first_line(self) -> bytes:
        """Read up to the end of the first line that is not empty."""
        head = b""
        while len(head) < LONGEST_HEAD and not (head.endswith(b"\n") and head.removeprefix(BOM).strip()):
            piece = self._file.readline(LONGEST_HEAD)
            if not piece:
                break
            head += piece
        return head


class _Decoding(io.RawIOBase):
    """A file of another encoding, as UTF-8."""

    def __init__(self, source: Source, encoding: str) -> None:
        self._source = source
        self._encoding = encoding
        self._decoder = codecs.getincrementaldecoder(encoding)()
        self._left = b""
        self._n_lines = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        at_end = False
        while not self._left and not at_end:
            piece = self._source.file.read1(BUFFER_SIZE)
            at_end = not piece
            self._left = self._decoded(piece, at_end)
            self._n_lines += self._left.count(b"\n")
        piece, self._left = self._left[: len(buffer)], self._left[len(buffer) :]
        buffer[: len(piece)] = piece
        return len(piece)

    def _decoded(self, piece: bytes, at_end: bool) -> bytes:
        try:
            return self._decoder.decode(piece, at_end).encode()
        except UnicodeError as error:
            line, got = self._n_lines + 1, "bytes that are not"
            if isinstance(error, UnicodeDecodeError):
                before = error.object[: error.start].decode(self._encoding, errors="ignore")
                line, got = line + before.count("\n"), f"the byte 0x{error.object[error.start]:02x}"
            raise InvalidData(f"{self._source.name}, line {line}: text must be {self._encoding}; got {got}.") from None


class Lines:
    """The lines of a file without their ends; ``number`` is the number of the last one given, counted from 1."""

    def __init__(self, source: Source) -> None:
        self.number = 0
        self._source = source
        self._n_empty = 0

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        return self.with_end().removesuffix(b"\n").removesuffix(b"\r")

    def with_end(self) -> bytes:
        """Give the next line with its end; the mark that some editors begin a file with is left out."""
        name = self._source.name
        try:
            line = self._source.file.readline(LONGEST_LINE + 1)
        except InvalidData:
            raise
        except _FAULTS as error:
            raise _unreadable(name, error) from error
        if not line:
            raise StopIteration
        self.number += 1
        if len(line) > LONGEST_LINE:
            raise InvalidData(f"{name}, line {self.number}: a line must have at most {LONGEST_LINE:,} bytes.")
        self._n_empty = self._n_empty + 1 if line in (b"\n", b"\r\n") else 0
        if self._n_empty > MOST_EMPTY_LINES:
            raise InvalidData(
                f"{name}, line {self.number}: there must be at most {MOST_EMPTY_LINES:,} empty lines in a row."
            )
        return line.removeprefix(BOM) if self.number == 1 else line

    def skip_empty(self) -> None:
        """Skip the empty lines that come next, many at a time."""
        while True:
            ahead = self._source.head()
            n_bytes = ahead.rfind(b"\n", 0, len(ahead) - len(ahead.lstrip(b"\r\n"))) + 1
            if not n_bytes:
                return
            self.number += self._source.file.read(n_bytes).count(b"\n")


def decoded(line: bytes) -> str:
    """Decode a line as UTF-8, and refuse it where it is not."""
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        column = len(line[: error.start].decode("utf-8")) + 1
        encoding = encoding_hint(line)
        hint = "" if encoding is None else f" Hint: if it is {encoding}, use `--encoding {encoding}`."
        raise Refused(f"text must be UTF-8; got the byte 0x{line[error.start]:02x}.{hint}", column) from None


def _unreadable(name: str, error: Exception) -> InvalidData:
    if isinstance(error, EOFError | zlib.error):
        return InvalidData(f"{name} must be a whole gzip file; it is cut short or damaged ({error}).")
    reason = error.strerror if isinstance(error, OSError) else None  # a broken gzip header is an OSError without one
    return cannot_read(name, reason or str(error))
