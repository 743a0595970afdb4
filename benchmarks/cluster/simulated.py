"""An executor that runs nothing: tasks take the time that they took before, on a clock of its own."""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from time import process_time

from setwise.executors import Executor, Finished, FolderSession, Input, Session, Task, WorkFolder

LATENCY = 0.002
"""Seconds from a worker that has nothing to do until the next task runs there: a message each way, and small files."""


KINDS = {
    "fit_next": "fits",
    "fit_until_worse": "fits",
    "fit_alone": "fits",
    "evaluate": "evaluations",
    "select": "choice",
    "select_pool": "pools",
    "collect_evidence": "confidence",
}
"""What the function of a task does, as a plan names it."""


@dataclass(frozen=True)
class Schedule:
    """What came out of a simulation, in seconds."""

    duration: float
    """From the first task to the end of the training."""
    work: float
    """Of all tasks that ran."""
    driver: float
    """Of the process that sends the tasks."""
    critical_path: float
    n_tasks: int


@dataclass(eq=False)
class SimulatedExecutor(Executor):
    """Finds every result in a work folder, after as many seconds of CPU time as it took.

    The process that sends the tasks is real: its own CPU time passes on the clock too.

    Parameters
    ----------
    folder : path
        The work folder of a training that was finished.
    n_processes : int
    """

    folder: Path
    n_processes: int
    last: _SimulatedSession | None = field(default=None, repr=False)

    @contextmanager
    def session(self) -> Iterator[Session]:
        self.last = _SimulatedSession(WorkFolder(self.folder).create(), self.n_processes)
        yield self.last

    def schedule(self) -> Schedule:
        """Return what came out of the last session."""
        assert self.last is not None
        return self.last.schedule()

    def measured(self) -> dict[str, tuple[int, float]]:
        """Return the number of tasks of each kind in the last session, and their CPU seconds."""
        assert self.last is not None
        return self.last.measured()

    def peak_bytes(self) -> int:
        """Return the largest memory of a worker."""
        assert self.last is not None
        return self.last.peak_bytes()


class _SimulatedSession(FolderSession):
    def __init__(self, folder: WorkFolder, n_workers: int) -> None:
        super().__init__(folder, is_temporary=False)
        self.capacity = n_workers
        self.clock = 0.0
        self._processor = process_time()
        self._driver = 0.0
        self._ends: list[tuple[float, str]] = []
        self._queue: deque[Task] = deque()
        self._seconds: dict[str, float] = {}
        self._path: dict[str, float] = {}
        self._known: dict[str, Task] = {}
        self._by_title: dict[str, list[float]] = {}

    def finished(self, task: Task) -> None:
        """Nothing is finished before it has taken its time."""

    def _pass(self) -> None:
        """Let the time pass that this process has worked since the last call."""
        now = process_time()
        self._driver += now - self._processor
        self.clock += now - self._processor
        self._processor = now

    def _send(self, task: Task) -> None:
        self._pass()
        self._known[task.key] = task
        heapq.heappush(self._ends, (self.clock + LATENCY + self._cost(task), task.key))
        self._processor = process_time()

    def _cost(self, task: Task) -> float:
        kind = task.function + type(task.parameters.get("model")).__name__
        if self.folder.has_part(task.key):
            seconds = self.folder.part(task.key).cost.cpu_seconds
            self._by_title.setdefault(kind, []).append(seconds)
        else:  # it never ran: as long as others of its kind, and nobody waits for it
            seconds = median(self._by_title.get(kind, [1.0]))
        self._seconds[task.key] = seconds
        return seconds

    def wait(self) -> list[Finished]:
        self._pass()
        end, key = heapq.heappop(self._ends)
        self.clock = max(self.clock, end)
        task = self._known[key]
        del self._tasks[key]
        if not self.folder.has_part(key):
            found = Finished(key, error=LookupError(f"{task.title} was never measured"))
        else:
            found = Finished(key, self.folder.part(key))
        self._processor = process_time()  # reading stands for what a worker would have sent
        return [found]

    def cancel(self, key: str) -> bool:
        waiting = [one for one in self._ends if one[1] != key]
        if len(waiting) == len(self._ends):
            return False
        heapq.heapify(waiting)
        self._ends = waiting
        self._tasks.pop(key, None)
        self._seconds.pop(key, None)
        return True

    def schedule(self) -> Schedule:
        self._pass()
        done = self._measured_keys()
        work = sum(self._seconds[key] for key in done)
        return Schedule(self.clock, work, self._driver, self._longest(done), len(done))

    def measured(self) -> dict[str, tuple[int, float]]:
        found: dict[str, tuple[int, float]] = {}
        for key in self._measured_keys():
            kind = KINDS[self._known[key].function.partition(":")[2]]
            n_tasks, seconds = found.get(kind, (0, 0.0))
            found[kind] = n_tasks + 1, seconds + self._seconds[key]
        return found

    def peak_bytes(self) -> int:
        return max(self.folder.part(key).cost.peak_bytes for key in self._measured_keys())

    def _measured_keys(self) -> list[str]:
        return [key for key in self._seconds if self.folder.has_part(key)]

    def _longest(self, done: list[str]) -> float:
        """Return the longest chain of tasks, each of which reads the result of the one before."""
        longest: dict[str, float] = {}
        for key in done:  # in the order in which they were sent: what a task reads was sent before
            before = [one.key for given in self._known[key].inputs.values() for one in inputs_of(given)]
            longest[key] = self._seconds[key] + max((longest.get(one, 0.0) for one in before), default=0.0)
        return max(longest.values(), default=0.0)


def inputs_of(given: Input | Sequence[Input]) -> Sequence[Input]:
    return given if isinstance(given, Sequence) else [given]
