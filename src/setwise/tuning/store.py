"""Finished cells in a file: each is there at once and whole, whatever happens to the run afterwards."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

from setwise.exceptions import InvalidData

try:
    import fcntl
except ImportError:  # Windows has none, so nobody is kept out there
    fcntl = None  # type: ignore[assignment]

__all__ = ["CellStore", "whole_lines"]

FORMAT = 1


class CellStore:
    """Lines of JSON: the first says what run it is, every other is a row. Opened again, it goes on.

    A row is one write and then on the disk; a line that a crash cut short is taken off when the file is next opened.
    While it is open no other run may open it: that one would do the same work, and take half a line for a cut one.
    """

    def __init__(self, path: str | Path, run: dict[str, Any]) -> None:
        self.path = Path(path)
        self._header = json.loads(json.dumps({"setwise_tuning": FORMAT, "run": run}))
        self._file: BinaryIO | None = None
        self.rows: list[dict[str, Any]] = []

    def __enter__(self) -> CellStore:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._file = self.path.open("a+b")
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
        lines = list(self._whole_lines())
        if not lines:
            self._write(self._header)
        elif lines[0] != self._header:
            raise InvalidData(
                f"{self.path} must come from the same run: data, model, grid and seed; it is of another. "
                f"Hint: remove it, or give another file."
            )
        self.rows = lines[1:]

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
        self._file.write(json.dumps(line).encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())

    def _whole_lines(self) -> Iterator[dict[str, Any]]:
        assert self._file is not None
        self._file.seek(0)
        content = self._file.read()
        end = content.rfind(b"\n") + 1
        if end < len(content):
            self._file.truncate(end)
        return whole_lines(content, self.path)


def whole_lines(content: bytes, path: Path) -> Iterator[dict[str, Any]]:
    """Read the lines of such a file, the first that says what run it is among them; one that was cut is left out."""
    for number, line in enumerate(content[: content.rfind(b"\n") + 1].splitlines(), start=1):
        try:
            found = json.loads(line)
        except ValueError:
            found = None
        if not isinstance(found, dict):
            raise InvalidData(f"{path} must have a JSON object a line; line {number} is none. Hint: remove the file.")
        yield found
