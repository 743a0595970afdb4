"""Standard output, written by a thread that never waits in the system for its reader, and so can always be ended."""

from __future__ import annotations

import io
import os
import select
import sys
from typing import Any, BinaryIO, cast

__all__ = ["standard_output"]

POLL_SECONDS = 0.1
"""Time between looks whether the reader of a full pipe went on, or the output was discarded."""


def standard_output() -> BinaryIO:
    """Return standard output as a binary file; on systems that can poll pipes, one that is polled."""
    try:
        descriptor = sys.stdout.fileno()
    except OSError:  # replaced by an object in memory
        return sys.stdout.buffer
    if not hasattr(select, "PIPE_BUF"):
        return sys.stdout.buffer
    sys.stdout.flush()  # what was printed comes first
    return cast(BinaryIO, _PolledOutput(descriptor))


class _PolledOutput(io.RawIOBase):
    """A file descriptor to which no more is written than a pipe that is ready takes at once."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        left = memoryview(data)
        while left:
            while not select.select([], [self._descriptor], [], POLL_SECONDS)[1]:
                pass
            left = left[os.write(self._descriptor, left[: select.PIPE_BUF]) :]
        return len(data)
