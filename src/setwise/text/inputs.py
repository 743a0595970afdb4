"""The forms that texts come in: lists, arrays, and columns of data frames."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from setwise import _core
from setwise.exceptions import InvalidData
from setwise.labels import is_frame

__all__ = ["check_strings", "texts_of"]

_MAYBE_TEXTS = "OUT"
"""Kinds of numpy types whose values may be strings: objects, and strings of fixed or variable length."""


def texts_of(X: Any) -> list[Any] | None:
    """Return the texts that X holds as a list, or None where X holds features.

    X holds texts where a document, by itself or in the only column, is a string. The others are for the vectorizer to
    check. Documents that are missing altogether are an empty list.
    """
    if isinstance(X, str | bytes):
        raise InvalidData("X is a single string; pass a list of texts, such as ['first text', 'second text'].")
    if is_frame(X):
        if len(X.columns) > 1:
            _check_no_text_column(X)
            return None
        X = X.iloc[:, 0] if len(X.columns) else []
    if hasattr(X, "__array__"):
        array = np.asarray(X)
        is_column = array.ndim == 2 and array.shape[1] == 1
        if array.ndim == 1 and not array.size:
            return []
        if array.dtype.kind not in _MAYBE_TEXTS or not (array.ndim == 1 or is_column):
            return None
        documents = array.ravel().tolist()
    elif isinstance(X, list | tuple):
        documents = [one[0] if isinstance(one, list | tuple) and len(one) == 1 else one for one in X]
    else:
        return None
    return documents if not documents or any(isinstance(one, str) for one in documents) else None


def _check_no_text_column(frame: Any) -> None:
    """Raise ``InvalidData`` where a data frame of several columns has texts in one of them."""
    for name, column in frame.items():
        if isinstance(next(iter(column), None), str):
            raise InvalidData(
                f"X has {len(frame.columns)} columns, and {name!r} holds texts. Hint: pass that column alone."
            )


def check_strings(texts: Any) -> tuple[str, ...]:
    """Return the texts as a tuple; raise ``InvalidData`` at the first that is not a string."""
    if is_frame(texts):  # iterating over it would yield the names of its columns
        if len(texts.columns) != 1:
            raise InvalidData(
                f"texts must be one column; the data frame has {len(texts.columns)}. Select one by its name."
            )
        texts = texts.iloc[:, 0]
    if isinstance(texts, str | bytes) or not isinstance(texts, Iterable):
        raise InvalidData(f"texts must be a list of strings; got a value of type {type(texts).__name__}.")
    checked = tuple(texts)
    if not _core.are_strings(checked):  # a loop would take longer than some texts
        for number, text in enumerate(checked):
            if not isinstance(text, str):
                raise InvalidData(f"texts must be strings; got a value of type {type(text).__name__} as text {number}.")
    return checked
