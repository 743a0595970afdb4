"""The LIBSVM multi-label format as documents, with label and feature names in files next to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import BinaryIO

from setwise.data.documents import Names, VectorDocument
from setwise.data.formats.errors import DocumentError, Problems, preview
from setwise.data.formats.format import Format, LineWriter, Reading, Writer
from setwise.data.formats.libsvm_lines import LIMIT_HINT, LineParser, read_blocks
from setwise.data.formats.names import (
    FEATURES_FILE,
    LABELS_FILE,
    check_label_names,
    find_names,
    names_to_lines,
    strip_name,
)
from setwise.data.formats.numbers import LARGEST_INDEX, format_numbers
from setwise.data.formats.options import DEFAULT_LARGEST_INDEX, ReadOptions, WriteOptions
from setwise.data.formats.side_files import SideFile
from setwise.data.formats.streams import Lines, Source, decode_line

__all__ = ["LIBSVM", "parse_label_number"]


def _read(source: Source, options: ReadOptions, problems: Problems) -> Reading:
    labels = find_names(source.path, options.label_names, LABELS_FILE, options.encoding)
    features = find_names(source.path, options.feature_names, FEATURES_FILE, options.encoding)
    if labels is not None:
        labels = check_label_names(labels, f"The file of label names of {source.name}")
    numbered = labels is None and options.label_numbers != "names"
    n_features = None if features is None else len(features)
    parser = LineParser(_label_parser(labels, options), n_features, options.largest_index)
    return Reading(Names(labels, features, numbered), _documents(Lines(source), parser, problems))


def _write(file: BinaryIO, names: Names, options: WriteOptions) -> Writer:
    """Return a writer of one document per line, with labels as numbers from 0."""
    return LineWriter(file, _Encoder(names), lambda path: _side_files(path, names))


def _names_files(data: Path) -> list[Path]:
    return [data.parent / LABELS_FILE, data.parent / FEATURES_FILE]


def _side_files(path: Path, names: Names) -> list[SideFile]:
    labels, features = _names_files(path)
    return [
        SideFile(file, None if values is None else names_to_lines(values, what))
        for file, values, what in ((labels, names.labels, "labels"), (features, names.features, "features"))
    ]


def parse_label_number(
    token: bytes, first: int = 0, n_labels: int | None = None, largest: int = DEFAULT_LARGEST_INDEX
) -> int:
    """Parse the number of one of ``n_labels`` labels counted from ``first``, or of any label up to ``largest``."""
    if not token.isdigit():
        raise DocumentError(f"labels must be whole numbers separated by commas; got {preview(token)}.", 1)
    last = largest if n_labels is None else first + n_labels - 1
    if not first <= (number := float(token)) <= last:
        hint = LIMIT_HINT if n_labels is None and number > last else ""
        raise DocumentError(f"labels must lie between {first} and {last:,}; got {token[:20].decode()}.{hint}", 1)
    return int(number)


def _label_parser(names: tuple[str, ...] | None, options: ReadOptions) -> Callable[[bytes], str]:
    """Return a cached function from a label's token to its name."""

    @cache
    def parse_label(token: bytes) -> str:
        if options.label_numbers == "names":
            name = strip_name(decode_line(token))
            if not name:
                raise DocumentError("labels must have names; got an empty one.", 1)
            if names is not None and name not in names:
                raise DocumentError(f"labels must be among the {len(names)} label names; got {preview(name)}.", 1)
            return name
        first = int(options.label_numbers)
        number = parse_label_number(token, first, None if names is None else len(names), options.largest_index)
        return str(number) if names is None else names[number - first]

    return parse_label


def _documents(lines: Lines, parser: LineParser[str], problems: Problems) -> Iterator[VectorDocument]:
    for block in read_blocks(lines, parser, problems):
        for labels, (start, end) in zip(block.labels, pairwise(block.starts.tolist()), strict=True):
            yield VectorDocument(block.columns[start:end], block.values[start:end], labels)


class _Encoder:
    def __init__(self, names: Names) -> None:
        self._names = names
        self._number = {name: str(number) for number, name in enumerate(names.labels or ())}

    def header(self, first: VectorDocument) -> bytes:
        return b""

    def encode(self, document: VectorDocument) -> bytes:
        labels = ",".join(map(self._number_of, document.labels or ()))
        entries = zip((document.columns + 1).tolist(), format_numbers(document.values), strict=True)
        return (" ".join([labels, *(f"{feature}:{value}" for feature, value in entries)]) + "\n").encode()

    def _number_of(self, label: str) -> str:
        if self._names.numbered:
            return str(parse_label_number(label.encode(), largest=LARGEST_INDEX))
        if label not in self._number:
            raise DocumentError(f"a label must be among the {len(self._number)} label names; got {preview(label)}.")
        return self._number[label]


LIBSVM = Format(
    "libsvm",
    "feature vectors, one sparse row per line",
    "vectors",
    _read,
    _write,
    suffixes=(".svm", ".libsvm", ".svmlight"),
    options=("label_numbers", "label_names", "feature_names", "largest_index"),
    names_files=_names_files,
)
