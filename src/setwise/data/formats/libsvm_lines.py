"""Lines of the LIBSVM multi-label format, ``l1,l2 feature:value feature:value ...``, read many at a time.

Features count from 1. A document without labels has an empty first field; an empty line is a document with neither
labels nor features.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from setwise.data.formats.errors import Problems, Refused, shown
from setwise.data.formats.numbers import NUMBER, TOO_LARGE, figures, rounded
from setwise.data.formats.options import DEFAULT_LARGEST_INDEX
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

    def part(self, first: int, end: int) -> Block[Label]:
        """Return the documents from ``first`` up to ``end``."""
        entries = slice(self.starts[first], self.starts[end])
        starts = self.starts[first : end + 1] - self.starts[first]
        return Block(self.labels[first:end], starts, self.columns[entries], self.values[entries])


@dataclass(frozen=True)
class LineParser(Generic[Label]):
    """Knows what a label's token means, and how many features there may be: ``largest_index`` if nobody says."""

    label_of: Callable[[bytes], Label]
    n_features: int | None = None
    largest_index: int = DEFAULT_LARGEST_INDEX

    def parse(self, lines: list[bytes]) -> tuple[Block[Label], dict[int, Refused]]:
        """Return the documents of the lines that are good, and by place in ``lines`` why the others are refused."""
        refused: dict[int, Refused] = {}
        labels: list[tuple[Label, ...]] = []
        entries: list[bytes] = []
        for place, line in enumerate(lines):
            own: tuple[Label, ...] = ()
            text = b""
            try:
                field, text = self._fields(line)
                own = tuple(dict.fromkeys(map(self.label_of, field.split(b",")))) if field else ()
            except Refused as bad:
                refused[place] = bad
                text = b""
            labels.append(own)
            entries.append(text)
        counts = np.array([text.count(b":") for text in entries])
        pairs = figures(b" ".join(entries).replace(b":", b" ")).reshape(-1, 2)
        rows, columns, values = np.repeat(np.arange(len(lines)), counts), pairs[:, 0], rounded(pairs[:, 1])
        order = np.lexsort((columns, rows))
        rows, columns, values = rows[order], columns[order], values[order]
        for place, reason in self._faults(rows, columns, values, lines).items():
            refused.setdefault(place, reason)
        good = np.isin(rows, list(refused), invert=True) if refused else np.ones(len(rows), dtype=bool)
        kept = good & (values != 0)
        kept_lines = [place for place in range(len(lines)) if place not in refused]
        starts = row_starts(np.bincount(rows[kept], minlength=len(lines))[kept_lines])
        block = Block(
            [labels[place] for place in kept_lines], starts, columns[kept].astype(np.int32) - np.int32(1), values[kept]
        )
        return block, refused

    @staticmethod
    def _fields(line: bytes) -> tuple[bytes, bytes]:
        document = _DOCUMENT.fullmatch(line)
        if document is None:
            raise _complaint(line)
        return document["labels"] or b"", document["entries"]

    def _faults(
        self,
        rows: NDArray[np.int64],
        columns: NDArray[np.float64],
        values: NDArray[np.float32],
        lines: list[bytes],
    ) -> dict[int, Refused]:
        """Return by place why lines are refused whose entries are numbers: the first fault of each."""
        largest = self.largest_index if self.n_features is None else self.n_features
        faults: dict[int, Refused] = {}
        for at in np.flatnonzero(~np.isfinite(values)).tolist():
            faults.setdefault(int(rows[at]), Refused(TOO_LARGE))
        for at in np.flatnonzero((columns < 1) | (columns > largest)).tolist():
            if (place := int(rows[at])) not in faults:
                faults[place] = self._out_of_range(lines[place], largest)
        for at in np.flatnonzero((np.diff(rows) == 0) & (np.diff(columns) == 0)).tolist():
            reason = f"a feature must stand once in a document; got {int(columns[at])} twice."
            faults.setdefault(int(rows[at]), Refused(reason))
        return faults

    def _out_of_range(self, line: bytes, largest: int) -> Refused:
        for entry in re.finditer(rb"(?:^|(?<=\s))([0-9]+):", line):
            if not 1 <= float(entry[1]) <= largest:
                break
        hint = LIMIT_HINT if self.n_features is None and float(entry[1]) > largest else ""
        got = shown(entry[1]).strip("'")
        return Refused(f"features must lie between 1 and {largest:,}; got {got}.{hint}", entry.start() + 1)


def blocks(lines: Lines, parser: LineParser[Label], problems: Problems) -> Iterator[Block[Label]]:
    """Parse lines some at a time; documents and refusals come in the order of the lines."""
    while chunk := _some(lines):
        block, refused = parser.parse(chunk)
        n_before, first = lines.number - len(chunk), 0
        for n_bad, place in enumerate(sorted(refused)):
            yield block.part(first, place - n_bad)
            first = place - n_bad
            problems.refuse(f"line {n_before + place + 1}", refused[place])
        yield block.part(first, len(block.labels))


def _some(lines: Lines) -> list[bytes]:
    """Return the next lines, not many and not long together."""
    chunk: list[bytes] = []
    n_bytes = 0
    for line in lines:
        chunk.append(line)
        n_bytes += len(line)
        if len(chunk) >= LINES_AT_ONCE or n_bytes >= BYTES_AT_ONCE:
            break
    return chunk


def _complaint(line: bytes) -> Refused:
    """Say which field of a bad line is wrong."""
    for field in re.finditer(rb"\S+", line):
        expected, what = _ENTRY, "an entry must be `feature:value` with a finite number"
        if field.start() == 0 and b":" not in field[0]:
            expected, what = _WORDS, "labels must have commas between, one each"
        if not re.fullmatch(expected, field[0]):
            return Refused(f"{what}; got {shown(field[0])}.", field.start() + 1)
    return Refused("a document must be labels, then `feature:value` entries with spaces between.")
