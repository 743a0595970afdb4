"""Files that are there whole or not at all."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from setwise.exceptions import InvalidData

__all__ = ["atomic_writer", "check_target"]


@contextmanager
def atomic_writer(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file to write; it takes the place of ``path`` when the block ends, and is taken away if the block fails.

    What cannot be written, a full disk for one, is an ``InvalidData``, and whatever was at ``path`` before is still
    there. A pipe or a device is written directly: it is no file that could be replaced.
    """
    target = Path(os.path.realpath(path))  # a link goes on pointing to the file it points to
    try:
        with open(target, "wb") if _is_special(target) else _replacing(target) as file:
            yield file
    except OSError as error:
        raise InvalidData(f"{path} must be a file that can be written; {error.strerror or error}.") from error


def check_target(path: str | os.PathLike[str]) -> None:
    """Raise what :func:`atomic_writer` would raise at once: to be asked before hours of work, not after."""
    target = Path(os.path.realpath(path))
    folder = target.parent
    if target.is_dir():
        reason = os.strerror(errno.EISDIR)
    elif not folder.is_dir():
        reason = os.strerror(errno.ENOENT)
    elif not os.access(target if _is_special(target) else folder, os.W_OK):
        reason = os.strerror(errno.EACCES)
    else:
        return
    raise InvalidData(f"{path} must be a file that can be written; {reason}.")


@contextmanager
def _replacing(target: Path) -> Iterator[BinaryIO]:
    beside = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
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


def _is_special(target: Path) -> bool:
    return target.exists() and not target.is_file() and not target.is_dir()
