"""Where the features of a text are in it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Span", "TermPlaces"]

Span = tuple[int, int]
"""A range ``text[begin:end]``."""


@dataclass(frozen=True, eq=False)
class TermPlaces:
    """The ranges of a text that its features come from.

    Parameters
    ----------
    columns, begins, ends : arrays of integers
        The feature at each place, in rising order, and the range; places of one feature in order of appearance.
    """

    columns: NDArray[np.int32]
    begins: NDArray[np.int64]
    ends: NDArray[np.int64]

    @classmethod
    def of_terms(cls, columns: NDArray[np.int32], begins: NDArray[np.int64], ends: NDArray[np.int64]) -> TermPlaces:
        """Return the places of terms in the order of the text."""
        order = np.argsort(columns, kind="stable")
        return cls(columns[order], begins[order], ends[order])

    def of(self, column: int) -> tuple[Span, ...]:
        """Return the ranges of one feature; none where the text does not have it."""
        first, last = np.searchsorted(self.columns, (column, column + 1)).tolist()
        return tuple(zip(self.begins[first:last].tolist(), self.ends[first:last].tolist(), strict=True))
