"""The program of a local worker process: it reads tasks from standard input, and answers on standard output."""

from __future__ import annotations

import os
import pickle
import sys
import threading
from queue import SimpleQueue
from typing import Any, BinaryIO

__all__ = ["main", "read_message", "write_message"]

LENGTH_BYTES = 8


def write_message(file: BinaryIO, message: Any) -> None:
    """Write a message with its length before it."""
    content = pickle.dumps(message)
    file.write(len(content).to_bytes(LENGTH_BYTES, "little") + content)
    file.flush()


def read_message(file: BinaryIO) -> Any:
    """Read the next message; raise ``EOFError`` where the other side has ended."""
    content = _read(file, int.from_bytes(_read(file, LENGTH_BYTES), "little"))
    return pickle.loads(content)


def _read(file: BinaryIO, size: int) -> bytes:
    content = file.read(size)
    if len(content) < size:
        raise EOFError
    return content


def main(n_jobs: int) -> None:
    """Run tasks until standard input ends, and end with it even in the middle of a task."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a task prints must not get between the answers
    messages: SimpleQueue[Any] = SimpleQueue()
    threading.Thread(target=_receive, args=(messages,), daemon=True).start()

    from setwise.executors.running import Memory, run_message

    context = Memory(n_jobs)
    write_message(answers, ("ready", None))
    while True:
        message = messages.get()
        try:
            run_message(message, context)
        except MemoryError:
            answer: tuple[str, Any] = ("out of memory", None)
        except Exception as error:
            answer = ("error", error)
        else:
            answer = ("done", None)
        try:
            write_message(answers, answer)
        except (pickle.PicklingError, TypeError, AttributeError):
            write_message(answers, ("error", RuntimeError(f"{type(answer[1]).__name__}: {answer[1]}")))


def _receive(messages: SimpleQueue[Any]) -> None:
    """Pass messages on; where the process that sends them has ended, there is nobody to work for."""
    try:
        while True:
            messages.put(read_message(sys.stdin.buffer))
    except (EOFError, OSError):
        os._exit(0)
