"""The interface of an executor, and the executor that needs no other process."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from time import perf_counter, process_time
from typing import Any, ClassVar

from setwise.executors.running import Memory, call
from setwise.executors.task import Cost, Data, Outcome, Task
from setwise.learners import one_blas_thread

__all__ = ["Executor", "Finished", "SerialExecutor", "Session"]


@dataclass(frozen=True, eq=False)
class Finished:
    """A task that ended: with an outcome, or with an error."""

    key: str
    outcome: Outcome | None = None
    error: BaseException | None = None


class Session(ABC):
    """An executor at work: independent tasks go in, and come out in the order in which they end."""

    capacity: int = 1
    """Tasks that it takes at a time; more would only wait in another queue."""
    works_ahead: ClassVar[bool] = True
    """Whether tasks run beside this process, so that some can start before it is certain that they are needed."""

    @abstractmethod
    def data(self, value: Any, pack: Callable[[Any], Any]) -> Data:
        """Make data ready for tasks to read; ``pack`` returns their plain form, where that is needed."""

    @abstractmethod
    def finished(self, task: Task) -> Outcome | None:
        """Return the outcome of a task that was finished before, in this run or an earlier one."""

    @abstractmethod
    def submit(self, task: Task) -> None:
        """Let a task run."""

    @abstractmethod
    def wait(self) -> list[Finished]:
        """Return the tasks that ended since the last call; wait until there is one."""

    def release(self, task: Task) -> None:  # noqa: B027 - most sessions store nothing
        """Forget the shards that a task has read, and its result unless an interrupted run shall find it."""

    def cancel(self, key: str) -> bool:
        """Stop a task whose result nobody needs any more; return whether it is out of the way."""
        return False


class Executor(ABC):
    """Where tasks run. It is plain settings, which can be copied and stored, until a session begins."""

    @property
    def n_workers(self) -> int:
        """Number of processes that run tasks, as far as it is known before a session."""
        return 1

    @abstractmethod
    @contextmanager
    def session(self) -> Iterator[Session]:
        """Begin to work; at the end of the block no task is running."""


@dataclass(frozen=True)
class SerialExecutor(Executor):
    """Runs tasks in this process, one after the other, when their results are asked for."""

    @contextmanager
    def session(self) -> Iterator[Session]:
        """Begin to work; nothing is written anywhere."""
        yield _SerialSession()


@dataclass(eq=False)
class _SerialSession(Session):
    works_ahead: ClassVar[bool] = False
    _queue: deque[Task] = field(default_factory=deque)
    _context: Memory = field(default_factory=Memory)
    _number: count[int] = field(default_factory=count)

    def data(self, value: Any, pack: Callable[[Any], Any]) -> Data:
        return Data(f"in memory {next(self._number)}", lambda: value)

    def finished(self, task: Task) -> Outcome | None:
        return None

    def submit(self, task: Task) -> None:
        self._queue.append(task)

    def cancel(self, key: str) -> bool:
        self._queue = deque(task for task in self._queue if task.key != key)
        return True

    def wait(self) -> list[Finished]:
        task = self._queue.popleft()
        started, processor = perf_counter(), process_time()
        self._context.task = task.key
        try:
            with one_blas_thread():  # as in a worker, so that the bits are the same
                value = call(task.function, self._context, {**task.inputs, **task.parameters, **task.hints})
        except Exception as error:
            return [Finished(task.key, error=error)]
        cost = Cost(perf_counter() - started, process_time() - processor)
        return [Finished(task.key, Outcome(task.key, lambda: value, cost))]
