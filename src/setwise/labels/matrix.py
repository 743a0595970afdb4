"""The label sets of documents, in one form, whatever form they came in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from setwise import _core
from setwise._validation import check_sparse_structure
from setwise.exceptions import InvalidData, InvalidParameter
from setwise.labels.forms import LabelLists, are_integers, frame_columns, frame_of, is_frame, read_lists

__all__ = ["Kind", "LabelMatrix", "checked_names", "csr_of_ones", "row_starts"]

Kind = Literal["names", "integers", "dense", "sparse array", "sparse matrix", "frame", "integer frame"]

_INTEGER_KINDS = ("integers", "integer frame")
"""Kinds whose labels are integers; ``names`` has them as strings."""


@dataclass(frozen=True, eq=False)
class LabelMatrix:
    """The label sets of documents: label names, and one row of zeros and ones per document.

    Build one with :meth:`of`.

    Attributes
    ----------
    names : tuple of str
        The label names, in the order of the columns.
    indicator : sparse array of shape (n_samples, n_labels)
        Canonical: columns are sorted and only ones are stored.
    kind : str
        The form that the labels came in, which predictions have too.

    Examples
    --------
    >>> from setwise.labels import LabelMatrix
    >>> y = LabelMatrix.of([["red"], ["blue", "red"], []])
    >>> y.names, y.sizes.tolist()
    (('blue', 'red'), [1, 2, 0])
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
        """Read label sets in any of their forms.

        Parameters
        ----------
        y : LabelMatrix, array, sparse matrix, data frame or list of lists
            Zeros and ones, documents by labels; or one list of labels per document, names or integers.
        names : iterable of str, optional
            The labels. Of an array they name the columns ("0", "1", ... by default); the columns of a data frame are
            put in their order; of lists they are the labels that may occur (by default all that do, sorted).
        called : str
            Name of the argument in error messages.

        Returns
        -------
        labels : LabelMatrix
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
                f"{called} must have one column per name; got {y.shape[1]} columns and {len(columns)} names."
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
        """Number of documents."""
        return int(self.indicator.shape[0])

    @property
    def n_labels(self) -> int:
        """Number of labels, including those that no document has."""
        return len(self.names)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Number of labels of each document."""
        return np.asarray(np.diff(self.indicator.indptr), dtype=np.int64)

    @property
    def counts(self) -> NDArray[np.int64]:
        """Number of documents with each label."""
        return np.asarray(np.bincount(self.indicator.indices, minlength=self.n_labels), dtype=np.int64)

    @property
    def never(self) -> tuple[str, ...]:
        """The labels that no document has, which are constants."""
        return self._names_where(self.counts == 0)

    @property
    def always(self) -> tuple[str, ...]:
        """The labels that every document has, which are constants too."""
        return self._names_where(self.counts == self.n_samples)

    def _names_where(self, mask: NDArray[np.bool_]) -> tuple[str, ...]:
        return tuple(self.names[label] for label in np.flatnonzero(mask))

    @cached_property
    def non_empty(self) -> LabelMatrix:
        """The rows that have a label; the matrix itself where all do, or none does."""
        rows = np.flatnonzero(self.sizes)
        return self if rows.size in (0, self.n_samples) else self.take(rows)

    @cached_property
    def native(self) -> _core.LabelSets:
        """The label sets in the layout that the core reads, built once."""
        indicator = self.indicator
        return _core.LabelSets(self.n_labels, indicator.indptr.astype(np.int64), indicator.indices.astype(np.int32))

    def chain_trie(self, order: NDArray[np.int32]) -> _core.ChainTrie:
        """Return the trie of the label sets with labels in the order of a chain, built once per order."""
        key = order.tobytes()
        if key not in self._tries:
            self._tries[key] = _core.ChainTrie(self.native, order)
        return self._tries[key]

    @cached_property
    def _tries(self) -> dict[bytes, _core.ChainTrie]:
        return {}

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what is in the core's layout: it is built again when needed."""
        return {name: value for name, value in self.__dict__.items() if name not in ("native", "non_empty", "_tries")}

    def check_rows(self, n_rows: int) -> None:
        """Raise ``InvalidData`` unless there is one document per row of X."""
        if self.n_samples != n_rows:
            raise InvalidData(f"X has {n_rows} rows but y has {self.n_samples}.")

    def with_indicator(self, indicator: Any) -> LabelMatrix:
        """Return other documents with the same labels and the same kind, such as predictions."""
        return LabelMatrix._from_indicator(_as_array(indicator, "indicator"), self.names, self.kind, "indicator")

    def take(self, documents: Sequence[int] | NDArray[Any]) -> LabelMatrix:
        """Return some of the documents, by position or by a mask."""
        return LabelMatrix(self.names, self.indicator[np.asarray(documents)], self.kind)

    @property
    def labels(self) -> tuple[Any, ...]:
        """The labels in the type they came in: integers, or ``names``."""
        return tuple(map(int, self.names)) if self.kind in _INTEGER_KINDS else self.names

    def name_lists(self) -> list[list[str]]:
        """Return the label names of each document, in the order of ``names``."""
        return self._lists(self.names)

    def label_lists(self) -> list[list[Any]]:
        """Return the labels of each document in the type they came in, in the order of ``labels``."""
        return self._lists(self.labels)

    def _lists(self, labels: Sequence[Any]) -> list[list[Any]]:
        found = [labels[label] for label in self.indicator.indices.tolist()]
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
    """Return a CSR array of ones from the columns of all rows, one row after the other, and the length of each row."""
    indptr = row_starts(lengths)
    ones = np.ones(indptr[-1], dtype=np.int64)
    return sp.csr_array((ones, np.asarray(columns, dtype=np.int32), indptr), shape=(len(indptr) - 1, n_columns))


def row_starts(lengths: ArrayLike) -> NDArray[np.int32] | NDArray[np.int64]:
    """Return where each row of a CSR array starts and the last one ends, in 32 bits where they suffice."""
    starts = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    return starts.astype(np.int32) if starts[-1] <= np.iinfo(np.int32).max else starts


def _canonical(y: Any) -> sp.csr_array:
    """Copy zeros and ones into a CSR array of its non-zero values, columns sorted, repeated entries added up."""
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
