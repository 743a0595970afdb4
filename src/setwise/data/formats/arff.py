"""ARFF as Mulan and MEKA use it: an attribute a label, 0 or 1, and an attribute a feature; rows dense or sparse.

A sparse row is ``{position value, position value, ...}`` with positions from 0. A document whose labels are not known
has ``?`` for each of them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from setwise.data.documents import Names, VectorDocument
from setwise.data.formats.arff_head import Attribute, labels_of, names_files, quoted, read_head, xml_beside, xml_of
from setwise.data.formats.errors import Problems, Refused, shown
from setwise.data.formats.names import distinct_labels
from setwise.data.formats.numbers import NUMBER, as_float32, figures, numerals
from setwise.data.formats.options import ReadOptions, WriteOptions
from setwise.data.formats.reading import Reading, line_by_line
from setwise.data.formats.side_files import SideFile
from setwise.data.formats.streams import Lines, Source
from setwise.data.formats.writing import LineWriter, Writer
from setwise.exceptions import InvalidData

__all__ = ["meka_writer", "mulan_writer", "names_files", "read"]

_PLAIN_VALUE = rb"(?:%b|\?)" % NUMBER
_VALUE = rb"(?:%b|'%b'|\"%b\")" % (_PLAIN_VALUE, _PLAIN_VALUE, _PLAIN_VALUE)
_SPARSE_ENTRY = rb"\s*+[0-9]++\s++%b\s*+" % _VALUE
_SPARSE = re.compile(rb"\{(?:\s*+|%b(?:,%b)*+)\}" % (_SPARSE_ENTRY, _SPARSE_ENTRY))
_DENSE_ENTRY = rb"\s*+%b\s*+" % _VALUE
_DENSE = re.compile(rb"%b(?:,%b)*+" % (_DENSE_ENTRY, _DENSE_ENTRY))
_RELATION = "setwise"
_TO_BLANKS = bytes.maketrans(b",", b" ")


def read(source: Source, options: ReadOptions, problems: Problems) -> Reading:
    """Read the head, then a document a line."""
    lines = Lines(source)
    relation, attributes = read_head(lines, source)
    rows = _Rows(attributes, labels_of(relation, attributes, source, options), source)
    names = Names(rows.labels, rows.features)
    return Reading(names, line_by_line(lines, rows.parse, problems))


class _Rows:
    """Tells labels from features by their positions."""

    def __init__(self, attributes: Sequence[Attribute], is_label: Sequence[bool], source: Source) -> None:
        names = [attribute.name for attribute in attributes]
        self.labels = distinct_labels((n for n, label in zip(names, is_label, strict=True) if label), source.name)
        self.features = tuple(n for n, label in zip(names, is_label, strict=True) if not label)
        self._is_label = np.array(is_label, dtype=bool)
        # The number of an attribute among its own kind.
        self._number = np.where(self._is_label, np.cumsum(self._is_label), np.cumsum(~self._is_label)) - 1
        self._sparse_refused = next((a.name for a in attributes if not a.absent_is_zero), None)

    def parse(self, line: bytes) -> VectorDocument | None:
        """Parse a row; empty lines and comments are none."""
        row = line.strip()
        if not row or row.startswith(b"%"):
            return None
        positions, values = self._sparse(row) if row.startswith(b"{") else self._dense(row)
        is_label = self._is_label[positions]
        labels = self._label_names(positions[is_label], values[is_label])
        kept = ~is_label & (values != 0)
        if np.isnan(values[kept]).any():
            raise Refused("the value of a feature must be a finite number; got '?'.")
        return VectorDocument(self._number[positions[kept]].astype(np.int32), as_float32(values[kept]), labels)

    def _sparse(self, row: bytes) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        if not _SPARSE.fullmatch(row):
            raise Refused(f"a sparse row must be `{{position value, ...}}` with finite numbers; got {shown(row)}.")
        if self._sparse_refused is not None:
            raise Refused(f"rows must be dense, since 0 is not the first value of {shown(self._sparse_refused)}.")
        pairs = _figures(row[1:-1]).reshape(-1, 2)
        if (pairs[:, 0] >= len(self._is_label)).any():
            largest = len(self._is_label) - 1
            raise Refused(f"positions must lie between 0 and {largest}; got {pairs[:, 0].max():.0f}.")
        positions, values = pairs[:, 0].astype(np.intp), pairs[:, 1]
        if (positions[1:] > positions[:-1]).all():  # as nearly all rows are
            return positions, values
        order = np.argsort(positions)
        positions, values = positions[order], values[order]
        again = positions[1:][positions[1:] == positions[:-1]]
        if again.size:
            raise Refused(f"a position must stand once in a row; got {again[0]} twice.")
        return positions, values

    def _dense(self, row: bytes) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        if not _DENSE.fullmatch(row):
            raise Refused(f"a row must be finite numbers with commas between; got {shown(row)}.")
        values = _figures(row)
        if len(values) != len(self._is_label):
            raise Refused(f"a row must have {len(self._is_label)} values, one an attribute; got {len(values)}.")
        return np.arange(len(values)), values

    def _label_names(self, positions: NDArray[np.intp], values: NDArray[np.float64]) -> tuple[str, ...] | None:
        if not values.size:
            return ()
        present = values == 1.0
        if not (present | (values == 0.0)).all():
            if np.isnan(values).all() and len(values) == len(self.labels):
                return None
            raise Refused("labels must be 0 or 1, or `?` all of them.")
        return tuple(self.labels[number] for number in self._number[positions[present]].tolist())


def _figures(row: bytes) -> NDArray[np.float64]:
    """Read a row that has been checked, quotes around its values left out; `?` is NaN, which no number can be."""
    return figures(row.translate(_TO_BLANKS, b"'\"").replace(b"?", b"nan"))


def meka_writer(file: BinaryIO, names: Names, options: WriteOptions) -> Writer:
    """Write sparse rows; the relation says how many labels there are."""
    relation = f"'{_RELATION}: -C {len(names.labels or ())}'"
    return LineWriter(file, _Encoder(names, relation))


def mulan_writer(file: BinaryIO, names: Names, options: WriteOptions) -> Writer:
    """Write sparse rows; an xml file beside names the labels."""

    def beside(path: Path) -> list[SideFile]:
        return [SideFile(xml_beside(path), xml_of(names.labels or ()), shared=False)]

    return LineWriter(file, _Encoder(names, _RELATION), beside)


class _Encoder:
    def __init__(self, names: Names, relation: str) -> None:
        if names.labels is None or names.features is None:
            raise InvalidData(
                "ARFF must name all labels and features before the first document; their names are unknown."
            )
        count = Counter(names.labels + names.features)
        twice, n_times = count.most_common(1)[0] if count else ("", 0)
        if n_times > 1:
            raise InvalidData(f"Names of labels and features must all differ in ARFF; got {shown(twice)} twice.")
        self._names = names
        self._relation = relation
        self._position = {name: position for position, name in enumerate(names.labels)}

    def head(self, first: VectorDocument) -> bytes:
        labels = (f"@attribute {quoted(name)} {{0,1}}\n" for name in self._names.labels or ())
        features = (f"@attribute {quoted(name)} numeric\n" for name in self._names.features or ())
        return f"@relation {self._relation}\n\n{''.join(labels)}{''.join(features)}\n@data\n".encode()

    def encode(self, document: VectorDocument) -> bytes:
        if document.labels is None:
            labels = [f"{position} ?" for position in self._position.values()]
        else:
            labels = [f"{position} 1" for position in sorted(map(self._position_of, document.labels))]
        positions = (document.columns + len(self._position)).tolist()
        features = (f"{position} {value}" for position, value in zip(positions, numerals(document.values), strict=True))
        return ("{" + ",".join([*labels, *features]) + "}\n").encode()

    def _position_of(self, label: str) -> int:
        if label not in self._position:
            raise Refused(f"a label must be among the {len(self._position)} names known; got {shown(label)}.")
        return self._position[label]
