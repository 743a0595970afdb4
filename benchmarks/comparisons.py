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
from benchmarks.timing import in_turns, on_cores

SETWISE = Entry("setwise", "setwise")
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


def l1_cells(problem: Problem, effort: Effort) -> Iterator[Cell]:
    for c in effort.cs:
        yield Cell(c, 1.0, problem.all_labels, (LIBLINEAR_L1,))
        yield Cell(c, 1.0, problem.labels_over_frequency(effort.n_labels), (SKGLM, SKGLM_TIGHT, GLMNET))


def elastic_cells(problem: Problem, effort: Effort) -> Iterator[Cell]:
    for c in effort.elastic_cs:
        for l1_ratio in (0.5, 0.1):
            some = problem.labels_over_frequency(effort.n_labels)
            yield Cell(c, l1_ratio, some, (LIBLINEAR, SAGA, GLMNET, SKGLM, SKGLM_TIGHT))
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
            entries = (SETWISE, *cell.peers)
            for entry in entries:
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
    entries = (SETWISE, *cell.peers)
    contestants = {e.title: partial(attempt, ready[e.title], cell.labels, penalty) for e in entries}
    fits = in_turns(contestants, n_rounds)
    objectives = {
        title: total_objective(problem, cell.labels, penalty, fit)
        for title, fit in fits.items()
        if isinstance(fit, Fit)
    }
    ours = fits[SETWISE.title]
    for entry in entries:
        fit = fits[entry.title]
        ratio, verdict = None, ""
        if isinstance(ours, Fit) and isinstance(fit, Fit) and entry is not SETWISE:
            ratio = fit.seconds / ours.seconds
            excess = objectives[SETWISE.title] / objectives[entry.title] - 1
            verdict = verdict_on(ratio, excess, GOALS.get(entry.module, 1.0))
        yield Row(
            section,
            problem.name,
            f"C = {cell.c:g}, l1_ratio = {cell.l1_ratio:g}, {len(cell.labels)} of {len(problem.all_labels)} labels",
            entry.title,
            {
                "seconds": fit.seconds if isinstance(fit, Fit) else None,
                "objective": objectives.get(entry.title),
                "non-zeros": fit.nonzeros if isinstance(fit, Fit) else None,
                "ratio": ratio,
            },
            verdict,
            fit.note if isinstance(fit, Fit) else str(fit),
        )


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
