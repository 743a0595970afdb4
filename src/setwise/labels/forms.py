"""The forms that labels come in beside arrays: lists, one per document, of names or integers; and data frames."""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Sequence
from importlib import import_module
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from setwise.exceptions import Incompatible, InvalidData

__all__ = ["LabelLists", "are_integers", "frame_columns", "frame_of", "is_frame", "lists_of_names", "read_lists"]


class LabelLists(NamedTuple):
    """The labels of each document as strings, and whether they came as integers."""

    documents: list[list[str]]
    integers: bool

    def vocabulary(self) -> tuple[str, ...]:
        """Return every label that occurs, sorted as names or as numbers."""
        return tuple(sorted(set(chain.from_iterable(self.documents)), key=int if self.integers else None))


def lists_of_names(y: Any, *, called: str = "y") -> list[list[str]] | None:
    """Return the label names of each document, integers as strings; None where ``y`` is an indicator."""
    found = read_lists(y, called=called)
    return None if found is None else found.documents


def read_lists(y: Any, *, called: str = "y") -> LabelLists | None:
    """Return the labels of each document, or None where ``y`` is an indicator.

    Lists of numbers are an indicator where they all have one length and hold 0 and 1 alone, and where one repeats a
    number, which no set of labels needs. Other lists of integers are the labels themselves.
    """
    if sp.issparse(y) or is_frame(y) or (hasattr(y, "__array__") and np.asarray(y).dtype.kind in "biufc"):
        return None
    documents = _documents(y, called)
    first = next(chain.from_iterable(documents), "")  # documents without any label are lists of names too
    if not isinstance(first, numbers.Number | np.bool_):
        return LabelLists(_checked_strings(documents, first, called), integers=False)
    if any(len(set(labels)) < len(labels) for labels in documents):
        return None
    for document, labels in enumerate(documents):
        for label in labels:
            if isinstance(label, str):
                raise _mixed(label, document, first, called)
            if not _is_integer(label):
                return None
    if len(set(map(len, documents))) == 1 and all(label in (0, 1) for label in chain.from_iterable(documents)):
        return None
    return LabelLists([[str(int(label)) for label in labels] for labels in documents], integers=True)


def _checked_strings(documents: list[list[Any]], first: Any, called: str) -> list[list[str]]:
    for document, labels in enumerate(documents):
        for label in labels:
            if _is_integer(label):
                raise _mixed(label, document, first, called)
            if not isinstance(label, str):
                raise InvalidData(
                    f"{called} must hold label names that are strings or integers; got {label!r} "
                    f"in document {document}."
                )
            if not label.strip():
                raise InvalidData(
                    f"{called} must hold label names that are not blank; got {label!r} in document {document}."
                )
    return documents


def _mixed(label: Any, document: int, first: Any, called: str) -> InvalidData:
    return InvalidData(
        f"{called} must hold label names that are all strings or all integers; got {label!r} in document {document} "
        f"beside {first!r}."
    )


def _is_integer(label: Any) -> bool:
    return isinstance(label, numbers.Integral) and not isinstance(label, bool)


def are_integers(names: Iterable[str]) -> bool:
    """Return whether every name is an integer as Python writes it."""
    return all(name.removeprefix("-").isdecimal() and str(int(name)) == name for name in names)


def _documents(y: Any, called: str) -> list[list[Any]]:
    """Return each document's entries as a list, whether they are names or numbers."""
    asked = f"{called} must be an indicator of 0 and 1 or a list of label names for each document"
    if isinstance(y, str | bytes | dict) or not isinstance(y, Iterable):
        raise InvalidData(f"{asked}; got a value of type {type(y).__name__}.")
    documents: list[list[Any]] = []
    for document, entries in enumerate(y):
        if isinstance(entries, str):
            raise InvalidData(
                f"{asked}; got the string {entries!r} for document {document}. Hint: write [{entries!r}]."
            )
        if not isinstance(entries, Iterable):
            raise InvalidData(f"{asked}; got {entries!r} for document {document}.")
        documents.append(list(entries))
    return documents


def is_frame(value: Any) -> bool:
    """Return whether ``value`` is a data frame as pandas has it; pandas itself need not be installed."""
    return hasattr(value, "iloc") and hasattr(value, "columns")


def frame_columns(frame: Any, called: str) -> tuple[tuple[str, ...], bool]:
    """Return the names of the columns as strings, and whether they came as integers."""
    columns = list(frame.columns)
    integers = bool(columns) and _is_integer(columns[0])
    for place, column in enumerate(columns):
        if not isinstance(column, str) and not _is_integer(column):
            raise InvalidData(f"{called} must have columns that are strings or integers; got {column!r}.")
        if _is_integer(column) != integers:
            raise InvalidData(
                f"{called} must have columns that are all strings or all integers; got {column!r} "
                f"beside {columns[0]!r}."
            )
        if isinstance(column, str) and not column.strip():
            raise InvalidData(f"{called} must have a name for every label; column {place} has a blank one.")
    return tuple(str(int(column)) if integers else column for column in columns), integers


def frame_of(values: Any, columns: Sequence[Any], index: Any) -> Any:
    """Return a pandas data frame."""
    try:
        pandas = import_module("pandas")
    except ImportError:
        raise Incompatible(
            "The labels came as a data frame, but pandas is not installed to return one. Hint: pip install pandas."
        ) from None
    return pandas.DataFrame(values, columns=list(columns), index=index)
