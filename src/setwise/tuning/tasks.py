"""The tasks of a tuning: functions that any process can run, and the plain form of what they read and return."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import astuple, dataclass, field, replace
from itertools import dropwhile
from typing import Any, overload

from setwise._estimator import clone
from setwise.confidence import Evidence
from setwise.executors import Data, Input, Outcome, Scheduler, Task, TaskContext
from setwise.inference import LabelScaling
from setwise.labels import Decision, LabelMatrix, SetCalibration, Support
from setwise.learners import FeatureColumns
from setwise.metrics import MetricName, oriented
from setwise.models import LabelModel, ModelState, Patience, fit_for
from setwise.prediction import (
    UNCHANGED,
    Candidate,
    HeldOut,
    Recipe,
    SelectedRecipe,
    evaluate_recipe,
    select_recipe,
    tune_recipe,
)
from setwise.tuning.early_stopping import CurveSchedule, EarlyStopping, learning_curve
from setwise.tuning.label_scaling import FittedLabelScaling, LabelScalingAdjustment
from setwise.tuning.pooling import FittedPool, PoolAdjustment, joint_held_out
from setwise.tuning.validation import Part

__all__ = [
    "Fit",
    "Fits",
    "Selection",
    "Selections",
    "curve_task",
    "evaluation_task",
    "evidence_of",
    "evidence_task",
    "fit_task",
    "label_scaling_of",
    "next_fit_task",
    "part_data",
    "pool_task",
    "selection_task",
    "stopped_fit_task",
    "values_of",
]

_MODULE = "setwise.tuning.tasks"

_CALIBRATIONS = ("calibration", "scaling")
"""Fields of a recipe that are calibrations."""

History = list[tuple[int, list[float]]]
"""Iterations that were evaluated during a training, and the metric under each recipe."""


@dataclass(frozen=True, eq=False)
class Fit:
    """A model that was trained on a part."""

    model: Any
    best_iteration: int | None = None
    """Where early stopping found the best one; None where there was none."""
    history: History = field(default_factory=list)

    def pack(self) -> dict[str, Any]:
        """Return the fit as plain values and arrays."""
        return {"model": _packed(self.model), "best_iteration": self.best_iteration, "history": self.history}

    @classmethod
    def of(cls, value: Any, model: Any) -> Fit:
        """Return a fit from its plain form; ``model`` has its class and its parameters."""
        if isinstance(value, Fit):
            return value
        history = [(iteration, list(values)) for iteration, values in value["history"]]
        return cls(_unpacked(value["model"], model), value["best_iteration"], history)


class Fits(Sequence[Any]):
    """The models of all parts, which are read when they are asked for."""

    def __init__(self, outcomes: Sequence[Outcome], model: Any) -> None:
        self.outcomes = tuple(outcomes)
        self.model = model
        """Their class and parameters."""
        self._read: list[Fit] | None = None

    @property
    def fits(self) -> list[Fit]:
        """Return the fits, read once."""
        if self._read is None:
            self._read = [Fit.of(one.value, self.model) for one in self.outcomes]
        return self._read

    def read(self) -> Fits:
        """Read the models now."""
        assert self.fits
        return self

    @overload
    def __getitem__(self, place: int) -> Any: ...

    @overload
    def __getitem__(self, place: slice) -> list[Any]: ...

    def __getitem__(self, place: int | slice) -> Any:
        return [one.model for one in self.fits][place]

    def __len__(self) -> int:
        return len(self.outcomes)


def part_data(scheduler: Scheduler, part: Part) -> Data:
    """Make a part ready for tasks to read."""
    return scheduler.data(part, _packed_part)


def next_fit_task(
    part: Data, model: Any, strengths: Sequence[float], number: int, previous: Outcome | None, cost: float = 1.0
) -> Task:
    """Return the task that fits one strength of a path, after ``previous``, the fit of the strength before."""
    inputs: dict[str, Input | Sequence[Input]] = {"part": part}
    if previous is not None:
        inputs["previous"] = previous
    return Task(
        f"{_MODULE}:fit_next",
        {
            "model": model,
            "strength": strengths[number],
            # A model that cannot start from an earlier fit walks the path again.
            "before": [] if _continues(model) else list(strengths[:number]),
        },
        inputs,
        cost,
        f"a fit of {_title(model, strengths[number])}",
        {"after": list(strengths[number + 1 :])},
    )


def fit_next(
    context: TaskContext,
    *,
    part: Input,
    model: Any,
    strength: float,
    before: Sequence[float],
    after: Sequence[float],
    previous: Input | None = None,
) -> Fit:
    """Fit one strength of a path; where the process still has the path as it was left, go on from there."""
    path: Iterator[Any] | None = None if previous is None else context.take(("path", previous.key))
    if path is None:
        train, model = _part(context, part), _with_threads(context, model)
        options = {} if previous is None or before else {"start": Fit.of(previous.value, model).model}
        strengths = [*before, strength, *after]
        path = model.fit_path(train.features, train.y, strengths, train.sample_weight, **options)
        path = dropwhile(lambda fitted: fitted.strength > strength, path)
    fitted = next(path)
    if after:
        context.keep(("path", context.task), path)
    return Fit(fitted)


def stopped_fit_task(
    part: Data, model: Any, patience: Patience, recipe: Candidate, scoring: MetricName, cost: float = 1.0
) -> Task:
    """Return the task that trains until early stopping ends it."""
    return Task(
        f"{_MODULE}:fit_until_worse",
        {"model": model, "patience": patience, "recipe": recipe, "scoring": scoring},
        {"part": part},
        cost,
        f"a fit of {_title(model, model.strength)}",
    )


def fit_until_worse(
    context: TaskContext, *, part: Input, model: Any, patience: Patience, recipe: Candidate, scoring: MetricName
) -> Fit:
    """Train until early stopping ends it; return the best model, and the evaluations."""
    train, model = _part(context, part), clone(_with_threads(context, model))
    recipes = _with_threads_of(context, [recipe])
    stopping = EarlyStopping(
        lambda trained: oriented(scoring, values_of([trained], [train], recipes, scoring)[0]),
        patience,
        keep_state=True,
    )
    model.fit(train.features, train.y, train.sample_weight, callback=stopping)
    history: History = [(int(row["iteration"]), [oriented(scoring, row["score"])]) for row in stopping.rows]
    if stopping.best_state is not None:  # None: training ended before the first evaluation
        model = type(model).from_state(stopping.best_state)
    return Fit(model, stopping.best_iteration, history)


def curve_task(
    part: Data, model: Any, schedule: CurveSchedule, recipes: Sequence[Candidate], scoring: MetricName
) -> Task:
    """Return the task that trains to convergence and evaluates the model on the way."""
    return Task(
        f"{_MODULE}:fit_with_curve",
        {
            "model": model,
            "schedule": schedule,
            "recipes": list(recipes),
            "scoring": scoring,
        },
        {"part": part},
        title=f"a learning curve of {_title(model, model.strength)}",
    )


def fit_with_curve(
    context: TaskContext,
    *,
    part: Input,
    model: Any,
    schedule: CurveSchedule,
    recipes: Sequence[Candidate],
    scoring: MetricName,
) -> Fit:
    """Train to convergence; return the metric under each recipe at the scheduled iterations with the model."""
    train, model = _part(context, part), clone(_with_threads(context, model))
    recipes = _with_threads_of(context, recipes)
    curve = learning_curve(
        model,
        train.features,
        train.y,
        lambda trained: values_of([trained], [train], recipes, scoring),
        schedule,
        train.sample_weight,
    )
    return Fit(model, None, curve)


def fit_task(part: Data, model: Any, n_iterations: int | None, cost: float = 1.0) -> Task:
    """Return the task that trains a model on its own, for a number of iterations or to convergence."""
    return Task(
        f"{_MODULE}:fit_alone",
        {"model": model, "n_iterations": n_iterations},
        {"part": part},
        cost,
        f"a fit of {type(model).__name__}",
    )


def fit_alone(context: TaskContext, *, part: Input, model: Any, n_iterations: int | None) -> Fit:
    """Train a model for a number of iterations, or to convergence where that is None."""
    train = _part(context, part)
    return Fit(fit_for(_with_threads(context, model), train.features, train.y, n_iterations, train.sample_weight))


def evaluation_task(
    parts: Sequence[Data], fits: Fits, recipes: Sequence[Candidate], scoring: MetricName, cost: float = 1.0
) -> Task:
    """Return the task that evaluates the models of all parts on their held-out documents, under each recipe."""
    return Task(
        f"{_MODULE}:evaluate",
        {"model": fits.model, "recipes": list(recipes), "scoring": scoring},
        {"parts": list(parts), "fits": list(fits.outcomes)},
        cost,
        f"an evaluation of {type(fits.model).__name__}",
    )


def evaluate(
    context: TaskContext,
    *,
    parts: Sequence[Input],
    fits: Sequence[Input],
    model: Any,
    recipes: Sequence[Candidate],
    scoring: MetricName,
) -> dict[str, Any]:
    """Return the metric under each recipe, and the size of the model of the first part."""
    models = _models(context, fits, model)
    values = values_of(models, [_part(context, part) for part in parts], _with_threads_of(context, recipes), scoring)
    return {"values": values, "size": models[0].size()._asdict()}


def values_of(
    models: Sequence[Any], parts: Sequence[Part], recipes: Sequence[Candidate], scoring: MetricName
) -> list[float]:
    """Score the held-out documents once, and return the metric under each recipe."""
    held = [part.held_out(model) for part, model in zip(parts, models, strict=True)]
    return [evaluate_recipe(tune_recipe(one.recipe, one.targets, held, scoring), held, scoring) for one in recipes]


@dataclass(frozen=True, eq=False)
class Selection:
    """The recipe that was chosen for a model, with or without a scale and a shift per label."""

    selected: SelectedRecipe
    held: list[HeldOut] | None = None
    """The held-out documents after the adjustment; None where another process has scored them."""

    def pack(self) -> dict[str, Any]:
        """Return the selection as plain values and arrays."""
        found = self.selected
        recipe = {name: value for name, value in vars(found.recipe).items() if name != "n_jobs"}
        for name in _CALIBRATIONS:
            recipe[name] = astuple(recipe[name])
        scaling, pool = label_scaling_of(found), found.adjust if isinstance(found.adjust, FittedPool) else None
        return {
            "name": found.name,
            "value": found.value,
            "values": list(found.values.items()),
            "sets": found.sets,
            "recipe": recipe,
            "label_scaling": None if scaling is None else [scaling.scale, scaling.shift],
            "pool": None if pool is None else [pool.weights, list(map(astuple, pool.calibrations)), pool.over],
        }

    @classmethod
    def unpack(cls, value: dict[str, Any], n_jobs: int) -> Selection:
        """Return a selection from its plain form; ``n_jobs`` is the number of threads of its recipe."""
        recipe = {**value["recipe"], "n_jobs": n_jobs}
        for name in _CALIBRATIONS:
            recipe[name] = SetCalibration(*recipe[name])
        adjust: Callable[[HeldOut], HeldOut] = UNCHANGED.fit([])
        if value["label_scaling"] is not None:
            adjust = FittedLabelScaling(LabelScaling(*value["label_scaling"]))
        if value["pool"] is not None:
            weights, calibrations, over = value["pool"]
            adjust = FittedPool(weights, [SetCalibration(*numbers) for numbers in calibrations], over)
        values = dict(map(tuple, value["values"]))
        return cls(SelectedRecipe(value["name"], Recipe(**recipe), value["value"], values, list(value["sets"]), adjust))


def label_scaling_of(selected: SelectedRecipe) -> LabelScaling | None:
    """Return the scale and the shift of each label, if these were tried."""
    return selected.adjust.scaling if isinstance(selected.adjust, FittedLabelScaling) else None


@dataclass(frozen=True, eq=False)
class Selections:
    """The selections for one model."""

    found: list[Selection]

    def pack(self) -> list[dict[str, Any]]:
        """Return all of them as plain values and arrays."""
        return [one.pack() for one in self.found]

    @classmethod
    def of(cls, value: Any, n_jobs: int) -> Selections:
        """Return the selections from what a task has returned."""
        return value if isinstance(value, Selections) else cls([Selection.unpack(one, n_jobs) for one in value])


def selection_task(
    parts: Sequence[Data],
    fits: Fits,
    tried: Sequence[Candidate],
    scoring: MetricName,
    random_state: int,
    scales_labels: Sequence[bool],
    after_each: Callable[[], None] | None = None,
    cost: float = 1.0,
) -> Task:
    """Return the task that chooses the recipe for the models of all parts, for each kind of adjustment.

    ``after_each`` is called after each candidate and each choice, where the task runs in this process.
    """
    return Task(
        f"{_MODULE}:select",
        {
            "model": fits.model,
            "tried": list(tried),
            "scoring": scoring,
            "random_state": random_state,
            "scales_labels": list(scales_labels),
        },
        {"parts": list(parts), "fits": list(fits.outcomes)},
        cost,
        f"the choice of the prediction of {type(fits.model).__name__}",
        {} if after_each is None else {"after_each": after_each},
    )


def select(
    context: TaskContext,
    *,
    parts: Sequence[Input],
    fits: Sequence[Input],
    model: Any,
    tried: Sequence[Candidate],
    scoring: MetricName,
    random_state: int,
    scales_labels: Sequence[bool],
    after_each: Callable[[], None] | None = None,
) -> Selections:
    """Choose the recipe, for each kind of adjustment."""
    models = _models(context, fits, model)
    held = [_part(context, part).held_out(one) for part, one in zip(parts, models, strict=True)]
    found = []
    for scales in scales_labels:
        selected = select_recipe(
            _with_threads_of(context, tried),
            held,
            scoring=scoring,
            adjustment=LabelScalingAdjustment() if scales else UNCHANGED,
            random_state=random_state,
            after_each=after_each,
        )
        found.append(Selection(selected, list(map(selected.adjust, held))))
        if after_each is not None:
            after_each()
    return Selections(found)


def pool_task(
    parts: Sequence[Data],
    fits: Sequence[Fits],
    tried: Sequence[Candidate],
    scoring: MetricName,
    random_state: int,
    adjustment: PoolAdjustment,
    held: Sequence[Sequence[HeldOut]] | None,
    cost: float = 1.0,
) -> Task:
    """Return the task that weighs models, each with its fits on all parts, and chooses the recipe of their pool.

    ``held`` has the held-out documents of each part as each model scores them, where the task runs in this process.
    """
    return Task(
        f"{_MODULE}:select_pool",
        {
            "models": [one.model for one in fits],
            "tried": list(tried),
            "scoring": scoring,
            "random_state": random_state,
            "adjustment": adjustment,
        },
        {"parts": list(parts), "fits": [outcome for one in fits for outcome in one.outcomes]},
        cost,
        "a pool of models",
        {} if held is None else {"held": held},
    )


def select_pool(
    context: TaskContext,
    *,
    parts: Sequence[Input],
    fits: Sequence[Input],
    models: Sequence[Any],
    tried: Sequence[Candidate],
    scoring: MetricName,
    random_state: int,
    adjustment: PoolAdjustment,
    held: Sequence[Sequence[HeldOut]] | None = None,
) -> Selections:
    """Weigh the models, and choose the recipe of their pool."""
    if held is None:
        read = [_part(context, part) for part in parts]
        held = [
            [
                part.held_out(one)
                for part, one in zip(
                    read, _models(context, fits[m * len(parts) : (m + 1) * len(parts)], model), strict=True
                )
            ]
            for m, model in enumerate(models)
        ]
    joint = joint_held_out(held)
    selected = select_recipe(
        _with_threads_of(context, tried), joint, scoring=scoring, adjustment=adjustment, random_state=random_state
    )
    return Selections([Selection(selected, list(map(selected.adjust, joint)))])


def evidence_task(
    part: Data, model: Any, n_iterations: int | None, scaling: LabelScaling | None, recipe: Recipe, cost: float = 1.0
) -> Task:
    """Return the task that trains a model on a part, and collects how sure it is of the held-out documents."""
    return Task(
        f"{_MODULE}:collect_evidence",
        {
            "model": model,
            "n_iterations": n_iterations,
            "scaling": scaling,
            "recipe": replace(recipe, n_jobs=1),
        },
        {"part": part},
        cost,
        f"a fit of {type(model).__name__}",
        {"n_jobs": recipe.n_jobs},
    )


def collect_evidence(
    context: TaskContext,
    *,
    part: Input,
    model: Any,
    n_iterations: int | None,
    scaling: LabelScaling | None,
    recipe: Recipe,
    n_jobs: int,
) -> dict[str, Any]:
    """Train a model on a part; return the sets of its held-out documents, and the evidence for them."""
    train = _part(context, part)
    fitted = fit_for(_with_threads(context, model), train.features, train.y, n_iterations, train.sample_weight)
    if scaling is not None:
        fitted = fitted.rescale_logits(scaling.scale, scaling.shift)
    held = train.held_out(fitted)
    recipe = replace(recipe, n_jobs=n_jobs if context.n_jobs is None else context.n_jobs)
    found = Evidence.of(recipe, held.posterior, train.support, train.X_held, train.coverage)
    return {
        "sets": found.decision.sets,
        "value": found.decision.value,
        "columns": found.columns,
        "knows_coverage": found.knows_coverage,
    }


def evidence_of(value: dict[str, Any]) -> Evidence:
    """Return what an evidence task has collected."""
    return Evidence(Decision(value["sets"], value["value"]), value["columns"], value["knows_coverage"])


def _models(context: TaskContext, fits: Sequence[Input], model: Any) -> list[Any]:
    return [Fit.of(one.value, _with_threads(context, model)).model for one in fits]


def _part(context: TaskContext, given: Input) -> Part:
    """Return a part, laid out for training once per process."""

    def read() -> Part:
        value = given.value
        return value if isinstance(value, Part) else _unpacked_part(value)

    part: Part = context.remember(("part", given.key), read)
    return part


def _packed_part(part: Part) -> dict[str, Any]:
    support = part.support
    return {
        "X": FeatureColumns.matrix_of(part.X),
        "y": _packed_labels(part.y),
        "X_held": part.X_held,
        "y_held": _packed_labels(part.y_held),
        "support": {"sets": _packed_labels(support.sets), "counts": support.counts, "set_of": support.set_of},
        "sample_weight": part.sample_weight,
        "coverage": part.coverage,
    }


def _unpacked_part(value: dict[str, Any]) -> Part:
    support = Support(**{**value["support"], "sets": _unpacked_labels(value["support"]["sets"])})
    return Part(
        value["X"],
        _unpacked_labels(value["y"]),
        value["X_held"],
        _unpacked_labels(value["y_held"]),
        lambda _: support,
        value["sample_weight"],
        coverage=value["coverage"],
    )


def _packed_labels(labels: LabelMatrix) -> dict[str, Any]:
    return {"names": labels.names, "indicator": labels.indicator, "kind": labels.kind}


def _unpacked_labels(value: dict[str, Any]) -> LabelMatrix:
    return LabelMatrix(tuple(value["names"]), value["indicator"], value["kind"])


def _packed(model: Any) -> dict[str, Any]:
    """Return a fitted model without its parameters, which are known to who asked for it."""
    state = model.state()
    return {"values": state.values, "arrays": state.arrays, "members": [_packed(one) for one in state.members]}


def _unpacked(value: dict[str, Any], model: Any) -> Any:
    parameters = {name: one for name, one in model.get_params(deep=False).items() if name != "members"}
    members = tuple(
        _unpacked(one, member.model)
        for one, member in zip(value["members"], getattr(model, "members", ()), strict=False)
    )
    arrays = value["arrays"]
    fitted = type(model).from_state(ModelState(type(model).__name__, parameters, value["values"], arrays, members))
    for name in arrays:
        if name.endswith(".indptr"):  # scipy may have narrowed them, and a model states the bytes that it takes
            weights = getattr(fitted, name.removesuffix(".indptr"))
            weights.indices, weights.indptr = arrays[name.removesuffix("indptr") + "indices"], arrays[name]
    return fitted


def _with_threads(context: TaskContext, model: Any) -> Any:
    """Return the model with the threads of the worker; no result depends on them."""
    if context.n_jobs is None:
        return model
    changed = clone(model)
    if isinstance(changed, LabelModel) and "n_jobs" in changed.get_params(deep=False):
        changed.set_params(n_jobs=context.n_jobs)
    if members := getattr(changed, "members", None):
        changed.members = [replace(one, model=_with_threads(context, one.model)) for one in members]
    return changed


def _with_threads_of(context: TaskContext, recipes: Sequence[Candidate]) -> list[Candidate]:
    if context.n_jobs is None:
        return list(recipes)
    return [replace(one, recipe=replace(one.recipe, n_jobs=context.n_jobs)) for one in recipes]


def _continues(model: Any) -> bool:
    """Return whether the model can continue a path from a fit."""
    return "start" in inspect.signature(type(model).fit_path).parameters


def _title(model: Any, strength: float) -> str:
    return f"{type(model).__name__} at strength {strength:.3g}"
