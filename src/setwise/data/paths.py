"""Checks of the files that a command reads and writes, to be made before any work."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable
from os import PathLike, fspath
from pathlib import Path

from setwise.exceptions import InvalidData, InvalidParameter

__all__ = [
    "STANDARD",
    "FilePath",
    "cannot_read",
    "cannot_write",
    "check_distinct",
    "check_files",
    "check_source",
    "check_target",
    "is_special",
    "resolved",
    "same_file",
    "target_of",
]

FilePath = str | PathLike[str]
STANDARD = "-"
"""Standard input among the inputs of a command, and standard output among its outputs."""

_STDIN, _STDOUT = 0, 1


def check_files(
    inputs: Iterable[FilePath],
    outputs: Iterable[FilePath] = (),
    *,
    beside: Iterable[FilePath] = (),
    stdout: bool = False,
) -> None:
    """Raise unless each output can be written, each input can be read, and no output is another of the files.

    ``beside`` are files that are written along with the outputs, such as ``labels.txt``; they may be inputs, which they
    never change, but not outputs. ``stdout`` tells whether an output may be ``-``, standard output.
    """
    inputs, outputs = list(inputs), list(outputs)
    for path in (*inputs, *outputs):
        resolved(path)
    check_distinct([*inputs, *beside], outputs)
    for path in outputs:
        if not stdout or fspath(path) != STANDARD:
            check_target(path)
    for path in inputs:
        if fspath(path) != STANDARD:
            check_source(path)


def check_distinct(inputs: Iterable[FilePath], outputs: Iterable[FilePath]) -> None:
    """Raise if an output is the same file as an input or as another output.

    Symbolic and hard links to one file are that file. A file that does not exist yet is compared by its folder and
    name. Character devices such as ``/dev/null`` hold nothing that could be overwritten.
    """
    used = [(path, _identities(path, _STDIN)) for path in inputs]
    for path in outputs:
        own = _identities(path, _STDOUT)
        for other, identities in used:
            if own & identities:
                raise InvalidParameter(
                    f"{other} would be overwritten by the output {path}; choose another output file."
                )
        used.append((path, own))


def same_file(input: FilePath, output: FilePath) -> bool:
    """Return whether writing to ``output`` would change ``input``."""
    return bool(_identities(input, _STDIN) & _identities(output, _STDOUT))


def check_source(path: FilePath) -> None:
    """Raise unless ``path`` is a file, a pipe or a device that can be read."""
    resolved(path)
    try:
        mode = os.stat(path).st_mode
    except OSError as error:
        raise cannot_read(path, error.strerror or str(error)) from error
    if stat.S_ISDIR(mode):
        raise cannot_read(path, os.strerror(errno.EISDIR))
    if not os.access(path, os.R_OK):
        raise cannot_read(path, os.strerror(errno.EACCES))


def check_target(path: FilePath) -> None:
    """Raise unless a file can be written at ``path``, as :func:`setwise.data.atomic_writer` would write it."""
    folder = target_of(path).parent
    mode = None
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        pass
    except OSError as error:  # such as a name that is too long, or a file where a folder should be
        raise cannot_write(path, error.strerror or str(error)) from error
    if mode is not None and stat.S_ISDIR(mode):
        raise cannot_write(path, os.strerror(errno.EISDIR))
    if mode is not None and stat.S_ISSOCK(mode):
        raise cannot_write(path, os.strerror(errno.ENXIO))
    if not folder.is_dir() and not is_special(path):
        raise cannot_write(path, os.strerror(errno.ENOENT))
    if not (os.access(path, os.W_OK) if is_special(path) else os.access(folder, os.W_OK | os.X_OK)):
        raise cannot_write(path, os.strerror(errno.EACCES))


def target_of(path: FilePath) -> Path:
    """Return the file that is written for ``path``, all links followed; raise if that is ``-`` or cannot be a file."""
    if fspath(path) == STANDARD:
        raise InvalidParameter(f"{STANDARD} is standard output; give the name of a file.")
    return resolved(path)


def resolved(path: FilePath) -> Path:
    """Return the file that a path leads to, all links followed; raise if it cannot name a file at all."""
    if not fspath(path):
        raise InvalidParameter("The name of a file must not be empty.")
    if "\0" in fspath(path):
        raise InvalidParameter(f"The name of a file must hold no null character; got {fspath(path)!r}.")
    return Path(os.path.realpath(path))


def is_special(path: FilePath) -> bool:
    """Return whether ``path`` is a pipe or a device, which is written to directly and never replaced."""
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def cannot_read(path: FilePath, reason: str) -> InvalidData:
    """Return the error about a file that cannot be read."""
    return InvalidData(f"{path} must be a file that can be read; {reason}.")


def cannot_write(path: FilePath, reason: str) -> InvalidData:
    """Return the error about a file that cannot be written."""
    return InvalidData(f"{path} must be a file that can be written; {reason}.")


def _identities(path: FilePath, stream: int) -> set[object]:
    """Return what tells a file from others: its resolved path, and its device and inode where it exists."""
    standard = fspath(path) == STANDARD
    try:
        found = os.fstat(stream) if standard else os.stat(path)
    except OSError:
        found = None
    named: set[object] = {stream if standard else resolved(path)}
    if found is None or stat.S_ISSOCK(found.st_mode):
        return named
    if stat.S_ISCHR(found.st_mode):
        return named if standard else set()
    return {*named, (found.st_dev, found.st_ino)}
