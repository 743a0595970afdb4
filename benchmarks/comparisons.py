"""Sections ``l1``, ``elastic`` and ``l2``: setwise beside its peers, one cell a penalty and a choice of labels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from benchmarks.effort import Effort
from benchmarks.judge import Fit, total_objective
from benchmarks.peers import Entry, Peer, Refused
from benchmarks.problem import Penalty, Problem
from benchmarks.rows import Row
from benchmarks.timing import in_turns, on_cores, remarks

SETWISE = Entry("setwise", "setwise")
SETWISE_TIGHT = Entry("setwise", "setwise, tol 1e-7", {"tol": 1e-7})  # beside peers that are run to many digits
LIBLINEAR_L1 = Entry("liblinear", "LIBLINEAR -s 6 -e 0.001")
LIBLINEAR_L2 = Entry("liblinear", "LIBLINEAR -s 0 -e 0.001")
LIBLINEAR = Entry("liblinear", "LIBLINEAR")
SAGA = Entry("saga", "saga, max_iter 100", {"max_iter": 100})
SAGA_LONG = Entry("saga", "saga, max_iter 1000", {"max_iter": 1000})
GLMNET = Entry("glmnet", "glmnet, tol 1e-7")
SKGLM = Entry("skglm", "skglm, tol 1e-4", {"tol": 1e-4})
SKGLM_TIGHT = Entry("skglm", "skglm, tol 1e-6", {"tol": 1e-6})

GOALS = {"saga": 30.0}  # how many times faster than a peer setwise has to be; 1 where nothing is said
ROUNDING = 1e-9  # relative: below this two objectives are the same number


@dataclass(frozen=True)
class Cell:
    c: float
    l1_ratio: float
    labels: NDArray[np.intp]
    peers: tuple[Entry, ...]
    ours: Entry = SETWISE

    @property
    def entries(self) -> tuple[Entry, ...]:
        return (self.ours, *self.peers)

    def setting(self, problem: Problem) -> str:
        tight = ", tight" if self.ours is SETWISE_TIGHT else ""
        n_labels = f"{len(self.labels)} of {len(problem.all_labels)} labels"
        return f"C = {self.c:g}, l1_ratio = {self.l1_ratio:g}, {n_labels}{tight}"


def l1_cells(problem: Problem, effort: Effort) -> Iterator[Cell]:
    for c in effort.cs:
        yield Cell(c, 1.0, problem.all_labels, (LIBLINEAR_L1,))
        some = problem.labels_over_frequency(effort.n_labels)
        yield Cell(c, 1.0, some, (SKGLM,))
        yield Cell(c, 1.0, some, (SKGLM_TIGHT, GLMNET), SETWISE_TIGHT)


def elastic_cells(problem: Problem, effort: Effort) -> Iterator[Cell]:
    for c in effort.elastic_cs:
        for l1_ratio in (0.5, 0.1):
            some = problem.labels_over_frequency(effort.n_labels)
            yield Cell(c, l1_ratio, some, (LIBLINEAR, SAGA, SKGLM))
            yield Cell(c, l1_ratio, some, (SKGLM_TIGHT, GLMNET), SETWISE_TIGHT)
            if effort.n_labels_of_slowest:
                yield Cell(c, l1_ratio, problem.labels_over_frequency(effort.n_labels_of_slowest), (SAGA_LONG,))


def l2_cells(problem: Problem, effort: Effort) -> Iterator[Cell]:
    for c in effort.cs:
        yield Cell(c, 0.0, problem.all_labels, (LIBLINEAR_L2,))


CELLS = {"l1": l1_cells, "elastic": elastic_cells, "l2": l2_cells}


def compare(section: str, problem: Problem, effort: Effort) -> Iterator[Row]:
    ready: dict[str, Peer | Refused] = {}  # by title: what a peer prepares, it prepares once a problem
    with on_cores(1):
        for cell in CELLS[section](problem, effort):
            for entry in cell.entries:
                if entry.title not in ready:
                    ready[entry.title] = enter(entry, problem)
            yield from cell_rows(section, problem, cell, ready, effort.n_rounds)


def enter(entry: Entry, problem: Problem) -> Peer | Refused:
    try:
        return entry.enter(problem)
    except Refused as refusal:
        return refusal


def cell_rows(
    section: str, problem: Problem, cell: Cell, ready: dict[str, Peer | Refused], n_rounds: int
) -> Iterator[Row]:
    penalty = Penalty.from_c(cell.c, cell.l1_ratio, problem.n_samples)
    contestants = {e.title: partial(attempt, ready[e.title], cell.labels, penalty) for e in cell.entries}
    fits = in_turns(contestants, n_rounds)
    objectives = {
        title: total_objective(problem, cell.labels, penalty, fit)
        for title, fit in fits.items()
        if isinstance(fit, Fit)
    }
    ours = fits[cell.ours.title]
    for entry in cell.entries:
        fit = fits[entry.title]
        if isinstance(fit, Refused):
            yield Row(section, problem.name, cell.setting(problem), entry.title, {}, note=str(fit))
            continue
        ratio, verdict = None, ""
        if isinstance(ours, Fit) and entry is not cell.ours:
            ratio = fit.seconds / ours.seconds
            excess = objectives[cell.ours.title] / objectives[entry.title] - 1
            verdict = verdict_on(ratio, excess, GOALS.get(entry.module, 1.0))
        values = {
            "seconds": fit.seconds,
            "objective": objectives[entry.title],
            "non-zeros": fit.nonzeros,
            "ratio": ratio,
        }
        yield Row(section, problem.name, cell.setting(problem), entry.title, values, verdict, remarks(fit))


def attempt(peer: Peer | Refused, labels: NDArray[np.intp], penalty: Penalty) -> Fit:
    if isinstance(peer, Refused):
        raise peer
    return peer.fit(labels, penalty)


def verdict_on(ratio: float, excess: float, goal: float) -> str:
    """Say whether setwise was fast enough at an objective at or below the peer's, and if not, why not."""
    faults = []
    if ratio < goal:
        faults.append(f"{ratio:.2f} times as fast, the goal is {goal:g}")
    if excess > ROUNDING:
        faults.append(f"objective higher by {excess:.1e}")
    return f"no: {' and '.join(faults)}" if faults else "yes"
