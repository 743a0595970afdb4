"""Files that are there whole or not at all."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from setwise.data.paths import FilePath, cannot_write, is_special, resolved

__all__ = ["atomic_writer"]


@contextmanager
def atomic_writer(path: FilePath) -> Iterator[BinaryIO]:
    """Open a file to write; it takes the place of ``path`` when the block ends, and is taken away if the block fails.

    What cannot be written, a full disk for one, is an ``InvalidData``, and whatever was at ``path`` before is still
    there. A pipe or a device is written directly: it is no file that could be replaced.
    """
    target = resolved(path)  # a link goes on pointing to the file it points to
    try:
        with open(path, "wb") if is_special(path) else _replacing(target) as file:
            yield file
    except OSError as error:
        raise cannot_write(path, error.strerror or str(error)) from error


@contextmanager
def _replacing(target: Path) -> Iterator[BinaryIO]:
    # Its length does not depend on the target's name, which may be as long as the folder allows.
    beside = target.with_name(f".setwise-{secrets.token_hex(4)}.part")
    try:
        with open(beside, "xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileNotFoundError):
            os.chmod(beside, stat.S_IMODE(target.stat().st_mode))
        os.replace(beside, target)
    finally:
        with suppress(OSError):  # gone already where all went well
            beside.unlink()
