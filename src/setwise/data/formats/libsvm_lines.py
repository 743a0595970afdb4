"""Parser of LIBSVM multi-label lines, ``l1,l2 feature:value feature:value ...``, many lines at a time.

Features are numbered from 1. A document without labels has an empty first field; an empty line is a document without
labels and features.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from setwise.data.formats.errors import DocumentError, Problems, preview
from setwise.data.formats.numbers import NUMBER_PATTERN, VALUE_TOO_LARGE, parse_numbers, to_float32
from setwise.data.formats.options import DEFAULT_LARGEST_INDEX
from setwise.data.formats.streams import Lines
from setwise.labels import row_starts

__all__ = ["LIMIT_HINT", "Block", "LineParser", "read_blocks"]

MAX_BLOCK_LINES = 256
MAX_BLOCK_BYTES = 1 << 20
LIMIT_HINT = " Hint: raise the limit with `--largest-index`."

_LABELS = rb"[^\s,:]++(?:,[^\s,:]++)*+"
_ENTRY = rb"[0-9]++:%b" % NUMBER_PATTERN
# The labels may be missing, with or without the space that ends their field.
_DOCUMENT = re.compile(rb"(?P<labels>%b(?=\s|$))?(?P<entries>(?:(?:^|\s++)%b(?=\s|$))*+)\s*+" % (_LABELS, _ENTRY))

Label = TypeVar("Label")


@dataclass(frozen=True)
class Block(Generic[Label]):
    """Several documents: the labels of each, and their features as the rows of a CSR matrix with sorted columns."""

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
    """A parser of lines; ``parse_label`` maps a label's token to the label."""

    parse_label: Callable[[bytes], Label]
    # None allows features up to `largest_index`.
    n_features: int | None = None
    largest_index: int = DEFAULT_LARGEST_INDEX

    def parse(self, lines: list[bytes]) -> tuple[Block[Label], dict[int, DocumentError]]:
        """Return the documents of the valid lines, and the errors of the others by position in ``lines``."""
        errors: dict[int, DocumentError] = {}
        labels: list[tuple[Label, ...]] = []
        entries: list[bytes] = []
        for position, line in enumerate(lines):
            own: tuple[Label, ...] = ()
            text = b""
            try:
                field, text = self._fields(line)
                own = tuple(dict.fromkeys(map(self.parse_label, field.split(b",")))) if field else ()
            except DocumentError as error:
                errors[position] = error
                text = b""
            labels.append(own)
            entries.append(text)
        counts = np.array([text.count(b":") for text in entries])
        pairs = parse_numbers(b" ".join(entries).replace(b":", b" ")).reshape(-1, 2)
        rows, columns, values = np.repeat(np.arange(len(lines)), counts), pairs[:, 0], to_float32(pairs[:, 1])
        order = np.lexsort((columns, rows))
        rows, columns, values = rows[order], columns[order], values[order]
        for position, invalid in self._entry_errors(rows, columns, values, lines).items():
            errors.setdefault(position, invalid)
        valid = np.isin(rows, list(errors), invert=True) if errors else np.ones(len(rows), dtype=bool)
        stored = valid & (values != 0)
        valid_lines = [position for position in range(len(lines)) if position not in errors]
        starts = row_starts(np.bincount(rows[stored], minlength=len(lines))[valid_lines])
        block = Block(
            [labels[position] for position in valid_lines],
            starts,
            columns[stored].astype(np.int32) - np.int32(1),
            values[stored],
        )
        return block, errors

    @staticmethod
    def _fields(line: bytes) -> tuple[bytes, bytes]:
        document = _DOCUMENT.fullmatch(line)
        if document is None:
            raise _syntax_error(line)
        return document["labels"] or b"", document["entries"]

    def _entry_errors(
        self,
        rows: NDArray[np.int64],
        columns: NDArray[np.float64],
        values: NDArray[np.float32],
        lines: list[bytes],
    ) -> dict[int, DocumentError]:
        """Return by position the first error of each line whose entries are numbers, but not valid ones."""
        largest = self.largest_index if self.n_features is None else self.n_features
        errors: dict[int, DocumentError] = {}
        for at in np.flatnonzero(~np.isfinite(values)).tolist():
            errors.setdefault(int(rows[at]), DocumentError(VALUE_TOO_LARGE))
        for at in np.flatnonzero((columns < 1) | (columns > largest)).tolist():
            if (position := int(rows[at])) not in errors:
                errors[position] = self._range_error(lines[position], largest)
        for at in np.flatnonzero((np.diff(rows) == 0) & (np.diff(columns) == 0)).tolist():
            reason = f"a feature must occur once per document; got {int(columns[at])} twice."
            errors.setdefault(int(rows[at]), DocumentError(reason))
        return errors

    def _range_error(self, line: bytes, largest: int) -> DocumentError:
        for entry in re.finditer(rb"(?:^|(?<=\s))([0-9]+):", line):
            if not 1 <= float(entry[1]) <= largest:
                break
        hint = LIMIT_HINT if self.n_features is None and float(entry[1]) > largest else ""
        got = preview(entry[1]).strip("'")
        return DocumentError(f"features must lie between 1 and {largest:,}; got {got}.{hint}", entry.start() + 1)


def read_blocks(lines: Lines, parser: LineParser[Label], problems: Problems) -> Iterator[Block[Label]]:
    """Parse lines in blocks; documents and errors come in the order of the lines."""
    while chunk := _next_lines(lines):
        block, errors = parser.parse(chunk)
        n_before, first = lines.number - len(chunk), 0
        for n_bad, position in enumerate(sorted(errors)):
            yield block.part(first, position - n_bad)
            first = position - n_bad
            problems.report(f"line {n_before + position + 1}", errors[position])
        yield block.part(first, len(block.labels))


def _next_lines(lines: Lines) -> list[bytes]:
    """Return the next lines, up to the limits of a block."""
    chunk: list[bytes] = []
    n_bytes = 0
    for line in lines:
        chunk.append(line)
        n_bytes += len(line)
        if len(chunk) >= MAX_BLOCK_LINES or n_bytes >= MAX_BLOCK_BYTES:
            break
    return chunk


def _syntax_error(line: bytes) -> DocumentError:
    """Return the error for the first bad field of a line."""
    for field in re.finditer(rb"\S+", line):
        expected, what = _ENTRY, "an entry must be `feature:value` with a finite number"
        if field.start() == 0 and b":" not in field[0]:
            expected, what = _LABELS, "labels must be separated by single commas"
        if not re.fullmatch(expected, field[0]):
            return DocumentError(f"{what}; got {preview(field[0])}.", field.start() + 1)
    return DocumentError("a document must be labels, then `feature:value` entries separated by spaces.")
