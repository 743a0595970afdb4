"""Conversion of files to another format, and splits into two files."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from os import fspath

from setwise.data.documents import Document, Names, TextDocument, VectorDocument
from setwise.data.duplicates import StringHashes
from setwise.data.formats import Format, Problems, ReadOptions, WriteOptions, format_of, recognized_formats
from setwise.data.paths import STDIO, FilePath, check_files, resolve_path
from setwise.data.reading import Documents, Track, declared_format, input_files, no_tracking, open_documents
from setwise.data.splits import hold_out, random_hold_out
from setwise.data.writing import open_writer
from setwise.exceptions import InvalidData, InvalidParameter

__all__ = ["Converted", "convert", "split"]

MAX_GENERATED_NAMES = 10_000_000


@dataclass(frozen=True)
class Converted:
    """The result of a conversion.

    Attributes
    ----------
    n_written : tuple of int
        Number of documents written to each file.
    ids_lost : bool
        Whether documents had ids that the format written cannot store.
    problems : Problems
        How many documents were skipped, and the first reasons.
    shared_texts : int
        Number of documents of the second file whose text is in the first too.
    """

    n_written: tuple[int, ...]
    ids_lost: bool
    problems: Problems
    shared_texts: int = 0


def convert(
    source: FilePath,
    target: FilePath,
    read_options: ReadOptions | None = None,
    write_options: WriteOptions | None = None,
    *,
    track: Track = no_tracking,
) -> Converted:
    """Write the documents of ``source`` to ``target``, each in the format that its suffix implies.

    Parameters
    ----------
    source, target : str or path
        The files to read and to write; ``-`` is standard input or output.
    read_options : ReadOptions, optional
        How to read ``source``.
    write_options : WriteOptions, optional
        How to write ``target``.
    track : callable, optional
        Wraps the iteration over the documents, for instance to show progress.

    Returns
    -------
    Converted

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from setwise.data import convert
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "docs.txt").write_text("__label__weather Rain in May")
    ...     convert(Path(folder, "docs.txt"), Path(folder, "docs.csv")).n_written
    (1,)
    """
    job = _Conversion(source, [target], read_options or ReadOptions(), write_options or WriteOptions())
    with open_documents(source, job.read_options) as documents:
        if job.can_write(documents.names):
            return job.run(documents, documents.names, track)
        job.check_readable_twice()
        survey = _Survey()
        for document in documents:
            survey.add(document)
        names = survey.complete(documents, job.needs_feature_names)
    with open_documents(source, job.read_options) as documents:
        return job.run(documents, names, track)


def split(
    source: FilePath,
    train: FilePath,
    test: FilePath,
    read_options: ReadOptions | None = None,
    write_options: WriteOptions | None = None,
    *,
    test_size: float = 0.2,
    random_state: int = 0,
    stratified: bool = True,
    track: Track = no_tracking,
) -> Converted:
    """Split the documents of ``source`` between two files, in their order.

    Parameters
    ----------
    source, train, test : str or path
        The file to read, and the two files to write.
    read_options : ReadOptions, optional
        How to read ``source``.
    write_options : WriteOptions, optional
        How to write ``train`` and ``test``.
    test_size : float
        Fraction of the documents that ``test`` gets.
    random_state : int
        Seed; the same value returns the same split.
    stratified : bool
        Whether every label is divided in proportion; otherwise the split is random.
    track : callable, optional
        Wraps the iteration over the documents, for instance to show progress.

    Returns
    -------
    Converted

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from setwise.data import split
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     source, train, test = (Path(folder, name) for name in ("docs.txt", "train.txt", "test.txt"))
    ...     _ = source.write_text("__label__weather Rain in May" + chr(10) + "__label__weather Snow in June")
    ...     split(source, train, test, test_size=0.5).n_written
    (1, 1)
    """
    job = _Conversion(source, [train, test], read_options or ReadOptions(), write_options or WriteOptions())
    job.check_readable_twice()
    survey = _Survey()
    labels: list[tuple[str, ...]] = []
    texts = StringHashes()
    with open_documents(source, job.read_options) as documents:
        for document in documents:
            survey.add(document)
            labels.append(document.labels or ())
            texts.add(document.text if isinstance(document, TextDocument) else None)
        names = documents.names
        if not job.can_write(names):
            names = survey.complete(documents, job.needs_feature_names)
    if stratified and not survey.labels:
        raise InvalidData(f"{source} has no labels, which a stratified split needs. Split it at random (`--random`).")
    in_train, in_test = (
        hold_out(labels, test_size, random_state)
        if stratified
        else random_hold_out(len(labels), test_size, random_state)
    )
    tested = set(in_test.tolist())
    with open_documents(source, job.read_options) as documents:
        done = job.run(documents, names, track, [int(number in tested) for number in range(len(labels))])
    return replace(done, shared_texts=texts.take(in_test).n_shared(texts.take(in_train)))


@dataclass(frozen=True)
class _Conversion:
    """A conversion of one file to one or several others."""

    source: FilePath
    targets: Sequence[FilePath]
    read_options: ReadOptions
    write_options: WriteOptions

    def __post_init__(self) -> None:
        for path in (self.source, *self.targets):
            resolve_path(path)
        self._check_kinds()
        side_files = [
            file
            for target, format in zip(self.targets, self._formats, strict=True)
            for file in format.side_paths(target)
        ]
        check_files(self.inputs, self.targets, side_files=side_files, allow_stdout=True)

    def _check_kinds(self) -> None:
        declared = declared_format(self.source, self.read_options)
        possible = recognized_formats() if declared is None else [declared]
        for target, format in zip(self.targets, self._formats, strict=True):
            if all(format.kind != one.kind for one in possible):
                contents, other = ("texts", "vectors") if possible[0].kind == "text" else ("vectors", "texts")
                raise InvalidParameter(
                    f"{self.source} contains {contents} ({' or '.join(one.name for one in possible)}), but {target} "
                    f"would contain {other} ({format.name}). Convert {contents} to a format of {contents}."
                )

    @property
    def inputs(self) -> list[FilePath]:
        """All files that are read."""
        return input_files(self.source, self.read_options)

    @property
    def _formats(self) -> list[Format]:
        return [format_of(target, self.write_options.format, writing=True) for target in self.targets]

    @property
    def needs_feature_names(self) -> bool:
        """Whether some target needs the names of all features."""
        return any(format.needs_feature_names for format in self._formats)

    def check_readable_twice(self) -> None:
        """Raise ``InvalidParameter`` for standard input, which can be read only once."""
        if fspath(self.source) == STDIO:
            raise InvalidParameter("- can be read only once, but this needs to read it twice. Save it to a file first.")

    def can_write(self, names: Names) -> bool:
        """Return whether the names suffice to write the targets, or the documents must be surveyed first."""
        if self._formats[0].kind == "text":
            return True
        if self.needs_feature_names:
            return names.labels is not None and names.features is not None
        return names.labels is not None or names.numbered

    def run(
        self, documents: Documents, names: Names, track: Track, target_of: Sequence[int] | None = None
    ) -> Converted:
        """Write each document to the target whose number ``target_of`` contains, or to the only target."""
        n_written = [0] * len(self.targets)
        stores_ids = [format.stores_ids for format in self._formats]
        ids_lost = False
        with ExitStack() as stack:
            write = [
                stack.enter_context(open_writer(target, names, self.write_options, inputs=self.inputs))
                for target in self.targets
            ]
            for number, document in enumerate(track(documents)):
                target = 0 if target_of is None else target_of[number]
                write[target](document)
                n_written[target] += 1
                ids_lost |= document.id is not None and not stores_ids[target]
        return Converted(tuple(n_written), ids_lost, documents.problems)


class _Survey:
    """Collects the labels and features that occur, for files that do not name them."""

    def __init__(self) -> None:
        self.labels: set[str] = set()
        self.n_features = 0

    def add(self, document: Document) -> None:
        self.labels.update(document.labels or ())
        if isinstance(document, VectorDocument) and len(document.columns):
            self.n_features = max(self.n_features, int(document.columns[-1]) + 1)

    def complete(self, documents: Documents, needs_feature_names: bool) -> Names:
        """Return the file's names, with missing labels sorted, numbers first, and missing features x1, x2, ..."""
        names = documents.names
        if names.labels is None:
            names = replace(names, labels=tuple(sorted(self.labels, key=_numbers_first)), numbered=False)
        if names.features is None and needs_feature_names:
            if self.n_features > MAX_GENERATED_NAMES:
                raise InvalidData(
                    f"{documents.name} has {self.n_features:,} features without names; at most "
                    f"{MAX_GENERATED_NAMES:,} can be named x1, x2, ... Give a file of feature names."
                )
            names = replace(names, features=tuple(f"x{number}" for number in range(1, self.n_features + 1)))
        return names


def _numbers_first(label: str) -> tuple[int, str]:
    is_number = label.isascii() and label.isdigit()
    return (len(label) if is_number else sys.maxsize, label)
