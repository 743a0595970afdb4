"""The rows of the tuning benchmark: a whole grid beside LIBLINEAR's single fit, and what tuned models attain."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import Any

from benchmarks.comparisons import LIBLINEAR_L1, attempt, enter
from benchmarks.peers import Refused
from benchmarks.problem import Penalty, dense, from_matrices
from benchmarks.rows import Row
from benchmarks.timed import Timed
from benchmarks.timing import in_turns, on_cores, remarks
from benchmarks.tuning_effort import TuningEffort
from setwise.classifier_spec import MODELS
from setwise.exceptions import NotConverged
from setwise.experiments.corpora import Parts
from setwise.labels import LabelMatrix, Support
from setwise.metrics import instance_f1
from setwise.prediction import Candidate, Recipe, TuningTargets, tune_recipe
from setwise.tuning import PAPER, Tried, Validation, best_of, elastic_lines, fit_for, search
from setwise.tuning.autotune import usual_validation
from setwise.tuning.budget import BUDGETS, Plan, plan_for

MOST_FITS = 30.0
"""What the whole grid may cost, in single fits of LIBLINEAR."""

LEAST_F1: dict[str, dict[str, float]] = {
    "br": {
        "bibtex": 46.5,
        "rcv1sub1": 76.0,
        "medical": 81.1,
        "enron_raw": 60.0,
        "tmc2007_500": 63.1,
        "reuters21578": 92.0,
    },
    "pcc": {"bibtex": 47.3},
    "crf": {"bibtex": 49.4},
    "cbm": {"bibtex": 49.5, "rcv1sub1": 77.5},
    "lsf": {"bibtex": 43.9},
}
"""Test F1 that support inference with GFM must attain, in percent."""

N_FOLDS = {"br": 5, "cbm": 5}
"""Models that are chosen by folds; for the others one part is held out, for folds would take hours."""

EXACT = Candidate("exact", Recipe("exact", "gfm"))
"""What LSF, which has no joint, is asked in place of the paper's support inference."""


@dataclass(frozen=True)
class TimedSearch(Timed):
    best: str = ""


def grid_rows(corpus: Parts, effort: TuningEffort) -> Iterator[Row]:
    """Time LIBLINEAR's fit of all labels, and a grid in which every cell is trained and validated, on one core."""
    train = corpus.train().first(effort.n_documents)
    (part,) = Validation(0.2, random_state=0).parts(train.X, LabelMatrix.of(train.y))
    trained = from_matrices(corpus.name, part.X, dense(part.y.indicator), part.X_held, dense(part.y_held.indicator))
    lines = elastic_lines(part.X, part.y, effort.l1_ratios, effort.n_strengths, n_jobs=1)

    def whole_grid() -> TimedSearch:
        started = perf_counter()
        best = best_of(search(MODELS["br"](n_jobs=1), lines, [part]))
        assert best is not None
        return TimedSearch(perf_counter() - started, best=f"best {100 * best.value:.1f} at {spelt(best.cell.settings)}")

    peer, penalty = enter(LIBLINEAR_L1, trained), Penalty.from_c(1.0, 1.0, trained.n_samples)
    with on_cores(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConverged)
        turns: Any = {LIBLINEAR_L1.title: partial(attempt, peer, trained.all_labels, penalty), "grid": whole_grid}
        timed: Any = in_turns(turns, 3)
    anchor, ours = timed[LIBLINEAR_L1.title], timed["grid"]
    where = f"{trained.n_samples:,} documents, {len(trained.all_labels)} labels"
    if isinstance(anchor, Refused):
        yield Row("grid", corpus.name, where, LIBLINEAR_L1.title, {}, note=str(anchor))
        return
    yield Row("grid", corpus.name, where, LIBLINEAR_L1.title, {"seconds": anchor.seconds}, note=remarks(anchor))
    times, n_cells = ours.seconds / anchor.seconds, sum(len(line.strengths) for line in lines)
    verdict = "yes" if times <= MOST_FITS else f"no: {times:.1f} fits, the goal is {MOST_FITS:g}"
    title = f"BR, {effort.n_strengths} strengths x {len(effort.l1_ratios)} ratios, each validated"
    values = {"seconds": ours.seconds, "fits": times, "cells": float(n_cells)}
    yield Row("grid", corpus.name, where, title, values, verdict, "; ".join(filter(None, [ours.best, remarks(ours)])))


def model_rows(name: str, corpus: Parts, effort: TuningEffort) -> Iterator[Row]:
    """Tune a model for the paper's prediction, train it on all of train, and meet the test documents once."""
    train = corpus.train().first(effort.n_documents)
    y = LabelMatrix.of(train.y)
    goal, judge = LEAST_F1[name][corpus.name], EXACT if name == "lsf" else PAPER
    validation = Validation(n_folds=N_FOLDS[name]) if name in N_FOLDS else usual_validation(y.n_samples)
    started = perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConverged)
        plan = plan_for(MODELS[name](), train.X, y, BUDGETS[effort.budget])
        found = tuned_model(MODELS[name](), judge, train.X, y, validation, plan)
    seconds = perf_counter() - started
    test = corpus.test(train)  # not before everything is settled
    true = LabelMatrix.of(test.y)

    def tested(recipe: Recipe) -> float:
        decided = recipe.decided(found.model, test.X, Support.of(y))
        return 100 * instance_f1(true, true.with_indicator(decided.sets))

    attained = tested(judge.recipe)
    values = {
        "validation": 100 * found.tried.value,
        "F1": attained,
        "goal": goal,
        "calibrated": None if found.calibrated is None else tested(found.calibrated),
        "seconds": seconds,
    }
    verdict = "yes" if attained >= goal else f"no: {goal - attained:.1f} below"
    where = f"{train.X.shape[0]:,} documents, {y.n_labels} labels"
    stopped = "" if found.tried.iterations is None else f", {found.tried.iterations} iterations"
    held_out = "a part held out" if validation.n_folds is None else f"{validation.n_folds} folds"
    note = f"{spelt(found.tried.cell.settings)}{stopped}; by {held_out}"
    yield Row(name, corpus.name, where, name.upper(), values, verdict, note)


@dataclass(frozen=True)
class TunedModel:
    model: Any
    """Trained on all of train."""
    tried: Tried
    calibrated: Recipe | None
    """The paper's recipe with a calibration that was found on the documents held out."""


def tuned_model(model: Any, judge: Candidate, X: Any, y: LabelMatrix, validation: Validation, plan: Plan) -> TunedModel:
    parts = validation.parts(X, y)
    best = best_of(search(model, plan.lines, parts, judges=[judge], stopping=plan.stopping))
    assert best is not None
    model.set_params(**best.cell.settings)
    calibrated = None
    if judge is not EXACT:  # LSF has nothing to calibrate
        held = [part.held_out(fit_for(model, part.X, part.y, best.iterations)) for part in parts]
        calibrated = tune_recipe(judge.recipe, TuningTargets(calibration="likelihood"), held)
    return TunedModel(fit_for(model, X, y, best.iterations), best, calibrated)


def spelt(settings: dict[str, Any]) -> str:
    words = (
        f"{name} {value:.3g}" if isinstance(value, float) else f"{name} {value}" for name, value in settings.items()
    )
    return ", ".join(words)
