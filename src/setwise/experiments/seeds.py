"""Seeds from names, so that a run that is added moves no other."""

from __future__ import annotations

import hashlib

__all__ = ["seed_of"]


def seed_of(*names: str | int) -> int:
    """Give a number that depends on all the names, of 31 bits."""
    return int.from_bytes(hashlib.sha256(repr(names).encode()).digest()[:4], "little") >> 1
