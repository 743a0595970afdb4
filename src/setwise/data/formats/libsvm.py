"""The LIBSVM multi-label format as documents: names of labels and features stand in files beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import BinaryIO

from setwise.data.documents import Names, VectorDocument
from setwise.data.formats.errors import Problems, Refused, shown
from setwise.data.formats.libsvm_lines import LIMIT_HINT, LineParser, blocks
from setwise.data.formats.names import FEATURES_FILE, LABELS_FILE, as_lines, bare_name, distinct_labels, names_beside
from setwise.data.formats.numbers import LARGEST_INDEX, numerals
from setwise.data.formats.options import DEFAULT_LARGEST_INDEX, ReadOptions, WriteOptions
from setwise.data.formats.reading import Reading
from setwise.data.formats.side_files import SideFile
from setwise.data.formats.streams import Lines, Source, decoded
from setwise.data.formats.writing import LineWriter, Writer

__all__ = ["label_number", "names_files", "read", "writer"]


def read(source: Source, options: ReadOptions, problems: Problems) -> Reading:
    """Read a document a line, and the names beside it."""
    labels = names_beside(source.path, options.label_names, LABELS_FILE, options.encoding)
    features = names_beside(source.path, options.feature_names, FEATURES_FILE, options.encoding)
    if labels is not None:
        labels = distinct_labels(labels, f"The file of label names of {source.name}")
    numbered = labels is None and options.label_numbers != "names"
    n_features = None if features is None else len(features)
    parser = LineParser(_label_of(labels, options), n_features, options.largest_index)
    return Reading(Names(labels, features, numbered), _documents(Lines(source), parser, problems))


def names_files(data: Path) -> list[Path]:
    """Return the files beside ``data`` that name its labels and features."""
    return [data.parent / LABELS_FILE, data.parent / FEATURES_FILE]


def label_number(
    token: bytes, first: int = 0, n_labels: int | None = None, largest: int = DEFAULT_LARGEST_INDEX
) -> int:
    """Read the number of a label, of ``n_labels`` that are counted from ``first``; without them, up to ``largest``."""
    if not token.isdigit():
        raise Refused(f"labels must be whole numbers with commas between; got {shown(token)}.", 1)
    last = largest if n_labels is None else first + n_labels - 1
    if not first <= (number := float(token)) <= last:
        hint = LIMIT_HINT if n_labels is None and number > last else ""
        raise Refused(f"labels must lie between {first} and {last:,}; got {token[:20].decode()}.{hint}", 1)
    return int(number)


def _label_of(names: tuple[str, ...] | None, options: ReadOptions) -> Callable[[bytes], str]:
    """Give what finds the name that a token stands for, and remembers it."""

    @cache
    def label_of(token: bytes) -> str:
        if options.label_numbers == "names":
            name = bare_name(decoded(token))
            if not name:
                raise Refused("labels must have names; got an empty one.", 1)
            if names is not None and name not in names:
                raise Refused(f"labels must be among the {len(names)} names known; got {shown(name)}.", 1)
            return name
        first = int(options.label_numbers)
        number = label_number(token, first, None if names is None else len(names), options.largest_index)
        return str(number) if names is None else names[number - first]

    return label_of


def _documents(lines: Lines, parser: LineParser[str], problems: Problems) -> Iterator[VectorDocument]:
    for block in blocks(lines, parser, problems):
        for labels, (start, end) in zip(block.labels, pairwise(block.starts.tolist()), strict=True):
            yield VectorDocument(block.columns[start:end], block.values[start:end], labels)


def writer(file: BinaryIO, names: Names, options: WriteOptions) -> Writer:
    """Write a document a line, labels as numbers from 0."""
    return LineWriter(file, _Encoder(names), lambda path: _side_files(path, names))


def _side_files(path: Path, names: Names) -> list[SideFile]:
    labels, features = names_files(path)
    return [
        SideFile(file, None if known is None else as_lines(known, what))
        for file, known, what in ((labels, names.labels, "labels"), (features, names.features, "features"))
    ]


class _Encoder:
    def __init__(self, names: Names) -> None:
        self._names = names
        self._number = {name: str(number) for number, name in enumerate(names.labels or ())}

    def head(self, first: VectorDocument) -> bytes:
        return b""

    def encode(self, document: VectorDocument) -> bytes:
        labels = ",".join(map(self._number_of, document.labels or ()))
        entries = zip((document.columns + 1).tolist(), numerals(document.values), strict=True)
        return (" ".join([labels, *(f"{feature}:{value}" for feature, value in entries)]) + "\n").encode()

    def _number_of(self, label: str) -> str:
        if self._names.numbered:
            return str(label_number(label.encode(), largest=LARGEST_INDEX))
        if label not in self._number:
            raise Refused(f"a label must be among the {len(self._number)} names known; got {shown(label)}.")
        return self._number[label]
