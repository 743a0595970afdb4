"""Documents as files contain them: a text or a feature vector, with labels and perhaps an id."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Document", "Kind", "Names", "TextDocument", "VectorDocument"]

Kind = Literal["text", "vectors"]


class TextDocument(NamedTuple):
    """A text with its labels. It is a tuple, since a frozen dataclass takes longer to build than a line to read.

    Parameters
    ----------
    text : str
        The text.
    labels : tuple of str, optional
        Names of its labels: empty if it has none, None if they are unknown.
    id : str, optional
        An identifier.
    extra : mapping, optional
        Other fields by name, those that ``ReadOptions.extra_columns`` selects.

    Examples
    --------
    >>> from setwise.data import TextDocument
    >>> TextDocument("Rain in May", ("weather",)).labels
    ('weather',)
    """

    text: str
    labels: tuple[str, ...] | None = None
    id: str | None = None
    extra: Mapping[str, object] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class VectorDocument:
    """A sparse feature vector with its labels.

    Parameters
    ----------
    columns : ndarray of int32
        Columns of the nonzero features, from 0, in ascending order.
    values : ndarray of float32
        Values of these features.
    labels : tuple of str, optional
        Names of its labels: empty if it has none, None if they are unknown.
    id : str, optional
        An identifier.

    Examples
    --------
    >>> import numpy as np
    >>> from setwise.data import VectorDocument
    >>> VectorDocument(np.array([0, 3], np.int32), np.array([0.5, 2.0], np.float32), ("sport",)).labels
    ('sport',)
    """

    columns: NDArray[np.int32]
    values: NDArray[np.float32]
    labels: tuple[str, ...] | None = None
    id: str | None = None


Document = TextDocument | VectorDocument


@dataclass(frozen=True)
class Names:
    """The names of all labels and features of a file.

    Parameters
    ----------
    labels : tuple of str, optional
        Names of all labels; None if the file does not contain them.
    features : tuple of str, optional
        Names of all features; None if the file does not contain them.
    numbered : bool
        Whether labels have no names and are written as their numbers.

    Examples
    --------
    >>> from setwise.data import Names
    >>> Names(labels=("news", "sport")).features is None
    True
    """

    labels: tuple[str, ...] | None = None
    features: tuple[str, ...] | None = None
    numbered: bool = False
