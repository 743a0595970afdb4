"""Selected recipes as tasks return them, in plain form where another process reads them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass, replace
from typing import Any

from setwise.inference import LabelScaling
from setwise.labels import SetCalibration
from setwise.metrics import MetricName, oriented
from setwise.prediction import UNCHANGED, HeldOut, Recipe, SelectedRecipe
from setwise.tuning.label_scaling import FittedLabelScaling
from setwise.tuning.pooling import FittedPool

__all__ = ["Selection", "Selections", "best_selection", "label_scaling_of"]

_CALIBRATIONS = ("calibration", "scaling")
"""Fields of a recipe that are calibrations."""


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


def best_selection(apart: Sequence[Selection], scoring: MetricName) -> Selection:
    """Return what a selection among all candidates returns, from selections with one candidate each."""
    best = max(apart, key=lambda one: oriented(scoring, one.selected.value))
    values = {name: value for one in apart for name, value in one.selected.values.items()}
    return replace(best, selected=replace(best.selected, values=values))
