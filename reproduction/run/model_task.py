"""The recipes of a model: settings are chosen on training documents, trained on all of them, and tested once.

One search trains every setting to convergence and evaluates it at several iterations. Its learning curves show both
what early stopping would give and what training without it gives, so recipes with and without it share the search.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from reproduction.paper import Regularizers, base_model, prediction_recipe
from reproduction.plan import SLOW_MODELS, Task, build_model, curve_schedule, recipes_of, tuning_grid
from reproduction.run.choices import FEW_DOCUMENTS, HELD_OUT_SHARE, N_FOLDS, Choice, choose_setting
from reproduction.run.corpora import Documents, Parts, random_subset
from reproduction.run.rows import ScoreRow, read_row_file, score_row
from reproduction.run.run_config import RunConfig, StepCallback, derived_seed, in_steps
from setwise.learners import critical_strength
from setwise.models import fit_for
from setwise.prediction import Candidate
from setwise.tuning import Validation, search

__all__ = ["FEW_DOCUMENTS_CBM", "ModelTask"]

FEW_DOCUMENTS_CBM = 6_000
"""``FEW_DOCUMENTS`` of CBM, whose F1 jumps between iterations of EM, so that a choice needs more documents."""


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
            _, dataset, shown, recipe, repeat = key
            name = base_model(shown)  # a row may differ from the model of the task in its prediction alone
            part = documents.setdefault(dataset, self._documents(dataset))
            seed = derived_seed(self.config.random_state, dataset, name, repeat)
            choice = choices[recipe]
            n_fit = repeat if name == "CBM" else 0  # the fits of other models do not depend on the seed
            fit_key = repr((dataset, sorted(choice.settings.items()), choice.n_iterations, n_fit))
            if fit_key not in trained:
                model = build_model(name, seed, self.config.n_jobs).set_params(**choice.settings)
                trained[fit_key] = fit_for(model, part.train.X, part.y, choice.n_iterations)
            model = trained[fit_key]
            f1 = part.test_f1(prediction_recipe(shown, recipe, random_state=seed), model)
            yield score_row(key, seed, choice, model, f1, started)
            started = time.perf_counter()

    def _documents(self, dataset: str) -> Documents:
        effort, slow = self.config.effort, self.task.model in SLOW_MODELS
        seed = derived_seed(self.config.random_state, self.task.dataset)
        return Documents(
            Parts(dataset, self.config.data), effort.max_training_documents_if_slow if slow else None, seed
        )

    def _choose(self, documents: Documents) -> dict[str, Choice]:
        """Return the setting of each recipe: that of its stored rows, or else the best of a search."""
        recipes = list(dict.fromkeys(key[3] for key in self.task.keys))
        stored = self._stored_choices()
        return stored if set(recipes) <= stored.keys() else self._search(documents, recipes)

    def _stored_choices(self) -> dict[str, Choice]:
        """Return the settings that earlier runs chose; a search would find the same."""
        if self.config.rows is None:
            return {}
        rows = read_row_file(self.config.rows / f"{self.task.dataset}.jsonl")
        return {
            row.recipe: Choice(row.validation_f1, row.settings, row.iterations)
            for row in rows
            if isinstance(row, ScoreRow) and (row.dataset, row.model) == (self.task.dataset, self.task.model)
        }

    def _search(self, documents: Documents, recipes: Sequence[str]) -> dict[str, Choice]:
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
            checkpoint=self.config.checkpoint(self.task.name),
            progress=in_steps(self.report),
        )
        weights = [part.y_held.n_samples for part in parts]
        return {
            recipe: choose_setting(
                [trial for trial in trials if trial.recipe == _prediction_name(recipe)],
                weights,
                schedule,
                early=Regularizers.of(recipe).early,
            )
            for recipe in recipes
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


def _prediction_name(recipe: str) -> str:
    """Return the recipe's name without its training letters, L and E: recipes with the same one predict alike."""
    regularizers = Regularizers.of(recipe)
    return Regularizers(support=regularizers.support, gfm=regularizers.gfm).name
