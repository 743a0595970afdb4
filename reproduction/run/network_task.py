"""The networks of Table 6: settings and thresholds are chosen on a fifth of the training documents, for every seed.

The number of epochs and the penalty are chosen once, with the first seed. Then each seed trains a network on four
fifths, which the threshold is chosen with, and one on all training documents, which is tested.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from reproduction.plan import NETWORKS, Task, build_network, network_grid
from reproduction.run.choices import HELD_OUT_SHARE, Choice, choose_setting
from reproduction.run.corpora import Documents, Parts
from reproduction.run.rows import ScoreRow, score_row
from reproduction.run.run_config import RunConfig, StepCallback, derived_seed, in_steps
from setwise.models import LabelModel, fit_for
from setwise.prediction import Candidate, Recipe, tune_recipe
from setwise.tuning import CurveSchedule, Part, Validation, search

__all__ = ["NetworkTask"]

EVERY_EPOCH = CurveSchedule(0, 1)


@dataclass(frozen=True, eq=False)
class NetworkTask:
    """One network on a dataset, with every seed and every prediction of it."""

    task: Task
    config: RunConfig
    report: StepCallback

    def rows(self) -> Iterator[ScoreRow]:
        """Choose settings, then train and test with every seed; predictions with the same choice share a network."""
        started = time.perf_counter()
        documents = Documents(Parts(self.task.dataset, self.config.data))
        seed = derived_seed(self.config.random_state, self.task.dataset)
        (part,) = Validation(HELD_OUT_SHARE, None, seed).parts(documents.train.X, documents.y)
        choices = self._choose(part)
        predictions = {one.name: one for one in NETWORKS[self.task.model].predictions}
        trained: dict[str, LabelModel] = {}
        for key in sorted(self.task.keys, key=lambda key: key[4]):
            _, dataset, name, prediction, repeat = key
            seed, choice = derived_seed(self.config.random_state, dataset, name, repeat), choices[prediction]
            fit_key = repr((sorted(choice.settings.items()), choice.n_iterations, repeat))
            if fit_key not in trained:
                trained = {fit_key: self._fit(choice, seed, documents.train.X, documents.y)}  # one at a time: memory
            recipe = self._tuned(predictions[prediction], choice, seed, part)
            yield score_row(key, seed, choice, trained[fit_key], documents.test_f1(recipe, trained[fit_key]), started)
            started = time.perf_counter()

    def _choose(self, part: Part) -> dict[str, Choice]:
        """Choose the penalty and the number of epochs of each prediction."""
        candidates, effort = NETWORKS[self.task.model].predictions, self.config.effort.networks
        seed = derived_seed(self.config.random_state, self.task.dataset, self.task.model, 0)
        trials = search(
            build_network(self.task.model, effort, seed),
            network_grid(self.task.model, effort),
            [part],
            recipes=candidates,
            learning_curves=EVERY_EPOCH,
            dataset=self.task.dataset,
            checkpoint=self.config.checkpoint(self.task.name),
            progress=in_steps(self.report),
        )
        return {
            one.name: choose_setting(
                [trial for trial in trials if trial.recipe == one.name], [1], EVERY_EPOCH, early=True
            )
            for one in candidates
        }

    def _tuned(self, candidate: Candidate, choice: Choice, seed: int, part: Part) -> Recipe:
        """Return the recipe with its threshold, if it has one, tuned on the held-out documents."""
        if not candidate.targets.any:
            return candidate.recipe
        model = self._fit(choice, seed, part.features, part.y)
        return tune_recipe(candidate.recipe, candidate.targets, [part.held_out(model)])

    def _fit(self, choice: Choice, seed: int, X: Any, y: Any) -> LabelModel:
        model = build_network(self.task.model, self.config.effort.networks, seed).set_params(**choice.settings)
        fitted: LabelModel = fit_for(model, X, y, choice.n_iterations)
        return fitted
