"""Rows that compare one thread with two: the speedup, and whether the results are bit for bit the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from benchmarks.harness.rows import Row
from benchmarks.harness.timing import Skipped, T, fastest_of_each, n_cores_allowed, on_cores


def thread_scaling_rows(
    dataset: str,
    setting: str,
    one_and_two: Sequence[Callable[[], T]],
    n_rounds: int,
    same: Callable[[T, T], bool],
    min_speedup: float,
) -> Iterator[Row]:
    """Time a run with one thread and one with two, both cores free for either; raise ``Skipped`` on one core."""
    if n_cores_allowed() < 2:
        raise Skipped("needs two cores, but this process may use only one")
    with on_cores(2):
        one, two = fastest_of_each(one_and_two, n_rounds)
    speedup = one.seconds / two.seconds
    verdict = verdict_on_threads(speedup, same(one, two), min_speedup)
    values = {"seconds": one.seconds, "cores": one.cores, "speedup": None}
    yield Row("threads", dataset, setting, "1 thread", values)
    values = {"seconds": two.seconds, "cores": two.cores, "speedup": speedup}
    yield Row("threads", dataset, setting, "2 threads", values, verdict)


def verdict_on_threads(speedup: float, same: bool, min_speedup: float) -> str:
    """Return "yes", or which of the two goals was missed."""
    faults = []
    if speedup < min_speedup:
        faults.append(f"{speedup:.2f} times, the goal is {min_speedup:g}")
    if not same:
        faults.append("the bits differ from those of one thread")
    return f"no: {' and '.join(faults)}" if faults else "yes"
