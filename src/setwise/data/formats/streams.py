"""Streams of bytes and lines: from a file or standard input, compressed or not, in bounded memory."""

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

from setwise.data.formats.errors import DocumentError
from setwise.data.formats.options import is_utf_8
from setwise.data.formats.sniffing import GZIP_MAGIC, describe_non_text, likely_encoding, wide_encoding
from setwise.data.paths import STDIO, read_error
from setwise.exceptions import InvalidData

__all__ = ["BOM", "MAX_LINE_BYTES", "Lines", "Source", "decode_line", "directory_error", "open_source"]

BOM = b"\xef\xbb\xbf"
# A file that is not text may have no line ends: stop before it fills the memory. A parsed line, as lists of numbers or
# JSON objects, takes up to thirty times as much.
MAX_LINE_BYTES = 1 << 24
# Where an empty line is a document, a few compressed bytes could be millions of documents.
MAX_EMPTY_LINES = 1_000_000
BUFFER_SIZE = 1 << 17
MAX_PEEK_BYTES = BUFFER_SIZE // 2  # of a pipe, to recognize its format
_READ_ERRORS = (EOFError, zlib.error, OSError, ValueError)  # ValueError: a path with a null character


@dataclass(frozen=True)
class Source:
    """An open input file: its stream, its name in messages, and its path, which is None for standard input."""

    file: io.BufferedReader
    name: str
    path: Path | None

    def peek(self) -> bytes:
        """Return the first unread bytes without consuming them; empty at the end of the file."""
        try:
            return self.file.peek(1)
        except InvalidData:
            raise
        except _READ_ERRORS as error:
            raise _stream_error(self.name, error) from error


@contextmanager
def open_source(path: str | PathLike[str], encoding: str = "utf-8", *, binary: bool = False) -> Iterator[Source]:
    """Open a file for reading, transcoded from ``encoding`` to UTF-8; ``-`` is standard input.

    A file whose name ends in ``.gz`` is decompressed, and so is compressed standard input. Raises ``InvalidData`` for a
    file that is not text, or is UTF-16 without being declared so; ``binary`` files are not checked.
    """
    with _open_raw(path) as source:
        compressed = (
            source.peek().startswith(GZIP_MAGIC) if source.path is None else source.path.suffix.lower() == ".gz"
        )
        if compressed:
            plain: Any = gzip.GzipFile(fileobj=source.file)
            source = Source(io.BufferedReader(plain, BUFFER_SIZE), source.name, source.path)
        if not binary:
            _check_is_text(source, encoding)
            if not is_utf_8(encoding):
                source = Source(io.BufferedReader(_Transcoder(source, encoding), BUFFER_SIZE), source.name, source.path)
        yield source


@contextmanager
def _open_raw(path: str | PathLike[str]) -> Iterator[Source]:
    if fspath(path) == STDIO:
        if sys.stdin is None:
            raise InvalidData("Cannot read standard input: it is closed.")
        file = sys.stdin.buffer
        if not isinstance(file, io.BufferedReader) or not file.seekable():
            file = io.BufferedReader(_PeekablePipe(file), BUFFER_SIZE)
        yield Source(file, "standard input", None)
        return
    path = Path(path)
    try:
        opened = open(path, "rb")  # noqa: SIM115 - closed below; only errors of opening are caught here
    except IsADirectoryError:
        raise directory_error(path) from None
    except _READ_ERRORS as error:
        raise _stream_error(str(path), error) from error
    with opened:
        yield Source(opened, str(path), path)


def directory_error(path: str | PathLike[str]) -> InvalidData:
    """Return the error for a directory where a file is needed."""
    return InvalidData(f"{path} is a directory. Give a file, and its format (`--from`) if its suffix is not known.")


def _check_is_text(source: Source, encoding: str) -> None:
    start = source.peek()
    if what := describe_non_text(start):
        raise InvalidData(f"{source.name} is {what}.")
    if is_utf_8(encoding) and (other := wide_encoding(start)):
        raise InvalidData(f"{source.name} seems to be encoded in {other}. Use `--encoding {other}`.")


class _PeekablePipe(io.RawIOBase):
    """A pipe, read by whole lines, whose first line can be peeked at."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._start: bytes | None = None

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if self._start is None:
            self._start = self._first_line()
        piece = self._start[: len(buffer)] or self._file.readline(len(buffer))
        self._start = self._start[len(piece) :]
        buffer[: len(piece)] = piece
        return len(piece)

    def _first_line(self) -> bytes:
        """Read up to the end of the first line that is not empty."""
        start = b""
        while len(start) < MAX_PEEK_BYTES and not (start.endswith(b"\n") and start.removeprefix(BOM).strip()):
            piece = self._file.readline(MAX_PEEK_BYTES)
            if not piece:
                break
            start += piece
        return start


class _Transcoder(io.RawIOBase):
    """A file in another encoding, read as UTF-8."""

    def __init__(self, source: Source, encoding: str) -> None:
        self._source = source
        self._encoding = encoding
        self._decoder = codecs.getincrementaldecoder(encoding)()
        self._pending = b""
        self._n_lines = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        at_end = False
        while not self._pending and not at_end:
            piece = self._source.file.read1(BUFFER_SIZE)
            at_end = not piece
            self._pending = self._transcode(piece, at_end)
            self._n_lines += self._pending.count(b"\n")
        piece, self._pending = self._pending[: len(buffer)], self._pending[len(buffer) :]
        buffer[: len(piece)] = piece
        return len(piece)

    def _transcode(self, piece: bytes, at_end: bool) -> bytes:
        try:
            return self._decoder.decode(piece, at_end).encode()
        except UnicodeError as error:
            line, got = self._n_lines + 1, "bytes that are not"
            if isinstance(error, UnicodeDecodeError):
                before = error.object[: error.start].decode(self._encoding, errors="ignore")
                line, got = line + before.count("\n"), f"the byte 0x{error.object[error.start]:02x}"
            raise InvalidData(f"{self._source.name}, line {line}: text must be {self._encoding}; got {got}.") from None


class Lines:
    """The lines of a file without their ends; ``number`` is that of the last line read, counted from 1.

    ``with_ends`` yields the same lines with their ends.
    """

    def __init__(self, source: Source) -> None:
        self.number = 0
        self._source = source
        self.with_ends = self._read()

    def __iter__(self) -> Iterator[bytes]:
        return (line.removesuffix(b"\n").removesuffix(b"\r") for line in self.with_ends)

    def _read(self) -> Iterator[bytes]:
        """Yield the lines with their ends, without the byte order mark of the file."""
        readline, n_empty = self._source.file.readline, 0
        while True:
            try:
                line = readline(MAX_LINE_BYTES + 1)
            except InvalidData:
                raise
            except _READ_ERRORS as error:
                raise _stream_error(self._source.name, error) from error
            if not line:
                return
            self.number += 1
            if len(line) > 2:
                n_empty = 0
                if len(line) > MAX_LINE_BYTES:
                    raise InvalidData(f"{self._place()}: a line must have at most {MAX_LINE_BYTES:,} bytes.")
            elif line in (b"\n", b"\r\n"):
                n_empty += 1
                if n_empty > MAX_EMPTY_LINES:
                    raise InvalidData(
                        f"{self._place()}: there must be at most {MAX_EMPTY_LINES:,} empty lines in a row."
                    )
            else:
                n_empty = 0
            yield line.removeprefix(BOM) if self.number == 1 else line

    def _place(self) -> str:
        return f"{self._source.name}, line {self.number}"

    def skip_empty(self) -> None:
        """Skip the empty lines that follow, many at a time."""
        while True:
            ahead = self._source.peek()
            n_bytes = ahead.rfind(b"\n", 0, len(ahead) - len(ahead.lstrip(b"\r\n"))) + 1
            if not n_bytes:
                return
            self.number += self._source.file.read(n_bytes).count(b"\n")


def decode_line(line: bytes) -> str:
    """Decode a line as UTF-8; raise ``DocumentError`` if it is not."""
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        column = len(line[: error.start].decode("utf-8")) + 1
        encoding = likely_encoding(line)
        hint = "" if encoding is None else f" Hint: if it is {encoding}, use `--encoding {encoding}`."
        raise DocumentError(f"text must be UTF-8; got the byte 0x{line[error.start]:02x}.{hint}", column) from None


def _stream_error(name: str, error: Exception) -> InvalidData:
    if isinstance(error, EOFError | zlib.error):
        return InvalidData(f"{name} is a truncated or damaged gzip file ({error}).")
    reason = error.strerror if isinstance(error, OSError) else None  # a bad gzip header is an OSError without one
    return read_error(name, reason or str(error))
