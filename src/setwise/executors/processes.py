"""The executor of local processes: each is started anew, and again where one dies."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue
from time import monotonic
from typing import Any

from setwise._validation import Interval, NoneOr, check_parameters, effective_n_jobs
from setwise.data import FilePath
from setwise.exceptions import WorkerFailure
from setwise.executors.folder_session import FolderSession, work_folder
from setwise.executors.running import message_of
from setwise.executors.session import Executor, Finished, Session
from setwise.executors.task import Task
from setwise.executors.work_folder import WorkFolder
from setwise.executors.worker import read_message, write_message

__all__ = ["ProcessExecutor", "n_out_of_memory_kills"]

SECONDS_TO_CANCEL = 3.0
"""A task that has run for longer than a new worker takes to start is stopped by ending its worker."""

SECONDS_TO_END = 3.0
"""How long workers may take to end by themselves."""

MAX_FAILED_STARTS = 3
"""Workers in a row that end before they are ready: then no worker can start here."""

_COUNTERS = ("/proc/vmstat", "/sys/fs/cgroup/memory.events", "/sys/fs/cgroup/memory.events.local")
"""Files of Linux with a line ``oom_kill`` and a number: of the machine, and of the container."""

THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


@dataclass(frozen=True)
class ProcessExecutor(Executor):
    """Runs tasks in processes of this machine.

    They are started by the interpreter's own command and share no state with this process, so that it does not matter
    which threads it has. A process that dies is replaced, and its task is done again.

    Parameters
    ----------
    n_processes : int, optional
        By default one per core.
    folder : str or path, optional
        Where data and finished parts are stored. A run that is interrupted continues from there. By default they are in
        a temporary folder.

    Examples
    --------
    >>> from setwise.executors import ProcessExecutor
    >>> ProcessExecutor(2).n_workers
    2
    """

    n_processes: int | None = None
    folder: FilePath | None = None

    def __post_init__(self) -> None:
        check_parameters({"n_processes": NoneOr(Interval("integer", 1))}, {"n_processes": self.n_processes})

    @property
    def n_workers(self) -> int:
        """Number of processes."""
        return self.n_processes or effective_n_jobs(None)

    @contextmanager
    def session(self) -> Iterator[Session]:
        """Begin to work; the processes are started when there are tasks for them."""
        with work_folder(self.folder) as folder:
            session = _ProcessSession(folder, self.n_workers, is_temporary=self.folder is None)
            try:
                yield session
            finally:
                session.close()


@dataclass(eq=False)
class _Worker:
    number: int
    process: subprocess.Popen[bytes]
    key: str | None = None
    """The task that it works on."""
    started: float = field(default_factory=monotonic)
    is_ready: bool = False
    listener: threading.Thread | None = None
    """Reads what the worker answers."""

    @property
    def name(self) -> str:
        return f"Worker {self.number} (process {self.process.pid})"


class _ProcessSession(FolderSession):
    def __init__(self, folder: WorkFolder, n_workers: int, *, is_temporary: bool) -> None:
        super().__init__(folder, is_temporary=is_temporary)
        self.capacity = n_workers
        self._n_jobs = max(1, effective_n_jobs(None) // n_workers)
        self._workers: dict[int, _Worker] = {}
        self._queue: deque[Task] = deque()
        self._events: SimpleQueue[tuple[_Worker, tuple[str, Any]]] = SimpleQueue()
        self._n_failed_starts = 0
        self._n_kills = n_out_of_memory_kills()

    def _send(self, task: Task) -> None:
        self._queue.append(task)
        self._hand_out()

    def _hand_out(self) -> None:
        """Hand waiting tasks to workers that have none."""
        for number in range(self.capacity):
            if not self._queue:
                return
            worker = self._workers.get(number)
            if worker is None:
                worker = self._workers[number] = self._start(number)
            if worker.key is None:
                task = self._queue.popleft()
                worker.key, worker.started = task.key, monotonic()
                with suppress(OSError):  # it has died, which its reader tells
                    assert worker.process.stdin is not None
                    write_message(worker.process.stdin, message_of(task, self.folder))  # type: ignore[arg-type]

    def _start(self, number: int) -> _Worker:
        environment = dict(os.environ)
        environment.update(dict.fromkeys(THREAD_VARIABLES, str(self._n_jobs)))
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))  # tasks are found as they are here
        process = subprocess.Popen(
            [sys.executable, "-c", f"from setwise.executors.worker import main; main({self._n_jobs})"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            start_new_session=True,  # Ctrl-C reaches this process alone, which then ends the workers
        )
        worker = _Worker(number, process)
        worker.listener = threading.Thread(target=self._listen, args=(worker,), daemon=True)
        worker.listener.start()
        return worker

    def _listen(self, worker: _Worker) -> None:
        """Pass on what a worker answers, and its end."""
        answers: Any = worker.process.stdout
        with answers, suppress(EOFError, OSError):
            while True:
                self._events.put((worker, read_message(answers)))
        self._events.put((worker, ("ended", None)))

    def wait(self) -> list[Finished]:
        """Return the tasks that have ended; Ctrl-C ends the wait."""
        found: list[Finished] = []
        while not found:
            found = self._handle(*self._events.get())
            while not self._events.empty():
                found += self._handle(*self._events.get())
        return found

    def _handle(self, worker: _Worker, answer: tuple[str, Any]) -> list[Finished]:
        if self._workers.get(worker.number) is not worker:  # it was stopped on purpose
            return []
        kind, content = answer
        ended: Finished | None = None
        if kind == "ready":
            worker.is_ready, self._n_failed_starts = True, 0
            return []
        key, worker.key = worker.key, None
        if kind == "ended":
            ended = self._replace(worker, key)
        elif key is not None:
            if kind == "done":
                ended = self._done(key)
            elif kind == "out of memory":
                self._stop(worker)  # what it has kept may be what fills the memory
                ended = self._out_of_memory(key, worker.name)
            else:
                del self._tasks[key]
                ended = Finished(key, error=content)
        self._hand_out()
        return [] if ended is None else [ended]

    def _replace(self, worker: _Worker, key: str | None) -> Finished | None:
        """Let another worker do the task of one that has ended."""
        code = worker.process.wait()
        self._stop(worker)
        if not worker.is_ready:
            self._n_failed_starts += 1
            if self._n_failed_starts >= MAX_FAILED_STARTS:
                raise WorkerFailure(f"No worker process can start: each ends with exit code {code}.")
        if key is None:
            return None
        kills = n_out_of_memory_kills()
        is_out_of_memory = code == -getattr(signal, "SIGKILL", 9) and kills > self._n_kills
        self._n_kills = kills
        if is_out_of_memory:
            return self._out_of_memory(key, worker.name)
        return self._lost(key, worker.name, _reason(code))

    def cancel(self, key: str) -> bool:
        """Stop a task: it leaves the queue, or its worker ends where that costs less than to wait."""
        for task in [task for task in self._queue if task.key == key]:
            self._queue.remove(task)
            del self._tasks[key]
            return True
        for worker in list(self._workers.values()):
            if worker.key == key and monotonic() - worker.started > SECONDS_TO_CANCEL:
                self._stop(worker)
                del self._tasks[key]
                return True
        return False

    def _stop(self, worker: _Worker) -> None:
        self._workers.pop(worker.number, None)
        worker.process.kill()
        with suppress(OSError):
            assert worker.process.stdin is not None
            worker.process.stdin.close()
        worker.process.wait()
        if worker.listener is not None:
            worker.listener.join()

    def close(self) -> None:
        """End all workers: each ends with its input, and is killed where it does not."""
        workers = list(self._workers.values())
        for worker in workers:
            with suppress(OSError):
                assert worker.process.stdin is not None
                worker.process.stdin.close()
        until = monotonic() + SECONDS_TO_END
        for worker in workers:
            with suppress(subprocess.TimeoutExpired):
                worker.process.wait(max(0.0, until - monotonic()))
            self._stop(worker)


def _reason(code: int) -> str:
    """Return how a process ended, in a few words."""
    if code < 0:
        with suppress(ValueError):
            return signal.Signals(-code).name
        return f"signal {-code}"
    return f"exit code {code}"


def n_out_of_memory_kills(files: tuple[str, ...] = _COUNTERS) -> int:
    """Return how many processes Linux has killed so far to free memory; 0 where the system does not tell."""
    total = 0
    for file in files:
        with suppress(OSError, ValueError):
            for line in Path(file).read_text().splitlines():
                name, _, number = line.partition(" ")
                if name == "oom_kill":
                    total += int(number)
    return total
