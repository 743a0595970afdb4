"""The recipes of a model: settings are chosen on training documents, trained on all of them, and tested once.

One search trains every setting to convergence and evaluates it at several iterations. Its learning curves show both
what early stopping would give and what training without it gives, so recipes with and without it share the search.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from reproduction.paper import Regularizers, prediction_recipe
from reproduction.plan import SLOW_MODELS, Task, build_model, curve_schedule, recipes_of, tuning_grid
from reproduction.run.corpora import Documents, Parts, random_subset
from reproduction.run.rows import ScoreRow, pack
from reproduction.run.run_config import RunConfig, StepCallback, derived_seed, peak_mb, versions
from setwise.learners import critical_strength
from setwise.models import fit_for
from setwise.prediction import Candidate
from setwise.tuning import CurveSchedule, Progress, Trial, Validation, search

__all__ = ["FEW_DOCUMENTS", "FEW_DOCUMENTS_CBM", "N_FOLDS", "Choice", "ModelTask", "choose_setting", "mean_curve"]

FEW_DOCUMENTS = 2_000
"""With fewer documents a fifth of them is too small a held-out part, and cross-validation is used."""
FEW_DOCUMENTS_CBM = 6_000
"""The same for CBM, whose F1 jumps between iterations of EM, so that a choice needs more documents."""
N_FOLDS = 3
HELD_OUT_SHARE = 0.2


class Choice(NamedTuple):
    """The chosen setting of a model for one recipe."""

    value: float
    """F1 on the held-out documents."""
    settings: dict[str, Any]
    n_iterations: int | None
    """Iterations to train for; None trains to convergence."""


def mean_curve(trial: Trial, weights: Sequence[int], schedule: CurveSchedule) -> list[tuple[int, float]]:
    """Return the learning curve of a trial over all parts, weighted by their numbers of held-out documents.

    A part whose training has converged keeps its last value.
    """
    curves: list[dict[int, float]] = [dict(curve) for curve in trial.row["history"]]
    evaluated = {iteration for curve in curves for iteration in curve}
    # Where one part converged the others may not have been evaluated; at the last iteration all are at their end.
    iterations = sorted({iteration for iteration in evaluated if iteration in schedule} | {max(evaluated)})
    return [
        (now, float(np.average([curve[_latest(curve, now)] for curve in curves], weights=weights)))
        for now in iterations
    ]


def choose_setting(trials: Sequence[Trial], weights: Sequence[int], schedule: CurveSchedule, *, early: bool) -> Choice:
    """Return the best setting of a recipe, the first of equals: at its best iteration if ``early``, else at the end."""
    choices = []
    for trial in trials:
        curve = mean_curve(trial, weights, schedule)
        iteration, value = max(curve, key=lambda point: point[1]) if early else curve[-1]
        choices.append(Choice(value, trial.setting.values, iteration if early else None))
    return max(choices, key=lambda choice: choice.value)


def _latest(curve: dict[int, float], now: int) -> int:
    """Return the last evaluated iteration up to now, or the first one if none was evaluated yet."""
    return max((iteration for iteration in curve if iteration <= now), default=min(curve))


@dataclass(frozen=True, eq=False)
class ModelTask:
    """The recipes of a model on a dataset and its variants, which share one search."""

    task: Task
    config: RunConfig
    report: StepCallback

    def rows(self) -> Iterator[ScoreRow]:
        """Choose a setting per recipe, then train and test; recipes with the same choice share the trained model."""
        started = time.perf_counter()
        documents = {self.task.dataset: self._documents(self.task.dataset)}
        choices = self._choose(documents[self.task.dataset])
        trained: dict[str, Any] = {}
        for key in sorted(self.task.keys, key=lambda key: (key[4], key[1])):  # every first repeat, then every second
            _, dataset, name, recipe, repeat = key
            part = documents.setdefault(dataset, self._documents(dataset))
            seed = derived_seed(self.config.random_state, dataset, name, repeat)
            choice = choices[recipe]
            n_fit = repeat if name == "CBM" else 0  # the fits of other models do not depend on the seed
            fit_key = repr((dataset, sorted(choice.settings.items()), choice.n_iterations, n_fit))
            if fit_key not in trained:
                model = build_model(name, seed, self.config.n_jobs).set_params(**choice.settings)
                trained[fit_key] = fit_for(model, part.train.X, part.y, choice.n_iterations)
            model = trained[fit_key]
            f1 = part.test_f1(prediction_recipe(name, recipe, random_state=seed), model)
            size = model.size()
            yield ScoreRow(
                dataset=dataset,
                model=name,
                recipe=recipe,
                repeat=repeat,
                seed=seed,
                f1=float(f1.mean()),
                validation_f1=choice.value,
                settings=choice.settings,
                iterations=choice.n_iterations,
                n_features_used=size.n_features_used,
                n_nonzero=size.n_nonzero,
                n_bytes=size.n_bytes,
                seconds=round(time.perf_counter() - started, 2),
                peak_mb=peak_mb(),
                versions=versions(),
                documents=pack(f1),
            )
            started = time.perf_counter()

    def _documents(self, dataset: str) -> Documents:
        effort, slow = self.config.effort, self.task.model in SLOW_MODELS
        seed = derived_seed(self.config.random_state, self.task.dataset)
        return Documents(
            Parts(dataset, self.config.data), effort.max_training_documents_if_slow if slow else None, seed
        )

    def _choose(self, documents: Documents) -> dict[str, Choice]:
        """Choose for each recipe the setting with the best F1 on held-out documents under the recipe's prediction."""
        name, effort = self.task.model, self.config.effort
        seed = derived_seed(self.config.random_state, self.task.dataset)
        rows = random_subset(documents.y.n_samples, effort.max_tuning_documents, seed)
        X, y = documents.train.X[rows], documents.y.take(rows)
        parts = Validation(HELD_OUT_SHARE, self._n_folds(y.n_samples), seed, effort.max_held_out).parts(X, y)
        model_seed = derived_seed(self.config.random_state, self.task.dataset, name, 0)
        schedule = curve_schedule(name)
        trials = search(
            build_model(name, model_seed, self.config.n_jobs),
            tuning_grid(name, critical_strength(X, y, 1), effort, l1=self.task.l1),
            parts,
            recipes=self._candidates(),
            learning_curves=schedule,
            dataset=self.task.dataset,
            checkpoint=self.config.trials / f"{self.task.name.replace(' ', '-')}.jsonl",
            progress=self._report_progress,
        )
        weights = [part.y_held.n_samples for part in parts]
        return {
            recipe: choose_setting(
                [trial for trial in trials if trial.recipe == _prediction_name(recipe)],
                weights,
                schedule,
                early=Regularizers.of(recipe).early,
            )
            for recipe in dict.fromkeys(key[3] for key in self.task.keys)
        }

    def _candidates(self) -> list[Candidate]:
        """Return the predictions of every table, requested or not, so that later runs can use the search too."""
        random_state, n_samples = self.config.random_state, self.config.effort.n_tuning_samples
        recipes = {
            _prediction_name(recipe): prediction_recipe(
                self.task.model, recipe, random_state=random_state, n_samples=n_samples
            )
            for recipe in recipes_of(self.task.model, l1=self.task.l1)
        }
        return [Candidate(name, recipe) for name, recipe in recipes.items()]

    def _n_folds(self, n_documents: int) -> int | None:
        """Return the number of folds, or None where one held-out part is enough."""
        few = FEW_DOCUMENTS_CBM if self.task.model == "CBM" else FEW_DOCUMENTS
        return N_FOLDS if n_documents < few else None

    def _report_progress(self, progress: Progress) -> None:
        if progress.total is not None:
            self.report(progress.done, progress.total)


def _prediction_name(recipe: str) -> str:
    """Return the recipe's name without its training letters, L and E: recipes with the same one predict alike."""
    regularizers = Regularizers.of(recipe)
    return Regularizers(support=regularizers.support, gfm=regularizers.gfm).name
