"""ARFF as Mulan and MEKA use it: one attribute per label, 0 or 1, and one per feature; rows are dense or sparse.

A sparse row is ``{position value, position value, ...}`` with positions from 0. A document whose labels are unknown has
``?`` for each of them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from setwise.data.documents import Names, VectorDocument
from setwise.data.formats.arff_header import (
    Attribute,
    label_mask,
    labels_to_xml,
    quote_name,
    read_header,
    xml_candidates,
    xml_path,
)
from setwise.data.formats.errors import DocumentError, Problems, preview
from setwise.data.formats.format import Format, LineWriter, Reading, Writer, read_lines
from setwise.data.formats.names import check_label_names
from setwise.data.formats.numbers import NUMBER_PATTERN, checked_float32, format_numbers, parse_numbers
from setwise.data.formats.options import ReadOptions, WriteOptions
from setwise.data.formats.side_files import SideFile
from setwise.data.formats.streams import Lines, Source
from setwise.exceptions import InvalidData

__all__ = ["MEKA", "MULAN"]

_PLAIN_VALUE = rb"(?:%b|\?)" % NUMBER_PATTERN
_VALUE = rb"(?:%b|'%b'|\"%b\")" % (_PLAIN_VALUE, _PLAIN_VALUE, _PLAIN_VALUE)
_SPARSE_ENTRY = rb"\s*+[0-9]++\s++%b\s*+" % _VALUE
_SPARSE = re.compile(rb"\{(?:\s*+|%b(?:,%b)*+)\}" % (_SPARSE_ENTRY, _SPARSE_ENTRY))
_DENSE_ENTRY = rb"\s*+%b\s*+" % _VALUE
_DENSE = re.compile(rb"%b(?:,%b)*+" % (_DENSE_ENTRY, _DENSE_ENTRY))
_RELATION = "setwise"
_COMMAS_TO_SPACES = bytes.maketrans(b",", b" ")


def _read(source: Source, options: ReadOptions, problems: Problems) -> Reading:
    lines = Lines(source)
    relation, attributes = read_header(lines, source)
    rows = _RowParser(attributes, label_mask(relation, attributes, source, options), source)
    return Reading(Names(rows.labels, rows.features), read_lines(lines, rows.parse, problems))


class _RowParser:
    """Parses rows, with labels and features told apart by their positions."""

    def __init__(self, attributes: Sequence[Attribute], is_label: Sequence[bool], source: Source) -> None:
        names = [attribute.name for attribute in attributes]
        self.labels = check_label_names((n for n, label in zip(names, is_label, strict=True) if label), source.name)
        self.features = tuple(n for n, label in zip(names, is_label, strict=True) if not label)
        self._is_label = np.array(is_label, dtype=bool)
        # The number of an attribute among the labels, or among the features.
        self._number = np.where(self._is_label, np.cumsum(self._is_label), np.cumsum(~self._is_label)) - 1
        # An attribute that no sparse row may omit, if there is one.
        self._dense_only = next((a.name for a in attributes if not a.absent_is_zero), None)

    def parse(self, line: bytes) -> VectorDocument | None:
        """Parse a row; return None for an empty line or a comment."""
        row = line.strip()
        if not row or row.startswith(b"%"):
            return None
        positions, values = self._sparse(row) if row.startswith(b"{") else self._dense(row)
        is_label = self._is_label[positions]
        labels = self._label_names(positions[is_label], values[is_label])
        stored = ~is_label & (values != 0)
        if np.isnan(values[stored]).any():
            raise DocumentError("the value of a feature must be a finite number; got '?'.")
        return VectorDocument(self._number[positions[stored]].astype(np.int32), checked_float32(values[stored]), labels)

    def _sparse(self, row: bytes) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        if not _SPARSE.fullmatch(row):
            raise DocumentError(
                f"a sparse row must be `{{position value, ...}}` with finite numbers; got {preview(row)}."
            )
        if self._dense_only is not None:
            raise DocumentError(f"rows must be dense, since 0 is not the first value of {preview(self._dense_only)}.")
        pairs = _parse_values(row[1:-1]).reshape(-1, 2)
        if (pairs[:, 0] >= len(self._is_label)).any():
            largest = len(self._is_label) - 1
            raise DocumentError(f"positions must lie between 0 and {largest}; got {pairs[:, 0].max():.0f}.")
        positions, values = pairs[:, 0].astype(np.intp), pairs[:, 1]
        if (positions[1:] > positions[:-1]).all():  # true of nearly all rows
            return positions, values
        order = np.argsort(positions)
        positions, values = positions[order], values[order]
        repeated = positions[1:][positions[1:] == positions[:-1]]
        if repeated.size:
            raise DocumentError(f"a position must occur once per row; got {repeated[0]} twice.")
        return positions, values

    def _dense(self, row: bytes) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        if not _DENSE.fullmatch(row):
            raise DocumentError(f"a row must be finite numbers separated by commas; got {preview(row)}.")
        values = _parse_values(row)
        if len(values) != len(self._is_label):
            raise DocumentError(f"a row must have {len(self._is_label)} values, one per attribute; got {len(values)}.")
        return np.arange(len(values)), values

    def _label_names(self, positions: NDArray[np.intp], values: NDArray[np.float64]) -> tuple[str, ...] | None:
        if not values.size:
            return ()
        present = values == 1.0
        if not (present | (values == 0.0)).all():
            if np.isnan(values).all() and len(values) == len(self.labels):
                return None
            raise DocumentError("labels must be 0 or 1, or all of them `?`.")
        return tuple(self.labels[number] for number in self._number[positions[present]].tolist())


def _parse_values(row: bytes) -> NDArray[np.float64]:
    """Parse a row that has been checked, without its quotes; `?` becomes NaN, which no number can be."""
    return parse_numbers(row.translate(_COMMAS_TO_SPACES, b"'\"").replace(b"?", b"nan"))


def _write_meka(file: BinaryIO, names: Names, options: WriteOptions) -> Writer:
    """Return a writer of sparse rows; the relation states the number of labels."""
    relation = f"'{_RELATION}: -C {len(names.labels or ())}'"
    return LineWriter(file, _Encoder(names, relation))


def _write_mulan(file: BinaryIO, names: Names, options: WriteOptions) -> Writer:
    """Return a writer of sparse rows; an XML file next to them names the labels."""

    def side_files(path: Path) -> list[SideFile]:
        return [SideFile(xml_path(path), labels_to_xml(names.labels or ()), shared=False)]

    return LineWriter(file, _Encoder(names, _RELATION), side_files)


class _Encoder:
    def __init__(self, names: Names, relation: str) -> None:
        if names.labels is None or names.features is None:
            raise InvalidData("ARFF needs the names of all labels and features before the first document; give both.")
        count = Counter(names.labels + names.features)
        repeated, n_times = count.most_common(1)[0] if count else ("", 0)
        if n_times > 1:
            raise InvalidData(f"Names of labels and features must all differ in ARFF; got {preview(repeated)} twice.")
        self._names = names
        self._relation = relation
        self._position = {name: position for position, name in enumerate(names.labels)}

    def header(self, first: VectorDocument) -> bytes:
        labels = (f"@attribute {quote_name(name)} {{0,1}}\n" for name in self._names.labels or ())
        features = (f"@attribute {quote_name(name)} numeric\n" for name in self._names.features or ())
        return f"@relation {self._relation}\n\n{''.join(labels)}{''.join(features)}\n@data\n".encode()

    def encode(self, document: VectorDocument) -> bytes:
        if document.labels is None:
            labels = [f"{position} ?" for position in self._position.values()]
        else:
            labels = [f"{position} 1" for position in sorted(map(self._position_of, document.labels))]
        positions = (document.columns + len(self._position)).tolist()
        values = format_numbers(document.values)
        features = (f"{position} {value}" for position, value in zip(positions, values, strict=True))
        return ("{" + ",".join([*labels, *features]) + "}\n").encode()

    def _position_of(self, label: str) -> int:
        if label not in self._position:
            raise DocumentError(f"a label must be among the {len(self._position)} label names; got {preview(label)}.")
        return self._position[label]


_arff = partial(
    Format,
    kind="vectors",
    read=_read,
    options=("label_names",),
    names_files=xml_candidates,
    needs_feature_names=True,
)

MEKA = _arff(
    "meka", "feature vectors, ARFF with the number of labels in the relation", write=_write_meka, suffixes=(".arff",)
)

# Reading tells the two apart by the header, so `.arff` belongs to MEKA alone.
MULAN = _arff("mulan", "feature vectors, ARFF with the labels in an XML file", write=_write_mulan)
