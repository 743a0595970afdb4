"""The tasks that train models: functions that any process can run."""

from __future__ import annotations

import inspect
import os
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, dropwhile
from typing import Any

from setwise._estimator import clone
from setwise.executors import Input, Needs, Outcome, Task, TaskContext
from setwise.labels import LabelMatrix
from setwise.metrics import MetricName, oriented
from setwise.models import LabelBlock, Patience, StrengthPath, fit_for
from setwise.prediction import Candidate
from setwise.tuning.early_stopping import CurveSchedule, EarlyStopping, learning_curve
from setwise.tuning.evaluation_tasks import recipes_with_threads, values_of
from setwise.tuning.fits import Fit, Fits, History, members_of, with_threads
from setwise.tuning.label_blocks import FitPiece
from setwise.tuning.stored_parts import StoredPart, read_part

__all__ = ["PathFits", "curve_task", "fits_alone", "stopped_fit_task", "tasks_alone"]

_MODULE = "setwise.tuning.fit_tasks"


@dataclass(frozen=True, eq=False)
class PathFits:
    """The fits of a path on some parts, each split in the same label blocks at every strength."""

    model: Any
    """With the parameters of the path."""
    path: StrengthPath
    parts: Sequence[StoredPart]

    @cached_property
    def _pieces(self) -> list[tuple[StoredPart, FitPiece]]:
        return [(part, piece) for part in self.parts for piece in part.pieces(self.model)]

    def tasks(self, number: int, before: Fits | None = None) -> list[Task]:
        """Return the tasks that fit strength ``number``; ``before`` are the fits of the strength before."""
        previous: Sequence[Outcome | None] = [None] * len(self._pieces) if before is None else before.outcomes
        return [
            next_fit_task(part, self.model, self.path.strengths, number, outcome, piece)
            for (part, piece), outcome in zip(self._pieces, previous, strict=True)
        ]

    def fits(self, number: int, outcomes: Sequence[Outcome]) -> Fits:
        """Return what the tasks of strength ``number`` have fitted."""
        return Fits(outcomes, clone(self.model).set_params(strength=self.path.strengths[number]), labels_of(self.parts))


def fits_alone(
    parts: Sequence[StoredPart], model: Any, n_iterations: int | None = None
) -> Generator[Needs, Sequence[Outcome], Fits]:
    """Train a model on its own on each part, as a walk of the scheduler; return the fits."""
    tasks = [task for part in parts for task in tasks_alone(part, model, n_iterations)]
    return Fits((yield Needs(tasks)), model, labels_of(parts))


def labels_of(parts: Sequence[StoredPart]) -> list[LabelMatrix]:
    """Return what each part trains on."""
    return [one.part.y for one in parts]


def next_fit_task(
    part: StoredPart,
    model: Any,
    strengths: Sequence[float],
    number: int,
    previous: Outcome | None,
    piece: FitPiece,
) -> Task:
    """Return the task that fits one strength of a path, after ``previous``, the fit of the strength before."""
    inputs: dict[str, Input | Sequence[Input]] = {"part": part.data}
    if previous is not None:
        inputs["previous"] = previous
    return Task(
        f"{_MODULE}:fit_next",
        {
            "model": model,
            "strength": strengths[number],
            # A model that cannot start from an earlier fit walks the path again.
            "before": [] if _continues(model) else list(strengths[:number]),
            "block": piece.block,
        },
        inputs,
        piece.seconds,
        f"a fit of {_title(model, strengths[number], piece.block)}",
        {"after": list(strengths[number + 1 :])},
    )


def fit_next(
    context: TaskContext,
    *,
    part: Input,
    model: Any,
    strength: float,
    before: Sequence[float],
    block: LabelBlock | None,
    after: Sequence[float],
    previous: Input | None = None,
) -> Fit:
    """Fit one strength of a path; where the process still has the path as it was left, go on from there."""
    path: Iterator[Any] | None = None if previous is None else context.take(("path", previous.key))
    if path is None:
        train, model = read_part(context, part), with_threads(context.n_jobs, model)
        options: dict[str, Any] = {} if block is None else {"block": block}
        if previous is not None and not before:
            options["start"] = Fit.of(previous.value, model).model
        strengths = [*before, strength, *after]
        path = model.fit_path(train.features, train.y, strengths, train.sample_weight, **options)
        path = dropwhile(lambda fitted: fitted.strength > strength, path)
    fitted = next(path)
    if after:
        context.keep(("path", context.task), path)
    return Fit(fitted, block=block)


def stopped_fit_task(part: StoredPart, model: Any, patience: Patience, recipe: Candidate, scoring: MetricName) -> Task:
    """Return the task that trains until early stopping ends it."""
    return Task(
        f"{_MODULE}:fit_until_worse",
        {"model": model, "patience": patience, "recipe": recipe, "scoring": scoring},
        {"part": part.data},
        part.seconds(model),
        f"a fit of {_title(model, model.strength)}",
    )


def fit_until_worse(
    context: TaskContext, *, part: Input, model: Any, patience: Patience, recipe: Candidate, scoring: MetricName
) -> Fit:
    """Train until early stopping ends it; return the best model, and the evaluations."""
    train, model = read_part(context, part), clone(with_threads(context.n_jobs, model))
    recipes = recipes_with_threads(context.n_jobs, [recipe])
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
    part: StoredPart, model: Any, schedule: CurveSchedule, recipes: Sequence[Candidate], scoring: MetricName
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
        {"part": part.data},
        part.seconds(model),
        f"a learning curve of {_title(model, model.strength)}",
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
    train, model = read_part(context, part), clone(with_threads(context.n_jobs, model))
    recipes = recipes_with_threads(context.n_jobs, recipes)
    curve = learning_curve(
        model,
        train.features,
        train.y,
        lambda trained: values_of([trained], [train], recipes, scoring),
        schedule,
        train.sample_weight,
    )
    return Fit(model, None, curve)


def tasks_alone(part: StoredPart, model: Any, n_iterations: int | None, n_jobs: int | None = None) -> list[Task]:
    """Return the tasks that train a model on its own: one per member and label block.

    Parameters
    ----------
    part : StoredPart
    model : LabelModel
    n_iterations : int, optional
        Iterations to train for, unless the model is an ensemble; None trains to convergence.
    n_jobs : int, optional
        Threads of a fit that cannot be split, where few other tasks are left; by default as many as a worker has.
    """
    if members := members_of(model):
        return list(chain.from_iterable(tasks_alone(part, one.model, one.n_iterations, n_jobs) for one in members))
    pieces = part.pieces(model, cold=True) if n_iterations is None else [FitPiece(None, part.seconds(model, cold=True))]
    return [
        Task(
            f"{_MODULE}:fit_alone",
            {"model": model, "n_iterations": n_iterations, "block": piece.block},
            {"part": part.data},
            piece.seconds,
            f"a fit of {_title(model, getattr(model, 'strength', None), piece.block)}",
            {"n_jobs": n_jobs if len(pieces) == 1 else None},
        )
        for piece in pieces
    ]


def fit_alone(
    context: TaskContext,
    *,
    part: Input,
    model: Any,
    n_iterations: int | None,
    block: LabelBlock | None,
    n_jobs: int | None,
) -> Fit:
    """Train a model, or a block of its labels, for a number of iterations, or to convergence where that is None."""
    train = read_part(context, part)
    if context.n_jobs is not None:  # in a worker
        model = with_threads(max(context.n_jobs, min(n_jobs or 1, os.cpu_count() or 1)), model)
    if block is None:
        return Fit(fit_for(model, train.features, train.y, n_iterations, train.sample_weight))
    (fitted,) = model.fit_path(train.features, train.y, [model.strength], train.sample_weight, block=block)
    return Fit(fitted, block=block)


def _continues(model: Any) -> bool:
    """Return whether the model can continue a path from a fit."""
    return "start" in inspect.signature(type(model).fit_path).parameters


def _title(model: Any, strength: float | None, block: LabelBlock | None = None) -> str:
    title = type(model).__name__
    if strength is not None:
        title += f" at strength {strength:.3g}"
    return title if block is None else f"{title}, labels {block.first + 1} to {block.end}"
