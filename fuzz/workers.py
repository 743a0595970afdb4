"""Worker processes that run one case at a time, so that a crash, a hang or a memory bomb belongs to one case."""

from __future__ import annotations

import math
import multiprocessing
import resource
import signal
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

SECONDS = 5
"""Processor time that a case may take: on a busy machine the clock says little."""

CLOCK_SECONDS = 60.0
"""Time by the clock, for a case that waits and does not work."""

BYTES = 2**30
"""Memory that a case may add to its process, at its peak."""

ADDRESS_SPACE = 4 * BYTES
"""Address space that it may add, so that no case fills the machine; libraries reserve more of it than they use."""

START_SECONDS = 120.0
"""Time for a worker to import setwise on a busy machine."""

_READY = "ready"


@dataclass(frozen=True)
class Case:
    """One damaged input: files by name, the first of which is the one to open."""

    name: str
    files: dict[str, bytes]


@dataclass(frozen=True)
class Outcome:
    """What became of a case; ``fault`` is None where setwise did as it should."""

    number: int
    said: str
    fault: str | None = None
    seconds: float = 0.0


Make = Callable[[int], Case]
Check = Callable[[Path], str]
"""Returns a word for what happened ("used", "refused"), and raises where it should not have happened."""


def run_all(kind: Any, numbers: Iterable[int], folder: Path, n_workers: int) -> Iterator[Outcome]:
    """Run the cases of a kind, ``kind.make(number)`` checked by ``kind.check``, in the order in which they end."""
    left = iter(numbers)
    workers = [_Worker(kind, folder / f"worker-{n}") for n in range(n_workers)]
    try:
        busy = [worker for worker in workers if worker.give(next(left, None))]
        while busy:
            wait([worker.connection for worker in busy], timeout=min(worker.seconds_left for worker in busy))
            for worker in list(busy):
                outcome = worker.outcome()
                if outcome is None:
                    continue
                yield outcome
                if not worker.give(next(left, None)):
                    busy.remove(worker)
    finally:
        for worker in workers:
            worker.end()


class _Worker:
    """A process and the case that it is at."""

    def __init__(self, kind: Any, folder: Path) -> None:
        self._kind = kind
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self._start()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, other = context.Pipe()
        self._process = context.Process(target=_serve, args=(other, self._kind, self._folder), daemon=True)
        self._process.start()
        other.close()
        if not self.connection.poll(START_SECONDS) or self.connection.recv() != _READY:
            raise RuntimeError("a worker did not start")

    def give(self, number: int | None) -> bool:
        """Hand over a case; False where there is none."""
        if number is None:
            return False
        self._number, self._began = number, time.monotonic()
        self.connection.send(number)
        return True

    @property
    def seconds_left(self) -> float:
        return max(0.0, self._began + CLOCK_SECONDS - time.monotonic())

    def outcome(self) -> Outcome | None:
        """Return what became of the case, or None while it goes on; a process that died or hangs is replaced."""
        try:
            if self.connection.poll():
                return self.connection.recv()  # type: ignore[no-any-return]
        except (EOFError, ConnectionError):
            self._process.join()
            if self._process.exitcode == -signal.SIGXCPU:
                return self._failed(f"it took more than {SECONDS} s")
            return self._failed(f"the process died with exit code {self._process.exitcode}")
        if self.seconds_left > 0.0:
            return None
        return self._failed(f"it waited for more than {CLOCK_SECONDS:g} s")

    def _failed(self, fault: str) -> Outcome:
        seconds = time.monotonic() - self._began
        self.end()
        self._start()
        return Outcome(self._number, "failed", fault, seconds)

    def end(self) -> None:
        """End the process that this worker started."""
        self._process.kill()
        self._process.join()
        self.connection.close()


def _serve(connection: Connection, kind: Any, folder: Path) -> None:
    warnings.simplefilter("ignore")  # numbers that are absurd, but are numbers, may overflow on the way
    kind.load()
    connection.send(_READY)
    while True:
        try:
            number = connection.recv()
        except EOFError:
            return
        path = write_case(kind.make(number), folder)
        connection.send(checked(kind.check, path, number))


def write_case(case: Case, folder: Path) -> Path:
    """Write the files of a case to a folder and return the one to open."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in case.files.items():
        (folder / name).write_bytes(content)
    return folder / next(iter(case.files))


def checked(check: Check, path: Path, number: int) -> Outcome:
    """Check one file; a case that takes too long ends the process by SIGXCPU."""
    began = time.process_time()
    with _limited_time(), _limited_memory() as peak:
        try:
            said, fault = check(path), None
        except MemoryError:
            said, fault = "failed", f"it asked for more than {ADDRESS_SPACE:,} bytes"
        except Exception as error:
            said, fault = "failed", f"{type(error).__name__}: {error!s:.300}"
        if fault is None and peak() > BYTES:
            said, fault = "failed", f"it took {peak():,} bytes"
    return Outcome(number, said, fault, time.process_time() - began)


@contextmanager
def _limited_time() -> Iterator[None]:
    """Let the system end this process where it takes more processor time than a case may."""
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(time.process_time()) + SECONDS, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_CPU, (hard, hard))


@contextmanager
def _limited_memory() -> Iterator[Callable[[], int]]:
    """Limit the address space of this process, and tell by how much its memory grew; nothing where Linux is not."""
    if not Path("/proc/self/clear_refs").exists():
        yield lambda: 0
        return
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    Path("/proc/self/clear_refs").write_text("5")  # the peak is counted from here on
    before = _memory("VmRSS")
    resource.setrlimit(resource.RLIMIT_AS, (_memory("VmSize") + ADDRESS_SPACE, hard))
    try:
        yield lambda: _memory("VmHWM") - before
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (hard, hard))


def _memory(name: str) -> int:
    """Read bytes of memory that the system counts for this process."""
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith(f"{name}:"))
    return 1024 * int(line.split()[1])
