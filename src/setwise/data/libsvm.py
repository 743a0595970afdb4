"""The LIBSVM multi-label format: ``l1,l2 feature:value feature:value ...``, one document a line.

Labels count from 0, features from 1. A document without labels has an empty first field; an empty line is a document
with neither labels nor features. Files whose name ends in ``.gz`` are unpacked on the way.
"""

from __future__ import annotations

import gzip
import re
import zlib
from os import PathLike
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from setwise.exceptions import InvalidData
from setwise.labels.matrix import row_starts

__all__ = ["read_libsvm"]

_LABELS = rb"\d+(?:,\d+)*"
_ENTRY = rb"\d+:[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
# The labels may be missing, with or without the space that ends their field.
_DOCUMENT = re.compile(rb"(?P<labels>%b(?=\s|$))?(?P<entries>(?:(?:^|\s+)%b)*)\s*" % (_LABELS, _ENTRY))


def read_libsvm(
    path: str | PathLike[str], n_features: int | None = None, n_labels: int | None = None
) -> tuple[sp.csr_array, sp.csr_array]:
    """Read documents as (X, Y): float32 features and 0/1 labels, both CSR, columns sorted.

    ``n_features`` and ``n_labels`` fix the widths; without them they are the largest that occur.
    """
    path = Path(path)
    labels, entries = _split_fields(path)
    label_counts = [field.count(b",") + 1 if field else 0 for field in labels]
    label_ids = _numbers(b" ".join(filter(None, labels)).replace(b",", b" "))
    entry_counts = [field.count(b":") for field in entries]
    pairs = _numbers(b" ".join(entries).replace(b":", b" ")).reshape(-1, 2)

    X = _csr(path, "feature", pairs[:, 0] - 1, pairs[:, 1].astype(np.float32), entry_counts, n_features, counted_from=1)
    Y = _csr(path, "label", label_ids, np.ones(len(label_ids), dtype=np.int64), label_counts, n_labels, counted_from=0)
    Y.data[:] = 1  # a label given twice counts once
    return X, Y


def _split_fields(path: Path) -> tuple[list[bytes], list[bytes]]:
    """Check every line against the format, and return the label field and the entries of each."""
    lines = _contents(path).split(b"\n")
    if lines[-1] == b"":
        lines.pop()  # what follows the last line's end is no line
    if not lines:
        raise InvalidData(f"{path} must hold at least one document; it is empty.")
    labels, entries = [], []
    for number, line in enumerate(lines, start=1):
        document = _DOCUMENT.fullmatch(line)
        if document is None:
            raise InvalidData(f"{path}, line {number}: {_complaint(line)}")
        labels.append(document["labels"] or b"")
        entries.append(document["entries"])
    return labels, entries


def _contents(path: Path) -> bytes:
    try:
        return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    except OSError as error:  # a broken gzip header is an OSError too, without strerror
        raise InvalidData(f"{path} must be a file that can be read; {error.strerror or error}.") from error
    except (EOFError, zlib.error) as error:
        raise InvalidData(f"{path} must be a whole gzip file; it is cut short or damaged ({error}).") from error


def _complaint(line: bytes) -> str:
    """Say which field of a bad line is wrong."""
    fields = line.split()
    for position, field in enumerate(fields):
        expected, what = _ENTRY, "an entry must be `feature:value` with a finite number"
        if position == 0 and b":" not in field:
            expected, what = _LABELS, "labels must be whole numbers with commas between"
        if not re.fullmatch(expected, field):
            return f"{what}; got {field.decode(errors='replace')[:40]!r}."
    return "a document must be labels, then `feature:value` entries with spaces between."


def _numbers(text: bytes) -> NDArray[np.float64]:
    # The format was checked, so every token is a number. float64 holds every index below 2^53 exactly.
    return np.array(text.split(), dtype=np.float64)


def _csr(
    path: Path,
    what: str,
    columns: NDArray[np.float64],
    values: NDArray[np.float32] | NDArray[np.int64],
    counts: list[int],
    width: int | None,
    *,
    counted_from: int,
) -> sp.csr_array:
    starts = row_starts(counts)
    if width is None:
        width = int(columns.max(initial=-1)) + 1
    (outside,) = np.nonzero((columns < 0) | (columns >= width))
    if outside.size:
        line = int(np.searchsorted(starts, outside[0], side="right"))
        got = int(columns[outside[0]]) + counted_from
        raise InvalidData(
            f"{path}, line {line}: {what}s must lie between {counted_from} and {width - 1 + counted_from}; got {got}."
        )
    matrix = sp.csr_array((values, columns.astype(np.int32), starts), shape=(len(counts), width))
    matrix.sum_duplicates()
    return matrix
