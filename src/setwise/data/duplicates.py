"""Texts and ids that occur more than once, found with 8 bytes per document."""

from __future__ import annotations

from array import array

import numpy as np
from numpy.typing import NDArray

__all__ = ["Keys"]

_NOTHING = 0
"""The key of an empty string, which is no duplicate of another."""


class Keys:
    """64-bit hashes of strings, one per document; blanks between words are all alike."""

    def __init__(self) -> None:
        self._keys = array("q")

    def add(self, text: str | None) -> None:
        """Add the string of the next document; None is an empty string."""
        words = "" if text is None else " ".join(text.split())
        self._keys.append(hash(words) if words else _NOTHING)

    def n_repeated(self) -> int:
        """Return how many documents repeat the string of an earlier one."""
        keys = self._array()
        keys = keys[keys != _NOTHING]
        return len(keys) - len(np.unique(keys))

    def n_shared(self, other: Keys) -> int:
        """Return how many documents have a string that is in ``other`` too."""
        keys = self._array()
        return int((np.isin(keys, other._array()) & (keys != _NOTHING)).sum())

    def take(self, documents: NDArray[np.int64]) -> Keys:
        """Return the keys of some of the documents, by position."""
        taken = Keys()
        taken._keys.frombytes(self._array()[documents].tobytes())
        return taken

    def _array(self) -> NDArray[np.int64]:
        return np.array(self._keys, dtype=np.int64)
