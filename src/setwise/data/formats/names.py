"""Names of labels and of features in a file of their own, one a line, for a format that has only numbers."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from pathlib import Path

from setwise.data.formats.errors import Refused, shown
from setwise.data.formats.streams import BOM, Lines, decoded, open_source
from setwise.exceptions import InvalidData

__all__ = [
    "BLANKS",
    "FEATURES_FILE",
    "LABELS_FILE",
    "as_lines",
    "bare_name",
    "distinct_labels",
    "names_beside",
    "read_names",
]

BLANKS = " \t\n\r\v\f"
"""What does not count around a name: ASCII's blanks alone, as in vector formats, so that `1` and `1\\xa0` differ."""
LABELS_FILE = "labels.txt"
FEATURES_FILE = "features.txt"


def read_names(path: str | PathLike[str], encoding: str = "utf-8") -> tuple[str, ...]:
    """Read one name per line."""
    with open_source(path, encoding) as source:
        lines = Lines(source)
        try:
            return tuple(decoded(line) for line in lines)
        except Refused as refused:
            raise InvalidData(
                f"{source.name}, line {lines.number}, column {refused.column}: {refused.reason}"
            ) from None


def names_beside(
    data: Path | None, given: str | PathLike[str] | None, file: str, encoding: str
) -> tuple[str, ...] | None:
    """Read the names in the file given, or in ``file`` beside the data; None where there is neither."""
    if given is not None:
        return read_names(given, encoding)
    if data is not None and (data.parent / file).is_file():
        return read_names(data.parent / file, encoding)
    return None


def distinct_labels(names: Iterable[str], where: str) -> tuple[str, ...]:
    """Check the names of all labels: blanks around them do not count, none is empty, and they all differ."""
    seen: dict[str, None] = {}
    for name in map(bare_name, names):
        if not name or name in seen:
            got = f"{shown(name)} twice" if name else "an empty one"
            raise InvalidData(f"{where} must name each label once; got {got}.")
        seen[name] = None
    return tuple(seen)


def bare_name(name: str) -> str:
    """Return a name without the ASCII blanks around it; one of nothing but blanks of any kind is empty."""
    return name.strip(BLANKS) if name.strip() else ""


def as_lines(names: Iterable[str], what: str) -> str:
    """Write one name per line."""
    lines = list(names)
    for name in lines:
        if "\n" in name or name.endswith("\r"):
            raise InvalidData(f"Names of {what} must hold no line end; got {shown(name)}.")
    # Readers take a mark at the beginning of a file away, so a name that begins with one needs a second.
    mark = BOM.decode() if lines and lines[0].startswith(BOM.decode()) else ""
    return mark + "".join(f"{name}\n" for name in lines)
