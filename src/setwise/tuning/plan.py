"""The plan of a tuning: its tasks, what they will probably cost, and the memory of a worker, before anything starts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from setwise._estimator import clone
from setwise.models import BinaryRelevance, StrengthPath
from setwise.tuning.auto import Stage
from setwise.tuning.costs import PartSize, evaluation_seconds, evidence_seconds, fit_seconds, selection_seconds
from setwise.tuning.label_blocks import pieces_of_fit
from setwise.tuning.validation import Part

__all__ = ["FitPlan", "PlannedTasks", "plan_of"]

QUICK_STRENGTHS = 5
"""Strengths that each feature set is tried with."""

BYTES_OF_A_WORKER = 170_000_000
"""Memory of a worker process that has done nothing yet: Python, NumPy, SciPy and scikit-learn."""

COPIES_OF_FEATURES = 2.5
"""The features of a part take so many times the bytes of their matrix: by column, by row, and the mapped file."""

COPIES_OF_SCORES = 3
"""Matrices of held-out documents by label sets that an evaluation has at a time."""

BYTES_PER_WEIGHT = 16
"""A weight of a model while it is fitted: value, index, and the fit before."""


@dataclass(frozen=True)
class PlannedTasks:
    """Tasks of one kind."""

    title: str
    n_tasks: int
    cpu_seconds: float
    """Of all of them."""


@dataclass(frozen=True)
class FitPlan:
    """All tasks of a fit by workers, if no path ended early: it may take less, and hardly more.

    In one process, the label blocks of a fit are one task.
    """

    tasks: list[PlannedTasks]
    worker_bytes: int
    """Memory that a worker will probably need."""

    @property
    def n_tasks(self) -> int:
        """Number of tasks."""
        return sum(one.n_tasks for one in self.tasks)

    @property
    def cpu_seconds(self) -> float:
        """CPU seconds of all tasks together."""
        return sum(one.cpu_seconds for one in self.tasks)


def plan_of(
    stages: Sequence[Stage],
    parts: Sequence[Part],
    n_recipes: int,
    n_confidence: int,
    n_feature_sets: int = 1,
    *,
    refits: bool = True,
) -> FitPlan:
    """Return the plan of a fit.

    Parameters
    ----------
    stages : sequence of Stage
    parts : sequence of Part
    n_recipes : int
        Recipes that screen the settings.
    n_confidence : int
        Parts in which it is learned how sure predictions are.
    n_feature_sets : int
        Feature sets to choose from; they are taken to be as large as that of the parts.
    refits : bool
        Whether the chosen model is fitted to all documents in the end.
    """
    sizes = [PartSize.of(part) for part in parts]
    plan: list[PlannedTasks] = []
    if n_feature_sets > 1:
        n_settings = n_feature_sets * QUICK_STRENGTHS
        n_tasks, seconds = _fits(BinaryRelevance(), parts, sizes)
        seconds += evaluation_seconds(sizes, n_recipes)
        plan.append(PlannedTasks("choice of features", n_settings * (n_tasks + 1), n_settings * seconds))
    for stage in stages:
        n_settings, n_tasks, seconds = 0, 0, 0.0
        for path in stage.grid[:1] if stage.ratio_of else stage.grid:
            model = clone(stage.model).set_params(**_known(stage.model, path))
            n_of_setting, of_setting = _fits(model, parts, sizes, whole=stage.early_stopping is not None)
            n_settings += len(path.strengths)
            n_tasks += n_of_setting * len(path.strengths)
            seconds += of_setting * len(path.strengths)
        plan.append(PlannedTasks(f"fits of {stage.name}", n_tasks, seconds))
        screened = n_settings * evaluation_seconds(sizes, n_recipes)
        plan.append(PlannedTasks(f"evaluations of {stage.name}", n_settings, screened))
        n_kinds = 2 if stage.scales_labels else 1
        n_choices, chosen = n_kinds * len(stage.candidates), n_kinds * selection_seconds(sizes, len(stage.candidates))
        plan.append(PlannedTasks(f"choice of the prediction of {stage.name}", n_choices, chosen))
    dearest = max(stages, key=lambda stage: fit_seconds(stage.model, sizes[0]))
    n_tasks, seconds = _fits(dearest.model, parts[:1], sizes, cold=True, whole=dearest.early_stopping is not None)
    if n_confidence:
        plan.append(PlannedTasks("fits of the confidence", n_confidence * n_tasks, n_confidence * seconds))
        plan.append(PlannedTasks("confidence", n_confidence, n_confidence * evidence_seconds(sizes[0])))
    if refits:
        plan.append(PlannedTasks("fits of the final model", n_tasks, seconds))
    return FitPlan(plan, _worker_bytes(sizes, stages))


def _fits(
    model: Any, parts: Sequence[Part], sizes: Sequence[PartSize], *, cold: bool = False, whole: bool = False
) -> tuple[int, float]:
    """Return the tasks of a fit on each part, and their CPU seconds; ``whole`` fits are not split in label blocks."""
    pieces = [
        piece
        for part, size in zip(parts, sizes, strict=False)
        for piece in pieces_of_fit(model, part.y, size, cold=cold)
    ]
    return len(parts) if whole else len(pieces), sum(piece.seconds for piece in pieces)


def _worker_bytes(sizes: Sequence[PartSize], stages: Sequence[Stage]) -> int:
    largest = max(sizes, key=lambda one: one.n_values)
    features = COPIES_OF_FEATURES * 12 * largest.n_values
    is_dense = any(path.parameters.get("l1_ratio") == 0.0 for stage in stages for path in stage.grid)
    weights = BYTES_PER_WEIGHT * largest.n_labels * (largest.n_features if is_dense else largest.n_features // 10)
    scores = COPIES_OF_SCORES * 8 * sum(one.n_held * one.n_sets for one in sizes)
    return int(BYTES_OF_A_WORKER + features + weights + scores)


def _known(model: Any, path: StrengthPath) -> dict[str, Any]:
    """Return the parameters of a path that the cost depends on."""
    ratio = path.parameters.get("l1_ratio", getattr(model, "l1_ratio", None))
    return {} if ratio is None or not hasattr(model, "l1_ratio") else {"l1_ratio": ratio}
