"""Names of labels and of features in a file of their own, one a line, for a format that has only numbers."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from pathlib import Path

from setwise.data.formats.problems import Refused, shown
from setwise.data.formats.streams import Lines, decoded, open_source
from setwise.exceptions import InvalidData

__all__ = ["FEATURES_FILE", "LABELS_FILE", "as_lines", "distinct_labels", "names_beside", "read_names"]

LABELS_FILE = "labels.txt"
FEATURES_FILE = "features.txt"


def read_names(path: str | PathLike[str]) -> tuple[str, ...]:
    """Read one name a line."""
    with open_source(path) as source:
        lines = Lines(source)
        try:
            return tuple(decoded(line) for line in lines)
        except Refused as refused:
            raise InvalidData(
                f"{source.name}, line {lines.number}, column {refused.column}: {refused.reason}"
            ) from None


def names_beside(data: Path | None, given: str | PathLike[str] | None, file: str) -> tuple[str, ...] | None:
    """Read the names in the file given, or in ``file`` beside the data; None where there is neither."""
    if given is not None:
        return read_names(given)
    if data is not None and (data.parent / file).is_file():
        return read_names(data.parent / file)
    return None


def distinct_labels(names: Iterable[str], where: str) -> tuple[str, ...]:
    """Check the names of all labels: blanks around them do not count, none is empty, and they all differ."""
    seen: dict[str, None] = {}
    for name in names:
        name = name.strip()
        if not name or name in seen:
            got = f"{shown(name)} twice" if name else "an empty one"
            raise InvalidData(f"{where} must name each label once; got {got}.")
        seen[name] = None
    return tuple(seen)


def as_lines(names: Iterable[str], what: str) -> str:
    """Write one name a line."""
    lines = list(names)
    for name in lines:
        if "\n" in name or name.endswith("\r"):
            raise InvalidData(f"Names of {what} must hold no line end; got {shown(name)}.")
    return "".join(f"{name}\n" for name in lines)
