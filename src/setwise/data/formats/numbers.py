"""Numbers in vector formats: a strict pattern, fast parsing, and the shortest exact notation."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from setwise.data.formats.errors import DocumentError

__all__ = [
    "LARGEST_INDEX",
    "NUMBER_PATTERN",
    "VALUE_TOO_LARGE",
    "checked_float32",
    "format_numbers",
    "parse_numbers",
    "to_float32",
]

# Stricter than Python's float(), which also accepts `nan`, `1_000` and digits of other scripts. The possessive `++`
# prevents backtracking, so a long row of digits is rejected in linear time.
NUMBER_PATTERN = rb"[-+]?(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][-+]?[0-9]++)?"
VALUE_TOO_LARGE = f"a value must be at most {np.finfo(np.float32).max:.1e} (single precision); got a larger one."
LARGEST_INDEX = 2**31 - 2  # column indices, and their count, are 32-bit integers


def parse_numbers(text: bytes) -> NDArray[np.float64]:
    """Parse numbers separated by whitespace, already checked; float64 is exact for every index below 2^53."""
    return np.fromstring(text, dtype=np.float64, sep=" ") if text.strip() else np.empty(0)


def to_float32(values: NDArray[np.float64]) -> NDArray[np.float32]:
    """Round values to single precision; those too large become infinite."""
    with np.errstate(over="ignore"):
        return values.astype(np.float32)


def checked_float32(values: NDArray[np.float64]) -> NDArray[np.float32]:
    """Round values to single precision; raise ``DocumentError`` if one is too large."""
    narrow = to_float32(values)
    if not np.isfinite(narrow).all():
        raise DocumentError(VALUE_TOO_LARGE)
    return narrow


def format_numbers(values: NDArray[np.float32]) -> list[str]:
    """Format each value with the fewest digits that parse back to it."""
    return [text.removesuffix(".0") for text in values.astype(str).tolist()]
