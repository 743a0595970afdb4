"""What all executors with workers share: data and results in a work folder, tasks that are tried again."""

from __future__ import annotations

import tempfile
import warnings
from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from setwise.data import FilePath
from setwise.exceptions import WorkerFailure, WorkerRestarted
from setwise.executors.session import Finished, Session
from setwise.executors.task import Data, Outcome, Task
from setwise.executors.work_folder import WorkFolder

__all__ = ["FolderSession", "work_folder"]

MAX_LOSSES = 5
"""Workers that may be lost with one task before it is given up: so many are no accident."""

MAX_OUT_OF_MEMORY = 2
"""The same for workers that ran out of memory: the second attempt may have more, since fewer tasks run beside it."""


@contextmanager
def work_folder(path: FilePath | None) -> Iterator[WorkFolder]:
    """Yield the work folder; without a path, one that is removed at the end."""
    if path is not None:
        yield WorkFolder(path).create()
        return
    with tempfile.TemporaryDirectory(prefix="setwise-", ignore_cleanup_errors=True) as folder:
        yield WorkFolder(folder).create()


class FolderSession(Session):
    """A session whose data and results are files."""

    def __init__(self, folder: WorkFolder, *, is_temporary: bool) -> None:
        self.folder = folder
        self._is_temporary = is_temporary
        self._losses: Counter[str] = Counter()
        self._tasks: dict[str, Task] = {}

    def data(self, value: Any, pack: Callable[[Any], Any]) -> Data:
        """Write data to the work folder."""
        return self.folder.put(pack(value))

    def finished(self, task: Task) -> Outcome | None:
        """Return the outcome that a part file has."""
        return self.folder.part(task.key) if self.folder.has_part(task.key) else None

    def release(self, task: Task) -> None:
        """Remove the shards that a task has read, and its result from a temporary folder."""
        for given in task.inputs.values():
            if isinstance(given, Data) and given.kind == "shard":
                self.folder.remove(given)
        if self._is_temporary:
            self.folder.remove(Outcome(task.key, lambda: None))

    def submit(self, task: Task) -> None:
        """Hand a task to a worker."""
        self._tasks[task.key] = task
        self._send(task)

    @abstractmethod
    def _send(self, task: Task) -> None:
        """Hand the task to a worker."""

    def _done(self, key: str) -> Finished:
        """Return the outcome of a task whose part file should be there."""
        task = self._tasks.pop(key)
        outcome = self.finished(task)
        if outcome is None:
            return Finished(key, error=WorkerFailure(f"A worker has finished {task.title}, but left no result."))
        return Finished(key, outcome)

    def _lost(self, key: str, worker: str, reason: str) -> Finished | None:
        """Send a task again whose worker was lost; return its failure where that has happened too often."""
        return self._again(
            key,
            MAX_LOSSES,
            f"{worker} was lost ({reason}) while it worked on {{title}}",
            "Hint: see what ends it in the log of the machine.",
        )

    def _out_of_memory(self, key: str, worker: str) -> Finished | None:
        """The same where the worker ran out of memory."""
        return self._again(
            key,
            MAX_OUT_OF_MEMORY,
            f"{worker} ran out of memory while it worked on {{title}}",
            "Hint: run fewer workers per machine, or on machines with more memory.",
        )

    def _again(self, key: str, most: int, message: str, hint: str) -> Finished | None:
        task = self._tasks[key]
        if self.folder.has_part(key):  # it was lost after it had finished
            return self._done(key)
        self._losses[key] += 1
        message = message.format(title=task.title)
        if self._losses[key] >= most:
            del self._tasks[key]
            return Finished(key, error=WorkerFailure(f"{message}, {self._losses[key]} times. {hint}"))
        warnings.warn(f"{message}; the task is done again.", WorkerRestarted, stacklevel=2)
        self._send(task)
        return None
