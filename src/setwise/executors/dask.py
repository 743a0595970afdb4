"""The executor of a Dask cluster: its workers run the tasks, and the work folder has the data and the results.

Nothing but names travels through the scheduler. Data that Dask would scatter die with their worker, wait forever
where there is no worker yet, and fill the memory of the scheduler. A task that reads its own data has no such faults.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Any

from setwise.data import FilePath
from setwise.exceptions import Incompatible, WorkerFailure
from setwise.executors.folder_session import FolderSession, work_folder
from setwise.executors.running import Memory, Message, message_of, run_message
from setwise.executors.session import Executor, Finished, Session
from setwise.executors.task import Task
from setwise.executors.work_folder import WorkFolder

__all__ = ["DaskExecutor"]

SECONDS_TO_RECONNECT = 120.0
"""How long a scheduler may be away."""

SECONDS_BETWEEN_LOOKS = 0.5
"""How often the connection is checked while no task ends."""

TASKS_PER_WORKER = 2
"""One is run, and one waits on the worker, so that it need not wait for this process."""


@dataclass(frozen=True)
class DaskExecutor(Executor):
    """Runs tasks on the workers of a Dask scheduler. It needs the extra ``dask``.

    Parameters
    ----------
    address : str
        Of the scheduler, such as ``"tcp://host:8786"``.
    folder : str or path, optional
        A folder that all workers see under this path. By default it is temporary, which is enough where all workers are
        on this machine.

    Examples
    --------
    >>> from setwise.executors import DaskExecutor
    >>> DaskExecutor("tcp://127.0.0.1:8786", folder="shared/setwise").address
    'tcp://127.0.0.1:8786'
    """

    address: str
    folder: FilePath | None = None

    @contextmanager
    def session(self) -> Iterator[Session]:
        """Connect to the scheduler."""
        with work_folder(self.folder) as folder:
            # Its client logs tracebacks where a worker or a scheduler goes away, which is dealt with here.
            logger = logging.getLogger("distributed")
            level = logger.level
            logger.setLevel(logging.CRITICAL + 1)
            session = _DaskSession(folder, self.address, is_temporary=self.folder is None)
            try:
                yield session
            finally:
                session.close()
                logger.setLevel(level)


def run_on_worker(message: Message) -> str:
    """Run a task in a worker of Dask, with one thread; return how it ended."""
    try:
        run_message(message, _context())
    except MemoryError:
        return "out of memory"
    return "done"


_THREAD = threading.local()


def _context() -> Memory:
    """Return what this thread of a worker keeps from one task to the next."""
    if not hasattr(_THREAD, "context"):
        _THREAD.context = Memory(n_jobs=1)
    context: Memory = _THREAD.context
    return context


class _DaskSession(FolderSession):
    def __init__(self, folder: WorkFolder, address: str, *, is_temporary: bool) -> None:
        super().__init__(folder, is_temporary=is_temporary)
        try:
            import distributed
        except ImportError:
            raise Incompatible(
                'A Dask cluster needs the package distributed. Install it with: pip install "setwise[dask]".'
            ) from None
        self._distributed: Any = distributed
        self._address = address
        self._futures: dict[str, Any] = {}
        self._n_workers = 0
        self._ended_futures: SimpleQueue[Any] = SimpleQueue()
        self._client = self._connect(10.0)

    def _connect(self, seconds: float) -> Any:
        try:
            return self._distributed.Client(self._address, timeout=seconds, set_as_default=False)
        except (OSError, TimeoutError) as error:
            raise WorkerFailure(
                f"There is no Dask scheduler at {self._address}. Hint: start one with `dask scheduler`."
            ) from error

    @property
    def capacity(self) -> int:  # type: ignore[override]
        """Two tasks per worker that is there now, and one where there is none yet."""
        with suppress(Exception):  # while the scheduler is away, as many as before
            self._n_workers = sum(
                one["nthreads"] for one in self._client.scheduler_info(n_workers=-1)["workers"].values()
            )
        return max(1, TASKS_PER_WORKER * self._n_workers)

    def _send(self, task: Task) -> None:
        future = self._client.submit(
            run_on_worker, message_of(task, self.folder), key=f"setwise-{task.key}", pure=False
        )
        self._futures[task.key] = future
        future.add_done_callback(self._ended_futures.put)

    def wait(self) -> list[Finished]:
        """Return the tasks that have ended; where the scheduler is gone, wait until it is back."""
        while True:
            found = [one for key in self._ended() if (one := self._finish(key)) is not None]
            if found:
                return found
            if self._client.status != "running" or any(one.status == "cancelled" for one in self._futures.values()):
                self._reconnect()
            else:
                with suppress(Empty):
                    self._ended_futures.get(timeout=SECONDS_BETWEEN_LOOKS)

    def _ended(self) -> list[str]:
        return [key for key, future in self._futures.items() if future.status in ("finished", "error")]

    def _finish(self, key: str) -> Finished | None:
        future = self._futures.pop(key)
        if future.status == "finished":
            try:
                answer = future.result(timeout=SECONDS_BETWEEN_LOOKS)
            except Exception:  # the worker that knows the answer is gone, but the part file tells as well
                answer = "done" if self.folder.has_part(key) else "lost"
            if answer == "done":
                return self._done(key)
            if answer == "out of memory":
                return self._out_of_memory(key, "A worker")
            return self._lost(key, "A worker", answer)
        error = future.exception(timeout=10)
        if isinstance(error, self._distributed.KilledWorker):
            return self._lost(key, f"Worker {error.last_worker.address}", "again and again")
        del self._tasks[key]
        return Finished(key, error=error)

    def _reconnect(self) -> None:
        """Connect to a scheduler that was started again, and send all tasks that it does not know."""
        until = time.monotonic() + SECONDS_TO_RECONNECT
        with suppress(Exception):
            self._client.close(timeout=1)
        self._futures.clear()
        while True:
            try:
                self._client = self._connect(2.0)
                break
            except WorkerFailure:
                if time.monotonic() > until:
                    raise
                time.sleep(SECONDS_BETWEEN_LOOKS)
        for task in self._tasks.values():
            self._send(task)

    def cancel(self, key: str) -> bool:
        """Take a task out of the queue of the scheduler; one that runs already goes on."""
        future = self._futures.pop(key, None)
        if future is None:
            return False
        with suppress(Exception):
            future.cancel()
        self._tasks.pop(key, None)
        return True

    def close(self) -> None:
        """Leave the cluster as it is, without tasks of this session."""
        for future in self._futures.values():
            with suppress(Exception):
                future.cancel()
        with suppress(Exception):
            self._client.close(timeout=5)
