"""The recipes that are worth a try, where it is not said which to use."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

from setwise.exceptions import Incompatible
from setwise.prediction.recipe import DecisionName, InferenceName, Recipe
from setwise.prediction.recipe_selection import Candidate, able
from setwise.prediction.recipe_tuning import TuningTargets

__all__ = ["CalibrationWay", "candidates", "screens"]

CalibrationWay = Literal["likelihood", "f1"] | None

_WORTH_A_TRY: tuple[tuple[InferenceName, DecisionName, CalibrationWay], ...] = (
    ("support", "gfm", None),  # the paper
    ("support", "gfm", "likelihood"),
    ("support", "gfm", "f1"),
    ("exact", "gfm", None),
    ("exact", "gfm", "likelihood"),
    ("exact", "threshold", None),  # what a careful user of single-label tools does
    ("support", "threshold", "likelihood"),
    ("support", "most_probable", "likelihood"),
    ("blend", "gfm", "likelihood"),
    ("mode", "most_probable", None),
    ("sampled", "gfm", None),
)

_ONLY_IF_ASKED_FOR = frozenset(["blend", "mode", "sampled"])
"""Inferences that cost much and win nothing where others are open."""


def candidates(
    recipe: Recipe,
    model: Any,
    *,
    inference: InferenceName | None = None,
    decision: DecisionName | None = None,
    calibration: CalibrationWay | Literal["tuned"] = "tuned",
    numbers: TuningTargets | None = None,
    may_be_empty: bool = False,
) -> list[Candidate]:
    """Give the recipes to try for a model, the paper's first; what is given holds for all of them.

    ``numbers`` says which of blend and threshold are to be found; a threshold is where the decision is not given.
    Unless documents ``may_be_empty``, as they are where a training document has no label, none is left without one.
    """
    numbers = numbers or TuningTargets()
    threshold = numbers.threshold if decision == "threshold" else "tuned"
    recipe = replace(recipe, at_least_one=recipe.at_least_one or not may_be_empty)
    found = []
    for its_inference, its_decision, its_calibration in _WORTH_A_TRY:
        if inference is None and its_inference in _ONLY_IF_ASKED_FOR:
            continue
        if inference not in (None, its_inference) or decision not in (None, its_decision):
            continue
        if calibration not in ("tuned", its_calibration):
            continue
        wishes = TuningTargets(
            its_calibration,
            blend=numbers.blend and its_inference == "blend",
            threshold=threshold if its_decision == "threshold" else None,
        )
        made = replace(recipe, inference=its_inference, decision=its_decision)
        found.append(Candidate(_name(its_inference, its_decision, its_calibration), made, wishes))
    fitting = able(found, model)
    if not fitting:
        raise Incompatible(
            f"There is no recipe for {type(model).__name__} with inference={inference!r}, decision={decision!r} and "
            f"calibration={calibration!r}. Hint: give all three, or leave them to be tuned."
        )
    return fitting


def screens(tried: list[Candidate]) -> list[Candidate]:
    """Give the few that models are screened by: of GFM and of thresholds the one that is tuned fast and does best."""
    preferred = ["support, likelihood, gfm", "exact, threshold"]
    found = [one for one in tried if one.name in preferred]
    return found or tried[:1]


def _name(inference: str, decision: str, calibration: str | None) -> str:
    return ", ".join(word for word in (inference, calibration, decision) if word)
