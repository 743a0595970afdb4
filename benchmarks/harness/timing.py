"""Timing that compares fairly: entries take turns on the same cores, and the fastest round of each counts."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter, process_time
from typing import TypeVar

import numpy as np

FULL_CORE = 0.95  # an entry that got less than this share of its core has a doubtful time, and its row says so
SLOW_SECONDS = 15.0  # an entry slower than this is run once: noise matters little there, and rounds cost much


class Skipped(Exception):
    """Raised when an entry cannot run. The message is the reason; the table shows it beside a dash."""


@dataclass(frozen=True)
class Timed:
    """The wall-clock seconds of one run."""

    seconds: float
    # Remark of the entry on its own run, shown in the table.
    note: str = field(default="", kw_only=True)
    # Processor time divided by wall-clock time: how many cores the entry got.
    cores: float = field(default=np.nan, kw_only=True)


T = TypeVar("T", bound=Timed)


def time_call(work: Callable[[], object]) -> Timed:
    """Call a function and return the seconds it took."""
    start = perf_counter()
    work()
    return Timed(perf_counter() - start)


@contextmanager
def on_cores(n_cores: int) -> Iterator[None]:
    """Restrict all threads of this process to the last ``n_cores`` cores; do nothing where the system cannot."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    allowed = os.sched_getaffinity(0)
    set_cores(sorted(allowed)[-n_cores:])
    try:
        yield
    finally:
        set_cores(allowed)


def set_cores(cores: Iterable[int]) -> None:
    """Restrict every thread of this process to these cores, also those that a library started and keeps for later."""
    threads = Path("/proc/self/task")
    for thread in map(int, os.listdir(threads)) if threads.exists() else (0,):
        with suppress(ProcessLookupError):  # it may have ended since
            os.sched_setaffinity(thread, cores)


def n_cores_allowed() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def measure_cores(run: Callable[[], T]) -> T:
    """Run an entry and record how many cores it got: other programs may use the machine at the same time."""
    clock, processor = perf_counter(), process_time()
    timed = run()
    return replace(timed, cores=(process_time() - processor) / (perf_counter() - clock))


def remarks(timed: Timed) -> str:
    """Return the entry's note, with a warning where it did not get a full core."""
    busy = f"machine busy: {timed.cores:.2f} of its core available" if timed.cores < FULL_CORE else ""
    return "; ".join(filter(None, [timed.note, busy]))


def fastest_runs(entries: Mapping[str, Callable[[], T]], n_rounds: int) -> dict[str, T | Skipped]:
    """Run all entries once per round and return the fastest run of each, or why it was skipped.

    Entries take turns, so that a slow minute of the machine affects all of them.
    """
    best: dict[str, T | Skipped] = {}
    for _ in range(n_rounds):
        for name, run in entries.items():
            before = best.get(name)
            if isinstance(before, Skipped) or (before is not None and before.seconds > SLOW_SECONDS):
                continue
            try:
                now = measure_cores(run)
            except Skipped as skipped:
                best[name] = skipped
                continue
            if before is None or now.seconds < before.seconds:
                best[name] = now
    return best


def fastest_of_each(entries: Sequence[Callable[[], T]], n_rounds: int) -> list[T]:
    """Return the fastest run of each entry; raise ``Skipped`` where one of them cannot run."""
    runs = []
    for run in fastest_runs({str(i): entry for i, entry in enumerate(entries)}, n_rounds).values():
        if isinstance(run, Skipped):
            raise run
        runs.append(run)
    return runs
