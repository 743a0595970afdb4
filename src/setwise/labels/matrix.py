"""The labels of many documents, in one form whatever form they came in."""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from setwise._validation import check_sparse_structure
from setwise.exceptions import InvalidData, InvalidParameter

__all__ = ["Kind", "LabelMatrix", "checked_names", "csr_of_ones", "lists_of_names", "row_starts"]

Kind = Literal["names", "dense", "sparse array", "sparse matrix"]


@dataclass(frozen=True, eq=False)
class LabelMatrix:
    """Label names, and one row of 0 and 1 a document.

    ``indicator`` is canonical: a CSR array with sorted columns that stores ones alone. ``kind`` remembers the form the
    labels came in, so that predictions can go back in the same form. Make one with :meth:`of`.
    """

    names: tuple[str, ...]
    indicator: sp.csr_array
    kind: Kind = "sparse array"

    @classmethod
    def of(cls, Y: Any, names: Iterable[str] | None = None, *, called: str = "Y") -> LabelMatrix:
        """Read labels from a sparse indicator, a dense indicator, or a list of label names for each document.

        ``names`` are the known labels. For an indicator they name its columns ("0", "1", ... by default). For lists of
        names they fix the vocabulary; without them the vocabulary is every name that occurs, sorted.
        ``called`` is the argument's name in error messages.
        """
        if isinstance(Y, LabelMatrix):
            return Y if names is None else Y.checked_against(tuple(names), called=called)
        if (documents := lists_of_names(Y, called=called)) is not None:
            return cls._from_names(documents, names, called)
        if sp.issparse(Y):
            return cls._from_indicator(
                Y, names, "sparse array" if isinstance(Y, sp.sparray) else "sparse matrix", called
            )
        return cls._from_indicator(_as_array(Y, called), names, "dense", called)

    @classmethod
    def _from_indicator(cls, Y: Any, names: Iterable[str] | None, kind: Kind, called: str) -> LabelMatrix:
        if Y.ndim != 2:
            raise InvalidData(
                f"{called} must have two dimensions, documents by labels; got {Y.ndim}. "
                f"Hint: for one label, reshape to a single column."
            )
        if Y.dtype.kind not in "biuf":
            raise InvalidData(f"{called} must hold numbers 0 and 1; got values of type {Y.dtype}.")
        columns = tuple(str(label) for label in range(Y.shape[1])) if names is None else checked_names(names)
        if len(columns) != Y.shape[1]:
            raise InvalidData(
                f"{called} must have one column a name; got {Y.shape[1]} columns and {len(columns)} names."
            )
        _require_some(Y.shape[0], Y.shape[1], called)
        if sp.issparse(Y):
            check_sparse_structure(Y, called)
        indicator = _canonical(Y)
        (wrong,) = np.nonzero(indicator.data != 1)  # NaN differs from everything, so it is caught here as well
        if wrong.size:
            document = np.searchsorted(indicator.indptr, wrong[0], side="right") - 1
            raise InvalidData(
                f"{called} must hold only 0 and 1; got {indicator.data[wrong[0]].item()} "
                f"in document {document}, label {columns[indicator.indices[wrong[0]]]!r}."
            )
        return cls(columns, csr_of_ones(indicator.indices, np.diff(indicator.indptr), len(columns)), kind)

    @classmethod
    def _from_names(cls, documents: list[list[str]], names: Iterable[str] | None, called: str) -> LabelMatrix:
        vocabulary = tuple(sorted(set(chain.from_iterable(documents)))) if names is None else checked_names(names)
        _require_some(len(documents), len(vocabulary), called)
        column = {name: index for index, name in enumerate(vocabulary)}
        try:
            rows = [sorted({column[label] for label in labels}) for labels in documents]
        except KeyError as missing:
            (label,) = missing.args
            document = next(i for i, labels in enumerate(documents) if label in labels)
            raise InvalidData(
                f"{called} must hold only the {len(vocabulary)} known labels; got {label!r} in document {document}. "
                f"Hint: known labels begin with {', '.join(map(repr, vocabulary[:3]))}."
            ) from None
        return cls(vocabulary, csr_of_ones([*chain.from_iterable(rows)], [*map(len, rows)], len(vocabulary)), "names")

    @property
    def shape(self) -> tuple[int, int]:
        """Documents by labels."""
        return self.n_samples, self.n_labels

    @property
    def n_samples(self) -> int:
        """How many documents there are."""
        return int(self.indicator.shape[0])

    @property
    def n_labels(self) -> int:
        """How many labels there are, seen or not."""
        return len(self.names)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """How many labels each document has."""
        return np.asarray(np.diff(self.indicator.indptr), dtype=np.int64)

    @property
    def counts(self) -> NDArray[np.int64]:
        """How many documents each label has."""
        return np.asarray(np.bincount(self.indicator.indices, minlength=self.n_labels), dtype=np.int64)

    @property
    def never(self) -> tuple[str, ...]:
        """The labels that no document has: constants, which nothing can be learnt about."""
        return self._names_where(self.counts == 0)

    @property
    def always(self) -> tuple[str, ...]:
        """The labels that every document has: constants too."""
        return self._names_where(self.counts == self.n_samples)

    def _names_where(self, mask: NDArray[np.bool_]) -> tuple[str, ...]:
        return tuple(self.names[label] for label in np.flatnonzero(mask))

    def with_indicator(self, indicator: Any) -> LabelMatrix:
        """Other documents with the same labels and the same kind, as predictions are."""
        return LabelMatrix._from_indicator(_as_array(indicator, "indicator"), self.names, self.kind, "indicator")

    def take(self, documents: Sequence[int] | NDArray[Any]) -> LabelMatrix:
        """The chosen documents, by position or by a mask."""
        return LabelMatrix(self.names, self.indicator[np.asarray(documents)], self.kind)

    def name_lists(self) -> list[list[str]]:
        """The label names of each document, in the order of ``names``."""
        labels = [self.names[label] for label in self.indicator.indices]
        ends = self.indicator.indptr.tolist()
        return [labels[start:end] for start, end in pairwise(ends)]

    def as_given(self) -> Any:
        """The labels in the form they came in: lists of names, a dense array, or a sparse array or matrix."""
        match self.kind:
            case "names":
                return self.name_lists()
            case "dense":
                return self.indicator.toarray()
            case "sparse matrix":
                return sp.csr_matrix(self.indicator)
            case "sparse array":
                return self.indicator.copy()

    def checked_against(self, names: Sequence[str], *, called: str = "Y") -> LabelMatrix:
        """Return itself where its labels are ``names`` in the same order, and raise ``InvalidData`` where not."""
        if tuple(names) == self.names:
            return self
        if len(names) != self.n_labels:
            raise InvalidData(f"{called} must have {len(names)} labels; got {self.n_labels}.")
        mine, expected = next(pair for pair in zip(self.names, names, strict=True) if pair[0] != pair[1])
        raise InvalidData(
            f"{called} must have the same labels in the same order; got {mine!r} in place of {expected!r}."
        )


def lists_of_names(Y: Any, *, called: str = "Y") -> list[list[str]] | None:
    """Read the label names of each document, or return None where ``Y`` holds numbers instead."""
    if sp.issparse(Y) or (hasattr(Y, "__array__") and np.asarray(Y).dtype.kind in "biufc"):
        return None
    documents = _documents(Y, called)
    first = next(chain.from_iterable(documents), "")  # documents without any label are lists of names too
    if isinstance(first, numbers.Number | np.bool_):
        return None
    for document, labels in enumerate(documents):
        for label in labels:
            if not isinstance(label, str):
                raise InvalidData(
                    f"{called} must hold label names that are strings; got {label!r} in document {document}."
                )
    return documents


def csr_of_ones(columns: ArrayLike, lengths: ArrayLike, n_columns: int) -> sp.csr_array:
    """Make a CSR array of ones from the columns of all rows, one row after the other, and the length of each row."""
    indptr = row_starts(lengths)
    ones = np.ones(indptr[-1], dtype=np.int64)
    return sp.csr_array((ones, np.asarray(columns, dtype=np.int32), indptr), shape=(len(indptr) - 1, n_columns))


def row_starts(lengths: ArrayLike) -> NDArray[np.int32] | NDArray[np.int64]:
    """Where each row of a CSR array starts and the last one ends, in 32 bits where they suffice, as scipy prefers."""
    starts = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    return starts.astype(np.int32) if starts[-1] <= np.iinfo(np.int32).max else starts


def _canonical(Y: Any) -> sp.csr_array:
    """Copy an indicator into a CSR array of its non-zero values, columns sorted, repeated entries added up."""
    if sp.issparse(Y):
        indicator = sp.csr_array(Y, dtype=np.float64, copy=True)
        indicator.sum_duplicates()
        indicator.eliminate_zeros()
        return indicator
    rows, columns = np.nonzero(Y)
    return sp.csr_array((Y[rows, columns].astype(np.float64), (rows, columns)), shape=Y.shape)


def _as_array(Y: Any, called: str) -> Any:
    if sp.issparse(Y):
        return Y
    try:
        return np.asarray(Y)
    except ValueError:
        raise InvalidData(
            f"{called} must have rows of one length where they hold numbers; got rows of several lengths. "
            f"Hint: to list labels, write their names as strings."
        ) from None


def _documents(Y: Any, called: str) -> list[list[Any]]:
    """Give each document's entries as a list; names or numbers, that is not yet known."""
    asked = f"{called} must be an indicator of 0 and 1 or a list of label names for each document"
    if isinstance(Y, str | bytes | dict) or not isinstance(Y, Iterable):
        raise InvalidData(f"{asked}; got a value of type {type(Y).__name__}.")
    documents: list[list[Any]] = []
    for document, entries in enumerate(Y):
        if isinstance(entries, str):
            raise InvalidData(
                f"{asked}; got the string {entries!r} for document {document}. Hint: write [{entries!r}]."
            )
        if not isinstance(entries, Iterable):
            raise InvalidData(f"{asked}; got {entries!r} for document {document}.")
        documents.append(list(entries))
    return documents


def checked_names(names: Iterable[str]) -> tuple[str, ...]:
    """Return label names as a tuple where they are strings that all differ."""
    if isinstance(names, str):
        raise InvalidParameter(f"names must be a list of strings; got the string {names!r}.")
    given = tuple(names)
    seen: set[str] = set()
    for name in given:
        if not isinstance(name, str):
            raise InvalidParameter(f"names must be strings; got {name!r}.")
        if name in seen:
            raise InvalidParameter(f"names must all differ; got {name!r} twice.")
        seen.add(name)
    return given


def _require_some(n_samples: int, n_labels: int, called: str) -> None:
    if n_samples == 0 or n_labels == 0:
        raise InvalidData(f"{called} must hold at least one document and one label; got {n_samples} and {n_labels}.")
