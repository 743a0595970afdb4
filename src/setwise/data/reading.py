"""Reading of files: documents one at a time, or a whole file for training."""

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
from setwise.data.formats import FORMATS, Format, Problems, ReadOptions, Source, format_of
from setwise.data.formats.registry import recognize_format, recognized_formats
from setwise.data.formats.streams import open_source
from setwise.data.paths import STDIO, FilePath, resolve_path
from setwise.exceptions import InvalidData, InvalidParameter

__all__ = [
    "Dataset",
    "Documents",
    "Track",
    "batches",
    "declared_format",
    "input_files",
    "no_tracking",
    "open_documents",
    "read_dataset",
]

Item = TypeVar("Item")
Track = Callable[[Iterable[Document]], Iterable[Document]]


def no_tracking(documents: Iterable[Document]) -> Iterable[Document]:
    """Return the documents as they are, without showing progress."""
    return documents


@dataclass
class Documents:
    """The documents of an open file, which can be iterated over once.

    Attributes
    ----------
    name : str
        Name of the file, as messages show it.
    format : Format
        Format of the file.
    names : Names
        Names of all labels and features, where the file contains them.
    problems : Problems
        How many documents were skipped so far, and the first reasons.
    extra_columns : tuple of str or None
        Columns copied to ``TextDocument.extra``; None if each document has its own.
    allow_empty : bool
        Whether a file without documents is no error.
    n_read : int
        Number of documents read so far.
    """

    name: str
    format: Format
    names: Names
    problems: Problems
    extra_columns: tuple[str, ...] | None
    _documents: Iterator[Document] = field(repr=False)
    allow_empty: bool = False
    n_read: int = 0

    def __iter__(self) -> Iterator[Document]:
        return (document for _, document in self.numbered())

    def numbered(self) -> Iterator[tuple[int, Document]]:
        """Yield each document with its number in the file, counted from 1; skipped documents count too."""
        for document in self._documents:
            self.n_read += 1
            yield self.n_read + self.problems.n_skipped, document
        if self.n_read == 0 and self.problems.n_skipped:
            raise InvalidData(f"{self.name} contains no documents: all were skipped, {self.problems.reasons[0]}")
        if self.n_read == 0 and not self.allow_empty:
            raise InvalidData(f"{self.name} contains no documents.")


@contextmanager
def open_documents(
    path: FilePath, options: ReadOptions | None = None, *, allow_empty: bool = False
) -> Iterator[Documents]:
    """Open a file of documents, to read them one at a time.

    The format follows from the file's suffix; that of standard input is recognized from its first bytes.

    Parameters
    ----------
    path : str or path
        The file; ``-`` is standard input.
    options : ReadOptions, optional
        How to read it.
    allow_empty : bool
        Whether a file without documents is allowed; if not, its end raises ``InvalidData``.

    Yields
    ------
    Documents

    Examples
    --------
    >>> import tempfile
    >>> from setwise.data import open_documents
    >>> with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
    ...     _ = file.write("__label__weather Rain in May")
    ...     file.flush()
    ...     with open_documents(file.name) as documents:
    ...         [document.text for document in documents]
    ['Rain in May']
    """
    options = options or ReadOptions()
    format = declared_format(path, options)
    with open_source(path, options.encoding, binary=format is not None and format.binary) as source:
        format = format or _recognize(source, options, allow_empty)
        if options.extra_columns and not format.takes("extra_columns"):
            able = ", ".join(one.name for one in FORMATS.values() if one.takes("extra_columns"))
            raise InvalidParameter(f"{path} has no columns to keep: its format is {format.name}, not one of {able}.")
        problems = Problems(source.name, options.on_error)
        reading = format.read(source, options, problems)
        yield Documents(
            source.name, format, reading.names, problems, reading.extra_columns, reading.documents, allow_empty
        )


def input_files(path: FilePath, options: ReadOptions | None = None) -> list[FilePath]:
    """Return all files that reading ``path`` opens: itself, and those with the names of its labels and features.

    Parameters
    ----------
    path : str or path
        The file; ``-`` is standard input.
    options : ReadOptions, optional
        How to read it.

    Returns
    -------
    list of paths

    Examples
    --------
    >>> from setwise.data import ReadOptions, input_files
    >>> input_files("docs.svm", ReadOptions(label_names="tags.txt"))
    ['docs.svm', 'tags.txt']
    """
    options = options or ReadOptions()
    named = [file for file in (options.label_names, options.feature_names) if file is not None]
    resolve_path(path)  # so that an empty name is reported as such, and not as an unknown format
    format = declared_format(path, options)
    side_files = [] if format is None else [file for file in format.side_paths(path) if file.is_file()]
    return [path, *named, *side_files]


def declared_format(path: FilePath, options: ReadOptions) -> Format | None:
    """Return the format that the options or the suffix declare; None for standard input without a named format."""
    if fspath(path) == STDIO and options.format is None:
        return None
    return format_of(path, options.format)


def _recognize(source: Source, options: ReadOptions, allow_empty: bool) -> Format:
    start = source.peek()
    if not start and allow_empty:
        return FORMATS["jsonl"]  # an empty jsonl file has no documents
    if not start:
        raise InvalidData(f"{source.name} contains no documents: it is empty.")
    format = recognize_format(start, options)
    if format is None:
        names = ", ".join(one.name for one in recognized_formats())
        raise InvalidParameter(
            f"The format of {source.name} is not recognized as one of {names}, with a field {options.text!r}. "
            f"Give its format with `--from`."
        )
    return format


def batches(documents: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """Yield lists of ``size`` documents; the last may be shorter.

    Parameters
    ----------
    documents : iterable
        The documents.
    size : int
        Number of documents per list.

    Examples
    --------
    >>> from setwise.data import batches
    >>> list(batches("abcde", 2))
    [['a', 'b'], ['c', 'd'], ['e']]
    """
    remaining = iter(documents)
    while batch := list(islice(remaining, size)):
        yield batch


@dataclass(frozen=True, eq=False)
class Dataset:
    """All documents of a file.

    Attributes
    ----------
    X : list of str or csr_array of float32
        Texts, or a feature matrix.
    y : list of list of str, or None
        The label names of each document; None if some document's labels are unknown.
    ids : list of str or None
        The id of each document.
    names : Names
        Names of all labels and features, where the file contains them.
    problems : Problems
        How many documents were skipped, and the first reasons.
    """

    X: list[str] | sp.csr_array
    y: list[list[str]] | None
    ids: list[str | None]
    names: Names
    problems: Problems

    @property
    def n_samples(self) -> int:
        """Number of documents."""
        return len(self.ids)


def read_dataset(
    path: str | PathLike[str],
    options: ReadOptions | None = None,
    *,
    require_labels: bool = True,
    n_features: int | None = None,
    track: Track = no_tracking,
) -> Dataset:
    """Read all documents of a file.

    Parameters
    ----------
    path : str or path
        The file; ``-`` is standard input.
    options : ReadOptions, optional
        How to read it.
    require_labels : bool
        Whether a document with unknown labels is an error.
    n_features : int, optional
        Number of columns of a feature matrix; None is as many as the file names, or as occur in it.
    track : callable, optional
        Wraps the iteration over the documents, for instance to show progress.

    Returns
    -------
    Dataset

    Examples
    --------
    >>> import tempfile
    >>> from setwise.data import read_dataset
    >>> with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
    ...     _ = file.write("__label__weather Rain in May")
    ...     file.flush()
    ...     data = read_dataset(file.name)
    >>> data.X, data.y
    (['Rain in May'], [['weather']])
    """
    with open_documents(path, options) as opened:
        documents = list(track(opened))
    unlabeled = next((number for number, document in enumerate(documents, 1) if document.labels is None), None)
    if require_labels and unlabeled is not None:
        raise InvalidData(
            f"{opened.name}: document {unlabeled} of {len(documents)} has no labels. Give the labels of every document."
        )
    return Dataset(
        X=_features(documents, opened, n_features),
        y=None if unlabeled is not None else [list(document.labels or ()) for document in documents],
        ids=[document.id for document in documents],
        names=opened.names,
        problems=opened.problems,
    )


def _features(documents: list[Document], opened: Documents, n_features: int | None) -> list[str] | sp.csr_array:
    if opened.format.kind == "text":
        return [document.text for document in documents if isinstance(document, TextDocument)]
    if n_features is None and opened.names.features is not None:
        n_features = len(opened.names.features)
    return feature_matrix([document for document in documents if isinstance(document, VectorDocument)], n_features)
