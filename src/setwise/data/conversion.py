"""From one file to another: every document once, in another format or in parts."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from os import PathLike, fspath

from setwise.data.documents import Document, Names, TextDocument, VectorDocument
from setwise.data.duplicates import Keys
from setwise.data.formats import Format, Problems, ReadOptions, WriteOptions, format_of
from setwise.data.formats.sniffing import RECOGNISED
from setwise.data.formats.streams import STANDARD
from setwise.data.paths import check_files, resolved
from setwise.data.reading import Documents, Watch, files_read, known_format, open_documents, unwatched
from setwise.data.splits import hold_out, random_hold_out
from setwise.data.writing import open_writer
from setwise.exceptions import InvalidData, InvalidParameter

__all__ = ["Converted", "convert", "split"]

Path = str | PathLike[str]
MOST_MADE_UP_NAMES = 10_000_000


@dataclass(frozen=True)
class Converted:
    """What was written to each file, and what was lost on the way."""

    n_written: tuple[int, ...]
    ids_lost: bool
    problems: Problems
    shared_texts: int = 0
    """Documents of the second file whose text is in the first too."""


def convert(
    source: Path,
    target: Path,
    read_options: ReadOptions | None = None,
    write_options: WriteOptions | None = None,
    *,
    watch: Watch = unwatched,
) -> Converted:
    """Write the documents of ``source`` to ``target``, in the format that each one's ending tells."""
    copy = _Copy(source, [target], read_options or ReadOptions(), write_options or WriteOptions())
    with open_documents(source, copy.reading) as documents:
        if copy.can_write(documents.names):
            return copy.run(documents, documents.names, watch)
        copy.check_twice()
        survey = _Survey()
        for document in documents:
            survey.see(document)
        names = survey.names(documents, copy.needs_features)
    with open_documents(source, copy.reading) as documents:
        return copy.run(documents, names, watch)


def split(
    source: Path,
    train: Path,
    test: Path,
    read_options: ReadOptions | None = None,
    write_options: WriteOptions | None = None,
    *,
    share: float = 0.2,
    random_state: int = 0,
    stratified: bool = True,
    watch: Watch = unwatched,
) -> Converted:
    """Write ``share`` of the documents of ``source`` to ``test`` and the others to ``train``, in their order.

    ``stratified`` gives both parts their share of every label; otherwise chance alone decides.
    """
    copy = _Copy(source, [train, test], read_options or ReadOptions(), write_options or WriteOptions())
    copy.check_twice()
    survey = _Survey()
    labels: list[tuple[str, ...]] = []
    texts = Keys()
    with open_documents(source, copy.reading) as documents:
        for document in documents:
            survey.see(document)
            labels.append(document.labels or ())
            texts.add(document.text if isinstance(document, TextDocument) else None)
        names = documents.names if copy.can_write(documents.names) else survey.names(documents, copy.needs_features)
    if stratified and not survey.labels:
        raise InvalidData(f"{source} must have labels for a stratified split; it has none. Hint: split at random.")
    rest, held = (
        hold_out(labels, share, random_state) if stratified else random_hold_out(len(labels), share, random_state)
    )
    in_test = set(held.tolist())
    with open_documents(source, copy.reading) as documents:
        done = copy.run(documents, names, watch, [int(number in in_test) for number in range(len(labels))])
    return replace(done, shared_texts=texts.take(held).n_shared(texts.take(rest)))


@dataclass(frozen=True)
class _Copy:
    """The way from one file to one or several others."""

    source: Path
    targets: Sequence[Path]
    reading: ReadOptions
    writing: WriteOptions

    def __post_init__(self) -> None:
        for path in (self.source, *self.targets):
            resolved(path)
        read = known_format(self.source, self.reading)
        kind, name = ("text", " or ".join(RECOGNISED)) if read is None else (read.kind, read.name)
        for target, format in zip(self.targets, self._formats, strict=True):
            if format.kind != kind:
                holds, wanted = ("texts", "vectors") if kind == "text" else ("vectors", "texts")
                raise InvalidParameter(
                    f"{self.source} holds {holds} ({name}) and {target} would hold {wanted} ({format.name}); "
                    f"a conversion makes neither out of the other."
                )
        beside = [
            file for target, format in zip(self.targets, self._formats, strict=True) for file in format.beside(target)
        ]
        check_files(self.inputs, self.targets, beside=beside, stdout=True)

    @property
    def inputs(self) -> list[Path]:
        """All files that are read."""
        return files_read(self.source, self.reading)

    @property
    def _formats(self) -> list[Format]:
        return [format_of(target, self.writing.format, writing=True) for target in self.targets]

    @property
    def needs_features(self) -> bool:
        """Whether some target has to name all features."""
        return any(format.needs_features for format in self._formats)

    def check_twice(self) -> None:
        """Refuse a source that can be read only once."""
        if fspath(self.source) == STANDARD:
            raise InvalidParameter("- can be read only once, and this reads it twice; write it to a file first.")

    def can_write(self, names: Names) -> bool:
        """Whether the formats can be written with these names, or need more to be known before the first document."""
        if self._formats[0].kind == "text":
            return True
        if self.needs_features:
            return names.labels is not None and names.features is not None
        return names.labels is not None or names.numbered

    def run(self, documents: Documents, names: Names, watch: Watch, part: Sequence[int] | None = None) -> Converted:
        """Write each document to the target that ``part`` tells, or to the only one."""
        n_written = [0] * len(self.targets)
        keeps_ids = [format.keeps_ids for format in self._formats]
        ids_lost = False
        with ExitStack() as stack:
            write = [
                stack.enter_context(open_writer(target, names, self.writing, inputs=self.inputs))
                for target in self.targets
            ]
            for number, document in enumerate(watch(documents)):
                to = 0 if part is None else part[number]
                write[to](document)
                n_written[to] += 1
                ids_lost |= document.id is not None and not keeps_ids[to]
        return Converted(tuple(n_written), ids_lost, documents.problems)


class _Survey:
    """Goes through documents for the labels and features that occur, where the file does not name them."""

    def __init__(self) -> None:
        self.labels: set[str] = set()
        self.n_features = 0

    def see(self, document: Document) -> None:
        self.labels.update(document.labels or ())
        if isinstance(document, VectorDocument) and len(document.columns):
            self.n_features = max(self.n_features, int(document.columns[-1]) + 1)

    def names(self, documents: Documents, needs_features: bool) -> Names:
        """Complete the names that the file gives: labels that are numbers in their order, features x1, x2, ..."""
        names = documents.names
        if names.labels is None:
            names = replace(names, labels=tuple(sorted(self.labels, key=_numbers_first)), numbered=False)
        if names.features is None and needs_features:
            if self.n_features > MOST_MADE_UP_NAMES:
                raise InvalidData(
                    f"{documents.name} must have at most {MOST_MADE_UP_NAMES:,} features, which all get names; "
                    f"got {self.n_features:,}."
                )
            names = replace(names, features=tuple(f"x{number}" for number in range(1, self.n_features + 1)))
        return names


def _numbers_first(label: str) -> tuple[int, str]:
    is_number = label.isascii() and label.isdigit()
    return (len(label) if is_number else sys.maxsize, label)
