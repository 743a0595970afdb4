"""Documents out of a file, one at a time, and whole files for training."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from os import PathLike, fspath
from typing import TypeVar

import scipy.sparse as sp

from setwise.data.documents import Document, Names, TextDocument, VectorDocument
from setwise.data.feature_matrix import feature_matrix
from setwise.data.formats import FORMATS, Format, Problems, ReadOptions, format_of
from setwise.data.formats.sniffing import format_name_of
from setwise.data.formats.streams import STANDARD, Source, open_source
from setwise.data.paths import FilePath, resolved
from setwise.exceptions import InvalidData, InvalidParameter

__all__ = [
    "Dataset",
    "Documents",
    "Watch",
    "batches",
    "files_read",
    "known_format",
    "open_documents",
    "read_dataset",
    "unwatched",
]

Item = TypeVar("Item")
Watch = Callable[[Iterable[Document]], Iterable[Document]]


def unwatched(documents: Iterable[Document]) -> Iterable[Document]:
    """Let documents pass: the place of whoever shows how far the work is."""
    return documents


@dataclass
class Documents:
    """The documents of an open file, to be gone through once."""

    name: str
    format: Format
    names: Names
    problems: Problems
    """How many documents were skipped so far, and the first reasons."""
    kept: tuple[str, ...] | None
    """The columns that documents keep; None where all are kept and each document has its own."""
    _documents: Iterator[Document] = field(repr=False)
    may_be_empty: bool = False
    n_read: int = 0

    def __iter__(self) -> Iterator[Document]:
        return (document for _, document in self.numbered())

    def numbered(self) -> Iterator[tuple[int, Document]]:
        """Yield each document with its number in the file, counted from 1; skipped documents are counted too."""
        for document in self._documents:
            self.n_read += 1
            yield self.n_read + self.problems.n_skipped, document
        if self.n_read == 0 and (self.problems.n_skipped or not self.may_be_empty):
            why = f"all were skipped, {self.problems.reasons[0]}" if self.problems.n_skipped else "it holds none."
            raise InvalidData(f"{self.name} must hold at least one document; {why}")


@contextmanager
def open_documents(
    path: FilePath, options: ReadOptions | None = None, *, may_be_empty: bool = False
) -> Iterator[Documents]:
    """Open a file of documents, its format told by its ending, or for ``-``, standard input, by its first bytes.

    A file without any document is an error at its end, unless it ``may_be_empty``.
    """
    options = options or ReadOptions()
    format = known_format(path, options)
    with open_source(path, options.encoding, binary=format is not None and format.binary) as source:
        format = format or _recognised(source, options, may_be_empty)
        if options.keep and not format.has_columns:
            able = ", ".join(one.name for one in FORMATS.values() if one.has_columns)
            raise InvalidParameter(f"{path} has no columns to keep: its format is {format.name}, not one of {able}.")
        problems = Problems(source.name, options.on_error)
        reading = format.read(source, options, problems)
        yield Documents(source.name, format, reading.names, problems, reading.kept, reading.documents, may_be_empty)


def files_read(path: FilePath, options: ReadOptions | None = None) -> list[FilePath]:
    """Return all files that reading ``path`` may open: itself, and those that name its labels and features."""
    options = options or ReadOptions()
    given = [file for file in (options.label_names, options.feature_names) if file is not None]
    resolved(path)  # an empty name is told as such, and not as a format that is unknown
    format = known_format(path, options)
    beside = [] if format is None else [file for file in format.beside(path) if file.is_file()]
    return [path, *given, *beside]


def known_format(path: FilePath, options: ReadOptions) -> Format | None:
    """Return the format of a file, or None for standard input whose first bytes are to tell it."""
    if fspath(path) == STANDARD and options.format is None:
        return None
    return format_of(path, options.format)


def _recognised(source: Source, options: ReadOptions, may_be_empty: bool) -> Format:
    head = source.head()
    if not head and may_be_empty:
        return FORMATS["jsonl"]  # whose empty file holds no document
    if not head:
        raise InvalidData(f"{source.name} must hold at least one document; it is empty.")
    name = format_name_of(head, options)
    if name is None:
        raise InvalidParameter(
            f"{source.name} must begin with a JSON object or with a table's head that has a field {options.text!r}; "
            f"if it is neither, give its format (`--from`)."
        )
    return FORMATS[name]


def batches(documents: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """Give documents ``size`` at a time."""
    left = iter(documents)
    while batch := list(islice(left, size)):
        yield batch


@dataclass(frozen=True, eq=False)
class Dataset:
    """All documents of a file."""

    X: list[str] | sp.csr_array
    """Texts, or a CSR array of float32 features."""
    y: list[list[str]] | None
    """The names of each document's labels; None where labels were not asked for and some document has none given."""
    ids: list[str | None]
    names: Names
    """The names of all labels and of all features, seen or not, where the file tells them."""
    problems: Problems

    @property
    def n_documents(self) -> int:
        """How many documents there are."""
        return len(self.ids)


def read_dataset(
    path: str | PathLike[str],
    options: ReadOptions | None = None,
    *,
    labelled: bool = True,
    n_features: int | None = None,
    watch: Watch = unwatched,
) -> Dataset:
    """Read a whole file; with ``labelled``, a document of which no labels are given is an error.

    ``n_features`` fixes the width of X; without it, it is what the file's names say, or the largest that occurs.
    """
    with open_documents(path, options) as documents:
        found = list(watch(documents))
    unlabelled = next((number for number, document in enumerate(found, 1) if document.labels is None), None)
    if labelled and unlabelled is not None:
        raise InvalidData(
            f"{documents.name} must give the labels of every document; document {unlabelled} of {len(found)} has none."
        )
    return Dataset(
        X=_features(found, documents, n_features),
        y=None if unlabelled is not None else [list(document.labels or ()) for document in found],
        ids=[document.id for document in found],
        names=documents.names,
        problems=documents.problems,
    )


def _features(found: list[Document], documents: Documents, n_features: int | None) -> list[str] | sp.csr_array:
    if documents.format.kind == "text":
        return [document.text for document in found if isinstance(document, TextDocument)]
    if n_features is None and documents.names.features is not None:
        n_features = len(documents.names.features)
    return feature_matrix([document for document in found if isinstance(document, VectorDocument)], n_features)
