"""The rows of the models' benchmark: cost relative to LIBLINEAR, threads, memory, and numerical errors."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from benchmarks.harness.memory import measure_memory
from benchmarks.harness.problem import Penalty, Problem
from benchmarks.harness.rows import Row
from benchmarks.harness.threads import thread_scaling_rows
from benchmarks.harness.timing import Skipped, Timed, fastest_runs, on_cores, remarks
from benchmarks.models import Iterations, ModelsEffort
from benchmarks.models.entries import ModelEntry, Trained, cbm, crf, one_per_model, with_other_penalties
from benchmarks.peers import LIBLINEAR_L1, fit_or_raise, prepare_or_skip

MIN_SPEEDUP = 1.6  # of two threads over one
MAX_MB = 3000.0


def shape_of(problem: Problem) -> str:
    """Return the size of a problem as the tables show it."""
    return f"{problem.n_samples:,} documents, {len(problem.all_labels)} labels"


def cost_rows(whole: Problem, effort: ModelsEffort) -> Iterator[Row]:
    """Time every model and LIBLINEAR in turns on one core."""
    problem = effort.subset(whole)
    entries = with_other_penalties(effort.timed, effort.n_components)
    peer, penalty = prepare_or_skip(LIBLINEAR_L1, problem), Penalty.from_c(1.0, 1.0, problem.n_samples)
    runs: dict[str, Callable[[], Timed]] = {
        LIBLINEAR_L1.title: partial(fit_or_raise, peer, problem.all_labels, penalty),
        **{entry.title: partial(entry.train, problem, 1) for entry in entries},
    }
    with on_cores(1):
        timed = fastest_runs(runs, effort.n_rounds)
    reference = timed[LIBLINEAR_L1.title]
    goals = {entry.title: entry.goal for entry in entries}
    for title, fit in timed.items():
        if isinstance(fit, Skipped):
            yield Row("cost", problem.name, shape_of(problem), title, {}, note=str(fit))
            continue
        relative = None if isinstance(reference, Skipped) or fit is reference else fit.seconds / reference.seconds
        goal = goals.get(title)
        values = {
            "seconds": fit.seconds,
            "relative": relative,
            "goal": goal,
            "iterations": fit.iterations if isinstance(fit, Trained) else None,
        }
        verdict = verdict_on_cost(relative, goal)
        yield Row("cost", problem.name, shape_of(problem), title, values, verdict, remarks(fit))


def verdict_on_cost(relative: float | None, goal: float | None) -> str:
    """Return "yes" where the goal is met, or by how much it is missed; nothing where there is no goal."""
    if relative is None or goal is None:
        return ""
    return "yes" if relative <= goal else f"no: {relative:.1f} times, the goal is {goal:g}"


def thread_rows(whole: Problem, effort: ModelsEffort) -> Iterator[Row]:
    """Compare one thread with two, and the fitted states."""
    problem = effort.subset(whole)
    for entry in one_per_model(effort.timed, effort.n_components):
        fits = [partial(entry.train, problem, n_jobs) for n_jobs in (1, 2)]
        yield from thread_scaling_rows(problem.name, entry.title, fits, effort.n_rounds, same_state, MIN_SPEEDUP)


def same_state(one: Trained, two: Trained) -> bool:
    """Return whether two trained models are bit for bit the same."""
    return one.state.values == two.state.values and state_bytes(one) == state_bytes(two)


def state_bytes(trained: Trained) -> dict[str, bytes]:
    """Return the bytes of every array of a trained model."""
    return {name: array.tobytes() for name, array in trained.state.arrays.items()}


def memory_rows(whole: Problem, effort: ModelsEffort) -> Iterator[Row]:
    """Train in a fresh process; without an L1 part, so that all weights are non-zero."""
    problem = effort.subset(whole)
    for entry in (crf(True, 0.0, effort.memory), cbm(effort.n_components, 0.0, effort.memory)):
        options = {"model": entry.model, "parameters": entry.parameters_for(problem)}
        setting = f"{shape_of(problem)}, {training_length(entry, effort.memory)}"
        title = f"{entry.title}, one thread per core"
        try:
            in_mb = measure_memory(problem, "model", options)
        except Skipped as skipped:  # the other model may still succeed
            yield Row("memory", problem.name, setting, title, {}, note=str(skipped))
            continue
        verdict = "yes" if in_mb["peak"] <= MAX_MB else f"no: the goal is {MAX_MB:,.0f} MB"
        values: dict[str, float | None] = {name: in_mb[name] for name in ("data", "before", "peak")}
        yield Row("memory", problem.name, setting, title, values, verdict)


def clean_rows(whole: Problem, effort: ModelsEffort) -> Iterator[Row]:
    """Train every model with numerical errors raised as exceptions."""
    problem = effort.subset(whole)
    for entry in one_per_model(effort.clean, effort.n_components):
        values: dict[str, float | None] = {"seconds": None, "iterations": None}
        verdict, note = "yes", ""
        try:
            trained = train_strictly(entry, problem)
        except (ArithmeticError, RuntimeWarning) as error:
            verdict = f"no: {type(error).__name__}, {error}"
            note = "the error ended training"
        else:
            values, note = {"seconds": trained.seconds, "iterations": trained.iterations}, trained.note
            if names := nonfinite_arrays(trained):
                verdict = f"no: not finite: {', '.join(names)}"
        setting = f"{shape_of(problem)}, {training_length(entry, effort.clean)}"
        yield Row("clean", problem.name, setting, entry.title, values, verdict, note)


def train_strictly(entry: ModelEntry, problem: Problem) -> Trained:
    """Train with overflow, division by zero and invalid operations as errors.

    NumPy's error state is per thread: in the threads that a model starts they are warnings, which are errors here too.
    """
    with np.errstate(over="raise", divide="raise", invalid="raise"), warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        return entry.train(problem, None)


def nonfinite_arrays(trained: Trained) -> list[str]:
    """Return the names of the arrays that contain NaN or infinity."""
    return [name for name, array in trained.state.arrays.items() if not np.isfinite(array).all()]


def training_length(entry: ModelEntry, iterations: Iterations) -> str:
    """Return how long an entry is trained, as the tables show it."""
    match entry.model:
        case "PairwiseCRF":
            return f"{iterations.lbfgs} iterations of L-BFGS"
        case "BernoulliMixture":
            return f"{iterations.em} iterations of EM"
        case _:
            return f"at most {iterations.newton} Newton iterations"
