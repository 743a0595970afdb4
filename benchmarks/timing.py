"""Fair time: contestants take turns on one core, and each is known by its best round."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from time import perf_counter, process_time
from typing import TypeVar

from benchmarks.peers import Refused
from benchmarks.timed import Timed

WHOLE_CORE = 0.95  # with less of its core than this, a contestant's time is doubtful, and its row says so
SLOW_SECONDS = 15.0  # who takes longer than this is run once: chance matters little there, patience much

T = TypeVar("T", bound=Timed)


@contextmanager
def on_cores(n_cores: int) -> Iterator[None]:
    """Keep this process on the last ``n_cores`` cores, or leave it alone where the system knows no such thing."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(allowed)[-n_cores:])
    try:
        yield
    finally:
        os.sched_setaffinity(0, allowed)


def n_cores_allowed() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def with_cores(fit: Callable[[], T]) -> T:
    """Fit, and note how many cores the process was given meanwhile: others may be at work on the machine."""
    clock, processor = perf_counter(), process_time()
    fitted = fit()
    return replace(fitted, cores=(process_time() - processor) / (perf_counter() - clock))


def remarks(fit: Timed) -> str:
    """Return what a contestant noted, and a warning where it did not have its core to itself."""
    busy = f"others were busy: it had {fit.cores:.2f} of its core" if fit.cores < WHOLE_CORE else ""
    return "; ".join(filter(None, [fit.note, busy]))


def in_turns(contestants: Mapping[str, Callable[[], T]], n_rounds: int) -> dict[str, T | Refused]:
    """Run all, then all again, so that a slow minute of the machine hits everyone; keep the fastest fit of each."""
    best: dict[str, T | Refused] = {}
    for _ in range(n_rounds):
        for name, fit in contestants.items():
            before = best.get(name)
            if isinstance(before, Refused) or (before is not None and before.seconds > SLOW_SECONDS):
                continue
            try:
                now = with_cores(fit)
            except Refused as refusal:
                best[name] = refusal
                continue
            if before is None or now.seconds < before.seconds:
                best[name] = now
    return best
