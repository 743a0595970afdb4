"""The tasks that evaluate models and choose how they predict: functions that any process can run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from setwise.confidence import Evidence
from setwise.executors import Input, Outcome, Task, TaskContext
from setwise.inference import LabelScaling
from setwise.labels import Decision
from setwise.metrics import MetricName
from setwise.prediction import (
    UNCHANGED,
    Candidate,
    HeldOut,
    Recipe,
    evaluate_recipe,
    select_recipe,
    tune_recipe,
)
from setwise.tuning.costs import evidence_seconds, selection_seconds
from setwise.tuning.fits import Fits, read_fits, with_threads
from setwise.tuning.label_scaling import LabelScalingAdjustment
from setwise.tuning.pooling import PoolAdjustment, joint_held_out
from setwise.tuning.selections import Selection, Selections
from setwise.tuning.stored_parts import StoredPart, read_part
from setwise.tuning.validation import Part

__all__ = [
    "evaluation_task",
    "evidence_of",
    "evidence_task",
    "pool_task",
    "recipes_with_threads",
    "selection_task",
    "values_of",
]

_MODULE = "setwise.tuning.evaluation_tasks"


def evaluation_task(
    parts: Sequence[StoredPart], fits: Fits, recipes: Sequence[Candidate], scoring: MetricName, cost: float = 1.0
) -> Task:
    """Return the task that evaluates the models of all parts on their held-out documents, under each recipe."""
    return Task(
        f"{_MODULE}:evaluate",
        {"model": fits.model, "recipes": list(recipes), "scoring": scoring},
        {"parts": [part.data for part in parts], "fits": list(fits.outcomes)},
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
    read = [read_part(context, part) for part in parts]
    models = _models(context, fits, [model] * len(read), read)
    values = values_of(models, read, recipes_with_threads(context.n_jobs, recipes), scoring)
    return {"values": values, "size": models[0].size()._asdict()}


def values_of(
    models: Sequence[Any], parts: Sequence[Part], recipes: Sequence[Candidate], scoring: MetricName
) -> list[float]:
    """Score the held-out documents once, and return the metric under each recipe."""
    held = [part.held_out(model) for part, model in zip(parts, models, strict=True)]
    return [evaluate_recipe(tune_recipe(one.recipe, one.targets, held, scoring), held, scoring) for one in recipes]


def selection_task(
    parts: Sequence[StoredPart],
    fits: Fits,
    tried: Sequence[Candidate],
    scoring: MetricName,
    random_state: int,
    scales_labels: Sequence[bool],
    after_each: Callable[[], None] | None = None,
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
        {"parts": [part.data for part in parts], "fits": list(fits.outcomes)},
        selection_seconds([part.size for part in parts], len(tried)) if parts[0].is_shared else 1.0,
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
    read = [read_part(context, part) for part in parts]
    models = _models(context, fits, [model] * len(read), read)
    held = [part.held_out(one) for part, one in zip(read, models, strict=True)]
    found = []
    for scales in scales_labels:
        selected = select_recipe(
            recipes_with_threads(context.n_jobs, tried),
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
    parts: Sequence[StoredPart],
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
        {"parts": [part.data for part in parts], "fits": [outcome for one in fits for outcome in one.outcomes]},
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
        read = [read_part(context, part) for part in parts]
        fitted = iter(_models(context, fits, [model for model in models for _ in read], read * len(models)))
        held = [[part.held_out(next(fitted)) for part in read] for _ in models]
    joint = joint_held_out(held)
    selected = select_recipe(
        recipes_with_threads(context.n_jobs, tried),
        joint,
        scoring=scoring,
        adjustment=adjustment,
        random_state=random_state,
    )
    return Selections([Selection(selected, list(map(selected.adjust, joint)))])


def evidence_task(
    part: StoredPart, fits: Sequence[Outcome], model: Any, scaling: LabelScaling | None, recipe: Recipe
) -> Task:
    """Return the task that collects how sure a model, trained by ``tasks_alone``, is of the held-out documents."""
    return Task(
        f"{_MODULE}:collect_evidence",
        {"model": model, "scaling": scaling, "recipe": replace(recipe, n_jobs=1)},
        {"part": part.data, "fits": list(fits)},
        evidence_seconds(part.size) if part.is_shared else 1.0,
        f"the confidence of {type(model).__name__}",
        {"n_jobs": recipe.n_jobs},
    )


def collect_evidence(
    context: TaskContext,
    *,
    part: Input,
    fits: Sequence[Input],
    model: Any,
    scaling: LabelScaling | None,
    recipe: Recipe,
    n_jobs: int,
) -> dict[str, Any]:
    """Return the sets of the held-out documents, and the evidence for them."""
    train = read_part(context, part)
    (fitted,) = _models(context, fits, [model], [train])
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


def recipes_with_threads(n_jobs: int | None, recipes: Sequence[Candidate]) -> list[Candidate]:
    """Return the recipes with so many threads, as they are where that is None; no result depends on them."""
    if n_jobs is None:
        return list(recipes)
    return [replace(one, recipe=replace(one.recipe, n_jobs=n_jobs)) for one in recipes]


def _models(context: TaskContext, fits: Sequence[Input], models: Sequence[Any], parts: Sequence[Part]) -> list[Any]:
    """Return what tasks have fitted to each part."""
    parameters = [with_threads(context.n_jobs, model) for model in models]
    return [one.model for one in read_fits(fits, parameters, [part.y for part in parts])]
