"""Running tasks side by side, each in a process of its own; a row is stored as soon as it is computed."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import threading
import warnings
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from multiprocessing.connection import Connection
from multiprocessing.connection import wait as wait_for
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from reproduction.plan import Task
from reproduction.run.corpora import Parts
from reproduction.run.rows import Row, row_from_json, row_to_json
from reproduction.run.run_config import RunConfig
from reproduction.run.tasks import compute_rows
from setwise.data import atomic_writer
from setwise.exceptions import NotConverged, SetwiseError
from setwise.tuning import Checkpoint

__all__ = ["RunObserver", "open_rows", "row_file", "run_tasks"]


class RunObserver:
    """Is notified about a run; its methods do nothing, and subclasses replace them."""

    def task_progressed(self, task: Task, n_done: int, n_steps: int) -> None:
        """Handle the end of one step, such as a setting."""

    def row_stored(self, row: Row) -> None:
        """Handle a new row."""

    def task_finished(self, task: Task) -> None:
        """Handle a task whose rows are all stored."""

    def task_failed(self, task: Task, reason: str) -> None:
        """Handle a task that ended before all its rows were stored."""


def open_rows(folder: Path, dataset: str, config: RunConfig, part: str = "") -> Checkpoint:
    """Return the file of a dataset's rows, all of the same documents, effort and random state.

    The parts of a run with an effort of their own have a file of their own.
    """
    identity = {
        "dataset": dataset,
        "documents": Parts(dataset, config.data).digest(),
        "effort": config.effort.identity(part),
        "random_state": config.random_state,
    }
    return Checkpoint(row_file(folder, dataset, part), identity)


def row_file(folder: Path, dataset: str, part: str = "") -> Path:
    """Return the path of the file of a dataset's rows."""
    return folder / f"{dataset}{f'-{part}' if part else ''}.jsonl"


def run_tasks(
    tasks: Sequence[Task], config: RunConfig, folder: Path, n_processes: int = 1, observer: RunObserver | None = None
) -> list[Task]:
    """Run tasks, several at a time, and store their rows in a folder; return the tasks that failed.

    If a task ends early, by an error or a kill, only its unfinished rows are lost, and another run computes them.

    Parameters
    ----------
    tasks : sequence of Task
    config : RunConfig
    folder : Path
    n_processes : int
        Tasks that run at the same time.
    observer : RunObserver, optional
    """
    observer = observer or RunObserver()
    failed: list[Task] = []
    waiting = list(reversed(tasks))
    running: dict[Connection, tuple[Task, BaseProcess]] = {}
    with ExitStack() as stack:
        stores = {
            (dataset, part): stack.enter_context(open_rows(folder, dataset, config, part))
            for dataset, part in dict.fromkeys((task.dataset, task.part) for task in tasks)
        }
        stack.callback(_terminate, running)
        while waiting or running:
            while waiting and len(running) < n_processes:
                running.update([start_process(waiting.pop(), config)])
            for connection in wait_for(list(running)):
                assert isinstance(connection, Connection)
                task, process = running[connection]
                kind, content = _receive(connection, process)
                if kind == "step":
                    observer.task_progressed(task, *content)
                elif kind == "row":
                    stores[task.dataset, task.part].add(content)
                    observer.row_stored(row_from_json(content))
                else:
                    del running[connection]
                    process.join()
                    if kind == "failed":
                        failed.append(task)
                        observer.task_failed(task, content)
                    else:
                        observer.task_finished(task)
        for store in stores.values():
            _sort_rows(store)
    return failed


def start_process(task: Task, config: RunConfig) -> tuple[Connection, tuple[Task, BaseProcess]]:
    """Start a task in a new process; return the connection that it sends its messages through."""
    # A fresh interpreter: threads do not survive a fork, and the parent's memory would be counted.
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_run_task, args=(sender, task, config), daemon=True)
    process.start()
    sender.close()  # so that the pipe ends with the process
    return receiver, (task, process)


def _receive(connection: Connection, process: BaseProcess) -> tuple[str, Any]:
    try:
        kind, content = connection.recv()
    except EOFError:
        process.join()
        return "failed", f"its process ended with code {process.exitcode}"
    return kind, content


def _run_task(connection: Connection, task: Task, config: RunConfig) -> None:
    """Run a task, and send its steps and rows to the parent process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches every process; the parent terminates this one
    threading.Thread(target=_exit_with_parent, daemon=True).start()
    warnings.simplefilter("ignore", NotConverged)  # settings are compared as they are
    send: Callable[[tuple[str, Any]], None] = connection.send
    try:
        for row in compute_rows(task, config, lambda n_done, n_steps: send(("step", (n_done, n_steps)))):
            send(("row", row_to_json(row)))
    except (SetwiseError, OSError) as error:
        send(("failed", str(error)))
    except Exception as error:
        send(("failed", f"{type(error).__name__}: {error}"))  # a bug, whose message alone may say little
    else:
        send(("done", None))


def _exit_with_parent() -> None:
    """Wait until the parent ends, even by a kill, and exit: nobody would store further rows."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    wait_for([parent.sentinel])
    os._exit(1)


def _terminate(running: dict[Connection, tuple[Task, BaseProcess]]) -> None:
    for _, process in running.values():
        process.terminate()
        process.join()


def _sort_rows(store: Checkpoint) -> None:
    """Write the rows again in the order of their keys, so that the file does not depend on the order of the tasks."""
    header, *_ = store.path.read_bytes().splitlines()
    rows = sorted(store.rows, key=lambda row: row_from_json(row).key)
    with atomic_writer(store.path) as file:
        file.write(b"".join(line + b"\n" for line in [header, *(json.dumps(row).encode() for row in rows)]))
