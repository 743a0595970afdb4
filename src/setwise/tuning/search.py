"""The search over a grid: every setting is trained on one part of the documents and evaluated on the rest."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from setwise._estimator import clone
from setwise.exceptions import InvalidData, InvalidParameter
from setwise.executors import Data, Emit, Executor, Job, Needs, Outcome, Scheduler, Task, Walk, Work, scheduler_of
from setwise.metrics import MetricName, checked_metric, oriented
from setwise.models import ModelSize, Patience, Setting, StrengthPath
from setwise.prediction import Candidate, Recipe
from setwise.tuning.checkpoint import Checkpoint, CheckpointSection
from setwise.tuning.costs import PartSize, evaluation_seconds, fit_seconds
from setwise.tuning.early_stopping import CurveSchedule
from setwise.tuning.fingerprint import fingerprint
from setwise.tuning.tasks import (
    Fits,
    curve_task,
    evaluation_task,
    fit_task,
    next_fit_task,
    part_data,
    stopped_fit_task,
)
from setwise.tuning.validation import Part

__all__ = [
    "PAPER",
    "Progress",
    "ProgressCallback",
    "Trial",
    "best_of",
    "look_ahead",
    "search",
    "train_again",
    "training_again",
    "trial_of_row",
]

PAPER = Candidate("paper", Recipe("support", "gfm"))
"""The paper's prediction: support inference, then the set of the best expected F1."""

CLEARLY_WORSE = 0.005
"""A value is clearly worse than a better one where it is lower by more than this share of it."""

HOPELESS = 0.1
"""A model whose first path stays this far below another, as a share of it, is not worth the rest of its grid."""

REACH = 2.5
"""Strengths are tried down to the best one divided by this, however poor they are: noise may hide a better one."""


@dataclass(frozen=True)
class Trial:
    """The score of one setting under one recipe."""

    setting: Setting
    recipe: str
    """Name of the candidate recipe."""
    n_iterations: int | None
    """Iterations to train for; None trains to convergence."""
    value: float
    """The metric on the held-out documents."""
    row: dict[str, Any]
    """The trial as it is stored in the checkpoint."""
    trained: Sequence[Any] | None = field(default=None, compare=False, repr=False)
    """The model of each part as it was evaluated; None where it was not kept."""


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
        return run.ended_paths(paths, done) if ends_paths else [list(path.settings) for path in paths]

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
        for trial in run.restored(store, paths) if store is not None else ():
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
        data = [part_data(scheduler, part) for part in parts]
        fits: Fits = scheduler.result(scheduler.start(training_again(model, paths, data, trial, early_stopping)))
        return fits.read()


def training_again(
    model: Any, paths: Sequence[StrengthPath], parts: Sequence[Data], trial: Trial, early_stopping: bool
) -> Walk:
    """Train the models of a trial again; return their fits."""
    path = next(path for path in paths if trial.setting in path.settings)
    base = clone(model).set_params(**path.parameters)
    fitted = clone(base).set_params(strength=trial.setting.strength)
    if early_stopping:
        return Fits((yield Needs([fit_task(part, fitted, trial.n_iterations) for part in parts])), fitted)
    fits: Sequence[Outcome | None] = [None] * len(parts)
    for number in range(list(path.settings).index(trial.setting) + 1):
        tasks = [next_fit_task(part, base, path.strengths, number, fit) for part, fit in zip(parts, fits, strict=True)]
        fits = yield Needs(tasks)
    return Fits([one for one in fits if one is not None], fitted)


def best_of(trials: Sequence[Trial], scoring: MetricName = "instance_f1") -> Trial | None:
    """Return the best trial, the first of equals; None where there is none."""
    return max(trials, key=lambda one: oriented(scoring, one.value), default=None)


History = list[list[tuple[float, float]]]
"""Per part: iterations that were evaluated, and the metric there."""


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

    def restored(self, store: CheckpointSection, paths: Sequence[StrengthPath]) -> Iterator[Trial]:
        """Read the rows of an earlier run and check each, so that a damaged one is found before any training."""
        settings = {setting: setting for path in paths for setting in path.settings}
        for number, row in store.rows:
            try:
                self._check_row(row)
                trial = trial_of_row(row)
                setting = settings[trial.setting]
            except (KeyError, TypeError):  # a parameter is missing, is not in the grid, or is a list
                reason = "its settings are not of this run"
            except ValueError as error:
                reason = str(error)
            else:
                yield replace(trial, setting=setting)
                continue
            raise InvalidData(
                f"{store.path}, line {number}, was not written by this run: {reason}. "
                f"Hint: remove that line, and run again."
            )

    def ended_paths(self, paths: Sequence[StrengthPath], done: dict[tuple[Setting, str], Trial]) -> list[list[Setting]]:
        """Return the settings of each path that are to be tried, as far as those that are done tell."""
        tried: list[list[Setting]] = []
        best: dict[str, float] = {}
        family, is_over = None, False
        for path in paths:
            if family != (family := {**path.parameters, "l1_ratio": None}):
                best, is_over = {}, False
            settings = [] if is_over else list(path.settings)
            settings = settings[: self._end_of_path(settings, done)]
            tried.append(settings)
            if is_over or any((one, recipe.name) not in done for one in settings for recipe in self.recipes):
                continue
            highest = {
                recipe.name: max(oriented(self.scoring, done[one, recipe.name].value) for one in settings)
                for recipe in self.recipes
            }
            if len(tried) == 1 and self._is_hopeless(max(highest.values())):
                return [*tried, *([] for _ in paths[1:])]
            is_over = bool(best) and not any(_is_clearly_worse(best[name], highest[name]) for name in highest)
            best = {name: max(value, best.get(name, value)) for name, value in highest.items()}
        return tried

    def _is_hopeless(self, value: float) -> bool:
        if self.to_beat is None:
            return False
        return oriented(self.scoring, self.to_beat) - value > HOPELESS * abs(self.to_beat)

    def _end_of_path(self, settings: Sequence[Setting], done: dict[tuple[Setting, str], Trial]) -> int:
        """Return how many settings of a path are to be tried."""
        best: dict[str, tuple[float, float]] = {}
        for number, setting in enumerate(settings, start=1):
            ends = True
            for recipe in self.recipes:
                trial = done.get((setting, recipe.name))
                if trial is None:
                    return len(settings)
                value = oriented(self.scoring, trial.value)
                if recipe.name not in best or value > best[recipe.name][0]:
                    best[recipe.name] = value, setting.strength
                highest, strength = best[recipe.name]
                ends = ends and _is_clearly_worse(value, highest) and setting.strength * REACH <= strength
            if ends:
                return number
        return len(settings)

    def _check_row(self, row: dict[str, Any]) -> None:
        """Raise ``ValueError`` unless each field of a stored row, except its settings, has a possible value."""
        possible: dict[str, Callable[[Any], bool]] = {
            "dataset": lambda name: name == self.dataset,
            "model": lambda name: name == type(self.model).__name__,
            "recipe": lambda name: name in [recipe.name for recipe in self.recipes],
            "n_iterations": lambda count: count is None or _is_count(count),
            "scoring": lambda name: name == self.scoring,
            "value": _is_number,
            "seconds": _is_number,
            **dict.fromkeys(ModelSize._fields, _is_count),
            "history": _is_history,
        }
        for name, holds in possible.items():
            if name not in row or not holds(row[name]):
                raise ValueError(f"its {name} is {row.get(name)!r:.40}")

    def path(self, path: StrengthPath, missing: set[Setting], done: dict[tuple[Setting, str], Trial]) -> Walk:
        """Train a path and evaluate the settings that are missing, up to where the path ends.

        Where fits are warm-started, the whole path is trained again, so that an interrupted run has the same result.
        """
        parts = [part_data(self.scheduler, part) for part in self.parts]
        base = clone(self.model).set_params(**path.parameters)
        cost = evaluation_seconds(self._sizes, len(self.recipes))
        fits: Sequence[Outcome] = ()
        seconds = 0.0
        wanted = [
            (number, setting) for number, setting in enumerate(path.settings) if self._walks_paths or setting in missing
        ]
        for place, (number, setting) in enumerate(wanted):
            later: list[Task] = []
            if not self._walks_paths:
                later = [task for after, _ in wanted[place + 1 :] for task in self._tasks(base, path, after, parts)]
            fits = yield Needs(self._tasks(base, path, number, parts, fits), later)
            seconds += sum(one.cost.seconds for one in fits)
            if setting not in missing:
                continue
            models = Fits(fits, clone(base).set_params(strength=setting.strength))
            if self._walks_paths and place + 1 < len(wanted):
                later = self._tasks(base, path, wanted[place + 1][0], parts, fits)
            (evaluated,) = yield Needs([evaluation_task(parts, models, self.recipes, self.scoring, cost)], later)
            trials = self._trials(setting, models, evaluated.value, seconds + evaluated.cost.seconds)
            done |= {(one.setting, one.recipe): one for one in trials}
            yield Emit(trials)
            seconds = 0.0
            if self.ends_paths and self._end_of_path(list(path.settings), done) == number + 1:
                return

    @cached_property
    def _sizes(self) -> list[PartSize]:
        """What the cost of each part depends on; it matters where tasks can start before others."""
        return [PartSize.of(part) for part in self.parts] if self.scheduler.works_ahead else []

    @property
    def _walks_paths(self) -> bool:
        """Whether each fit starts from that of the stronger one."""
        return self.early_stopping is None and self.learning_curves is None

    def _tasks(
        self, base: Any, path: StrengthPath, number: int, parts: Sequence[Data], fits: Sequence[Outcome] = ()
    ) -> list[Task]:
        """Return the tasks that train a setting on each part; ``fits`` are those of the setting before."""
        model = clone(base).set_params(strength=path.strengths[number])
        costs = [fit_seconds(model, size) for size in self._sizes] or [1.0] * len(parts)
        if self.early_stopping is not None:
            options = model, self.early_stopping, self.recipes[0], self.scoring
            return [stopped_fit_task(part, *options, cost) for part, cost in zip(parts, costs, strict=True)]
        if self.learning_curves is not None:
            return [curve_task(part, model, self.learning_curves, self.recipes, self.scoring) for part in parts]
        if number and not fits:  # the fits before are not there yet
            return []
        before: Sequence[Outcome | None] = fits or [None] * len(parts)
        return [
            next_fit_task(part, base, path.strengths, number, fit, cost)
            for part, fit, cost in zip(parts, before, costs, strict=True)
        ]

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


def _is_clearly_worse(value: float, best: float) -> bool:
    return best - value > CLEARLY_WORSE * abs(best)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_history(value: Any) -> bool:
    """Return whether it is, per part, a list of pairs: an iteration and the metric there."""
    return isinstance(value, list) and all(
        isinstance(part, list)
        and all(isinstance(pair, list) and len(pair) == 2 and all(map(_is_number, pair)) for pair in part)
        for part in value
    )


_NOT_SETTINGS = frozenset(
    ["dataset", "model", "recipe", "n_iterations", "scoring", "value", "seconds", *ModelSize._fields, "history"]
)


def trial_of_row(row: dict[str, Any]) -> Trial:
    """Read a trial from a stored row."""
    parameters = {name: value for name, value in row.items() if name not in _NOT_SETTINGS}
    strength = parameters.pop("strength")
    setting = Setting(strength, tuple(sorted(parameters.items())))
    return Trial(setting, row["recipe"], row["n_iterations"], row["value"], row)
