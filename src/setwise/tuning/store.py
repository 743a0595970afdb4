"""Finished cells in a file: each is there at once and whole, whatever happens to the run afterwards."""

from __future__ import annotations

import errno
import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

from setwise.data.paths import FilePath, cannot_read, cannot_write, target_of
from setwise.exceptions import InvalidData

try:
    import fcntl
except ImportError:  # Windows has none, so nobody is kept out there
    fcntl = None  # type: ignore[assignment]

__all__ = ["CellStore", "check_checkpoint", "whole_lines"]

FORMAT = 1
_MARK = b'{"setwise_tuning": '
"""The first bytes of every such file."""


class CellStore:
    """Lines of JSON: the first says what run it is, every other is a row. Opened again, it goes on.

    A row is one write and then on the disk; a line that a crash cut short is taken off when the file is next opened.
    While it is open no other run may open it: that one would do the same work, and take half a line for a cut one.
    A file that is no checkpoint of this very run is refused and left as it is.
    """

    def __init__(self, path: FilePath, run: dict[str, Any]) -> None:
        self.path = Path(path)
        self._header = json.loads(json.dumps({"setwise_tuning": FORMAT, "run": run}))
        self._file: BinaryIO | None = None
        self.rows: list[dict[str, Any]] = []

    def __enter__(self) -> CellStore:
        check_checkpoint(self.path)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self.path.open("a+b")
        except OSError as error:
            raise cannot_write(self.path, error.strerror or str(error)) from error
        try:
            self._keep_others_out()
            self._begin()
        except BaseException:
            self._file.close()
            raise
        return self

    def _keep_others_out(self) -> None:
        assert self._file is not None
        if fcntl is None:
            return
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # ends with the process, however that ends
        except BlockingIOError as error:
            raise InvalidData(
                f"{self.path} must be used by one run at a time; another is using it. "
                f"Hint: wait until that has ended, or give another place."
            ) from error

    def _begin(self) -> None:
        """Read the rows of this run, or write the first line of a new file; nothing changes before all is read."""
        assert self._file is not None
        self._file.seek(0)
        content = self._file.read()
        end = content.rfind(b"\n") + 1
        if not end and _line(self._header).startswith(content):  # new, or cut within its first line
            self._file.truncate(0)
            self._write(self._header)
            return
        header, *rows = whole_lines(content, self.path) if end else [{}]
        if header != self._header:
            raise InvalidData(
                f"{self.path} must come from the same run: data, model, grid and random_state; it is of another. "
                f"Hint: remove it, or give another file."
            )
        self.rows = rows
        if end < len(content):
            self._file.truncate(end)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            self._file.close()

    def add(self, row: dict[str, Any]) -> None:
        """Write a row; when this returns, no crash can lose it."""
        self._write(row)
        self.rows.append(row)

    def _write(self, line: dict[str, Any]) -> None:
        assert self._file is not None
        try:
            self._file.write(_line(line))
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            raise cannot_write(self.path, error.strerror or str(error)) from error


def check_checkpoint(path: FilePath) -> None:
    """Raise unless ``path`` is a file that a :class:`CellStore` wrote, or one can be made there; change nothing.

    Whether it is a checkpoint of the same run is known only once the data are read: a store checks that when it opens.
    """
    target = target_of(path)
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        folder = next(parent for parent in target.parents if parent.exists())
        if not os.access(folder, os.W_OK | os.X_OK):
            raise cannot_write(path, os.strerror(errno.EACCES)) from None
        return
    except OSError as error:
        raise cannot_write(path, error.strerror or str(error)) from error
    if not stat.S_ISREG(mode):
        raise InvalidData(f"{path} must be a file for finished settings; it is a folder, a pipe or a device.")
    if not os.access(path, os.R_OK | os.W_OK):
        raise cannot_write(path, os.strerror(errno.EACCES))
    try:
        with open(path, "rb") as file:
            start = file.read(len(_MARK))
    except OSError as error:
        raise cannot_read(path, error.strerror or str(error)) from error
    if not _MARK.startswith(start):
        raise InvalidData(
            f"{path} must be a file of finished settings that setwise wrote; it is another file. "
            f"Hint: give the name of a new file."
        )


def whole_lines(content: bytes, path: Path) -> Iterator[dict[str, Any]]:
    """Read the lines of such a file, the first that says what run it is among them; one that was cut is left out."""
    for number, line in enumerate(content[: content.rfind(b"\n") + 1].splitlines(), start=1):
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):  # no JSON, or brackets within brackets without end
            found = None
        if not isinstance(found, dict):
            raise InvalidData(f"{path} must have a JSON object a line; line {number} is none. Hint: remove the file.")
        yield found


def _line(content: dict[str, Any]) -> bytes:
    return json.dumps(content).encode() + b"\n"
