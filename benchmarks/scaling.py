"""Sections ``path`` and ``threads``: setwise beside itself. Models are held to their threads here too."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, cast

import numpy as np

from benchmarks.effort import Effort
from benchmarks.judge import Fit, total_objective
from benchmarks.peers import Entry, Refused
from benchmarks.problem import Penalty, Problem
from benchmarks.rows import Row
from benchmarks.timing import T, in_turns, n_cores_allowed, on_cores, remarks

if TYPE_CHECKING:
    from benchmarks.peers.setwise import Setwise

L1_RATIOS = (1.0, 0.5, 0.0)
N_STRENGTHS = 20
MOST_COLD_FITS = 5.0  # a path may cost this many cold fits at its last strength
LEAST_SPEEDUP = 1.7  # of two threads over one


def path_rows(problem: Problem, effort: Effort) -> Iterator[Row]:
    """Time a path against a cold fit at its last strength, that of C = 1."""
    peer = setwise_for(problem, n_jobs=1)
    path_title, cold_title = f"path of {N_STRENGTHS} strengths", "cold fit at the last"
    for l1_ratio in L1_RATIOS:
        last = Penalty.from_c(1.0, l1_ratio, problem.n_samples)
        with on_cores(1):
            path, cold = best_fits(
                [partial(peer.fit_path, last, N_STRENGTHS), partial(peer.fit, problem.all_labels, last)],
                effort.n_rounds,
            )
        cold_fits = path.seconds / cold.seconds
        met = "yes" if cold_fits <= MOST_COLD_FITS else f"no: {cold_fits:.1f} cold fits, the goal is {MOST_COLD_FITS:g}"
        for title, fit in ((path_title, path), (cold_title, cold)):
            yield Row(
                "path",
                problem.name,
                f"C = 1 at the end, l1_ratio = {l1_ratio:g}",
                title,
                {
                    "seconds": fit.seconds,
                    "objective": total_objective(problem, problem.all_labels, last, fit),
                    "non-zeros": fit.nonzeros,
                    "cold fits": cold_fits if fit is path else None,
                },
                met if fit is path else "",
                remarks(fit),
            )


def thread_rows(problem: Problem, effort: Effort) -> Iterator[Row]:
    """Time one thread against two, both cores free for either, and compare the bits that come out."""
    need_two_cores()
    peers = [setwise_for(problem, n_jobs=n_jobs) for n_jobs in (1, 2)]
    for l1_ratio in L1_RATIOS:
        penalty = Penalty.from_c(1.0, l1_ratio, problem.n_samples)
        fits = [partial(peer.fit, problem.all_labels, penalty) for peer in peers]
        setting = f"C = 1, l1_ratio = {l1_ratio:g}"
        yield from one_and_two_rows(problem, setting, fits, effort.n_rounds, same_bits, LEAST_SPEEDUP)


def one_and_two_rows(
    problem: Problem,
    setting: str,
    contestants: list[Callable[[], T]],
    n_rounds: int,
    same: Callable[[T, T], bool],
    least_speedup: float,
) -> Iterator[Row]:
    """Two rows: the contestant with one thread, then the one with two."""
    with on_cores(2):
        one, two = best_fits(contestants, n_rounds)
    speedup = one.seconds / two.seconds
    verdict = verdict_on_threads(speedup, same(one, two), least_speedup)
    measured = {"seconds": one.seconds, "cores": one.cores, "ratio": None}
    yield Row("threads", problem.name, setting, "1 thread", measured)
    measured = {"seconds": two.seconds, "cores": two.cores, "ratio": speedup}
    yield Row("threads", problem.name, setting, "2 threads", measured, verdict)


def need_two_cores() -> None:
    if n_cores_allowed() < 2:
        raise Refused("needs two cores, and this process may use one")


def setwise_for(problem: Problem, *, n_jobs: int) -> Setwise:
    return cast("Setwise", Entry("setwise", "setwise", {"n_jobs": n_jobs}).enter(problem))


def best_fits(contestants: list[Callable[[], T]], n_rounds: int) -> list[T]:
    """Let our own fits take turns; a refusal among them stops the section."""
    fits = []
    for fit in in_turns({str(i): contestant for i, contestant in enumerate(contestants)}, n_rounds).values():
        if isinstance(fit, Refused):
            raise fit
        fits.append(fit)
    return fits


def verdict_on_threads(speedup: float, same: bool, least_speedup: float) -> str:
    faults = []
    if speedup < least_speedup:
        faults.append(f"{speedup:.2f} times, the goal is {least_speedup:g}")
    if not same:
        faults.append("the bits differ from those of one thread")
    return f"no: {' and '.join(faults)}" if faults else "yes"


def same_bits(one: Fit, two: Fit) -> bool:
    parts = [(fit.intercept, fit.coef.indptr, fit.coef.indices, fit.coef.data) for fit in (one, two)]
    return all(np.array_equal(a, b) for a, b in zip(*parts, strict=True))
