"""Checks of input and output files, made before any work starts."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable
from os import PathLike, fspath
from pathlib import Path

from setwise.exceptions import InvalidData, InvalidParameter

__all__ = [
    "STDIO",
    "FilePath",
    "check_distinct",
    "check_files",
    "check_readable",
    "check_writable",
    "is_special_file",
    "output_path",
    "read_error",
    "resolve_path",
    "same_file",
    "write_error",
]

FilePath = str | PathLike[str]
# Standard input among the inputs of a command, standard output among its outputs.
STDIO = "-"

_STDIN, _STDOUT = 0, 1


def check_files(
    inputs: Iterable[FilePath],
    outputs: Iterable[FilePath] = (),
    *,
    side_files: Iterable[FilePath] = (),
    allow_stdout: bool = False,
) -> None:
    """Raise unless every input can be read, every output can be written, and no output is another of the files.

    Parameters
    ----------
    inputs : iterable of paths
        Files to read; ``-`` is standard input.
    outputs : iterable of paths
        Files to write.
    side_files : iterable of paths
        Files written along with the outputs, such as ``labels.txt``. They may be inputs, which are never changed, but
        not outputs.
    allow_stdout : bool
        Whether an output may be ``-``, standard output.

    Examples
    --------
    >>> from setwise.data import check_files
    >>> check_files(["a.csv"], ["a.csv"])
    Traceback (most recent call last):
    setwise.exceptions.InvalidParameter: a.csv would be overwritten by the output a.csv; choose another output file.
    """
    inputs, outputs = list(inputs), list(outputs)
    for path in (*inputs, *outputs):
        resolve_path(path)
    check_distinct([*inputs, *side_files], outputs)
    for path in outputs:
        if not allow_stdout or fspath(path) != STDIO:
            check_writable(path)
    for path in inputs:
        if fspath(path) != STDIO:
            check_readable(path)


def check_distinct(inputs: Iterable[FilePath], outputs: Iterable[FilePath]) -> None:
    """Raise ``InvalidParameter`` if an output is the same file as an input or as another output.

    Symbolic and hard links to a file are that file. A file that does not exist yet is compared by its folder and name.
    Character devices such as ``/dev/null`` cannot be overwritten and are ignored.
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


def check_readable(path: FilePath) -> None:
    """Raise unless ``path`` is a file, a pipe or a device that can be read."""
    resolve_path(path)
    try:
        mode = os.stat(path).st_mode
    except OSError as error:
        raise read_error(path, error.strerror or str(error)) from error
    if stat.S_ISDIR(mode):
        raise read_error(path, os.strerror(errno.EISDIR))
    if not os.access(path, os.R_OK):
        raise read_error(path, os.strerror(errno.EACCES))


def check_writable(path: FilePath) -> None:
    """Raise unless :func:`setwise.data.atomic_writer` can write a file at ``path``."""
    folder = output_path(path).parent
    mode = None
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        pass
    except OSError as error:  # such as a name that is too long, or a file in place of a folder
        raise write_error(path, error.strerror or str(error)) from error
    if mode is not None and stat.S_ISDIR(mode):
        raise write_error(path, os.strerror(errno.EISDIR))
    if mode is not None and stat.S_ISSOCK(mode):
        raise write_error(path, os.strerror(errno.ENXIO))
    if not folder.is_dir() and not is_special_file(path):
        raise write_error(path, os.strerror(errno.ENOENT))
    if not (os.access(path, os.W_OK) if is_special_file(path) else os.access(folder, os.W_OK | os.X_OK)):
        raise write_error(path, os.strerror(errno.EACCES))


def output_path(path: FilePath) -> Path:
    """Return the file that writing to ``path`` replaces, with links followed; raise if it is ``-`` or no valid name."""
    if fspath(path) == STDIO:
        raise InvalidParameter(f"{STDIO} is standard output; give the name of a file.")
    return resolve_path(path)


def resolve_path(path: FilePath) -> Path:
    """Return a path with links followed; raise ``InvalidParameter`` if it is no valid file name."""
    if not fspath(path):
        raise InvalidParameter("The name of a file must not be empty.")
    if "\0" in fspath(path):
        raise InvalidParameter(f"The name of a file must not contain a null character; got {fspath(path)!r}.")
    return Path(os.path.realpath(path))


def is_special_file(path: FilePath) -> bool:
    """Return whether ``path`` is a pipe or a device, which is written to directly and never replaced."""
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def read_error(path: FilePath, reason: str) -> InvalidData:
    """Return the error for a file that cannot be read."""
    return InvalidData(f"Cannot read {path}: {reason}.")


def write_error(path: FilePath, reason: str) -> InvalidData:
    """Return the error for a file that cannot be written."""
    return InvalidData(f"Cannot write {path}: {reason}.")


def _identities(path: FilePath, stream: int) -> set[object]:
    """Return what identifies a file: its resolved path, and its device and inode if it exists."""
    is_stdio = fspath(path) == STDIO
    try:
        status = os.fstat(stream) if is_stdio else os.stat(path)
    except OSError:
        status = None
    by_name: set[object] = {stream if is_stdio else resolve_path(path)}
    if status is None or stat.S_ISSOCK(status.st_mode):
        return by_name
    if stat.S_ISCHR(status.st_mode):
        return by_name if is_stdio else set()
    return {*by_name, (status.st_dev, status.st_ino)}
