"""The feedback file: one JSON line per correction, on the disk before it is confirmed, and never half of one.

Every line is appended by one write under a lock that all workers share, and flushed to the disk. A process that is
killed in the middle of it may leave the beginning of a line, which nobody was told is stored: the next who writes cuts
it off, and keeps it in a file beside.
"""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson

from setwise.exceptions import InvalidParameter
from setwise.serve.problems import Problem

__all__ = ["FeedbackFile"]

_CHUNK = 2**16

_OWNER_ONLY = 0o600
"""Mode of a new file: texts may be private."""


class FeedbackFile:
    """A file that corrections are appended to; it is created and mended when the service starts.

    Parameters
    ----------
    path : str
    """

    def __init__(self, path: str) -> None:
        self._path = Path(path)
        is_new = not self._path.exists()
        if not is_new and not self._path.is_file():
            raise InvalidParameter(f"{path} is no file that feedback can be appended to.")
        try:
            if not is_new and not _begins_like_feedback(self._path):
                raise InvalidParameter(f"{path} has something else than feedback in it. Name another file.")
            self._locked(b"")
            if is_new:
                _sync_folder(self._path.parent)
        except OSError as error:
            raise InvalidParameter(f"Feedback cannot be appended to {path}: {error.strerror or error}.") from None

    def append(self, row: dict[str, Any]) -> None:
        """Store a row, with the time, and return once it is on the disk."""
        stamp = datetime.now(UTC).isoformat(timespec="milliseconds")
        line = orjson.dumps({"time": stamp, **row}, option=orjson.OPT_APPEND_NEWLINE)
        try:
            self._locked(line)
        except OSError as error:
            raise Problem(507, f"The feedback could not be stored: {error.strerror or error}. Try again.") from None

    def _locked(self, line: bytes) -> None:
        """Mend the end of the file and append a line, while no other process does."""
        file = os.open(self._path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, _OWNER_ONLY)
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
            end = self._mended_end(file)
            if not line:
                return
            try:
                if os.write(file, line) != len(line):
                    raise OSError("the disk is full")
                os.fsync(file)
            except OSError:
                with suppress(OSError):
                    os.ftruncate(file, end)
                raise
        finally:
            os.close(file)  # which also ends the lock

    def _mended_end(self, file: int) -> int:
        """Cut off the beginning of a line that was never completed, and return the size of the file."""
        size = os.fstat(file).st_size
        if size == 0 or os.pread(file, 1, size - 1) == b"\n":
            return size
        end = _after_last_newline(file, size)
        rest = os.pread(file, size - end, end)
        with suppress(orjson.JSONDecodeError):
            if isinstance(orjson.loads(rest), dict):  # complete, but for its end: an editor may have taken it
                os.write(file, b"\n")
                return size + 1
        with open(self._path.with_name(self._path.name + ".incomplete"), "ab") as beside:
            beside.write(rest + b"\n")
            beside.flush()
            os.fsync(beside.fileno())
        os.ftruncate(file, end)
        return end


def _begins_like_feedback(path: Path) -> bool:
    """Return whether a file is empty or begins as a line of JSON does; another may not be mended."""
    with open(path, "rb") as file:
        return file.read(1) in (b"", b"{")


def _after_last_newline(file: int, size: int) -> int:
    """Return where the last line of a file begins."""
    start = size
    while start > 0:
        begin = max(0, start - _CHUNK)
        newline = os.pread(file, start - begin, begin).rfind(b"\n")
        if newline >= 0:
            return begin + newline + 1
        start = begin
    return 0


def _sync_folder(folder: Path) -> None:
    """Make sure that the entry of a new file is on the disk."""
    entry = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(entry)
    finally:
        os.close(entry)
