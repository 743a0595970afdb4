"""Files of label or feature names, one name per line, for formats that contain only their numbers."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from pathlib import Path

from setwise.data.formats.errors import DocumentError, preview
from setwise.data.formats.streams import BOM, Lines, decode_line, open_source
from setwise.exceptions import InvalidData

__all__ = [
    "FEATURES_FILE",
    "LABELS_FILE",
    "WHITESPACE",
    "check_label_names",
    "find_names",
    "names_to_lines",
    "read_names",
    "strip_name",
]

# Stripped from names: ASCII whitespace alone, as in vector formats, so that `1` and `1\xa0` stay two labels.
WHITESPACE = " \t\n\r\v\f"
LABELS_FILE = "labels.txt"
FEATURES_FILE = "features.txt"


def read_names(path: str | PathLike[str], encoding: str = "utf-8") -> tuple[str, ...]:
    """Read one name per line."""
    with open_source(path, encoding) as source:
        lines = Lines(source)
        try:
            return tuple(decode_line(line) for line in lines)
        except DocumentError as error:
            raise InvalidData(f"{source.name}, line {lines.number}, column {error.column}: {error.reason}") from None


def find_names(
    data: Path | None, path: str | PathLike[str] | None, default: str, encoding: str
) -> tuple[str, ...] | None:
    """Read the names in ``path``, or in the file ``default`` next to the data; return None if there is neither."""
    if path is not None:
        return read_names(path, encoding)
    if data is not None and (data.parent / default).is_file():
        return read_names(data.parent / default, encoding)
    return None


def check_label_names(names: Iterable[str], where: str) -> tuple[str, ...]:
    """Return the names of all labels, stripped; raise ``InvalidData`` if one is empty or occurs twice."""
    seen: dict[str, None] = {}
    for name in map(strip_name, names):
        if not name or name in seen:
            got = f"{preview(name)} twice" if name else "an empty one"
            raise InvalidData(f"{where} must name each label once; got {got}.")
        seen[name] = None
    return tuple(seen)


def strip_name(name: str) -> str:
    """Strip ASCII whitespace from a name; a name of whitespace of any kind becomes empty."""
    return name.strip(WHITESPACE) if name.strip() else ""


def names_to_lines(names: Iterable[str], what: str) -> str:
    """Return the content of a file with one name per line."""
    lines = list(names)
    for name in lines:
        if "\n" in name or name.endswith("\r"):
            raise InvalidData(f"Names of {what} must not contain line ends; got {preview(name)}.")
    # Readers drop a byte order mark at the start of a file, so a name that begins with one needs a second.
    mark = BOM.decode() if lines and lines[0].startswith(BOM.decode()) else ""
    return mark + "".join(f"{name}\n" for name in lines)
