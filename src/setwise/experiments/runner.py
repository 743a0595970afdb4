"""The run: pieces of work side by side, each in a process of its own; a row is stored the moment it is found."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import threading
import warnings
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from multiprocessing.connection import Connection
from multiprocessing.connection import wait as wait_for
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from setwise.data.atomic import atomic_writer
from setwise.exceptions import NotConverged, SetwiseError
from setwise.experiments.corpora import Parts
from setwise.experiments.plan import Work
from setwise.experiments.rows import Row, as_stored, row_of
from setwise.experiments.run_config import Circumstances
from setwise.experiments.work import found_by
from setwise.tuning.store import CellStore

__all__ = ["Watcher", "opened", "run"]


class Watcher:
    """Hears of a run; these methods do nothing, and are there to be replaced."""

    def stepped(self, work: Work, done: int, total: int) -> None:
        """So many settings of so many are tried."""

    def found(self, row: Row) -> None:
        """A row is stored."""

    def ended(self, work: Work) -> None:
        """All rows of the work are stored."""

    def failed(self, work: Work, reason: str) -> None:
        """The work will give no more rows, and some are missing."""


def opened(folder: Path, dataset: str, run: Circumstances) -> CellStore:
    """Give the file of a dataset's rows, which holds one run alone: the same documents, effort and seed."""
    identity = {
        "dataset": dataset,
        "documents": Parts(dataset, run.data).digest(),
        "effort": asdict(run.effort),
        "seed": run.seed,
    }
    return CellStore(folder / f"{dataset}.jsonl", identity)


def run(
    works: Sequence[Work], circumstances: Circumstances, folder: Path, jobs: int = 1, watcher: Watcher | None = None
) -> list[Work]:
    """Do the work, ``jobs`` pieces at a time, and store rows in ``folder``; give back what failed.

    Whatever ends a piece of work, an error or a kill, loses its unfinished rows alone; another run does them.
    """
    watcher = watcher or Watcher()
    failed: list[Work] = []
    waiting = list(reversed(works))
    running: dict[Connection, tuple[Work, BaseProcess]] = {}
    with ExitStack() as stack:
        stores = {
            name: stack.enter_context(opened(folder, name, circumstances))
            for name in dict.fromkeys(work.dataset for work in works)
        }
        stack.callback(_end, running)
        while waiting or running:
            while waiting and len(running) < jobs:
                work = waiting.pop()
                running.update([_started(work, circumstances)])
            for connection in wait_for(list(running)):
                assert isinstance(connection, Connection)
                work, process = running[connection]
                kind, content = _received(connection, process)
                if kind == "step":
                    watcher.stepped(work, *content)
                elif kind == "row":
                    stores[work.dataset].add(content)
                    watcher.found(row_of(content))
                else:
                    del running[connection]
                    process.join()
                    if kind == "failed":
                        failed.append(work)
                        watcher.failed(work, content)
                    else:
                        watcher.ended(work)
        for store in stores.values():
            _sort(store)
    return failed


def _started(work: Work, circumstances: Circumstances) -> tuple[Connection, tuple[Work, BaseProcess]]:
    # A fresh interpreter: threads of this one would not live through a fork, and its memory would be counted.
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_do, args=(theirs, work, circumstances), daemon=True)
    process.start()
    theirs.close()  # so that the end of the process is the end of the pipe
    return ours, (work, process)


def _received(connection: Connection, process: BaseProcess) -> tuple[str, Any]:
    try:
        kind, content = connection.recv()
    except EOFError:
        process.join()
        return "failed", f"its process was ended (code {process.exitcode})"
    return kind, content


def _do(connection: Connection, work: Work, circumstances: Circumstances) -> None:
    """Do a piece of work in a process of its own, and tell of it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes; the parent ends this one
    threading.Thread(target=_end_with_parent, daemon=True).start()
    warnings.simplefilter("ignore", NotConverged)  # a setting is judged by what it came to; nobody could act on it here
    say: Callable[[tuple[str, Any]], None] = connection.send
    try:
        for row in found_by(work, circumstances, lambda done, total: say(("step", (done, total)))):
            say(("row", as_stored(row)))
    except (SetwiseError, OSError) as error:
        say(("failed", str(error)))
    except Exception as error:
        say(("failed", f"{type(error).__name__}: {error}"))  # a fault of ours, whose message alone may say little
    else:
        say(("done", None))


def _end_with_parent() -> None:
    """Wait until the parent is no more, even by a kill: nobody would store what is found after that."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    wait_for([parent.sentinel])
    os._exit(1)


def _end(running: dict[Connection, tuple[Work, BaseProcess]]) -> None:
    for _, process in running.values():
        process.terminate()
        process.join()


def _sort(store: CellStore) -> None:
    """Write the rows again in the order of their keys, so that the order of work leaves no trace."""
    header, *_ = store.path.read_bytes().splitlines()
    rows = sorted(store.rows, key=lambda row: row_of(row).key)
    with atomic_writer(store.path) as file:
        file.write(b"".join(line + b"\n" for line in [header, *(json.dumps(row).encode() for row in rows)]))
