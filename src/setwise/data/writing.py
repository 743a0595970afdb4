"""Documents into a file, one at a time; the file is there whole or not at all."""

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
from setwise.data.formats import WriteOptions, format_of
from setwise.data.formats.side_files import SideFile, check_side_files, write_side_files
from setwise.data.formats.streams import STANDARD
from setwise.data.formats.writing import Writer
from setwise.data.paths import FilePath, check_distinct
from setwise.exceptions import Incompatible, InvalidData, InvalidParameter

__all__ = ["open_writer", "packed"]


@contextmanager
def open_writer(
    path: str | PathLike[str],
    names: Names | None = None,
    options: WriteOptions | None = None,
    *,
    inputs: Iterable[FilePath] = (),
) -> Iterator[Callable[[Document], None]]:
    """Give a function that writes one document, in the format that the file's ending tells; ``-`` is standard output.

    ``names`` are those of all labels and features: vector formats need them before the first document, text formats
    never do. ``inputs`` are files that the caller reads: one of them is never changed by what is written beside.
    """
    options, names = options or WriteOptions(), names or Names()
    format = format_of(path, options.format, writing=True)
    with _open_target(path) as file:
        with packed(file, path) as unpacked:
            writer = format.write(unpacked, names, options)
            sides = _checked_side_files(writer, path, format.name, inputs)

            def write(document: Document) -> None:
                _check_kind(document, format.kind, format.name)
                writer.write(document)

            try:
                yield write
                writer.finish()
            except BaseException:
                writer.abandon()
                raise
        write_side_files(sides)


def _checked_side_files(writer: Writer, path: FilePath, format: str, inputs: Iterable[FilePath]) -> list[SideFile]:
    sides = writer.side_files(Path(path))
    if fspath(path) == STANDARD:
        if any(side.content is not None for side in sides):
            raise InvalidParameter(f"{format} on - cannot give names of labels; write it to a file.")
        return []
    check_distinct([side.path for side in sides], [path])
    check_side_files(sides, Path(path), inputs)
    return sides


def _check_kind(document: Document, kind: Kind, format: str) -> None:
    if isinstance(document, TextDocument) != (kind == "text"):
        holds = "texts" if kind == "text" else "feature vectors"
        raise Incompatible(f"{format} holds {holds}; got a {type(document).__name__}.")


@contextmanager
def _open_target(path: str | PathLike[str]) -> Iterator[BinaryIO]:
    if fspath(path) != STANDARD:
        with atomic_writer(path) as file:
            yield file
        return
    try:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise  # who reads has seen enough, which is no failure of the writing
    except OSError as error:
        raise InvalidData(f"standard output must be open to write; {error.strerror or error}.") from error


@contextmanager
def packed(file: BinaryIO, path: str | PathLike[str]) -> Iterator[BinaryIO]:
    """Give what packs what is written, where the name ends in .gz; else the file itself."""
    if Path(path).suffix.lower() != ".gz":
        yield file
        return
    # No time and no name inside: the same documents give the same bytes.
    with gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0) as packing:
        yield cast(BinaryIO, packing)
