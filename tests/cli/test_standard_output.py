"""Standard output that is polled: everything arrives, and a full pipe does not hold the writer."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator

import pytest

from setwise.cli.standard_output import _PolledOutput

WAIT_SECONDS = 10.0
MORE_THAN_A_PIPE_HOLDS = bytes(range(256)) * 2000


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    ends = os.pipe()
    yield ends
    for end in ends:
        os.close(end)


def start_writing(descriptor: int) -> threading.Thread:
    thread = threading.Thread(target=_PolledOutput(descriptor).write, args=(MORE_THAN_A_PIPE_HOLDS,))
    thread.start()
    return thread


def test_a_slow_reader_gets_everything(pipe: tuple[int, int]) -> None:
    reading, writing = pipe
    thread, received = start_writing(writing), b""
    while len(received) < len(MORE_THAN_A_PIPE_HOLDS):
        received += os.read(reading, 1000)
    thread.join(WAIT_SECONDS)
    assert received == MORE_THAN_A_PIPE_HOLDS


def test_discarded_output_ends_a_write_into_a_full_pipe(pipe: tuple[int, int]) -> None:
    _, writing = pipe
    thread = start_writing(writing)
    thread.join(0.3)
    assert thread.is_alive()
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, writing)
    os.close(nowhere)
    thread.join(WAIT_SECONDS)
    assert not thread.is_alive()
