"""Warnings about likely mistakes in the data: one line each, on standard error."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from setwise.cli.runtime import print_note
from setwise.data import Document, Documents, IdHashes, ReadOptions, StringHashes, TextDocument, declared_format

__all__ = ["DataChecks", "warn_shared_texts"]

COMMON_SEPARATORS = (",", ";", "|")

Check = Literal["separator", "constant", "ids", "texts", "coverage"]


class DataChecks:
    """Collects statistics of one file for the checks in ``checks``; texts and ids are stored as hashes."""

    def __init__(self, file: str, read_options: ReadOptions, *checks: Check) -> None:
        self._file, self._read_options = file, read_options
        self._checks = checks
        self._checks_labels = "separator" in checks or "constant" in checks
        format = declared_format(file, read_options)
        self._separator = read_options.separator if format is not None and format.takes("separator") else None
        self._n_documents = self._n_labeled = self._largest_set = self._n_not_covered = 0
        self._labels: Counter[str] = Counter()
        self._ids, self._texts = IdHashes(), StringHashes()

    def watch(self, documents: Iterable[Document]) -> Iterator[Document]:
        """Yield the documents, and add each to the statistics."""
        if isinstance(documents, Documents) and documents.format.takes(
            "separator"
        ):  # detected late where a pipe is read
            self._separator = self._read_options.separator
        for document in documents:
            self.add([document])
            yield document

    def add(self, documents: Sequence[Document], coverage: NDArray[np.float64] | None = None) -> None:
        """Add documents, and the share of their words that the vocabulary of a model contains."""
        needs_texts, needs_labels = "texts" in self._checks, self._checks_labels
        self._n_documents += len(documents)
        self._ids.add(document.id for document in documents)
        for document in documents if needs_texts or needs_labels else ():
            if needs_texts:
                self._texts.add(document.text if isinstance(document, TextDocument) else None)
            if needs_labels and document.labels is not None:
                self._n_labeled += 1
                self._labels.update(document.labels)
                self._largest_set = max(self._largest_set, len(document.labels))
        if coverage is not None:
            self._n_not_covered += int((coverage == 0.0).sum())

    def print_warnings(self) -> None:
        """Print the warnings that apply."""
        warnings: dict[Check, Callable[[], str | None]] = {
            "separator": self._separator_warning,
            "constant": self._constant_warning,
            "ids": self._ids_warning,
            "texts": self._texts_warning,
            "coverage": self._coverage_warning,
        }
        for check in self._checks:
            if warning := warnings[check]():
                print_note(f"warning: {warning}")

    def warn_shared_with(self, training: DataChecks) -> None:
        """Warn if texts of this file are also in the training file."""
        warn_shared_texts(self._texts.n_shared(training._texts), self._n_documents, self._file, training._file)

    def sketch(self) -> NDArray[np.int64] | None:
        """Return a sketch of the texts, to be saved with the model; None if there are no texts."""
        sketch = self._texts.sketch()
        return sketch if len(sketch) else None

    def warn_trained_on(self, sketch: NDArray[np.int64] | None, model: str) -> None:
        """Warn if texts of this file are among the sketched training texts of a model."""
        if sketch is not None:
            n_shared = self._texts.n_shared_with(sketch)
            warn_shared_texts(n_shared, self._n_documents, self._file, f"the training data of {model}")

    def _separator_warning(self) -> str | None:
        if self._separator is None or self._largest_set != 1:
            return None
        counts = {
            separator: sum(separator in label.strip(separator) for label in self._labels)
            for separator in COMMON_SEPARATORS
            if separator not in self._separator
        }
        separator = max(counts, key=lambda candidate: counts[candidate])
        if not counts[separator]:
            return None
        return (
            f"{counts[separator]:,} of {len(self._labels):,} labels contain {separator!r}, and no document has two "
            f"labels. If it separates labels, add --separator {shlex.quote(separator)}."
        )

    def _constant_warning(self) -> str | None:
        constant = [name for name, count in self._labels.items() if count == self._n_labeled > 1]
        if not constant:
            return None
        more = f" (and {len(constant) - 1:,} more)" if len(constant) > 1 else ""
        return f"every document of {self._file} has the label {constant[0]!r}{more}; a model cannot learn it."

    def _ids_warning(self) -> str | None:
        n = self._ids.n_repeated()
        return f"{n:,} of {self._n_documents:,} ids in {self._file} are duplicates." if n else None

    def _texts_warning(self) -> str | None:
        n = self._texts.n_repeated()
        return f"{n:,} of {self._n_documents:,} texts in {self._file} are duplicates." if n else None

    def _coverage_warning(self) -> str | None:
        if not self._n_not_covered:
            return None
        return (
            f"{self._n_not_covered:,} of {self._n_documents:,} documents contain no word of the model's vocabulary "
            f"(coverage 0); their expected_f1 is not reliable."
        )


def warn_shared_texts(n_shared: int, n_documents: int, file: str, training: str) -> None:
    """Warn if texts of a file are also in the training data."""
    if n_shared:
        print_note(
            f"warning: {n_shared:,} of {n_documents:,} texts in {file} are also in {training}; "
            f"scores on them are too optimistic."
        )
