"""The vocabulary of a vectorizer, packed: the bytes of all terms, and where each ends."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from setwise import _core
from setwise.exceptions import InvalidData

__all__ = ["PackedTerms"]

# Texts of Python may contain single surrogates, which plain UTF-8 cannot encode.
_ENCODING = ("utf-8", "surrogatepass")


@dataclass(frozen=True, eq=False)
class PackedTerms:
    """Words, n-grams of words and n-grams of characters as two arrays; half a million strings would take 40 MB.

    Parameters
    ----------
    bytes : ndarray of uint8
        The terms in UTF-8, one after another.
    ends : ndarray of int64
        Where each term ends.
    n_words : int
        Number of words and word n-grams; n-grams of characters follow.

    Examples
    --------
    >>> from setwise.text import PackedTerms
    >>> terms = PackedTerms.of(["red", "fox"])
    >>> len(terms), terms.strings()
    (2, ('red', 'fox'))
    """

    bytes: NDArray[np.uint8]
    ends: NDArray[np.int64]
    n_words: int

    @classmethod
    def of(cls, strings: Iterable[str]) -> PackedTerms:
        """Pack words and word n-grams."""
        encoded = [string.encode(*_ENCODING) for string in strings]
        ends = np.cumsum([len(one) for one in encoded], dtype=np.int64)
        return cls(np.frombuffer(b"".join(encoded), dtype=np.uint8), ends, len(encoded))

    def __len__(self) -> int:
        return len(self.ends)

    def __getitem__(self, column: int) -> str:
        begin = self.ends[column - 1] if column else 0
        return self.bytes[begin : self.ends[column]].tobytes().decode(*_ENCODING)

    def strings(self) -> tuple[str, ...]:
        """Return all terms as strings."""
        content, begin, found = self.bytes.tobytes(), 0, []
        for end in self.ends.tolist():
            found.append(content[begin:end].decode(*_ENCODING))
            begin = end
        return tuple(found)

    def table(self) -> _core.Vocabulary:
        """Return the terms as the core looks them up; raise ``InvalidData`` where they are no valid vocabulary."""
        for name, array, dtype in (("bytes", self.bytes, np.uint8), ("ends", self.ends, np.int64)):
            if not isinstance(array, np.ndarray) or array.ndim != 1 or array.dtype != dtype:
                raise InvalidData(f"{name} of a vocabulary must be one-dimensional, of type {dtype.__name__}.")
        if not isinstance(self.n_words, int) or not 0 <= self.n_words <= len(self.ends):
            raise InvalidData(f"n_words must be an integer from 0 to {len(self.ends)}; got {self.n_words!r}.")
        try:
            return _core.Vocabulary(np.ascontiguousarray(self.bytes), np.ascontiguousarray(self.ends), self.n_words)
        except ValueError as error:
            raise InvalidData(f"Invalid vocabulary: {error}.") from None
