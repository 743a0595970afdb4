"""Lists of strings as two arrays: the concatenated UTF-8 bytes, and the end of each string."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from setwise.exceptions import InvalidData
from setwise.persistence.container import Tensors, take_array

__all__ = ["pack_strings", "take_packed", "unpack_strings"]


def pack_strings(strings: Sequence[str], name: str) -> Tensors:
    """Return the arrays ``<name>.bytes`` and ``<name>.ends``."""
    try:
        encoded = [string.encode() for string in strings]
    except UnicodeEncodeError as error:
        raise InvalidData(f"{name} contains {error.object!r:.40}, which UTF-8 cannot encode.") from None
    ends = np.cumsum([len(string) for string in encoded], dtype=np.int64)
    return {f"{name}.bytes": np.frombuffer(b"".join(encoded), dtype=np.uint8), f"{name}.ends": ends}


def take_packed(tensors: Tensors, name: str) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Remove the arrays ``<name>.bytes`` and ``<name>.ends`` from ``tensors`` and return them; check the ends."""
    encoded, ends = take_array(tensors, f"{name}.bytes"), take_array(tensors, f"{name}.ends")
    if encoded.ndim != 1 or encoded.dtype != np.uint8 or ends.ndim != 1 or ends.dtype != np.int64:
        raise InvalidData(f"Arrays '{name}.bytes' and '{name}.ends' must be one-dimensional, of uint8 and int64.")
    bounds = np.concatenate([[0], ends])
    if bounds[-1] != encoded.size or (bounds < 0).any() or (bounds[1:] < bounds[:-1]).any():
        raise InvalidData(f"Array '{name}.ends' must not decrease and must end at {encoded.size}.")
    return encoded, ends


def unpack_strings(tensors: Tensors, name: str) -> tuple[str, ...]:
    """Remove the arrays of :func:`pack_strings` from ``tensors`` and return their strings."""
    encoded, ends = take_packed(tensors, name)
    content, positions = encoded.tobytes(), [0, *ends.tolist()]
    try:
        return tuple(content[start:end].decode() for start, end in pairwise(positions))
    except UnicodeDecodeError:
        raise InvalidData(f"Array '{name}.bytes' is not valid UTF-8.") from None
