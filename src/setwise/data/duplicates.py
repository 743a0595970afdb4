"""Texts and ids that occur more than once, found with 8 bytes per document."""

from __future__ import annotations

from array import array
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

__all__ = ["MOST_SKETCHED", "Keys"]

_NOTHING = 0
"""The key of an empty string, which is no duplicate of another."""

MOST_SKETCHED = 10_000
"""Keys of a sketch: 80 kB."""


class Keys:
    """64-bit hashes of strings, one per document, the same on every machine; blanks between words are all alike."""

    def __init__(self) -> None:
        self._keys = array("q")

    def add(self, text: str | None) -> None:
        """Add the string of the next document; None is an empty string."""
        words = "" if text is None else " ".join(text.split())
        digest = blake2b(words.encode(errors="surrogatepass"), digest_size=8).digest()
        self._keys.append(int.from_bytes(digest, "little", signed=True) if words else _NOTHING)

    def n_repeated(self) -> int:
        """Return how many documents repeat the string of an earlier one."""
        keys = self._array()
        keys = keys[keys != _NOTHING]
        return len(keys) - len(np.unique(keys))

    def n_shared(self, other: Keys) -> int:
        """Return how many documents have a string that is in ``other`` too."""
        keys = self._array()
        return int((np.isin(keys, other._array()) & (keys != _NOTHING)).sum())

    def sketch(self) -> NDArray[np.int64]:
        """Return the smallest keys, rising, each once and at most ``MOST_SKETCHED``: a small trace of the strings.

        Keys are as good as random, so the strings below the largest key of a sketch are a random sample of all.
        """
        keys = self._array()
        return np.unique(keys[keys != _NOTHING])[:MOST_SKETCHED]

    def n_shared_with(self, sketch: NDArray[np.int64]) -> int:
        """Return how many documents have a string that the sketched ones have too; an estimate for a full sketch."""
        keys = self._array()
        if len(sketch) < MOST_SKETCHED:
            return int(np.isin(keys, sketch).sum())
        sampled = keys[(keys != _NOTHING) & (keys <= sketch[-1])]
        share = np.isin(sampled, sketch).mean() if len(sampled) else 0.0
        return round(float(share) * int((keys != _NOTHING).sum()))

    def take(self, documents: NDArray[np.int64]) -> Keys:
        """Return the keys of some of the documents, by position."""
        taken = Keys()
        taken._keys.frombytes(self._array()[documents].tobytes())
        return taken

    def _array(self) -> NDArray[np.int64]:
        return np.array(self._keys, dtype=np.int64)
