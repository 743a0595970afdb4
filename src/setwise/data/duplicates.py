"""Repeated texts and ids, counted by hashes of 8 bytes per document."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

__all__ = ["MAX_SKETCH_SIZE", "IdHashes", "StringHashes"]

# The hash of an empty string, which is no duplicate of another; Python's own is the same.
_EMPTY = 0
# Hashes in a sketch: 80 kB.
MAX_SKETCH_SIZE = 10_000


class IdHashes:
    """64-bit hashes of ids, one per document, of this process alone; runs of whitespace count as one space.

    Examples
    --------
    >>> from setwise.data import IdHashes
    >>> hashes = IdHashes()
    >>> hashes.add(["a", "b", None, "a"])
    >>> hashes.n_repeated()
    1
    """

    def __init__(self) -> None:
        self._hashes = array("q")

    def add(self, ids: Iterable[str | None]) -> None:
        """Add the ids of the next documents; None is an empty string."""
        strings = [id or "" for id in ids]
        together = "\0".join(strings)
        if together.split() != [together]:  # most ids have no whitespace, and one look tells it of all of them
            strings = [" ".join(one.split()) for one in strings]
        self._hashes.extend(map(hash, strings))

    def n_repeated(self) -> int:
        """Return how many documents repeat the id of an earlier one."""
        return _n_repeated(np.array(self._hashes, dtype=np.int64))


class StringHashes:
    """64-bit hashes of strings, one per document, equal on every machine; runs of whitespace count as one space.

    Examples
    --------
    >>> from setwise.data import StringHashes
    >>> hashes = StringHashes()
    >>> for text in ("a text", "a  text", "another"):
    ...     hashes.add(text)
    >>> hashes.n_repeated()
    1
    """

    def __init__(self) -> None:
        self._hashes = array("q")

    def add(self, text: str | None) -> None:
        """Add the string of the next document; None is an empty string."""
        normalized = text and " ".join(text.split())
        if not normalized:
            self._hashes.append(_EMPTY)
            return
        digest = blake2b(normalized.encode(errors="surrogatepass"), digest_size=8).digest()
        self._hashes.append(int.from_bytes(digest, "little", signed=True))

    def n_repeated(self) -> int:
        """Return how many documents repeat the string of an earlier one."""
        return _n_repeated(self._array())

    def n_shared(self, other: StringHashes) -> int:
        """Return how many documents have a string that is in ``other`` too."""
        hashes = self._array()
        return int((np.isin(hashes, other._array()) & (hashes != _EMPTY)).sum())

    def sketch(self) -> NDArray[np.int64]:
        """Return the smallest distinct hashes in ascending order, at most ``MAX_SKETCH_SIZE``.

        Hashes are as good as random, so the strings with hashes up to the largest of a sketch are a random sample.
        """
        hashes = self._array()
        return np.unique(hashes[hashes != _EMPTY])[:MAX_SKETCH_SIZE]

    def n_shared_with(self, sketch: NDArray[np.int64]) -> int:
        """Return how many documents have a string that was sketched; an estimate if the sketch is full."""
        hashes = self._array()
        if len(sketch) < MAX_SKETCH_SIZE:
            return int(np.isin(hashes, sketch).sum())
        sampled = hashes[(hashes != _EMPTY) & (hashes <= sketch[-1])]
        fraction = np.isin(sampled, sketch).mean() if len(sampled) else 0.0
        return round(float(fraction) * int((hashes != _EMPTY).sum()))

    def take(self, documents: NDArray[np.int64]) -> StringHashes:
        """Return the hashes of some of the documents, by position."""
        taken = StringHashes()
        taken._hashes.frombytes(self._array()[documents].tobytes())
        return taken

    def _array(self) -> NDArray[np.int64]:
        return np.array(self._hashes, dtype=np.int64)


def _n_repeated(hashes: NDArray[np.int64]) -> int:
    ordered = np.sort(hashes[hashes != _EMPTY])  # np.unique takes several times as long
    return int((ordered[1:] == ordered[:-1]).sum())
