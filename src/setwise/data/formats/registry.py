"""The formats by name and by ending. A new format joins by one entry in FORMATS."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from os import PathLike, fspath
from pathlib import Path, PurePath
from typing import Any, BinaryIO

from setwise.data.documents import Kind, Names
from setwise.data.formats.errors import Problems
from setwise.data.formats.options import ReadOptions, WriteOptions
from setwise.data.formats.reading import Reading
from setwise.data.formats.streams import STANDARD, Source, directory_given
from setwise.data.formats.writing import Writer
from setwise.exceptions import InvalidParameter

__all__ = ["FORMATS", "Format", "format_of"]

_HERE = "setwise.data.formats"


@dataclass(frozen=True)
class Format:
    """A format: what it holds, which endings mean it, and the functions that read and write it."""

    name: str
    kind: Kind
    endings: tuple[str, ...]
    module: str
    reader: str = "read"
    writer: str = "writer"
    keeps_ids: bool = False
    needs_features: bool = False
    """Whether its writer has to know the names of all features."""
    binary: bool = False
    """Whether its files are no text: they have no encoding, and are packed inside."""
    joins_labels: bool = False
    """Whether a document's labels stand in one string, with a separator between."""
    has_columns: bool = False
    """Whether documents have named fields beside text, labels and id, which can be kept."""

    def read(self, source: Source, options: ReadOptions, problems: Problems) -> Reading:
        """Read the head of a file; the documents follow one at a time."""
        reading: Reading = self._function(self.reader)(source, options, problems)
        return reading

    def write(self, file: BinaryIO, names: Names, options: WriteOptions) -> Writer:
        """Give what writes documents into an open file."""
        writer: Writer = self._function(self.writer)(file, names, options)
        return writer

    def beside(self, path: str | PathLike[str]) -> list[Path]:
        """Return the files of names that may be read or written beside a file, there or not; none beside ``-``."""
        if self.kind == "text" or fspath(path) == STANDARD:
            return []
        files: list[Path] = self._function("names_files")(Path(path))
        return files

    def _function(self, name: str) -> Callable[..., Any]:
        # Imported when it is first used: pyarrow takes a while to load, and few need it.
        function: Callable[..., Any] = getattr(import_module(f"{_HERE}.{self.module}"), name)
        return function


FORMATS = {
    format.name: format
    for format in (
        Format("jsonl", "text", (".jsonl", ".ndjson"), "jsonl", keeps_ids=True, has_columns=True),
        Format(
            "csv",
            "text",
            (".csv",),
            "delimited",
            "read_csv",
            "csv_writer",
            keeps_ids=True,
            joins_labels=True,
            has_columns=True,
        ),
        Format(
            "tsv",
            "text",
            (".tsv",),
            "delimited",
            "read_tsv",
            "tsv_writer",
            keeps_ids=True,
            joins_labels=True,
            has_columns=True,
        ),
        Format("parquet", "text", (".parquet",), "parquet", keeps_ids=True, binary=True, has_columns=True),
        Format("txt", "text", (".txt",), "fasttext"),
        Format("libsvm", "vectors", (".svm", ".libsvm", ".svmlight"), "libsvm"),
        Format("meka", "vectors", (".arff",), "arff", "read", "meka_writer", needs_features=True),
        Format("mulan", "vectors", (), "arff", "read", "mulan_writer", needs_features=True),
    )
}


def format_of(path: str | PathLike[str], name: str | None = None, *, writing: bool = False) -> Format:
    """Return the format of that name, or the one that the file's ending tells where no name is given."""
    if name is not None:
        if name not in FORMATS:
            raise InvalidParameter(f"format must be one of {', '.join(FORMATS)}; got {name!r}.")
        return _checked(FORMATS[name], path)
    option = "--to" if writing else "--from"
    if fspath(path) == STANDARD:
        raise InvalidParameter(f"format must be given for - (`{option}`), which has no ending that would tell it.")
    suffixes = [suffix.lower() for suffix in PurePath(path).suffixes]
    ending = next((suffix for suffix in reversed(suffixes) if suffix != ".gz"), "")
    for format in FORMATS.values():
        if ending in format.endings:
            return _checked(format, path)
    known = ", ".join(ending for format in FORMATS.values() for ending in format.endings)
    if not writing and os.path.isdir(path):
        raise directory_given(path)
    raise InvalidParameter(
        f"{path} must end in one of {known}, with or without .gz; else give its format (`{option}`)."
    )


def _checked(format: Format, path: str | PathLike[str]) -> Format:
    if format.binary and PurePath(path).suffix.lower() == ".gz":
        raise InvalidParameter(f"{path} must not end in .gz: {format.name} is packed inside.")
    return format
