"""Numbers as vector formats write them: checked, read many at once, and written as short as they can be."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from setwise.data.formats.errors import Refused

__all__ = ["LARGEST_INDEX", "NUMBER", "TOO_LARGE", "as_float32", "figures", "numerals", "rounded"]

# Python's own reading of numbers takes more: `nan`, `1_000`, other scripts' digits. Nothing is tried twice (`++`), so
# that a long row of digits is refused as fast as it is read.
NUMBER = rb"[-+]?(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][-+]?[0-9]++)?"
TOO_LARGE = f"a value must lie within single precision, {np.finfo(np.float32).max:.1e}; got a larger one."
LARGEST_INDEX = 2**31 - 2  # columns are 32-bit numbers, and so is their count


def figures(text: bytes) -> NDArray[np.float64]:
    """Read numbers with blanks between that have been checked. float64 holds every index below 2^53 exactly."""
    return np.fromstring(text, dtype=np.float64, sep=" ") if text.strip() else np.empty(0)


def rounded(values: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return values in single precision, infinite where they are too large for it."""
    with np.errstate(over="ignore"):
        return values.astype(np.float32)


def as_float32(values: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return values in single precision, and refuse those that are too large."""
    narrow = rounded(values)
    if not np.isfinite(narrow).all():
        raise Refused(TOO_LARGE)
    return narrow


def numerals(values: NDArray[np.float32]) -> list[str]:
    """Write each value with the fewest digits that give it back."""
    return [text.removesuffix(".0") for text in values.astype(str).tolist()]
