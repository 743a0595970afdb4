"""The checkpoint of a search: a file of finished settings that survives any crash."""

from __future__ import annotations

import errno
import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

from setwise.data import FilePath, output_path, read_error, write_error
from setwise.exceptions import InvalidData

try:
    import fcntl
except ImportError:  # Windows has no fcntl, and no lock is taken there
    fcntl = None  # type: ignore[assignment]

__all__ = ["Checkpoint", "CheckpointSection", "check_checkpoint", "whole_lines"]

FORMAT = 3
_MARK = b'{"setwise_tuning": '
"""The first bytes of every checkpoint."""

_SECTION = "search"
"""Field of a row with the name of the search it belongs to."""


class Checkpoint:
    """Lines of JSON: the first identifies the run, every other is a row. Opened again, it continues.

    Each row is one write, synced to disk; a line that a crash cut short is removed when the file is next opened. While
    it is open it is locked: a second run would do the same work, and take a half-written line for a cut one. A file
    that is not a checkpoint of this run is refused and left unchanged.
    """

    def __init__(self, path: FilePath, run: dict[str, Any]) -> None:
        self.path = Path(path)
        self._header = json.loads(json.dumps({"setwise_tuning": FORMAT, "run": run}))
        self._file: BinaryIO | None = None
        self.rows: list[dict[str, Any]] = []

    def __enter__(self) -> Checkpoint:
        check_checkpoint(self.path)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self.path.open("a+b")
        except OSError as error:
            raise write_error(self.path, error.strerror or str(error)) from error
        try:
            self._lock()
            self._begin()
        except BaseException:
            self._file.close()
            raise
        return self

    def _lock(self) -> None:
        assert self._file is not None
        if fcntl is None:
            return
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # released when the process ends, however it ends
        except BlockingIOError as error:
            raise InvalidData(
                f"{self.path} is in use by another run. Hint: wait until it ends, or choose another file."
            ) from error

    def _begin(self) -> None:
        """Read the rows of this run, or write the first line of a new file; nothing changes before all is read."""
        assert self._file is not None
        self._file.seek(0)
        content = self._file.read()
        end = content.rfind(b"\n") + 1
        if not end and _line(self._header).startswith(content):  # a new file, or one cut within its first line
            self._file.truncate(0)
            self._write(self._header)
            return
        header, *rows = whole_lines(content, self.path) if end else [{}]
        if header != self._header:
            raise InvalidData(
                f"{self.path} is the checkpoint of another run: data, model, grid or random_state differ. "
                f"Hint: remove it, or choose another file."
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

    def section(self, name: str) -> CheckpointSection:
        """Return the rows of one of several searches that share the file."""
        return CheckpointSection(self, name)

    def _write(self, line: dict[str, Any]) -> None:
        assert self._file is not None
        try:
            self._file.write(_line(line))
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            raise write_error(self.path, error.strerror or str(error)) from error


class CheckpointSection:
    """The rows of one search in a checkpoint that several searches of a run share."""

    def __init__(self, checkpoint: Checkpoint, name: str) -> None:
        self._checkpoint = checkpoint
        self._name = name
        self.path = checkpoint.path

    @property
    def rows(self) -> list[tuple[int, dict[str, Any]]]:
        """The rows with the numbers of their lines in the file; the header is line 1."""
        numbered = enumerate(self._checkpoint.rows, start=2)
        return [(number, _without_section(row)) for number, row in numbered if row.get(_SECTION) == self._name]

    def add(self, row: dict[str, Any]) -> None:
        """Write a row; when this returns, no crash can lose it."""
        self._checkpoint.add({_SECTION: self._name, **row})


def _without_section(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name != _SECTION}


def check_checkpoint(path: FilePath) -> None:
    """Raise unless ``path`` is a checkpoint, or one can be created there; change nothing.

    Whether it belongs to the same run is checked when the data are read and it is opened.
    """
    target = output_path(path)
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        folder = next(parent for parent in target.parents if parent.exists())
        if not os.access(folder, os.W_OK | os.X_OK):
            raise write_error(path, os.strerror(errno.EACCES)) from None
        return
    except OSError as error:
        raise write_error(path, error.strerror or str(error)) from error
    if not stat.S_ISREG(mode):
        raise InvalidData(f"{path} is a folder, a pipe or a device. Hint: name a regular file for finished settings.")
    if not os.access(path, os.R_OK | os.W_OK):
        raise write_error(path, os.strerror(errno.EACCES))
    try:
        with open(path, "rb") as file:
            start = file.read(len(_MARK))
    except OSError as error:
        raise read_error(path, error.strerror or str(error)) from error
    if not _MARK.startswith(start):
        raise InvalidData(f"{path} is not a checkpoint that setwise wrote. Hint: name a new file.")


def whole_lines(content: bytes, path: Path) -> Iterator[dict[str, Any]]:
    """Read the lines of a checkpoint, the header first; a last line that was cut short is left out."""
    for number, line in enumerate(content[: content.rfind(b"\n") + 1].splitlines(), start=1):
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):  # not JSON, or nested too deeply
            found = None
        if not isinstance(found, dict):
            raise InvalidData(f"{path}, line {number}, is not a JSON object. Hint: remove the file.")
        yield found


def _line(content: dict[str, Any]) -> bytes:
    return json.dumps(content).encode() + b"\n"
