"""Automatic tuning: the settings of a grid are screened, and the best ones choose their recipe."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, overload

import scipy.sparse as sp

from setwise._estimator import clone
from setwise._validation import effective_n_jobs
from setwise.executors import Emit, Executor, Job, Needs, Scheduler, Walk, scheduler_of
from setwise.inference import INFERENCES, LabelScaling
from setwise.labels import IDENTITY, LabelMatrix, Support
from setwise.metrics import MetricName, oriented
from setwise.models import Ensemble, Member, Patience, StrengthPath
from setwise.posterior import require
from setwise.prediction import Candidate, HeldOut, Recipe, screening
from setwise.tuning.checkpoint import CheckpointSection
from setwise.tuning.evaluation_tasks import selection_task
from setwise.tuning.feature_selection import FeatureTrial
from setwise.tuning.fit_tasks import fits_alone, tasks_alone
from setwise.tuning.fits import Fits, read_fits
from setwise.tuning.search import Progress, ProgressCallback, search, training_again
from setwise.tuning.selections import Selections, best_selection, label_scaling_of
from setwise.tuning.stored_parts import StoredPart
from setwise.tuning.trials import Trial, best_of
from setwise.tuning.validation import Part

__all__ = ["Alternative", "ModelTrial", "ScoredLater", "TuningResult", "autotune"]


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
    trials: list[Trial] | None = None
    """Every setting of its grid, none for a pool; None where an older model file does not tell."""


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
    trials: list[Trial] = field(repr=False)
    """Every setting under the recipes that screened the grid."""
    alternatives: list[Alternative] = field(repr=False)
    """Every recipe, on the best settings."""
    feature_set: str = ""
    """Name of the features; empty where there was no choice."""
    feature_trials: list[FeatureTrial] = field(default_factory=list, repr=False)
    """Every feature set that was tried."""
    model_name: str = ""
    """Name of the model among those that were tried; empty where there was no choice."""
    model_trials: list[ModelTrial] = field(default_factory=list, repr=False)
    """Every model and pool that was tried."""
    trained: list[Any] = field(default_factory=list, repr=False)
    """The chosen model as it was evaluated: fitted to the training documents of each part.

    Empty once the result was saved and loaded.
    """
    held_out_sets: list[sp.csr_array] = field(default_factory=list, repr=False)
    """The sets that ``value`` is measured on, of each part's held-out documents; empty like ``trained``."""
    held_out: Sequence[HeldOut] = field(default_factory=list, repr=False)
    """The held-out documents of each part, scored by the model of ``trained``; empty once the classifier is fitted."""

    fits: Fits | None = field(default=None, repr=False)
    """The same models as ``trained``, where tasks can read them; None for a pool, and once the result was loaded."""

    label_scaling: LabelScaling | None = None
    """Scale and shift of each label's logit, which become part of the fitted model; None where there are none."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None, executor: Executor | Scheduler | None = None) -> Any:
        """Fit the chosen model to all documents, by default in this process."""
        with scheduler_of(executor) as scheduler:
            return scheduler.result(self.start_fit(scheduler, X, y, sample_weight))

    def start_fit(self, scheduler: Scheduler, X: Any, y: Any, sample_weight: Any = None) -> Job:
        """Let workers begin to fit the chosen model to all documents; the result of the job is the model."""
        part = StoredPart.of(scheduler, Part.of_all(X, LabelMatrix.of(y), sample_weight))

        def walk() -> Walk:
            n_jobs = effective_n_jobs(getattr(self.model, "n_jobs", None))
            fits = yield Needs(tasks_alone(part, self.model, self.n_iterations, n_jobs))
            (fit,) = read_fits(fits, [self.model], [part.part.y])
            return self._rescaled(fit.model)

        # Before the folds of the confidence, whose results this process works on when all workers are done.
        return scheduler.start(walk(), (-2,))

    def fitted_parts(self) -> list[Any]:
        """Return the chosen model as it was fitted to the training documents of each part."""
        return [self._rescaled(one) for one in self.trained]

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
            members = [Member(one, share, calibration, self.n_iterations) for one in self.fitted_parts()]
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
    to_beat: float | None = None,
    checkpoint: str | Path | CheckpointSection | None = None,
    progress: ProgressCallback | None = None,
    executor: Executor | Scheduler | None = None,
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
    grid, early_stopping, to_beat, checkpoint, progress, executor
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
    with scheduler_of(executor) as scheduler:
        return _autotune(
            scheduler,
            model,
            parts,
            candidates,
            grid,
            early_stopping,
            scoring,
            random_state,
            dataset,
            scales_labels,
            to_beat,
            checkpoint,
            progress,
        )


def _autotune(
    scheduler: Scheduler,
    model: Any,
    parts: Sequence[Part],
    candidates: Sequence[Candidate],
    grid: Sequence[StrengthPath] | None,
    early_stopping: Patience | None,
    scoring: MetricName,
    random_state: int,
    dataset: str,
    scales_labels: bool,
    to_beat: float | None,
    checkpoint: str | Path | CheckpointSection | None,
    progress: ProgressCallback | None,
) -> TuningResult:
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
            to_beat=to_beat,
            keeps_best=True,
            dataset=dataset,
            checkpoint=checkpoint,
            progress=progress,
            executor=scheduler,
        )
        finalists = list(_finalists(trials, screens, scoring))
        trials = [replace(one, trained=None) for one in trials]
    adjustments = [False, True] if scales_labels else [False]
    n_steps = len(adjustments) * (len(candidates) + 1)
    steps = _StepCounter("choosing the prediction", len(finalists) * (1 + n_steps), progress)
    best: TuningResult | None = None
    alternatives: list[Alternative] = []
    stored = [StoredPart.of(scheduler, part) for part in parts]
    n_jobs = candidates[0].recipe.n_jobs
    walks = []
    for trial in finalists:
        one, n_iterations = clone(model), None
        if trial is not None:
            one.set_params(**trial.setting.values)
            n_iterations = trial.n_iterations

        def walk(trial: Trial | None = trial, one: Any = one) -> Walk:
            """Train the models of a finalist, unless they were kept, and choose its recipe."""
            if trial is None or grid is None:
                fits = yield from fits_alone(stored, one)
            elif isinstance(trial.trained, Fits):
                fits = trial.trained
            else:
                fits = yield from training_again(model, grid, stored, trial, early_stopping is not None)
            yield Emit(fits)
            if not scheduler.works_ahead:
                task = selection_task(stored, fits, candidates, scoring, random_state, adjustments, steps.step)
                (outcome,) = yield Needs([task])
                return fits, Selections.of(outcome.value, n_jobs).found
            tasks = [
                selection_task(stored, fits, [candidate], scoring, random_state, [kind])
                for kind in adjustments
                for candidate in candidates
            ]
            outcomes = yield Needs(tasks)
            apart = [one for outcome in outcomes for one in Selections.of(outcome.value, n_jobs).found]
            starts = range(0, len(apart), len(candidates))
            return fits, [best_selection(apart[at : at + len(candidates)], scoring) for at in starts]

        walks.append((one, n_iterations, trial, scheduler.start(walk())))
    for one, n_iterations, trial, job in walks:
        for _ in scheduler.items(job):
            steps.step()
        fits, found = job.result
        settings = {} if trial is None else trial.setting.values
        if scheduler.works_ahead:
            steps.step(n_steps)
        for scales, selection in zip(adjustments, found, strict=True):
            selected, prefix = selection.selected, "labels scaled, " if scales else ""
            alternatives += [Alternative(settings, prefix + name, value) for name, value in selected.values.items()]
            if best is None or oriented(scoring, selected.value) > oriented(scoring, best.value):
                trained = list(fits)
                held: Sequence[HeldOut] | None = selection.held
                if held is None:
                    held = ScoredLater(partial(_scored, parts, trained, selected.adjust))
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
                    held_out=held,
                    fits=fits,
                    label_scaling=label_scaling_of(selected),
                )
    assert best is not None
    return best


def _scored(parts: Sequence[Part], trained: Sequence[Any], adjust: Callable[[HeldOut], HeldOut]) -> Sequence[HeldOut]:
    """Score the held-out documents of each part with the model that was trained on the rest of it."""
    return [adjust(part.held_out(model)) for part, model in zip(parts, trained, strict=True)]


class ScoredLater(Sequence[HeldOut]):
    """Held-out documents that are scored when somebody asks for them: another process has scored them before."""

    def __init__(self, score: Callable[[], Sequence[HeldOut]]) -> None:
        self._score = score

    @cached_property
    def _scored(self) -> Sequence[HeldOut]:
        return self._score()

    @overload
    def __getitem__(self, place: int) -> HeldOut: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[HeldOut]: ...

    def __getitem__(self, place: int | slice) -> HeldOut | Sequence[HeldOut]:
        return self._scored[place]

    def __len__(self) -> int:
        return len(self._scored)


class _StepCounter:
    """Counts the steps of a stage, and reports each."""

    def __init__(self, stage: str, total: int, progress: ProgressCallback | None) -> None:
        self._stage, self._total, self._progress = stage, total, progress
        self._done = -1
        self.step()

    def step(self, n_steps: int = 1) -> None:
        self._done += n_steps
        if self._progress is not None:
            self._progress(Progress(self._done, self._total, stage=self._stage))


def _finalists(trials: Sequence[Trial], screens: Sequence[Candidate], scoring: MetricName) -> Iterable[Trial]:
    """Return the best trial under each screening recipe, one per setting."""
    found: dict[Any, Trial] = {}
    for screen in screens:
        best = best_of([one for one in trials if one.recipe == screen.name], scoring)
        assert best is not None
        found.setdefault(best.setting, best)
    return found.values()
