"""What a file format consists of: one record per format, and the interfaces of its reader and its writer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Any, BinaryIO, Protocol, TypeVar

from setwise.data.documents import Document, Kind, Names
from setwise.data.formats.errors import DocumentError, Problems
from setwise.data.formats.options import ReadOptions, WriteOptions
from setwise.data.formats.side_files import SideFile
from setwise.data.formats.streams import Lines, Source
from setwise.data.paths import STDIO
from setwise.exceptions import InvalidData

__all__ = ["NOT_UNICODE", "Encoder", "Format", "LineWriter", "Reading", "Writer", "read_lines"]

NOT_UNICODE = "its text is not valid Unicode: it contains half a surrogate pair."

Parsed = TypeVar("Parsed")
D = TypeVar("D", contravariant=True)


@dataclass(frozen=True)
class Reading:
    """What a reader returns: what is known from the header, and an iterator over the documents."""

    names: Names
    documents: Iterator[Document]
    # Columns copied to TextDocument.extra; None if each document has its own.
    extra_columns: tuple[str, ...] | None = ()


class Writer(ABC):
    """Writes documents to an open file, one after another."""

    @abstractmethod
    def write(self, document: Any) -> None:
        """Write one document."""

    def finish(self) -> None:  # noqa: B027 - optional
        """Write what is buffered, after the last document."""

    def abandon(self) -> None:  # noqa: B027 - optional
        """Release resources after an error; the file will be discarded."""

    def side_files(self, path: Path) -> list[SideFile]:
        """Return the files to write next to ``path``."""
        return []


@dataclass(frozen=True)
class Format:
    """A file format: how it is named, recognized, read and written.

    Parameters
    ----------
    name : str
        Name of the format, as in ``--from`` and ``--to``.
    description : str
        What a file contains, in a few words, for the table in the documentation.
    kind : {"text", "vectors"}
        Whether its documents are texts or feature vectors.
    read : callable
        ``read(source, options, problems)`` reads the header and returns a ``Reading``.
    write : callable, optional
        ``write(file, names, options)`` returns a ``Writer``; None if the format can only be read.
    suffixes : tuple of str
        File suffixes that imply the format, such as ``".csv"``.
    options : tuple of str
        Fields of :class:`ReadOptions` and :class:`WriteOptions` that it uses, apart from those of every format:
        ``format``, ``encoding`` and ``on_error``.
    recognize : callable, optional
        ``recognize(start, options)`` returns whether the first bytes of standard input are of this format.
    names_files : callable, optional
        ``names_files(path)`` returns the paths of files with label or feature names next to the data.
    stores_ids : bool
        Whether documents keep their ids.
    needs_feature_names : bool
        Whether the writer needs the names of all features before the first document.
    binary : bool
        Whether files are not text: they have no encoding and are compressed internally.

    Examples
    --------
    >>> from setwise.data import FORMATS
    >>> FORMATS["csv"].suffixes, FORMATS["csv"].takes("separator")
    (('.csv',), True)
    """

    name: str
    description: str
    kind: Kind
    read: Callable[[Source, ReadOptions, Problems], Reading]
    write: Callable[[BinaryIO, Names, WriteOptions], Writer] | None = None
    suffixes: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    recognize: Callable[[bytes, ReadOptions], bool] | None = None
    names_files: Callable[[Path], list[Path]] | None = None
    stores_ids: bool = False
    needs_feature_names: bool = False
    binary: bool = False

    def takes(self, option: str) -> bool:
        """Return whether the format uses an option."""
        return option in self.options

    def side_paths(self, path: str | PathLike[str]) -> list[Path]:
        """Return the files of names that may be next to ``path``, whether they exist or not; none for ``-``."""
        return [] if self.names_files is None or fspath(path) == STDIO else self.names_files(Path(path))


def read_lines(
    lines: Lines, parse: Callable[[bytes], Parsed | None], problems: Problems, *, with_ends: bool = False
) -> Iterator[Parsed]:
    """Parse one document per line, with or without its line end.

    ``parse`` returns None for a line without a document and raises ``DocumentError`` for a bad one.
    """
    for line in lines.with_ends if with_ends else lines:
        try:
            parsed = parse(line)
        except DocumentError as error:
            problems.report(f"line {lines.number}", error)
        else:
            if parsed is not None:
                yield parsed
            else:
                lines.skip_empty()  # empty lines often come in runs


class Encoder(Protocol[D]):
    """A format whose files are a header followed by the bytes of each document."""

    def header(self, first: D) -> bytes:
        """Return what precedes the first document."""

    def encode(self, document: D) -> bytes:
        """Return a document's bytes, including the line end."""


class LineWriter(Writer):
    """Writes the header and the documents that an encoder returns."""

    def __init__(
        self, file: BinaryIO, encoder: Encoder[Any], side_files: Callable[[Path], list[SideFile]] | None = None
    ) -> None:
        self._file = file
        self._encoder = encoder
        self._side_files = side_files
        self._n_written = 0

    def write(self, document: Any) -> None:
        """Write one document; the header precedes the first."""
        self._n_written += 1
        try:
            header = self._encoder.header(document) if self._n_written == 1 else b""
            self._file.write(header + self._encoder.encode(document))
        except DocumentError as error:
            raise InvalidData(f"Document {self._n_written} cannot be written: {error.reason}") from None
        except UnicodeEncodeError:
            raise InvalidData(f"Document {self._n_written} cannot be written: {NOT_UNICODE}") from None

    def side_files(self, path: Path) -> list[SideFile]:
        """Return the files to write next to ``path``."""
        return [] if self._side_files is None else self._side_files(path)
