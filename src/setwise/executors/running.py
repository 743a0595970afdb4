"""Running a task in a worker: read what it needs, call its function, write its part file."""

from __future__ import annotations

import importlib
import os
import socket
import warnings
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter, process_time
from typing import Any

from setwise.exceptions import InvalidData
from setwise.executors.digests import code_version
from setwise.executors.task import Cost, Input, Task
from setwise.executors.work_folder import WorkFolder
from setwise.learners import use_one_blas_thread

__all__ = ["Memory", "Message", "call", "message_of", "run_message"]

MAX_REMEMBERED = 12
"""Things that a worker keeps for later tasks, such as the documents of a fold, ready to be trained on."""

try:
    import resource
except ImportError:  # Windows has none
    resource = None  # type: ignore[assignment]


class Memory:
    """The context of a task: what this process has prepared before, the least recently used forgotten first."""

    def __init__(self, n_jobs: int | None = None, max_remembered: int = MAX_REMEMBERED) -> None:
        self.n_jobs = n_jobs
        self.task = ""
        self._max_remembered = max_remembered
        self._kept: OrderedDict[Any, Any] = OrderedDict()

    def remember(self, key: Any, make: Callable[[], Any]) -> Any:
        """Return what ``make`` returns; it is called where the key is new, or was forgotten."""
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        value = make()
        self.keep(key, value)
        return value

    def keep(self, key: Any, value: Any) -> None:
        """Keep something until too many others came after it."""
        self._kept[key] = value
        self._kept.move_to_end(key)
        while len(self._kept) > self._max_remembered:
            self._kept.popitem(last=False)

    def take(self, key: Any) -> Any:
        """Return what was kept, and forget it; None where there is nothing."""
        return self._kept.pop(key, None)


@dataclass(frozen=True)
class Message:
    """A task as it is sent to a worker: names in place of what it reads."""

    key: str
    function: str
    parameters: dict[str, Any]
    inputs: dict[str, Any]
    """Kind and key of each input, or a list of such pairs."""
    hints: dict[str, Any]
    folder: str
    code: str
    """The version of setwise that asks: another one might compute other bits."""


def message_of(task: Task, folder: WorkFolder) -> Message:
    """Return what a worker needs to run the task."""
    inputs = {
        name: [(one.kind, one.key) for one in given] if isinstance(given, Sequence) else (given.kind, given.key)
        for name, given in task.inputs.items()
    }
    return Message(
        task.key, task.function, dict(task.parameters), inputs, dict(task.hints), str(folder.path), code_version()
    )


def run_message(message: Message, context: Memory) -> None:
    """Run a task and write its part file, unless it is there."""
    if message.code != code_version():
        raise InvalidData(
            f"A worker on {socket.gethostname()} has another setwise than the process that sends it work. "
            f"Hint: install the same version of setwise, numpy, scipy and scikit-learn on all machines."
        )
    folder = WorkFolder(message.folder).check()
    if folder.has_part(message.key):
        return
    started, processor = perf_counter(), process_time()

    def read(given: tuple[str, str]) -> Input:
        return folder.input(*given)

    inputs: dict[str, Any] = {
        name: list(map(read, given)) if isinstance(given, list) else read(given)
        for name, given in message.inputs.items()
    }
    use_one_blas_thread()  # so that no bit depends on how many this machine has
    context.task = message.key
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        value = call(message.function, context, {**inputs, **message.parameters, **message.hints})
        plain = value.pack() if hasattr(value, "pack") else value
    cost = Cost(round(perf_counter() - started, 6), round(process_time() - processor, 6), peak_memory(), worker_name())
    noted = tuple((f"{one.category.__module__}:{one.category.__qualname__}", str(one.message)) for one in caught)
    folder.write_part(message.key, plain, noted, cost)


def call(function: str, context: Any, arguments: dict[str, Any]) -> Any:
    """Import a function by its name and call it."""
    module, _, name = function.partition(":")
    return getattr(importlib.import_module(module), name)(context, **arguments)


def worker_name() -> str:
    """Return the host and the process that this is."""
    return f"{socket.gethostname()}:{os.getpid()}"


def peak_memory() -> int:
    """Return the largest memory of this process so far, in bytes; 0 where the system does not tell."""
    if resource is None:
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if os.uname().sysname == "Darwin" else peak * 1024
