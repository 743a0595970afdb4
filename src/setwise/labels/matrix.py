"""The labels of many documents, in one form whatever form they came in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from setwise._validation import check_sparse_structure
from setwise.exceptions import InvalidData, InvalidParameter
from setwise.labels.forms import LabelLists, are_integers, frame_columns, frame_of, is_frame, read_lists

__all__ = ["Kind", "LabelMatrix", "checked_names", "csr_of_ones", "row_starts"]

Kind = Literal["names", "integers", "dense", "sparse array", "sparse matrix", "frame", "integer frame"]

_INTEGER_KINDS = ("integers", "integer frame")
"""Kinds whose labels are integers; ``names`` has them as strings."""


@dataclass(frozen=True, eq=False)
class LabelMatrix:
    """Label names, and one row of 0 and 1 a document.

    ``indicator`` is canonical: a CSR array with sorted columns that stores ones alone. ``kind`` remembers the form the
    labels came in, so that predictions can go back in the same form. Make one with :meth:`of`.
    """

    names: tuple[str, ...]
    indicator: sp.csr_array
    kind: Kind = "sparse array"

    def __post_init__(self) -> None:
        if self.kind in _INTEGER_KINDS and not are_integers(self.names):
            wrong = next(name for name in self.names if not are_integers([name]))
            raise InvalidData(f"label names must be integers; got {wrong!r}.")

    @classmethod
    def of(cls, y: Any, names: Iterable[str] | None = None, *, called: str = "y") -> LabelMatrix:
        """Read labels from an indicator (sparse, dense or a data frame) or from a list of labels for each document.

        ``names`` are the known labels. For an indicator they name its columns ("0", "1", ... by default); a data frame
        has names of its own, whose columns are put in the order of ``names``. For lists they fix the vocabulary;
        without them it is every label that occurs, sorted. Lists may hold integers in place of names: see
        :func:`setwise.labels.forms.read_lists`. ``called`` is the argument's name in error messages.
        """
        if isinstance(y, LabelMatrix):
            return y if names is None else y.checked_against(tuple(names), called=called)
        if (lists := read_lists(y, called=called)) is not None:
            made = cls._from_lists(lists, names, called)
        elif is_frame(y):
            made = cls._from_frame(y, names, called)
        elif sp.issparse(y):
            kind: Kind = "sparse array" if isinstance(y, sp.sparray) else "sparse matrix"
            made = cls._from_indicator(y, names, kind, called)
        else:
            made = cls._from_indicator(_as_array(y, called), names, "dense", called)
        if made.n_samples == 0 or made.n_labels == 0:
            raise InvalidData(
                f"{called} must hold at least one document and one label; got {made.n_samples} and {made.n_labels}."
            )
        return made

    @classmethod
    def _from_frame(cls, y: Any, names: Iterable[str] | None, called: str) -> LabelMatrix:
        columns, integers = frame_columns(y, called)
        checked_names(columns)
        expected = columns if names is None else checked_names(names)
        if columns != expected and sorted(columns) == sorted(expected):
            y, columns = y.iloc[:, [columns.index(name) for name in expected]], expected
        try:
            values = np.asarray(y, dtype=np.float64)  # whatever the types of single columns
        except (TypeError, ValueError):
            raise InvalidData(f"{called} must hold numbers 0 and 1 in its columns; got other values.") from None
        made = cls._from_indicator(values, columns, "integer frame" if integers else "frame", called)
        return made.checked_against(expected, called=called)

    @classmethod
    def _from_indicator(cls, y: Any, names: Iterable[str] | None, kind: Kind, called: str) -> LabelMatrix:
        if y.ndim != 2:
            raise InvalidData(
                f"{called} must have two dimensions, documents by labels; got {y.ndim}. "
                f"Hint: for one label, reshape to a single column."
            )
        if y.dtype.kind not in "biuf":
            raise InvalidData(f"{called} must hold numbers 0 and 1; got values of type {y.dtype}.")
        columns = tuple(str(label) for label in range(y.shape[1])) if names is None else checked_names(names)
        if len(columns) != y.shape[1]:
            raise InvalidData(
                f"{called} must have one column a name; got {y.shape[1]} columns and {len(columns)} names."
            )
        if sp.issparse(y):
            check_sparse_structure(y, called)
        indicator = _canonical(y)
        (wrong,) = np.nonzero(indicator.data != 1)  # NaN differs from everything, so it is caught here as well
        if wrong.size:
            document = np.searchsorted(indicator.indptr, wrong[0], side="right") - 1
            raise InvalidData(
                f"{called} must hold only 0 and 1; got {indicator.data[wrong[0]].item()} "
                f"in document {document}, label {columns[indicator.indices[wrong[0]]]!r}."
            )
        return cls(columns, csr_of_ones(indicator.indices, np.diff(indicator.indptr), len(columns)), kind)

    @classmethod
    def _from_lists(cls, lists: LabelLists, names: Iterable[str] | None, called: str) -> LabelMatrix:
        documents = lists.documents
        vocabulary = lists.vocabulary() if names is None else checked_names(names)
        kind: Kind = "integers" if lists.integers and are_integers(vocabulary) else "names"
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
        return cls(vocabulary, csr_of_ones([*chain.from_iterable(rows)], [*map(len, rows)], len(vocabulary)), kind)

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

    def check_rows(self, n_rows: int) -> None:
        """Raise ``InvalidData`` unless there is one document per row of X."""
        if self.n_samples != n_rows:
            raise InvalidData(f"X has {n_rows} rows but y has {self.n_samples}.")

    def with_indicator(self, indicator: Any) -> LabelMatrix:
        """Other documents with the same labels and the same kind, as predictions are."""
        return LabelMatrix._from_indicator(_as_array(indicator, "indicator"), self.names, self.kind, "indicator")

    def take(self, documents: Sequence[int] | NDArray[Any]) -> LabelMatrix:
        """The chosen documents, by position or by a mask."""
        return LabelMatrix(self.names, self.indicator[np.asarray(documents)], self.kind)

    @property
    def labels(self) -> tuple[Any, ...]:
        """The labels as they were given: integers, or else ``names``."""
        return tuple(map(int, self.names)) if self.kind in _INTEGER_KINDS else self.names

    def name_lists(self) -> list[list[str]]:
        """The label names of each document, in the order of ``names``."""
        return self._lists(self.names)

    def label_lists(self) -> list[list[Any]]:
        """The labels of each document as they were given, in the order of ``labels``."""
        return self._lists(self.labels)

    def _lists(self, labels: Sequence[Any]) -> list[list[Any]]:
        found = [labels[label] for label in self.indicator.indices]
        ends = self.indicator.indptr.tolist()
        return [found[start:end] for start, end in pairwise(ends)]

    def as_given(self, index: Any = None) -> Any:
        """Return the labels in the form they came in: lists, a dense array, a sparse array or matrix, or a data frame.

        ``index`` names the rows of a data frame.
        """
        match self.kind:
            case "names" | "integers":
                return self.label_lists()
            case "dense":
                return self.indicator.toarray()
            case "sparse matrix":
                return sp.csr_matrix(self.indicator)
            case "sparse array":
                return self.indicator.copy()
            case "frame" | "integer frame":
                return frame_of(self.indicator.toarray(), self.labels, index)

    def checked_against(self, names: Sequence[str], *, called: str = "y") -> LabelMatrix:
        """Return itself where its labels are ``names`` in the same order, and raise ``InvalidData`` where not."""
        if tuple(names) == self.names:
            return self
        if len(names) != self.n_labels:
            raise InvalidData(f"{called} must have {len(names)} labels; got {self.n_labels}.")
        mine, expected = next(pair for pair in zip(self.names, names, strict=True) if pair[0] != pair[1])
        raise InvalidData(
            f"{called} must have the same labels in the same order; got {mine!r} in place of {expected!r}."
        )


def csr_of_ones(columns: ArrayLike, lengths: ArrayLike, n_columns: int) -> sp.csr_array:
    """Make a CSR array of ones from the columns of all rows, one row after the other, and the length of each row."""
    indptr = row_starts(lengths)
    ones = np.ones(indptr[-1], dtype=np.int64)
    return sp.csr_array((ones, np.asarray(columns, dtype=np.int32), indptr), shape=(len(indptr) - 1, n_columns))


def row_starts(lengths: ArrayLike) -> NDArray[np.int32] | NDArray[np.int64]:
    """Where each row of a CSR array starts and the last one ends, in 32 bits where they suffice, as scipy prefers."""
    starts = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    return starts.astype(np.int32) if starts[-1] <= np.iinfo(np.int32).max else starts


def _canonical(y: Any) -> sp.csr_array:
    """Copy an indicator into a CSR array of its non-zero values, columns sorted, repeated entries added up."""
    if sp.issparse(y):
        indicator = sp.csr_array(y, dtype=np.float64, copy=True)
        indicator.sum_duplicates()
        indicator.eliminate_zeros()
        return indicator
    rows, columns = np.nonzero(y)
    return sp.csr_array((y[rows, columns].astype(np.float64), (rows, columns)), shape=y.shape)


def _as_array(y: Any, called: str) -> Any:
    if sp.issparse(y):
        return y
    try:
        return np.asarray(y)
    except ValueError:
        raise InvalidData(
            f"{called} must have rows of one length where they hold numbers; got rows of several lengths. "
            f"Hint: lists of integer labels name each label once per document."
        ) from None


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
