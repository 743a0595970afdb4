"""The rows of the tuning benchmark: a whole grid against one fit of LIBLINEAR, and the test F1 of tuned models."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import Any

from benchmarks.harness.corpora import Parts
from benchmarks.harness.problem import Penalty, dense, from_matrices
from benchmarks.harness.rows import Row
from benchmarks.harness.timing import Skipped, Timed, fastest_runs, on_cores, remarks
from benchmarks.peers import LIBLINEAR_L1, fit_or_raise, prepare_or_skip
from benchmarks.tuning import TuningEffort
from setwise.exceptions import NotConverged
from setwise.labels import LabelMatrix, Support
from setwise.learners import critical_strength
from setwise.metrics import instance_f1
from setwise.models import MODELS, LabelModel, Patience, StrengthPath, elastic_paths, fit_for
from setwise.prediction import Candidate, Recipe, TuningTargets, tune_recipe
from setwise.tuning import PAPER, Trial, Validation, best_of, default_validation, search

MAX_FITS = 14.0  # cost of the whole grid, in single fits of LIBLINEAR
N_ROUNDS = 3

# Test F1 in percent that support inference with GFM must reach, by model and corpus.
MIN_F1: dict[str, dict[str, float]] = {
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

# Models that are validated by folds. The others hold out one part, because folds would take hours.
N_FOLDS = {"br": 5, "cbm": 5}

# The recipe of LSF, which has no joint probability and cannot do the paper's support inference.
EXACT = Candidate("exact", Recipe("exact", "gfm"))


@dataclass(frozen=True)
class TimedSearch(Timed):
    """The seconds of a search, and its best setting as the tables show it."""

    best: Trial
    n_settings: int


def grid_rows(corpus: Parts, effort: TuningEffort) -> Iterator[Row]:
    """Time LIBLINEAR's fit of all labels, a grid as tuning searches it, and all of its settings, on one core."""
    train = corpus.train().first(effort.n_documents)
    (part,) = Validation(0.2, random_state=0).parts(train.X, LabelMatrix.of(train.y))
    problem = from_matrices(corpus.name, part.X, dense(part.y.indicator), part.X_held, dense(part.y_held.indicator))
    ratios = sorted(effort.l1_ratios, reverse=True)  # as the grids of the budgets have them
    paths = elastic_paths(critical_strength(part.X, part.y, n_jobs=1), ratios, effort.n_strengths)

    def search_grid(ends_paths: bool) -> TimedSearch:
        started = perf_counter()
        trials = search(MODELS["br"].model(n_jobs=1), paths, [part], ends_paths=ends_paths)
        best = best_of(trials)
        assert best is not None
        return TimedSearch(perf_counter() - started, best=best, n_settings=len(trials))

    peer, penalty = prepare_or_skip(LIBLINEAR_L1, problem), Penalty.from_c(1.0, 1.0, problem.n_samples)
    runs: dict[str, Callable[[], Timed]] = {
        LIBLINEAR_L1.title: partial(fit_or_raise, peer, problem.all_labels, penalty),
        "as tuning searches it": partial(search_grid, True),
        "every setting": partial(search_grid, False),
    }
    with on_cores(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConverged)
        timed = fastest_runs(runs, N_ROUNDS)
    reference = timed.pop(LIBLINEAR_L1.title)
    setting = f"{problem.n_samples:,} documents, {len(problem.all_labels)} labels"
    if isinstance(reference, Skipped):
        yield Row("grid", corpus.name, setting, LIBLINEAR_L1.title, {}, note=str(reference))
        return
    yield Row("grid", corpus.name, setting, LIBLINEAR_L1.title, {"seconds": reference.seconds}, note=remarks(reference))
    for how, ours in timed.items():
        assert isinstance(ours, TimedSearch)
        fits = ours.seconds / reference.seconds
        verdict = ""
        if how != "every setting":
            verdict = "yes" if fits <= MAX_FITS else f"no: {fits:.1f} fits, the goal is {MAX_FITS:g}"
        title = f"BR, {effort.n_strengths} strengths x {len(effort.l1_ratios)} ratios, {how}"
        values: dict[str, float | None] = {
            "seconds": ours.seconds,
            "fits": fits,
            "settings": float(ours.n_settings),
            "validation": 100 * ours.best.value,
        }
        note = "; ".join(filter(None, [format_settings(ours.best.setting.values), remarks(ours)]))
        yield Row("grid", corpus.name, setting, title, values, verdict, note)


def model_rows(name: str, corpus: Parts, effort: TuningEffort) -> Iterator[Row]:
    """Tune a model for the paper's recipe, train it on the whole train part, and evaluate it on the test part once."""
    train = corpus.train().first(effort.n_documents)
    y = LabelMatrix.of(train.y)
    goal, candidate = MIN_F1[name][corpus.name], EXACT if name == "lsf" else PAPER
    validation = Validation(n_folds=N_FOLDS[name]) if name in N_FOLDS else default_validation(y.n_samples)
    started = perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConverged)
        entry = MODELS[name]
        grid = entry.grid(entry.model(), effort.budget, critical_strength(train.X, y))
        tuned = tune_model(entry.model(), candidate, train.X, y, validation, grid, entry.early_stopping)
    seconds = perf_counter() - started
    test = corpus.test(train)  # only now, after everything has been chosen
    truth = LabelMatrix.of(test.y)

    def test_f1(recipe: Recipe) -> float:
        decision = recipe.decide(tuned.model.posterior(test.X), Support.of(y))
        return 100 * instance_f1(truth, truth.with_indicator(decision.sets))

    f1 = test_f1(candidate.recipe)
    values = {
        "validation": 100 * tuned.best.value,
        "F1": f1,
        "goal": goal,
        "calibrated": None if tuned.calibrated is None else test_f1(tuned.calibrated),
        "seconds": seconds,
    }
    verdict = "yes" if f1 >= goal else f"no: {goal - f1:.1f} below"
    setting = f"{train.X.shape[0]:,} documents, {y.n_labels} labels"
    iterations = "" if tuned.best.n_iterations is None else f", {tuned.best.n_iterations} iterations"
    by = "on a held-out part" if validation.n_folds is None else f"by {validation.n_folds} folds"
    note = f"{format_settings(tuned.best.setting.values)}{iterations}; validated {by}"
    yield Row(name, corpus.name, setting, name.upper(), values, verdict, note)


@dataclass(frozen=True)
class TunedModel:
    """A tuned model, trained on the whole train part."""

    model: Any
    # The best setting, with its value on the held-out documents.
    best: Trial
    # The paper's recipe with a calibration fitted on the held-out documents; None where there is nothing to calibrate.
    calibrated: Recipe | None


def tune_model(
    model: LabelModel,
    candidate: Candidate,
    X: Any,
    y: LabelMatrix,
    validation: Validation,
    grid: list[StrengthPath],
    early_stopping: Patience | None,
) -> TunedModel:
    """Search a grid for the best setting, and train the model with it on all documents."""
    parts = validation.parts(X, y)
    best = best_of(search(model, grid, parts, recipes=[candidate], early_stopping=early_stopping))
    assert best is not None
    model.set_params(**best.setting.values)
    calibrated = None
    if candidate is not EXACT:  # LSF has nothing to calibrate
        held = [part.held_out(fit_for(model, part.X, part.y, best.n_iterations)) for part in parts]
        calibrated = tune_recipe(candidate.recipe, TuningTargets(calibration="likelihood"), held)
    return TunedModel(fit_for(model, X, y, best.n_iterations), best, calibrated)


def format_settings(settings: dict[str, Any]) -> str:
    """Return parameters as the tables show them: names and values, separated by commas."""
    return ", ".join(
        f"{name} {value:.3g}" if isinstance(value, float) else f"{name} {value}" for name, value in settings.items()
    )
