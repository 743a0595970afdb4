"""A private copy of a model file while it is loaded.

A file that somebody writes over while it is read would give a model of two halves, and a file that shrinks while it is
mapped into memory ends the process. The copy is read once, can change no more, and its content is the model's version.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from setwise.exceptions import InvalidData

__all__ = ["Snapshot", "snapshot"]

_CHUNK = 2**20

_VERSION_DIGITS = 12
"""Hex digits of the SHA-256 of a file that name its version."""


@dataclass(frozen=True)
class Snapshot:
    """A copy of a file, and the version that its content stands for."""

    path: Path
    version: str


@contextmanager
def snapshot(file: str) -> Iterator[Snapshot]:
    """Copy a file for as long as the block runs."""
    if not Path(file).is_file():  # opening a pipe would wait forever
        raise InvalidData(f"Cannot load {file}. {'It is a directory' if Path(file).is_dir() else 'No such file'}.")
    digest = hashlib.sha256()
    try:
        with tempfile.NamedTemporaryFile(prefix="setwise-", suffix=".setwise") as copy:
            with open(file, "rb") as source:
                while chunk := source.read(_CHUNK):
                    digest.update(chunk)
                    copy.write(chunk)
            copy.flush()
            yield Snapshot(Path(copy.name), digest.hexdigest()[:_VERSION_DIGITS])
    except OSError as error:
        raise InvalidData(f"Cannot load {file}. {error.strerror or error}.") from None
