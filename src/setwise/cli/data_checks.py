"""Warnings about data where a person most likely made a mistake: one line each, on standard error."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from setwise.cli.runtime import note
from setwise.data import Document, Documents, ReadOptions, TextDocument
from setwise.data.duplicates import Keys
from setwise.data.reading import known_format

__all__ = ["DataChecks", "note_shared_texts"]

USUAL_SEPARATORS = (",", ";", "|")

Kind = Literal["separator", "constant", "ids", "texts", "coverage"]


class DataChecks:
    """Collects what warnings of some kinds need from the documents of one file; texts and ids as hashes alone."""

    def __init__(self, data: str, reading: ReadOptions, *kinds: Kind) -> None:
        self._data, self._kinds = data, kinds
        self._reading = reading
        format = known_format(data, reading)
        self._separator = reading.separator if format is not None and format.joins_labels else None
        self._n_documents = self._n_labelled = self._largest_set = self._n_unknown = 0
        self._labels: Counter[str] = Counter()
        self._ids, self._texts = Keys(), Keys()

    def over(self, documents: Iterable[Document]) -> Iterator[Document]:
        """Yield the documents, and look at each."""
        if isinstance(documents, Documents) and documents.format.joins_labels:  # the format of a pipe is known only now
            self._separator = self._reading.separator
        for document in documents:
            self.see([document])
            yield document

    def see(self, documents: Iterable[Document], coverage: NDArray[np.float64] | None = None) -> None:
        """Look at some documents, with the share of known words of each where a model reads them."""
        for document in documents:
            self._n_documents += 1
            self._ids.add(document.id)
            if "texts" in self._kinds:
                self._texts.add(document.text if isinstance(document, TextDocument) else None)
            if document.labels is not None:
                self._n_labelled += 1
                self._labels.update(document.labels)
                self._largest_set = max(self._largest_set, len(document.labels))
        if coverage is not None:
            self._n_unknown += int((coverage == 0.0).sum())

    def note(self) -> None:
        """Print the warnings that apply."""
        found = {
            "separator": self._separator_warning,
            "constant": self._constant_warning,
            "ids": self._ids_warning,
            "texts": self._texts_warning,
            "coverage": self._coverage_warning,
        }
        for kind in self._kinds:
            if warning := found[kind]():
                note(f"warning: {warning}")

    def note_shared(self, other: DataChecks) -> None:
        """Print a warning where texts of this file are in the other too, on which a model is trained."""
        note_shared_texts(self._texts.n_shared(other._texts), self._n_documents, self._data, other._data)

    def sketch(self) -> NDArray[np.int64] | None:
        """Return a sketch of the texts, for the model that is trained on them; None where there are no texts."""
        sketch = self._texts.sketch()
        return sketch if len(sketch) else None

    def note_trained_on(self, sketch: NDArray[np.int64] | None, model: str) -> None:
        """Print a warning where texts of this file are among those that a model was trained on."""
        if sketch is not None:
            note_shared_texts(
                self._texts.n_shared_with(sketch), self._n_documents, self._data, f"the training data of {model}"
            )

    def _separator_warning(self) -> str | None:
        if self._separator is None or self._largest_set != 1:
            return None
        counts = {
            separator: sum(separator in label.strip(separator) for label in self._labels)
            for separator in USUAL_SEPARATORS
            if separator not in self._separator
        }
        separator = max(counts, key=lambda one: counts[one])
        if not counts[separator]:
            return None
        return (
            f"{counts[separator]:,} of {len(self._labels):,} labels contain {separator!r}, and no document has two "
            f"labels; if it separates labels, give --separator {shlex.quote(separator)}."
        )

    def _constant_warning(self) -> str | None:
        always = [name for name, count in self._labels.items() if count == self._n_labelled > 1]
        if not always:
            return None
        more = f" (and {len(always) - 1:,} more)" if len(always) > 1 else ""
        return f"every document of {self._data} has the label {always[0]!r}{more}: nothing can be learnt about it."

    def _ids_warning(self) -> str | None:
        n = self._ids.n_repeated()
        return f"{n:,} of {self._n_documents:,} ids of {self._data} repeat an earlier one." if n else None

    def _texts_warning(self) -> str | None:
        n = self._texts.n_repeated()
        return f"{n:,} of {self._n_documents:,} texts of {self._data} repeat an earlier one." if n else None

    def _coverage_warning(self) -> str | None:
        if not self._n_unknown:
            return None
        return (
            f"{self._n_unknown:,} of {self._n_documents:,} documents have no word that the model knows; "
            f"do not trust their expected_f1 (their coverage is 0)."
        )


def note_shared_texts(n_shared: int, n_documents: int, file: str, trained_on: str) -> None:
    """Print a warning where texts of a file are among those that a model is trained on."""
    if n_shared:
        note(
            f"warning: {n_shared:,} of {n_documents:,} texts of {file} are in {trained_on} too: "
            f"scores on them are too good."
        )
