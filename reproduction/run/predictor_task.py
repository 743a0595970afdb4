"""The predictors for F1 on a dataset: one tuned setting per model, one fit of it, and every recipe of that model.

All models are tuned on the same held-out documents, so that the ensemble can pool them.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean
from typing import Any

from reproduction.plan import (
    ENSEMBLE,
    PREDICTOR_MODELS,
    PREDICTORS,
    SLOW_PREDICTOR_MODELS,
    Key,
    Predictor,
    Task,
    build_predictor_model,
    why_unavailable,
)
from reproduction.run.choices import FEW_DOCUMENTS, HELD_OUT_SHARE, N_FOLDS, Choice
from reproduction.run.corpora import Documents, Parts, random_subset
from reproduction.run.rows import ScoreRow, score_row
from reproduction.run.run_config import RunConfig, StepCallback, derived_seed, in_steps
from setwise.labels import LabelMatrix
from setwise.learners import critical_strength
from setwise.models import MODELS, Ensemble, LabelModel, Member, fit_for
from setwise.prediction import HeldOut, evaluate_recipe, tune_recipe
from setwise.tuning import Part, PoolAdjustment, Trial, Validation, joint_held_out, search

__all__ = ["PredictorTask"]


@dataclass(frozen=True, eq=False)
class TunedModel:
    """A model with its chosen setting: fitted to all training documents, and its posteriors of the held-out ones."""

    choice: Choice
    model: LabelModel
    held_out: list[HeldOut]


@dataclass(frozen=True, eq=False)
class PredictorTask:
    """All predictors on a dataset."""

    task: Task
    config: RunConfig
    report: StepCallback

    def rows(self) -> Iterator[ScoreRow]:
        """Tune, fit and test one model after the other, and last the pool of those that can be pooled."""
        members: list[TunedModel] = []
        with_ensemble = any(key[2] == ENSEMBLE for key in self.task.keys)
        for number, name in enumerate(PREDICTOR_MODELS):
            started = time.perf_counter()
            keys = [key for key in self.task.keys if key[2] == name]
            if name == ENSEMBLE:
                yield from self._rows(keys, self._pool(members), started) if keys else ()
                continue
            is_member = with_ensemble and self._can_be_pooled(name)
            if keys or is_member:
                tuned = self._tune(name, number)
                yield from self._rows(keys, tuned, started)
                members += [tuned] if is_member else []

    def _can_be_pooled(self, name: str) -> bool:
        return why_unavailable(name, self.task.dataset) is None and "log_prob" in MODELS[name].model.abilities

    def _rows(self, keys: list[Key], tuned: TunedModel, started: float) -> Iterator[ScoreRow]:
        for key in keys:
            predictor = _predictor(key)
            recipe = tune_recipe(predictor.recipe, predictor.targets, tuned.held_out)
            choice = tuned.choice._replace(value=evaluate_recipe(recipe, tuned.held_out))
            f1 = self._documents(key[2]).test_f1(recipe, tuned.model)
            yield score_row(key, self._seed, choice, tuned.model, f1, started)
            started = time.perf_counter()

    def _tune(self, name: str, number: int) -> TunedModel:
        """Choose the setting by the mean F1 of the model's predictors on held-out documents, then fit it to all."""
        effort, entry = self.config.effort.predictors, MODELS[name]
        model = build_predictor_model(name, self._seed)
        X, y = self._tuning_documents
        trials = search(
            model,
            entry.grid(model, effort.budget, critical_strength(X, y, 1)),
            self._parts,
            recipes=[one.candidate for one in PREDICTORS if one.model == name],
            early_stopping=entry.early_stopping,
            ends_paths=True,
            dataset=self.task.dataset,
            checkpoint=self.config.checkpoint(f"{self.task.name} {name}"),
            progress=in_steps(lambda done, total: self.report(number * total + done, len(PREDICTOR_MODELS) * total)),
        )
        choice = _best_setting(trials)
        model.set_params(**choice.settings)
        held_out = [part.held_out(fit_for(model, part.features, part.y, choice.n_iterations)) for part in self._parts]
        documents = self._documents(name)
        return TunedModel(choice, fit_for(model, documents.train.X, documents.y, choice.n_iterations), held_out)

    def _pool(self, members: list[TunedModel]) -> TunedModel:
        """Pool the models over the support, weighted by their likelihood on held-out documents."""
        joint = joint_held_out([one.held_out for one in members])
        pool = PoolAdjustment("support").fit(joint)
        weighted = pool.weighted([Member(one.model, n_iterations=one.choice.n_iterations) for one in members])
        ensemble = Ensemble.of_fitted(weighted, self._all_documents.support, n_jobs=1)
        weights = {type(one.model).__name__: round(one.weight, 4) for one in weighted}
        return TunedModel(Choice(0.0, weights, None), ensemble, [pool(part) for part in joint])

    @property
    def _seed(self) -> int:
        return derived_seed(self.config.random_state, self.task.dataset)

    @cached_property
    def _tuning_documents(self) -> tuple[Any, LabelMatrix]:
        documents, at_most = self._all_documents, self.config.effort.predictors.max_tuning_documents
        rows = random_subset(documents.y.n_samples, at_most, self._seed)
        return documents.train.X[rows], documents.y.take(rows)

    @cached_property
    def _parts(self) -> list[Part]:
        X, y = self._tuning_documents
        n_folds = N_FOLDS if y.n_samples < FEW_DOCUMENTS else None
        max_held_out = self.config.effort.predictors.max_held_out
        return Validation(HELD_OUT_SHARE, n_folds, self._seed, max_held_out).parts(X, y)

    @cached_property
    def _all_documents(self) -> Documents:
        return Documents(Parts(self.task.dataset, self.config.data))

    @cached_property
    def _fewer_documents(self) -> Documents:
        limit = self.config.effort.predictors.max_training_documents_if_slow
        return Documents(Parts(self.task.dataset, self.config.data), limit, self._seed)

    def _documents(self, model: str) -> Documents:
        """Return the documents of a model, of which slow ones are trained on fewer."""
        return self._fewer_documents if model in SLOW_PREDICTOR_MODELS else self._all_documents


def _predictor(key: Key) -> Predictor:
    return next(one for one in PREDICTORS if (one.model, one.name) == key[2:4])


def _best_setting(trials: list[Trial]) -> Choice:
    """Return the setting with the best mean over the recipes, the first of equals."""
    by_setting: dict[Any, list[Trial]] = {}
    for trial in trials:
        by_setting.setdefault(trial.setting, []).append(trial)
    best = max(by_setting.values(), key=lambda same: fmean(trial.value for trial in same))
    value = fmean(trial.value for trial in best)
    return Choice(value, best[0].setting.values, best[0].n_iterations)
