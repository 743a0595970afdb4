"""The search over a grid: every setting is trained on one part of the documents and evaluated on the rest."""

from __future__ import annotations

import math
import statistics
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from setwise._estimator import clone
from setwise.exceptions import InvalidData, InvalidParameter
from setwise.metrics import MetricName, checked_metric, oriented
from setwise.models import ModelSize, Patience, Setting, StrengthPath, fit_for
from setwise.prediction import Candidate, Recipe, evaluate_recipe, tune_recipe
from setwise.tuning.checkpoint import Checkpoint, CheckpointSection
from setwise.tuning.early_stopping import CurveSchedule, EarlyStopping, learning_curve
from setwise.tuning.fingerprint import fingerprint
from setwise.tuning.validation import Part

__all__ = ["PAPER", "Progress", "ProgressCallback", "Trial", "best_of", "search", "train_again", "trial_of_row"]

PAPER = Candidate("paper", Recipe("support", "gfm"))
"""The paper's prediction: support inference, then the set of the best expected F1."""

CLEARLY_WORSE = 0.005
"""A value is clearly worse than a better one where it is lower by more than this share of it."""

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
    trained: list[Any] | None = field(default=None, compare=False, repr=False)
    """The model of each part as it was evaluated; None where it was not kept."""


@dataclass(frozen=True)
class Progress:
    """How far a training is."""

    done: int = 0
    total: int | None = None
    """None where the steps of the stage cannot be counted."""
    best: Trial | None = None
    stage: str = "tuning"


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
    keeps_best: bool = False,
    dataset: str = "",
    checkpoint: str | Path | CheckpointSection | None = None,
    progress: ProgressCallback | None = None,
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
    keeps_best : bool
        Whether the best trial under each recipe keeps its models, unless it was read from a checkpoint.
    dataset : str
        Stored in the checkpoint.
    checkpoint : path or CheckpointSection, optional
        A file of finished settings: a run that was interrupted continues there, with the same result. A section
        belongs to a file that several searches share; who opened it has checked that it is of the same run.
    progress : callable, optional
        Called after each setting.

    Returns
    -------
    trials : list of Trial
        One per setting and recipe, in the order of the grid; none for the settings beyond the end of a path.
    """
    if early_stopping is not None and learning_curves is not None:
        raise InvalidParameter("early_stopping ends a training and learning_curves does not. Use one of them.")
    run = _Run(model, parts, recipes, checked_metric(scoring, "scoring"), early_stopping, learning_curves, dataset)
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

    def report() -> None:
        if progress is not None:
            total = sum(map(len, tried()))
            progress(Progress(len(done) // len(recipes), total, best_of(list(done.values()), run.scoring)))

    with ExitStack() as stack:
        store = checkpoint if isinstance(checkpoint, CheckpointSection) else None
        if isinstance(checkpoint, str | Path):
            run_id = fingerprint(model, paths, parts, recipes, scoring, early_stopping or learning_curves)
            opened = stack.enter_context(Checkpoint(checkpoint, {"dataset": dataset, "fingerprint": run_id}))
            store = opened.section("")
        for trial in run.restored(store, paths) if store is not None else ():
            note(trial)
        report()
        for number, path in enumerate(paths):
            missing = {one for one in tried()[number] if any((one, recipe.name) not in done for recipe in recipes)}
            for trials in run.path(path, missing) if missing else ():
                for trial in trials:
                    if (trial.setting, trial.recipe) not in done:
                        if store is not None:
                            store.add(trial.row)
                        note(trial)
                report()
                if trials[-1].setting == tried()[number][-1]:
                    break
    return [done[setting, recipe.name] for settings in tried() for setting in settings for recipe in recipes]


def train_again(
    model: Any, paths: Sequence[StrengthPath], parts: Sequence[Part], trial: Trial, early_stopping: bool
) -> list[Any]:
    """Return the model of each part as it was when the trial was evaluated, to the last bit.

    Where fits are warm-started, the path is walked again up to the setting. With early stopping, every part is trained
    for the number of iterations of the trial.
    """
    if trial.trained is not None:
        return trial.trained
    path = next(path for path in paths if trial.setting in path.settings)
    base = clone(model).set_params(**path.parameters)
    if early_stopping:
        base.set_params(strength=trial.setting.strength)
        return [fit_for(base, part.features, part.y, trial.n_iterations, part.sample_weight) for part in parts]
    strengths = [strength for strength in path.strengths if strength >= trial.setting.strength]
    return [
        deque(base.fit_path(part.features, part.y, strengths, part.sample_weight), maxlen=1).pop() for part in parts
    ]


def best_of(trials: Sequence[Trial], scoring: MetricName = "instance_f1") -> Trial | None:
    """Return the best trial, the first of equals; None where there is none."""
    return max(trials, key=lambda one: oriented(scoring, one.value), default=None)


History = list[list[tuple[float, float]]]
"""Per part: iterations that were evaluated, and the metric there."""


@dataclass(frozen=True, eq=False)
class _Trained:
    """A setting with its models, one per part, and the evaluations during the training of each."""

    setting: Setting
    models: list[Any]
    n_iterations: int | None = None
    histories: list[History] = field(default_factory=list)
    """One per recipe; empty where nothing was evaluated during the training."""
    repeatable: bool = True
    """Whether training for ``n_iterations`` gives these models: parts may have stopped at different ones."""


@dataclass(frozen=True, eq=False)
class _Run:
    model: Any
    parts: Sequence[Part]
    recipes: Sequence[Candidate]
    scoring: MetricName
    early_stopping: Patience | None
    learning_curves: CurveSchedule | None
    dataset: str

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
            is_over = bool(best) and not any(_is_clearly_worse(best[name], highest[name]) for name in highest)
            best = {name: max(value, best.get(name, value)) for name, value in highest.items()}
        return tried

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

    def path(self, path: StrengthPath, missing: set[Setting]) -> Iterator[list[Trial]]:
        """Train a path and evaluate the settings that are missing.

        Where fits are warm-started, the whole path is trained again, so that an interrupted run has the same result.
        """
        base = clone(self.model).set_params(**path.parameters)
        started = time.perf_counter()
        for trained in self._train(base, path, missing):
            if trained.setting in missing:
                seconds = time.perf_counter() - started
                yield self._evaluate(trained, seconds)
                started = time.perf_counter()

    def _train(self, base: Any, path: StrengthPath, missing: set[Setting]) -> Iterator[_Trained]:
        if self.early_stopping is not None:
            return self._stopped_early(base, path, missing)
        if self.learning_curves is not None:
            return self._with_curves(base, path, missing, self.learning_curves)
        return self._converged(base, path)

    def _converged(self, base: Any, path: StrengthPath) -> Iterator[_Trained]:
        fits = [base.fit_path(part.features, part.y, path.strengths, part.sample_weight) for part in self.parts]
        for setting, *models in zip(path.settings, *fits, strict=True):
            yield _Trained(setting, models)

    def _stopped_early(self, base: Any, path: StrengthPath, missing: set[Setting]) -> Iterator[_Trained]:
        for setting in path.settings:
            if setting in missing:
                fits = [self._stop_early(clone(base).set_params(strength=setting.strength), one) for one in self.parts]
                best = [stopping.best_iteration for _, stopping in fits if stopping.best_iteration is not None]
                history = [
                    [(row["iteration"], oriented(self.scoring, row["score"])) for row in stopping.rows]
                    for _, stopping in fits
                ]
                yield _Trained(
                    setting,
                    [model for model, _ in fits],
                    round(statistics.median(best)) if best else None,
                    [history] * len(self.recipes),
                    repeatable=len({stopping.best_iteration for _, stopping in fits}) == 1,
                )

    def _with_curves(
        self, base: Any, path: StrengthPath, missing: set[Setting], schedule: CurveSchedule
    ) -> Iterator[_Trained]:
        for setting in path.settings:
            if setting in missing:
                models = [clone(base).set_params(strength=setting.strength) for _ in self.parts]
                curves = [self._curve(*pair, schedule) for pair in zip(models, self.parts, strict=True)]
                histories: list[History] = [
                    [[(iteration, values[number]) for iteration, values in curve] for curve in curves]
                    for number in range(len(self.recipes))
                ]
                yield _Trained(setting, models, None, histories)

    def _curve(self, model: Any, part: Part, schedule: CurveSchedule) -> list[tuple[int, list[float]]]:
        """Train the model on a part; return the metric under each recipe at the scheduled iterations."""

        def values(trained: Any) -> list[float]:
            return self._values([trained], [part], self.recipes)

        return learning_curve(model, part.features, part.y, values, schedule, part.sample_weight)

    def _stop_early(self, model: Any, part: Part) -> tuple[Any, EarlyStopping]:
        """Train until early stopping ends it; return the best model, and the evaluations."""
        stopping = EarlyStopping(
            lambda trained: oriented(self.scoring, self._values([trained], [part], self.recipes[:1])[0]),
            self.early_stopping,
            keep_state=True,
        )
        model.fit(part.features, part.y, part.sample_weight, callback=stopping)
        if stopping.best_state is None:  # training ended before the first evaluation
            return model, stopping
        return type(model).from_state(stopping.best_state), stopping

    def _values(self, models: Sequence[Any], parts: Sequence[Part], recipes: Sequence[Candidate]) -> list[float]:
        """Score the held-out documents once, and return the metric under each recipe."""
        held = [part.held_out(model) for part, model in zip(parts, models, strict=True)]
        return [
            evaluate_recipe(tune_recipe(one.recipe, one.targets, held, self.scoring), held, self.scoring)
            for one in recipes
        ]

    def _evaluate(self, trained: _Trained, seconds: float) -> list[Trial]:
        started = time.perf_counter()
        values = self._values(trained.models, self.parts, self.recipes)
        seconds += time.perf_counter() - started
        size = trained.models[0].size()
        histories: list[History] = trained.histories or [[]] * len(self.recipes)
        return [
            replace(
                trial_of_row(
                    {
                        "dataset": self.dataset,
                        "model": type(self.model).__name__,
                        **trained.setting.values,
                        "recipe": recipe.name,
                        "n_iterations": trained.n_iterations,
                        "scoring": self.scoring,
                        "value": value,
                        "seconds": round(seconds, 4),
                        **size._asdict(),
                        "history": history,
                    }
                ),
                trained=trained.models if trained.repeatable else None,
            )
            for recipe, value, history in zip(self.recipes, values, histories, strict=True)
        ]


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
