"""The rows of the learners' benchmark: comparison with peers, paths, threads and memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness.memory import measure_memory
from benchmarks.harness.objective import Fit, total_objective
from benchmarks.harness.problem import Penalty, Problem
from benchmarks.harness.rows import Row
from benchmarks.harness.threads import thread_scaling_rows
from benchmarks.harness.timing import Skipped, fastest_of_each, fastest_runs, on_cores, remarks
from benchmarks.learners import LearnersEffort
from benchmarks.peers import LIBLINEAR_L1, Peer, PeerEntry, fit_or_raise, prepare_or_skip
from benchmarks.peers.setwise import Setwise
from setwise.learners import LossName

SETWISE = PeerEntry("setwise", "setwise")
SETWISE_TIGHT = PeerEntry("setwise", "setwise, tol 1e-7", {"tol": 1e-7})  # for peers that compute many digits
LIBLINEAR_L2 = PeerEntry("liblinear", "LIBLINEAR -s 0 -e 0.001")
LIBLINEAR = PeerEntry("liblinear", "LIBLINEAR")
SAGA = PeerEntry("saga", "saga, max_iter 100", {"max_iter": 100})
SAGA_LONG = PeerEntry("saga", "saga, max_iter 1000", {"max_iter": 1000})
GLMNET = PeerEntry("glmnet", "glmnet, tol 1e-7")
SKGLM = PeerEntry("skglm", "skglm, tol 1e-4", {"tol": 1e-4})
SKGLM_TIGHT = PeerEntry("skglm", "skglm, tol 1e-6", {"tol": 1e-6})

HINGE: dict[str, LossName] = {"loss": "squared_hinge"}
SETWISE_HINGE = PeerEntry("setwise", "setwise, squared hinge", {**HINGE})
SETWISE_HINGE_LOOSE = PeerEntry("setwise", "setwise, squared hinge, tol 6e-5", {**HINGE, "tol": 6e-5})
LIBLINEAR_HINGE_L1 = PeerEntry("liblinear", "LIBLINEAR -s 5 -e 0.001", {**HINGE})
LIBLINEAR_HINGE_L2 = PeerEntry("liblinear", "LIBLINEAR -s 2 -e 0.001", {**HINGE})

MIN_SPEEDUPS = {"saga": 30.0}  # over a peer, by module; 1 over the others
ROUNDING = 1e-9  # relative: objectives closer than this count as equal

L1_RATIOS = (1.0, 0.5, 0.0)
N_STRENGTHS = 20
MAX_COLD_FITS = 5.0  # cost of a path, in cold fits at its last strength
MIN_THREAD_SPEEDUP = 1.7  # of two threads over one
MAX_EXTRA_MB = 150.0  # beyond the memory before the fit, which includes the data, and the result


@dataclass(frozen=True)
class Setting:
    """One penalty on one selection of labels, and the entries that are compared there."""

    c: float
    l1_ratio: float
    labels: NDArray[np.intp]
    peers: tuple[PeerEntry, ...]
    ours: PeerEntry = SETWISE

    @property
    def loss(self) -> LossName:
        loss: LossName = self.ours.options.get("loss", "logistic")
        return loss

    @property
    def entries(self) -> tuple[PeerEntry, ...]:
        return (self.ours, *self.peers)

    def title(self, problem: Problem) -> str:
        tight = ", tight" if self.ours is SETWISE_TIGHT else ""
        n_labels = f"{len(self.labels)} of {len(problem.all_labels)} labels"
        return f"C = {self.c:g}, l1_ratio = {self.l1_ratio:g}, {n_labels}{tight}"


def l1_settings(problem: Problem, effort: LearnersEffort) -> Iterator[Setting]:
    """Yield LIBLINEAR on all labels, the slower peers on some."""
    for c in effort.cs:
        yield Setting(c, 1.0, problem.all_labels, (LIBLINEAR_L1,))
        some = problem.labels_over_frequency(effort.n_labels)
        yield Setting(c, 1.0, some, (SKGLM,))
        yield Setting(c, 1.0, some, (SKGLM_TIGHT, GLMNET), SETWISE_TIGHT)


def elastic_settings(problem: Problem, effort: LearnersEffort) -> Iterator[Setting]:
    """Yield the peers on some labels; LIBLINEAR's row shows why it cannot take part."""
    for c in effort.elastic_cs:
        for l1_ratio in (0.5, 0.1):
            some = problem.labels_over_frequency(effort.n_labels)
            yield Setting(c, l1_ratio, some, (LIBLINEAR, SAGA, SKGLM))
            yield Setting(c, l1_ratio, some, (SKGLM_TIGHT, GLMNET), SETWISE_TIGHT)
            if effort.n_labels_slowest:
                yield Setting(c, l1_ratio, problem.labels_over_frequency(effort.n_labels_slowest), (SAGA_LONG,))


def l2_settings(problem: Problem, effort: LearnersEffort) -> Iterator[Setting]:
    """Yield LIBLINEAR on all labels."""
    for c in effort.cs:
        yield Setting(c, 0.0, problem.all_labels, (LIBLINEAR_L2,))


def hinge_settings(problem: Problem, effort: LearnersEffort) -> Iterator[Setting]:
    """Yield LIBLINEAR on all labels with the squared hinge, L1 and L2.

    On bibtex LIBLINEAR ends far from the optimum, so setwise ends earlier too.
    """
    ours = SETWISE_HINGE_LOOSE if problem.name == "bibtex" else SETWISE_HINGE
    for l1_ratio, peer in ((1.0, LIBLINEAR_HINGE_L1), (0.0, LIBLINEAR_HINGE_L2)):
        for c in effort.cs:
            yield Setting(c, l1_ratio, problem.all_labels, (peer,), ours)


SETTINGS = {"l1": l1_settings, "elastic": elastic_settings, "l2": l2_settings, "hinge": hinge_settings}


def comparison_rows(section: str, problem: Problem, effort: LearnersEffort) -> Iterator[Row]:
    """Compare setwise with its peers on one core, in every setting of a section."""
    prepared: dict[str, Peer | Skipped] = {}  # by title: a peer is prepared once per problem
    with on_cores(1):
        for setting in SETTINGS[section](problem, effort):
            for entry in setting.entries:
                if entry.title not in prepared:
                    prepared[entry.title] = prepare_or_skip(entry, problem)
            yield from setting_rows(section, problem, setting, prepared, effort.n_rounds)


def setting_rows(
    section: str, problem: Problem, setting: Setting, prepared: dict[str, Peer | Skipped], n_rounds: int
) -> Iterator[Row]:
    """Run the entries of one setting in turns; peers are compared with setwise by time and objective."""
    penalty = Penalty.from_c(setting.c, setting.l1_ratio, problem.n_samples)
    runs = {e.title: partial(fit_or_raise, prepared[e.title], setting.labels, penalty) for e in setting.entries}
    fits = fastest_runs(runs, n_rounds)
    objectives = {
        title: total_objective(problem, setting.labels, penalty, fit, setting.loss)
        for title, fit in fits.items()
        if isinstance(fit, Fit)
    }
    ours = fits[setting.ours.title]
    for entry in setting.entries:
        fit = fits[entry.title]
        if isinstance(fit, Skipped):
            yield Row(section, problem.name, setting.title(problem), entry.title, {}, note=str(fit))
            continue
        speedup, verdict = None, ""
        if isinstance(ours, Fit) and entry is not setting.ours:
            speedup = fit.seconds / ours.seconds
            excess = objectives[setting.ours.title] / objectives[entry.title] - 1
            verdict = verdict_on(speedup, excess, MIN_SPEEDUPS.get(entry.module, 1.0))
        values = {
            "seconds": fit.seconds,
            "objective": objectives[entry.title],
            "non-zeros": fit.n_nonzeros,
            "speedup": speedup,
        }
        yield Row(section, problem.name, setting.title(problem), entry.title, values, verdict, remarks(fit))


def verdict_on(speedup: float, excess: float, min_speedup: float) -> str:
    """Return "yes" where setwise is fast enough at an objective no higher than the peer's, or what it missed."""
    faults = []
    if speedup < min_speedup:
        faults.append(f"{speedup:.2f} times as fast, the goal is {min_speedup:g}")
    if excess > ROUNDING:
        faults.append(f"objective higher by {excess:.1e}")
    return f"no: {' and '.join(faults)}" if faults else "yes"


def path_rows(problem: Problem, effort: LearnersEffort) -> Iterator[Row]:
    """Compare a path of strengths with a cold fit at its last strength, that of C = 1."""
    peer = Setwise(problem, n_jobs=1)
    path_title, cold_title = f"path of {N_STRENGTHS} strengths", "cold fit at the last strength"
    for l1_ratio in L1_RATIOS:
        last = Penalty.from_c(1.0, l1_ratio, problem.n_samples)
        with on_cores(1):
            path, cold = fastest_of_each(
                [partial(peer.fit_path, last, N_STRENGTHS), partial(peer.fit, problem.all_labels, last)],
                effort.n_rounds,
            )
        cold_fits = path.seconds / cold.seconds
        verdict = (
            "yes" if cold_fits <= MAX_COLD_FITS else f"no: {cold_fits:.1f} cold fits, the goal is {MAX_COLD_FITS:g}"
        )
        for title, fit in ((path_title, path), (cold_title, cold)):
            values = {
                "seconds": fit.seconds,
                "objective": total_objective(problem, problem.all_labels, last, fit),
                "non-zeros": fit.n_nonzeros,
                "cold fits": cold_fits if fit is path else None,
            }
            setting = f"path to C = 1, l1_ratio = {l1_ratio:g}"
            yield Row("path", problem.name, setting, title, values, verdict if fit is path else "", remarks(fit))


def thread_rows(problem: Problem, effort: LearnersEffort) -> Iterator[Row]:
    """Compare one thread with two on all labels."""
    peers = [Setwise(problem, n_jobs=n_jobs) for n_jobs in (1, 2)]
    for l1_ratio in L1_RATIOS:
        penalty = Penalty.from_c(1.0, l1_ratio, problem.n_samples)
        fits = [partial(peer.fit, problem.all_labels, penalty) for peer in peers]
        setting = f"C = 1, l1_ratio = {l1_ratio:g}"
        yield from thread_scaling_rows(problem.name, setting, fits, effort.n_rounds, same_bits, MIN_THREAD_SPEEDUP)


def same_bits(one: Fit, two: Fit) -> bool:
    """Return whether two fits are bit for bit the same."""
    arrays = [(fit.intercept, fit.coef.indptr, fit.coef.indices, fit.coef.data) for fit in (one, two)]
    return all(np.array_equal(a, b) for a, b in zip(*arrays, strict=True))


def memory_rows(problem: Problem, effort: LearnersEffort) -> Iterator[Row]:
    """Measure the memory of a fit of all labels, with one thread per core."""
    for l1_ratio in (1.0, 0.0):
        in_mb = measure_memory(problem, "labels", asdict(Penalty.from_c(1.0, l1_ratio, problem.n_samples)))
        extra = in_mb["peak"] - in_mb["before"] - in_mb["result"]
        yield Row(
            "memory",
            problem.name,
            f"C = 1, l1_ratio = {l1_ratio:g}, {len(problem.all_labels)} labels",
            "setwise, one thread per core",
            {name: in_mb[name] for name in ("data", "before", "peak", "result")},
            "yes" if extra <= MAX_EXTRA_MB else f"no: the goal is {MAX_EXTRA_MB:g} MB",
            f"{max(extra, 0):.0f} MB beyond the memory before and the result",
        )
