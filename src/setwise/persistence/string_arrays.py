"""Many strings as two arrays: their bytes in UTF-8, one after the other, and where each ends."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from setwise.exceptions import InvalidData

__all__ = ["packed", "unpacked"]


def packed(words: Sequence[str], called: str) -> dict[str, NDArray[Any]]:
    """Give the arrays ``<called>.bytes`` and ``<called>.ends``."""
    try:
        coded = [word.encode() for word in words]
    except UnicodeEncodeError as error:
        raise InvalidData(f"{called} must be strings that UTF-8 can hold; got {error.object!r:.40}.") from None
    ends = np.cumsum([len(word) for word in coded], dtype=np.int64)
    return {f"{called}.bytes": np.frombuffer(b"".join(coded), dtype=np.uint8), f"{called}.ends": ends}


def unpacked(coded: NDArray[Any], ends: NDArray[Any], called: str) -> tuple[str, ...]:
    """Undo :func:`packed`, whatever comes."""
    if coded.ndim != 1 or coded.dtype != np.uint8 or ends.ndim != 1 or ends.dtype != np.int64:
        raise InvalidData(f"{called} must be bytes and where they end; got shapes {coded.shape} and {ends.shape}")
    bounds = np.concatenate([[0], ends])
    if bounds[-1] != coded.size or (bounds < 0).any() or (bounds[1:] < bounds[:-1]).any():
        raise InvalidData(f"{called} must end where {coded.size} bytes do, in rising order; they do not")
    everything, places = coded.tobytes(), bounds.tolist()
    try:
        return tuple(everything[start:end].decode() for start, end in pairwise(places))
    except UnicodeDecodeError:
        raise InvalidData(f"{called} must be strings in UTF-8; they are not") from None
