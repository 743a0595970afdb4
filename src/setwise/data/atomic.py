"""Atomic writing: a file appears complete or not at all."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from setwise.data.paths import FilePath, is_special_file, resolve_path, write_error

__all__ = ["atomic_writer"]


@contextmanager
def atomic_writer(path: FilePath) -> Iterator[BinaryIO]:
    """Open a file for writing that replaces ``path`` when the block ends, and is discarded if the block fails.

    A write error, such as a full disk, becomes ``InvalidData`` and leaves the old file in place. A pipe or a device
    cannot be replaced and is written to directly.

    Parameters
    ----------
    path : str or path
        The file to write.

    Yields
    ------
    binary file

    Examples
    --------
    >>> import os
    >>> from setwise.data import atomic_writer
    >>> with atomic_writer(os.devnull) as file:
    ...     n_bytes = file.write(b"content")
    """
    target = resolve_path(path)  # a symbolic link stays, and the file it points to is replaced
    try:
        with open(path, "wb") if is_special_file(path) else _replace_on_success(target) as file:
            yield file
    except OSError as error:
        raise write_error(path, error.strerror or str(error)) from error


@contextmanager
def _replace_on_success(target: Path) -> Iterator[BinaryIO]:
    # The length does not depend on the target's name, which may be as long as the file system allows.
    temporary = target.with_name(f".setwise-{secrets.token_hex(4)}.part")
    try:
        with open(temporary, "xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileNotFoundError):
            os.chmod(temporary, stat.S_IMODE(target.stat().st_mode))
        os.replace(temporary, target)
    finally:
        with suppress(OSError):  # already renamed on success
            temporary.unlink()
