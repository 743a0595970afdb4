"""The rows of the models' benchmark: cost beside LIBLINEAR, threads, memory, and training without a bad number."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from benchmarks.comparisons import LIBLINEAR_L1, attempt, enter
from benchmarks.contestants import Contestant, Trained, cbm, crf, one_of_each, with_other_penalties
from benchmarks.memory import probe
from benchmarks.model_effort import Iterations, ModelEffort
from benchmarks.peers import Refused
from benchmarks.problem import Penalty, Problem
from benchmarks.rows import Row
from benchmarks.scaling import need_two_cores, one_and_two_rows
from benchmarks.timed import Timed
from benchmarks.timing import in_turns, on_cores, remarks

LEAST_SPEEDUP = 1.6  # of two threads over one
ALLOWED_MB = 3000.0


def setting(problem: Problem) -> str:
    return f"{problem.n_samples:,} documents, {len(problem.all_labels)} labels"


def cost_rows(whole: Problem, effort: ModelEffort) -> Iterator[Row]:
    """Let all models and LIBLINEAR take turns on one core."""
    problem = effort.part_of(whole)
    entered = with_other_penalties(effort.whole, effort.n_components)
    peer, penalty = enter(LIBLINEAR_L1, problem), Penalty.from_c(1.0, 1.0, problem.n_samples)
    turns: dict[str, Callable[[], Timed]] = {
        LIBLINEAR_L1.title: partial(attempt, peer, problem.all_labels, penalty),
        **{contestant.title: partial(contestant.train, problem, 1) for contestant in entered},
    }
    with on_cores(1):
        timed = in_turns(turns, effort.n_rounds)
    anchor = timed[LIBLINEAR_L1.title]
    goals = {contestant.title: contestant.goal for contestant in entered}
    for title, fit in timed.items():
        if isinstance(fit, Refused):
            yield Row("cost", problem.name, setting(problem), title, {}, note=str(fit))
            continue
        times = None if isinstance(anchor, Refused) or fit is anchor else fit.seconds / anchor.seconds
        goal = goals.get(title)
        values = {
            "seconds": fit.seconds,
            "times": times,
            "goal": goal,
            "iterations": fit.iterations if isinstance(fit, Trained) else None,
        }
        yield Row("cost", problem.name, setting(problem), title, values, verdict_on_cost(times, goal), remarks(fit))


def verdict_on_cost(times: float | None, goal: float | None) -> str:
    if times is None or goal is None:
        return ""
    return "yes" if times <= goal else f"no: {times:.1f} times, the goal is {goal:g}"


def thread_rows(whole: Problem, effort: ModelEffort) -> Iterator[Row]:
    """Time one thread against two, both cores free for either, and compare the fitted states."""
    need_two_cores()
    problem = effort.part_of(whole)
    for contestant in one_of_each(effort.whole, effort.n_components):
        fits = [partial(contestant.train, problem, n_jobs) for n_jobs in (1, 2)]
        yield from one_and_two_rows(problem, contestant.title, fits, effort.n_rounds, same_state, LEAST_SPEEDUP)


def same_state(one: Trained, two: Trained) -> bool:
    return one.state.values == two.state.values and bits_of(one) == bits_of(two)


def bits_of(trained: Trained) -> dict[str, bytes]:
    return {name: array.tobytes() for name, array in trained.state.arrays.items()}


def memory_rows(whole: Problem, effort: ModelEffort) -> Iterator[Row]:
    """Train in a process of its own; without an L1 part, when all weights are there."""
    problem = effort.part_of(whole)
    for contestant in (crf(True, 0.0, effort.memory), cbm(effort.n_components, 0.0, effort.memory)):
        work = {"model": contestant.model, "parameters": contestant.parameters_for(problem)}
        where = f"{setting(problem)}, {spelt(contestant, effort.memory)}"
        title = f"{contestant.title}, a thread a core"
        try:
            in_mb = probe(problem, "model", work)
        except Refused as refusal:  # the other may go through
            yield Row("memory", problem.name, where, title, {}, note=str(refusal))
            continue
        met = "yes" if in_mb["peak"] <= ALLOWED_MB else f"no: the goal is {ALLOWED_MB:,.0f} MB"
        yield Row("memory", problem.name, where, title, {name: in_mb[name] for name in ("data", "before", "peak")}, met)


def clean_rows(whole: Problem, effort: ModelEffort) -> Iterator[Row]:
    """Train every model where a bad number is an error."""
    problem = effort.part_of(whole)
    for contestant in one_of_each(effort.clean, effort.n_components):
        values: dict[str, float | None] = {"seconds": None, "iterations": None}
        verdict, note = "yes", ""
        try:
            trained = trained_strictly(contestant, problem)
        except (ArithmeticError, RuntimeWarning) as error:
            verdict = f"no: {type(error).__name__}, {error}"
            note = "it was not trained to its end"
        else:
            values, note = {"seconds": trained.seconds, "iterations": trained.iterations}, trained.note
            if bad := not_finite(trained):
                verdict = f"no: not finite: {', '.join(bad)}"
        where = f"{setting(problem)}, {spelt(contestant, effort.clean)}"
        yield Row("clean", problem.name, where, contestant.title, values, verdict, note)


def trained_strictly(contestant: Contestant, problem: Problem) -> Trained:
    """Train with overflow, division by zero and invalid numbers as errors.

    NumPy keeps its error state a thread, so that in a model's own threads they are warnings, which are errors too.
    """
    with np.errstate(over="raise", divide="raise", invalid="raise"), warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        return contestant.train(problem, None)


def not_finite(trained: Trained) -> list[str]:
    return [name for name, array in trained.state.arrays.items() if not np.isfinite(array).all()]


def spelt(contestant: Contestant, iterations: Iterations) -> str:
    """How long a contestant is trained, in words."""
    match contestant.model:
        case "PairwiseCRF":
            return f"{iterations.lbfgs} iterations of L-BFGS"
        case "BernoulliMixture":
            return f"{iterations.em} iterations of EM"
        case _:
            return f"at most {iterations.newton} Newton iterations"
