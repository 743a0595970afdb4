"""The registry of file formats. To add a format, add its record to the list at the end of this module."""

from __future__ import annotations

import os
from dataclasses import fields
from os import PathLike, fspath
from pathlib import PurePath

from setwise.data.formats.arff import MEKA, MULAN
from setwise.data.formats.delimited import CSV, TSV
from setwise.data.formats.fasttext import TXT
from setwise.data.formats.format import Format
from setwise.data.formats.jsonl import JSONL
from setwise.data.formats.libsvm import LIBSVM
from setwise.data.formats.options import ReadOptions, WriteOptions
from setwise.data.formats.parquet import PARQUET
from setwise.data.formats.streams import directory_error
from setwise.data.paths import STDIO
from setwise.exceptions import InvalidParameter

__all__ = ["FORMATS", "format_of", "recognize_format", "recognized_formats", "register_format"]

FORMATS: dict[str, Format] = {}
_OPTIONS = {field.name for options in (ReadOptions, WriteOptions) for field in fields(options)}


def register_format(format: Format) -> None:
    """Add a format to ``FORMATS``, so that every function and command can read and write it.

    Parameters
    ----------
    format : Format
        A format whose name and suffixes no registered format has.

    Examples
    --------
    >>> from setwise.data import FORMATS, Format, register_format
    >>> register_format(Format("log", "texts of a log", "text", FORMATS["txt"].read, suffixes=(".log",)))
    >>> del FORMATS["log"]
    """
    if format.name in FORMATS:
        raise InvalidParameter(f"A format named {format.name!r} is registered already; choose another name.")
    for other in FORMATS.values():
        if shared := set(format.suffixes) & set(other.suffixes):
            raise InvalidParameter(f"The suffix {min(shared)!r} belongs to the format {other.name!r}; choose another.")
    if unknown := set(format.options) - _OPTIONS:
        raise InvalidParameter(f"Format {format.name!r} takes the unknown option {min(unknown)!r}.")
    FORMATS[format.name] = format


def format_of(path: str | PathLike[str], name: str | None = None, *, writing: bool = False) -> Format:
    """Return the format named ``name``, or the one that the file's suffix implies if ``name`` is None.

    Parameters
    ----------
    path : str or path
        A file, which need not exist; ``-`` has no suffix and needs a name.
    name : str, optional
        Name of a registered format.
    writing : bool
        Whether the file is to be written, so that the format must have a writer.

    Returns
    -------
    Format

    Examples
    --------
    >>> from setwise.data import format_of
    >>> format_of("docs.jsonl.gz").name
    'jsonl'
    """
    format = _by_suffix(path, writing) if name is None else FORMATS.get(name)
    if format is None:
        raise InvalidParameter(f"format must be one of {', '.join(FORMATS)}; got {name!r}.")
    if format.binary and PurePath(path).suffix.lower() == ".gz":
        raise InvalidParameter(f"{path} must not end in .gz: {format.name} files are compressed internally.")
    if writing and format.write is None:
        able = ", ".join(other.name for other in FORMATS.values() if other.write is not None)
        raise InvalidParameter(f"The format {format.name} can be read but not written; write one of {able}.")
    return format


def _by_suffix(path: str | PathLike[str], writing: bool) -> Format:
    option = "--to" if writing else "--from"
    if fspath(path) == STDIO:
        raise InvalidParameter(f"- has no suffix that implies its format. Give the format with `{option}`.")
    suffixes = [suffix.lower() for suffix in PurePath(path).suffixes]
    suffix = next((suffix for suffix in reversed(suffixes) if suffix != ".gz"), "")
    for format in FORMATS.values():
        if suffix in format.suffixes:
            return format
    if not writing and os.path.isdir(path):
        raise directory_error(path)
    suffixes_read = ", ".join(suffix for format in FORMATS.values() for suffix in format.suffixes)
    raise InvalidParameter(
        f"{path} must end in one of {suffixes_read}, with or without .gz. Give any other file's format with `{option}`."
    )


def recognized_formats() -> list[Format]:
    """Return the formats that can be recognized from the first bytes of standard input."""
    return [format for format in FORMATS.values() if format.recognize is not None]


def recognize_format(start: bytes, options: ReadOptions) -> Format | None:
    """Return the format of data that begins with ``start``, or None if it is not recognized."""
    for format in FORMATS.values():
        if format.recognize is not None and format.recognize(start, options):
            return format
    return None


for _format in (
    JSONL,
    CSV,
    TSV,
    PARQUET,
    TXT,
    LIBSVM,
    MEKA,
    MULAN,
):
    register_format(_format)
