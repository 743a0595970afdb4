"""A document as files hold it: its text or its features, its labels where it has any, and perhaps an id."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

__all__ = ["Document", "Kind", "Names", "TextDocument", "VectorDocument"]

Kind = Literal["text", "vectors"]


@dataclass(frozen=True, slots=True)
class TextDocument:
    """A text; ``labels`` is None where it is not known which it has, and empty where it has none."""

    text: str
    labels: tuple[str, ...] | None = None
    id: str | None = None
    kept: Mapping[str, object] | None = None
    """Other fields of the file by name, those that ``ReadOptions.keep`` asks for."""


@dataclass(frozen=True, slots=True, eq=False)
class VectorDocument:
    """The features of a document that are not zero: ``columns``, counted from 0 and rising, and their ``values``."""

    columns: NDArray[np.int32]
    values: NDArray[np.float32]
    labels: tuple[str, ...] | None = None
    id: str | None = None


Document = TextDocument | VectorDocument


@dataclass(frozen=True)
class Names:
    """What a file tells of all its documents at once; None where it tells nothing."""

    labels: tuple[str, ...] | None = None
    features: tuple[str, ...] | None = None
    numbered: bool = False
    """Labels have no names, only the numbers by which they are called."""
