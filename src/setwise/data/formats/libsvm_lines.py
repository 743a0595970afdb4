"""Lines of the LIBSVM multi-label format, ``l1,l2 feature:value feature:value ...``, read many at a time.

Features count from 1. A document without labels has an empty first field; an empty line is a document with neither
labels nor features.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from setwise.data.formats.figures import NUMBER, as_float32, figures
from setwise.data.formats.options import DEFAULT_LARGEST_INDEX
from setwise.data.formats.problems import Problems, Refused, shown
from setwise.data.formats.streams import Lines
from setwise.labels.matrix import row_starts

__all__ = ["Block", "LineParser", "blocks"]

LINES_AT_ONCE = 256
BYTES_AT_ONCE = 1 << 20
LIMIT_HINT = " Hint: raise the limit with `--largest-index`."

_WORDS = rb"[^\s,:]++(?:,[^\s,:]++)*+"
_ENTRY = rb"[0-9]++:%b" % NUMBER
# The labels may be missing, with or without the space that ends their field.
_DOCUMENT = re.compile(rb"(?P<labels>%b(?=\s|$))?(?P<entries>(?:(?:^|\s++)%b(?=\s|$))*+)\s*+" % (_WORDS, _ENTRY))

Label = TypeVar("Label")


@dataclass(frozen=True)
class Block(Generic[Label]):
    """Several documents: the labels of each, and all their features, which ``starts`` divides; columns are sorted."""

    labels: list[tuple[Label, ...]]
    starts: NDArray[np.int64] | NDArray[np.int32]
    columns: NDArray[np.int32]
    values: NDArray[np.float32]


@dataclass(frozen=True)
class LineParser(Generic[Label]):
    """Knows what a label's token means, and how many features there may be: ``largest_index`` if nobody says."""

    label_of: Callable[[bytes], Label]
    n_features: int | None = None
    largest_index: int = DEFAULT_LARGEST_INDEX

    def parse(self, lines: list[bytes]) -> Block[Label]:
        """Parse some lines together, and refuse them all where one is bad; a line by itself is told what is wrong."""
        fields = [self._fields(line) for line in lines]
        labels = [tuple(dict.fromkeys(map(self.label_of, field.split(b",")))) if field else () for field, _ in fields]
        counts = np.array([entries.count(b":") for _, entries in fields])
        pairs = figures(b" ".join(entries for _, entries in fields).replace(b":", b" ")).reshape(-1, 2)
        rows, columns, values = np.repeat(np.arange(len(lines)), counts), pairs[:, 0], as_float32(pairs[:, 1])
        self._check_columns(columns, lines[0])
        order = np.lexsort((columns, rows))
        rows, columns, values = rows[order], columns[order], values[order]
        again = np.flatnonzero((np.diff(rows) == 0) & (np.diff(columns) == 0))
        if again.size:
            raise Refused(f"a feature must stand once in a document; got {int(columns[again[0]])} twice.")
        kept = values != 0
        starts = row_starts(np.bincount(rows[kept], minlength=len(lines)))
        return Block(labels, starts, columns[kept].astype(np.int32) - np.int32(1), values[kept])

    @staticmethod
    def _fields(line: bytes) -> tuple[bytes, bytes]:
        document = _DOCUMENT.fullmatch(line)
        if document is None:
            raise _complaint(line)
        return document["labels"] or b"", document["entries"]

    def _check_columns(self, columns: NDArray[np.float64], line: bytes) -> None:
        """Refuse features out of range; what is told holds where ``line`` is the only one."""
        largest = self.largest_index if self.n_features is None else self.n_features
        (outside,) = np.nonzero((columns < 1) | (columns > largest))
        if outside.size:
            at = outside[0] % max(line.count(b":"), 1)
            entry = next(islice(re.finditer(rb"([0-9]+):|$", line), at, None))
            got = shown(entry[1] or b"").strip("'")
            hint = LIMIT_HINT if self.n_features is None and columns[outside[0]] > largest else ""
            raise Refused(f"features must lie between 1 and {largest:,}; got {got}.{hint}", entry.start() + 1)


def blocks(lines: Lines, parser: LineParser[Label], problems: Problems) -> Iterator[Block[Label]]:
    """Parse lines some at a time, and one by one where one of them is bad."""
    while chunk := _some(lines):
        try:
            block = parser.parse(chunk)
        except Refused as refused:
            if len(chunk) == 1:
                problems.refuse(f"line {lines.number}", refused)
                continue
            yield from _one_by_one(chunk, lines.number - len(chunk), parser, problems)
        else:
            yield block


def _some(lines: Lines) -> list[bytes]:
    """Give the next lines, not many and not long together."""
    chunk: list[bytes] = []
    n_bytes = 0
    for line in lines:
        chunk.append(line)
        n_bytes += len(line)
        if len(chunk) >= LINES_AT_ONCE or n_bytes >= BYTES_AT_ONCE:
            break
    return chunk


def _one_by_one(
    chunk: list[bytes], n_before: int, parser: LineParser[Label], problems: Problems
) -> Iterator[Block[Label]]:
    for number, line in enumerate(chunk, start=n_before + 1):
        try:
            block = parser.parse([line])
        except Refused as refused:
            problems.refuse(f"line {number}", refused)
        else:
            yield block


def _complaint(line: bytes) -> Refused:
    """Say which field of a bad line is wrong."""
    for field in re.finditer(rb"\S+", line):
        expected, what = _ENTRY, "an entry must be `feature:value` with a finite number"
        if field.start() == 0 and b":" not in field[0]:
            expected, what = _WORDS, "labels must have commas between, one each"
        if not re.fullmatch(expected, field[0]):
            return Refused(f"{what}; got {shown(field[0])}.", field.start() + 1)
    return Refused("a document must be labels, then `feature:value` entries with spaces between.")
