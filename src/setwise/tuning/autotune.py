"""Automatic tuning: the settings of a grid are screened, and the best ones choose their recipe."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

import scipy.sparse as sp

from setwise._estimator import clone
from setwise.inference import INFERENCES, LabelScaling
from setwise.labels import IDENTITY, Support
from setwise.metrics import MetricName, oriented
from setwise.models import Ensemble, Member, Patience, StrengthPath, fit_for
from setwise.posterior import require
from setwise.prediction import UNCHANGED, Adjustment, Candidate, Recipe, screening, select_recipe
from setwise.tuning.checkpoint import CheckpointSection
from setwise.tuning.feature_selection import FeatureTrial
from setwise.tuning.label_scaling import FittedLabelScaling, LabelScalingAdjustment
from setwise.tuning.search import Progress, ProgressCallback, Trial, best_of, search, train_again
from setwise.tuning.validation import Part

__all__ = ["Alternative", "ModelTrial", "TuningResult", "autotune"]

T = TypeVar("T")


@dataclass(frozen=True)
class Alternative:
    """The score of one setting of the model under one recipe."""

    settings: dict[str, Any]
    recipe: str
    value: float


@dataclass(frozen=True)
class ModelTrial:
    """The score of one tuned model, or of a pool of them, and what it cost."""

    name: str
    recipe: str
    value: float
    n_nonzero: int
    """Non-zero weights of features."""
    n_bytes: int
    """Memory of everything a prediction reads."""
    seconds: float | None = None
    """Duration of its tuning; None once the result was saved and loaded."""


@dataclass(frozen=True, eq=False)
class TuningResult:
    """What was chosen, and what else was tried."""

    model: Any
    """The chosen model with its parameters, not fitted."""
    n_iterations: int | None
    """Iterations to train for; None trains to convergence."""
    recipe: Recipe
    recipe_name: str
    scoring: MetricName
    value: float
    """The metric on documents that neither the model nor the recipe's parameters were fitted on."""
    trials: list[Trial]
    """Every setting under the recipes that screened the grid."""
    alternatives: list[Alternative]
    """Every recipe, on the best settings."""
    feature_set: str = ""
    """Name of the features; empty where there was no choice."""
    feature_trials: list[FeatureTrial] = field(default_factory=list)
    """Every feature set that was tried."""
    model_name: str = ""
    """Name of the model among those that were tried; empty where there was no choice."""
    model_trials: list[ModelTrial] = field(default_factory=list)
    """Every model and pool that was tried."""
    trained: list[Any] = field(default_factory=list)
    """The chosen model as it was evaluated: fitted to the training documents of each part.

    Empty once the result was saved and loaded.
    """
    held_out_sets: list[sp.csr_array] = field(default_factory=list)
    """The sets that ``value`` is measured on, of each part's held-out documents; empty like ``trained``."""

    label_scaling: LabelScaling | None = None
    """Scale and shift of each label's logit, which become part of the fitted model; None where there are none."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Fit the chosen model to all documents."""
        return self._rescaled(fit_for(self.model, X, y, self.n_iterations, sample_weight))

    def fitted_part(self) -> Any:
        """Return the chosen model as it was fitted to the training documents of the first part."""
        return self._rescaled(self.trained[0])

    def fold_pool(self, support: Support, n_jobs: int | None = None) -> tuple[Ensemble, Recipe]:
        """Return the pool of the models of all parts, each with the same weight, and the recipe for it.

        What the recipe calibrates is calibrated in each member, as it was when the member was evaluated.
        """
        recipe, share = self.recipe, 1.0 / len(self.trained)
        if isinstance(self.model, Ensemble):
            over = self.model.over
            members = [replace(one, weight=share * one.weight) for pool in self.trained for one in pool.members]
        else:
            if "logits" in INFERENCES[recipe.inference].calibrates:
                over, calibration, recipe = "all", recipe.scaling, replace(recipe, scaling=IDENTITY)
            else:
                over, calibration, recipe = "support", recipe.calibration, replace(recipe, calibration=IDENTITY)
            members = [Member(self._rescaled(one), share, calibration, self.n_iterations) for one in self.trained]
        pool = Ensemble.of_fitted(members, support, over=over, n_jobs=n_jobs)
        require(pool, *recipe.needs(pool), by="refit='folds'")
        return pool, recipe

    def _rescaled(self, model: Any) -> Any:
        if self.label_scaling is None:
            return model
        return model.rescale_logits(self.label_scaling.scale, self.label_scaling.shift)


def autotune(
    model: Any,
    parts: Sequence[Part],
    candidates: Sequence[Candidate],
    *,
    grid: Sequence[StrengthPath] | None = None,
    early_stopping: Patience | None = None,
    scoring: MetricName = "instance_f1",
    random_state: int = 0,
    dataset: str = "",
    scales_labels: bool = False,
    checkpoint: str | Path | CheckpointSection | None = None,
    progress: ProgressCallback | None = None,
) -> TuningResult:
    """Choose the setting of a grid and the recipe that do best on held-out documents; without a grid, the recipe.

    Settings are screened by one or two recipes. The best setting under each then tries every candidate, each evaluated
    on documents that its parameters were not tuned on.

    Parameters
    ----------
    model : LabelModel
    parts : sequence of Part
    candidates : sequence of Candidate
        The recipes.
    grid, early_stopping, checkpoint, progress
        See :func:`setwise.tuning.search`.
    scoring : str
        Name of the metric to tune for.
    random_state : int
        Seed of the folds on which recipes are tuned.
    scales_labels : bool
        Whether to try a scale and a shift per label too, fitted on held-out documents.

    Returns
    -------
    result : TuningResult
    """
    trials: list[Trial] = []
    finalists: list[Trial | None] = [None]
    if grid is not None:
        screens = screening(candidates)
        trials = search(
            model,
            grid,
            parts,
            recipes=screens,
            scoring=scoring,
            early_stopping=early_stopping,
            ends_paths=True,
            keeps_best=True,
            dataset=dataset,
            checkpoint=checkpoint,
            progress=progress,
        )
        finalists = list(_finalists(trials, screens, scoring))
        trials = [replace(one, trained=None) for one in trials]
    adjustments: dict[str, Adjustment] = {"": UNCHANGED}
    if scales_labels:
        adjustments["labels scaled, "] = LabelScalingAdjustment()
    n_selections = len(adjustments) * (len(candidates) + 1)
    steps = _StepCounter("choosing the prediction", len(finalists) * (1 + n_selections), progress)
    best: TuningResult | None = None
    alternatives: list[Alternative] = []
    for trial in finalists:
        if trial is None or grid is None:
            settings, n_iterations, one = {}, None, clone(model)
            trained = [fit_for(one, part.features, part.y, None, part.sample_weight) for part in parts]
        else:
            settings, n_iterations = trial.setting.values, trial.n_iterations
            one = clone(model).set_params(**settings)
            trained = train_again(model, grid, parts, trial, early_stopping is not None)
        steps.step()
        held = [part.held_out(fitted) for part, fitted in zip(parts, trained, strict=True)]
        for prefix, adjustment in adjustments.items():
            selected = steps.after(
                select_recipe(
                    candidates,
                    held,
                    scoring=scoring,
                    adjustment=adjustment,
                    random_state=random_state,
                    after_each=steps.step,
                )
            )
            alternatives += [Alternative(settings, prefix + name, value) for name, value in selected.values.items()]
            if best is None or oriented(scoring, selected.value) > oriented(scoring, best.value):
                best = TuningResult(
                    one,
                    n_iterations,
                    selected.recipe,
                    prefix + selected.name,
                    scoring,
                    selected.value,
                    trials,
                    alternatives,
                    trained=trained,
                    held_out_sets=selected.sets,
                    label_scaling=selected.adjust.scaling if isinstance(selected.adjust, FittedLabelScaling) else None,
                )
    assert best is not None
    return best


class _StepCounter:
    """Counts the steps of a stage, and reports each."""

    def __init__(self, stage: str, total: int, progress: ProgressCallback | None) -> None:
        self._stage, self._total, self._progress = stage, total, progress
        self._done = -1
        self.step()

    def step(self) -> None:
        self._done += 1
        if self._progress is not None:
            self._progress(Progress(self._done, self._total, stage=self._stage))

    def after(self, result: T) -> T:
        """Count a step that is done, and return its result."""
        self.step()
        return result


def _finalists(trials: Sequence[Trial], screens: Sequence[Candidate], scoring: MetricName) -> Iterable[Trial]:
    """Return the best trial under each screening recipe, one per setting."""
    found: dict[Any, Trial] = {}
    for screen in screens:
        best = best_of([one for one in trials if one.recipe == screen.name], scoring)
        assert best is not None
        found.setdefault(best.setting, best)
    return found.values()
