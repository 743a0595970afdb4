"""Worker processes that run one case at a time, so that a crash, a hang or a memory bomb is traced to its case."""

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
from typing import Protocol

# Processor time per case. Wall-clock time would depend on what else the machine does.
CPU_SECONDS = 5

# Wall-clock time per case, for a case that waits without using the processor.
CLOCK_SECONDS = 60.0

# Peak memory that a case may add to its process.
MAX_BYTES = 2**30

# Address space that a case may add, so that none exhausts the machine. Libraries reserve more of it than they use.
MAX_ADDRESS_SPACE = 4 * MAX_BYTES

# Time for a worker to import setwise on a busy machine.
START_SECONDS = 120.0

_READY = "ready"


@dataclass(frozen=True)
class Case:
    """One damaged input: the content of its files by name. The first file is the one to open."""

    name: str
    files: dict[str, bytes]


@dataclass(frozen=True)
class Outcome:
    """The result of one case."""

    number: int
    # "used" or "refused", as the check returned it, or "failed".
    result: str
    # What went wrong; None where setwise behaved as it should.
    fault: str | None = None
    seconds: float = 0.0


class Cases(Protocol):
    """A source of numbered cases; workers get a copy by pickling."""

    def load(self) -> None:
        """Find the undamaged files; called once per worker."""

    def make(self, number: int) -> Case:
        """Return the case of a number, always the same."""

    @staticmethod
    def check(path: Path) -> str:
        """Use a file and return "used" or "refused"; raise where setwise misbehaves."""


def run_all(cases: Cases, numbers: Iterable[int], folder: Path, n_workers: int) -> Iterator[Outcome]:
    """Run the cases of these numbers in worker processes and yield outcomes in the order in which they end."""
    remaining = iter(numbers)
    workers = [_Worker(cases, folder / f"worker-{n}") for n in range(n_workers)]
    try:
        busy = [worker for worker in workers if worker.submit(next(remaining, None))]
        while busy:
            wait([worker.connection for worker in busy], timeout=min(worker.seconds_left for worker in busy))
            for worker in list(busy):
                outcome = worker.outcome()
                if outcome is None:
                    continue
                yield outcome
                if not worker.submit(next(remaining, None)):
                    busy.remove(worker)
    finally:
        for worker in workers:
            worker.stop()


class _Worker:
    """A process and the case that it runs."""

    def __init__(self, cases: Cases, folder: Path) -> None:
        self._cases = cases
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self._start()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, other = context.Pipe()
        self._process = context.Process(target=_serve, args=(other, self._cases, self._folder), daemon=True)
        self._process.start()
        other.close()
        if not self.connection.poll(START_SECONDS) or self.connection.recv() != _READY:
            raise RuntimeError(f"A worker process did not start within {START_SECONDS:g} s.")

    def submit(self, number: int | None) -> bool:
        """Start a case; return False where there is none."""
        if number is None:
            return False
        self._number, self._began = number, time.monotonic()
        self.connection.send(number)
        return True

    @property
    def seconds_left(self) -> float:
        """Wall-clock time until the case is stopped."""
        return max(0.0, self._began + CLOCK_SECONDS - time.monotonic())

    def outcome(self) -> Outcome | None:
        """Return the outcome, or None while the case runs; replace a process that died or hangs."""
        try:
            if self.connection.poll():
                return self.connection.recv()  # type: ignore[no-any-return]
        except (EOFError, ConnectionError):
            self._process.join()
            if self._process.exitcode == -signal.SIGXCPU:
                return self._failed(f"used more than {CPU_SECONDS} s of processor time")
            return self._failed(f"the process died with exit code {self._process.exitcode}")
        if self.seconds_left > 0.0:
            return None
        return self._failed(f"ran for more than {CLOCK_SECONDS:g} s")

    def _failed(self, fault: str) -> Outcome:
        seconds = time.monotonic() - self._began
        self.stop()
        self._start()
        return Outcome(self._number, "failed", fault, seconds)

    def stop(self) -> None:
        """Kill the process that this worker started."""
        self._process.kill()
        self._process.join()
        self.connection.close()


def _serve(connection: Connection, cases: Cases, folder: Path) -> None:
    """Run cases by the numbers that arrive, until the connection is closed."""
    warnings.simplefilter("ignore")  # absurd but valid numbers may overflow
    cases.load()
    connection.send(_READY)
    while True:
        try:
            number = connection.recv()
        except EOFError:
            return
        path = write_case(cases.make(number), folder)
        connection.send(run_check(cases.check, path, number))


def write_case(case: Case, folder: Path) -> Path:
    """Write the files of a case to a folder and return the path of the one to open."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in case.files.items():
        (folder / name).write_bytes(content)
    return folder / next(iter(case.files))


def run_check(check: Callable[[Path], str], path: Path, number: int) -> Outcome:
    """Check one file within the limits; SIGXCPU ends the process of a case that takes too long.

    To be called in a process of its own: the system samples the processor time that it limits, and in a process that
    has run for minutes the samples may be off by more than a case may take.
    """
    began = time.process_time()
    with _limited_time(), _limited_memory() as peak:
        try:
            result, fault = check(path), None
        except MemoryError:
            result, fault = "failed", f"asked for more than {MAX_ADDRESS_SPACE:,} bytes"
        except Exception as error:
            result, fault = "failed", f"{type(error).__name__}: {error!s:.300}"
        if fault is None and peak() > MAX_BYTES:
            result, fault = "failed", f"used {peak():,} bytes"
    return Outcome(number, result, fault, time.process_time() - began)


@contextmanager
def _limited_time() -> Iterator[None]:
    """Let the system end this process when it exceeds the processor time of a case."""
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(time.process_time()) + CPU_SECONDS, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_CPU, (hard, hard))


@contextmanager
def _limited_memory() -> Iterator[Callable[[], int]]:
    """Limit the address space of this process and yield a function that returns its peak growth; Linux only."""
    if not Path("/proc/self/clear_refs").exists():
        yield lambda: 0
        return
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    Path("/proc/self/clear_refs").write_text("5")  # resets the peak
    before = _memory("VmRSS")
    resource.setrlimit(resource.RLIMIT_AS, (_memory("VmSize") + MAX_ADDRESS_SPACE, hard))
    try:
        yield lambda: _memory("VmHWM") - before
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (hard, hard))


def _memory(name: str) -> int:
    """Return a memory field of this process in bytes."""
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith(f"{name}:"))
    return 1024 * int(line.split()[1])
