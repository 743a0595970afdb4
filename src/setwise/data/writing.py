"""Writing of files, one document at a time; a file appears complete or not at all."""

from __future__ import annotations

import gzip
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from os import PathLike, fspath
from pathlib import Path
from typing import BinaryIO, cast

from setwise.data.atomic import atomic_writer
from setwise.data.documents import Document, Kind, Names, TextDocument
from setwise.data.formats import WriteOptions, Writer, format_of
from setwise.data.formats.side_files import SideFile, check_side_files, write_side_files
from setwise.data.paths import STDIO, FilePath, check_distinct
from setwise.exceptions import Incompatible, InvalidData, InvalidParameter

__all__ = ["gzip_by_suffix", "open_writer"]


@contextmanager
def open_writer(
    path: str | PathLike[str],
    names: Names | None = None,
    options: WriteOptions | None = None,
    *,
    inputs: Iterable[FilePath] = (),
) -> Iterator[Callable[[Document], None]]:
    """Open a file for writing documents one at a time.

    Parameters
    ----------
    path : str or path
        The file, whose suffix implies the format; ``-`` is standard output.
    names : Names, optional
        Names of all labels and features, which vector formats need before the first document.
    options : WriteOptions, optional
        How to write it.
    inputs : iterable of paths
        Files that the caller reads, which files written next to ``path`` must not change.

    Yields
    ------
    callable
        A function that writes one document.

    Examples
    --------
    >>> from setwise.data import TextDocument, WriteOptions, open_writer
    >>> with open_writer("/dev/null", options=WriteOptions("jsonl")) as write:
    ...     write(TextDocument("Rain in May", ("weather",)))
    """
    options, names = options or WriteOptions(), names or Names()
    format = format_of(path, options.format, writing=True)
    assert format.write is not None  # checked by format_of
    with _open_output(path) as file:
        with gzip_by_suffix(file, path) as stream:
            writer = format.write(stream, names, options)
            side_files = _checked_side_files(writer, path, format.name, inputs)

            def write(document: Document) -> None:
                _check_kind(document, format.kind, format.name)
                writer.write(document)

            try:
                yield write
                writer.finish()
            except BaseException:
                writer.abandon()
                raise
        write_side_files(side_files)


def _checked_side_files(writer: Writer, path: FilePath, format: str, inputs: Iterable[FilePath]) -> list[SideFile]:
    side_files = writer.side_files(Path(path))
    if fspath(path) == STDIO:
        if any(file.content is not None for file in side_files):
            raise InvalidParameter(
                f"{format} puts label names in a second file, which - does not have. Write it to a file."
            )
        return []
    check_distinct([file.path for file in side_files], [path])
    check_side_files(side_files, Path(path), inputs)
    return side_files


def _check_kind(document: Document, kind: Kind, format: str) -> None:
    if isinstance(document, TextDocument) != (kind == "text"):
        contents = "texts" if kind == "text" else "feature vectors"
        raise Incompatible(f"{format} files contain {contents}; got a {type(document).__name__}.")


@contextmanager
def _open_output(path: str | PathLike[str]) -> Iterator[BinaryIO]:
    if fspath(path) != STDIO:
        with atomic_writer(path) as file:
            yield file
        return
    try:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise  # the reader has closed the pipe, which is no write error
    except OSError as error:
        raise InvalidData(f"Cannot write to standard output: {error.strerror or error}.") from error


@contextmanager
def gzip_by_suffix(file: BinaryIO, path: str | PathLike[str]) -> Iterator[BinaryIO]:
    """Yield a gzip stream over ``file`` if ``path`` ends in .gz, or else ``file`` itself."""
    if Path(path).suffix.lower() != ".gz":
        yield file
        return
    # Without a time and a name in the header, the same documents give the same bytes.
    with gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0) as compressed:
        yield cast(BinaryIO, compressed)
