"""The search over a grid: every setting is trained on one part of the documents and evaluated on the rest."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from setwise._estimator import clone
from setwise.exceptions import InvalidParameter
from setwise.executors import Emit, Executor, Job, Needs, Scheduler, Task, Walk, Work, scheduler_of
from setwise.metrics import MetricName, checked_metric, oriented
from setwise.models import Patience, Setting, StrengthPath
from setwise.prediction import Candidate, Recipe
from setwise.tuning.checkpoint import Checkpoint, CheckpointSection
from setwise.tuning.costs import evaluation_seconds
from setwise.tuning.early_stopping import CurveSchedule
from setwise.tuning.evaluation_tasks import evaluation_task
from setwise.tuning.fingerprint import fingerprint
from setwise.tuning.fit_tasks import PathFits, curve_task, fits_alone, stopped_fit_task
from setwise.tuning.fits import Fits
from setwise.tuning.path_ends import PathEnds
from setwise.tuning.stored_parts import StoredPart
from setwise.tuning.trials import History, StoredTrials, Trial, best_of, trial_of_row
from setwise.tuning.validation import Part

__all__ = [
    "PAPER",
    "Progress",
    "ProgressCallback",
    "look_ahead",
    "search",
    "train_again",
    "training_again",
]

PAPER = Candidate("paper", Recipe("support", "gfm"))
"""The paper's prediction: support inference, then the set of the best expected F1."""


@dataclass(frozen=True)
class Progress:
    """How far a training is."""

    done: int = 0
    total: int | None = None
    """None where the steps of the stage cannot be counted."""
    best: Trial | None = None
    stage: str = "tuning"
    work: Work | None = None
    """Where the tasks of all stages run in other processes: how many of them are done."""


ProgressCallback = Callable[[Progress], None]


def search(
    model: Any,
    paths: Sequence[StrengthPath],
    parts: Sequence[Part],
    *,
    recipes: Sequence[Candidate] = (PAPER,),
    scoring: MetricName = "instance_f1",
    early_stopping: Patience | None = None,
    learning_curves: CurveSchedule | None = None,
    ends_paths: bool = False,
    to_beat: float | None = None,
    keeps_best: bool = False,
    dataset: str = "",
    checkpoint: str | Path | CheckpointSection | None = None,
    progress: ProgressCallback | None = None,
    executor: Executor | Scheduler | None = None,
) -> list[Trial]:
    """Train every setting of the grid on each part, and evaluate it under each recipe.

    Parameters
    ----------
    model : LabelModel
        Its other parameters.
    paths : sequence of StrengthPath
        The grid.
    parts : sequence of Part
        With several, a value is that of all their held-out documents together.
    recipes : sequence of Candidate
        Those with parameters to tune are tuned on the documents they are evaluated on.
    scoring : str
        Name of a metric.
    early_stopping : Patience, optional
        Evaluate each fit by the first recipe while it trains, and choose the number of iterations with the setting: the
        median over the parts. By default fits run to convergence, each warm-started from the stronger one.
    learning_curves : CurveSchedule, optional
        Evaluate each fit by every recipe while it trains, without stopping it and without warm starts: the history of a
        trial then is the learning curve of its recipe on each part.
    ends_paths : bool
        Whether to leave out what is unlikely to win: strengths after a much weaker one that is clearly worse than the
        best of its path under every recipe, and L1 ratios after one that is clearly better than the ones before it
        under no recipe. The weakest strengths and the smallest ratios cost most.
    to_beat : float, optional
        What another model scored. With ``ends_paths``, a grid whose first path is hopelessly worse ends there.
    keeps_best : bool
        Whether the best trial under each recipe keeps its models, unless it was read from a checkpoint.
    dataset : str
        Stored in the checkpoint.
    checkpoint : path or CheckpointSection, optional
        A file of finished settings: a run that was interrupted continues there, with the same result. A section
        belongs to a file that several searches share; who opened it has checked that it is of the same run.
    progress : callable, optional
        Called after each setting.
    executor : Executor or Scheduler, optional
        Where models are trained and evaluated; by default in this process. The result is the same wherever that is.

    Returns
    -------
    trials : list of Trial
        One per setting and recipe, in the order of the grid; none for the settings beyond the end of a path.
    """
    if early_stopping is not None and learning_curves is not None:
        raise InvalidParameter("early_stopping ends a training and learning_curves does not. Use one of them.")
    scoring = checked_metric(scoring, "scoring")
    done: dict[tuple[Setting, str], Trial] = {}

    best: dict[str, Trial] = {}

    def note(trial: Trial) -> None:
        before = best.get(trial.recipe)
        is_best = before is None or oriented(run.scoring, trial.value) > oriented(run.scoring, before.value)
        if is_best:
            best[trial.recipe] = trial
        for one, stays in ((before, not is_best), (trial, is_best)):
            if one is not None:
                done[one.setting, one.recipe] = one if keeps_best and stays else replace(one, trained=None)

    def tried() -> list[list[Setting]]:
        """Return the settings of each path, up to where it ends."""
        return run.ends.tried(paths, done) if ends_paths else [list(path.settings) for path in paths]

    def missing(number: int) -> set[Setting]:
        return {one for one in tried()[number] if any((one, recipe.name) not in done for recipe in recipes)}

    def report() -> None:
        if progress is not None:
            total = sum(map(len, tried()))
            progress(Progress(len(done) // len(recipes), total, best_of(list(done.values()), run.scoring)))

    with ExitStack() as stack:
        scheduler = stack.enter_context(scheduler_of(executor))
        run = _Run(
            scheduler, model, parts, recipes, scoring, early_stopping, learning_curves, dataset, to_beat, ends_paths
        )
        store = checkpoint if isinstance(checkpoint, CheckpointSection) else None
        if isinstance(checkpoint, str | Path):
            run_id = fingerprint(model, paths, parts, recipes, scoring, early_stopping or learning_curves)
            opened = stack.enter_context(Checkpoint(checkpoint, {"dataset": dataset, "fingerprint": run_id}))
            store = opened.section("")
        rows = StoredTrials(dataset, type(model).__name__, [one.name for one in recipes], scoring)
        for trial in rows.restored(store, paths) if store is not None else ():
            note(trial)
        report()
        # Later paths are taken up too, for workers that are idle; some of them may turn out not to be needed.
        jobs = {
            number: scheduler.start(run.path(path, settings, dict(done)))
            for number, path in enumerate(paths)
            if (settings := missing(number))
        }
        for job in jobs.values():
            stack.callback(scheduler.drop, job)
        for number, job in jobs.items():
            for trials in scheduler.items(job) if missing(number) else ():
                for trial in trials:
                    if (trial.setting, trial.recipe) not in done:
                        if store is not None:
                            store.add(trial.row)
                        note(trial)
                report()
                if trials[-1].setting == tried()[number][-1]:
                    break
            scheduler.drop(job)
        if scheduler is not executor:  # its work folder goes away with it
            for trial in best.values():
                if isinstance(trial.trained, Fits):
                    trial.trained.read()
    return [done[setting, recipe.name] for settings in tried() for setting in settings for recipe in recipes]


def look_ahead(
    scheduler: Scheduler,
    model: Any,
    paths: Sequence[StrengthPath],
    parts: Sequence[Part],
    recipes: Sequence[Candidate],
    scoring: MetricName,
    early_stopping: Patience | None,
    order: tuple[int, ...],
) -> list[Job]:
    """Let idle workers begin with a search that will probably follow; its tasks are then found to be done."""
    run = _Run(scheduler, model, parts, recipes, scoring, early_stopping, None, "", None, True)
    return [scheduler.start(run.path(path, set(path.settings), {}), order) for path in paths]


def train_again(
    model: Any,
    paths: Sequence[StrengthPath],
    parts: Sequence[Part],
    trial: Trial,
    early_stopping: bool,
    executor: Executor | Scheduler | None = None,
) -> Sequence[Any]:
    """Return the model of each part as it was when the trial was evaluated, to the last bit.

    Where fits are warm-started, the path is walked again up to the setting. With early stopping, every part is trained
    for the number of iterations of the trial.
    """
    if trial.trained is not None:
        return trial.trained
    with scheduler_of(executor) as scheduler:
        stored = [StoredPart.of(scheduler, part) for part in parts]
        fits: Fits = scheduler.result(scheduler.start(training_again(model, paths, stored, trial, early_stopping)))
        return fits.read()


def training_again(
    model: Any, paths: Sequence[StrengthPath], parts: Sequence[StoredPart], trial: Trial, early_stopping: bool
) -> Walk:
    """Train the models of a trial again; return their fits."""
    path = next(path for path in paths if trial.setting in path.settings)
    base = clone(model).set_params(**path.parameters)
    if early_stopping:
        fitted = clone(base).set_params(strength=trial.setting.strength)
        return (yield from fits_alone(parts, fitted, trial.n_iterations))
    walked, fits = PathFits(base, path, parts), None
    for number in range(list(path.settings).index(trial.setting) + 1):
        fits = walked.fits(number, (yield Needs(walked.tasks(number, fits))))
    return fits


@dataclass(frozen=True, eq=False)
class _Run:
    scheduler: Scheduler
    model: Any
    parts: Sequence[Part]
    recipes: Sequence[Candidate]
    scoring: MetricName
    early_stopping: Patience | None
    learning_curves: CurveSchedule | None
    dataset: str
    to_beat: float | None
    ends_paths: bool

    def path(self, path: StrengthPath, missing: set[Setting], done: dict[tuple[Setting, str], Trial]) -> Walk:
        """Train a path and evaluate the settings that are missing, up to where the path ends.

        Where fits are warm-started, the whole path is trained again, so that an interrupted run has the same result.
        """
        walked = PathFits(clone(self.model).set_params(**path.parameters), path, self._stored)
        sizes = [one.size for one in self._stored] if self.scheduler.works_ahead else []
        cost = evaluation_seconds(sizes, len(self.recipes))
        fits: Fits | None = None
        seconds = 0.0
        wanted = [
            (number, setting) for number, setting in enumerate(path.settings) if self._walks_paths or setting in missing
        ]
        for place, (number, setting) in enumerate(wanted):
            later: list[Task] = []
            if not self._walks_paths:
                later = [task for after, _ in wanted[place + 1 :] for task in self._tasks(walked, after)]
            outcomes = yield Needs(self._tasks(walked, number, fits), later)
            seconds += sum(one.cost.seconds for one in outcomes)
            fits = walked.fits(number, outcomes)
            if setting not in missing:
                continue
            if self._walks_paths and place + 1 < len(wanted):
                later = self._tasks(walked, wanted[place + 1][0], fits)
            task = evaluation_task(self._stored, fits, self.recipes, self.scoring, cost)
            (evaluated,) = yield Needs([task], later)
            trials = self._trials(setting, fits, evaluated.value, seconds + evaluated.cost.seconds)
            done |= {(one.setting, one.recipe): one for one in trials}
            yield Emit(trials)
            seconds = 0.0
            if self.ends_paths and self.ends.end_of_path(list(path.settings), done) == number + 1:
                return

    @cached_property
    def _stored(self) -> list[StoredPart]:
        return [StoredPart.of(self.scheduler, part) for part in self.parts]

    @cached_property
    def ends(self) -> PathEnds:
        """The rules by which paths end."""
        return PathEnds(self.scoring, [recipe.name for recipe in self.recipes], self.to_beat)

    @property
    def _walks_paths(self) -> bool:
        """Whether each fit starts from that of the stronger one."""
        return self.early_stopping is None and self.learning_curves is None

    def _tasks(self, walked: PathFits, number: int, fits: Fits | None = None) -> list[Task]:
        """Return the tasks that train a setting on each part; ``fits`` are those of the setting before."""
        if self._walks_paths:
            return walked.tasks(number, fits)
        model = clone(walked.model).set_params(strength=walked.path.strengths[number])
        if self.early_stopping is not None:
            options = model, self.early_stopping, self.recipes[0], self.scoring
            return [stopped_fit_task(part, *options) for part in self._stored]
        assert self.learning_curves is not None
        return [curve_task(part, model, self.learning_curves, self.recipes, self.scoring) for part in self._stored]

    def _trials(self, setting: Setting, models: Fits, evaluated: dict[str, Any], seconds: float) -> list[Trial]:
        """Return the trial of each recipe."""
        n_iterations, histories, repeatable = self._trained(models)
        return [
            replace(
                trial_of_row(
                    {
                        "dataset": self.dataset,
                        "model": type(self.model).__name__,
                        **setting.values,
                        "recipe": recipe.name,
                        "n_iterations": n_iterations,
                        "scoring": self.scoring,
                        "value": value,
                        "seconds": round(seconds, 4),
                        **evaluated["size"],
                        "history": history,
                    }
                ),
                trained=models if repeatable else None,
            )
            for recipe, value, history in zip(self.recipes, evaluated["values"], histories, strict=True)
        ]

    def _trained(self, models: Fits) -> tuple[int | None, list[History], bool]:
        """Return the iterations to train for, the evaluations under each recipe, and whether to keep the models.

        Those of parts that stopped at different iterations are not what training for their median gives.
        """
        if self._walks_paths:
            return None, [[] for _ in self.recipes], True
        histories: list[History] = [
            [
                [(iteration, values[min(number, len(values) - 1)]) for iteration, values in fit.history]
                for fit in models.fits
            ]
            for number, _ in enumerate(self.recipes)
        ]
        if self.early_stopping is None:
            return None, histories, True
        stopped = [fit.best_iteration for fit in models.fits]
        best = [one for one in stopped if one is not None]
        return round(statistics.median(best)) if best else None, histories, len(set(stopped)) == 1
