"""How sets are predicted, as a part of the file."""

from __future__ import annotations

from dataclasses import astuple
from typing import Any, get_args

import numpy as np

from setwise.abilities import lacking
from setwise.decision.gfm import checked_beta
from setwise.exceptions import InvalidData
from setwise.inference import SetCalibration
from setwise.inference.sampling import MOST_DRAWN
from setwise.models.base import LabelModel
from setwise.models.state_checks import check_array
from setwise.persistence.container import Tensors
from setwise.persistence.fields import Fields, plain
from setwise.prediction.recipe import DecisionName, InferenceName, Recipe

__all__ = ["calibration_from", "recipe_from", "recipe_part"]

LARGEST_CALIBRATION = 1e30
"""Scale, prior or size tilt beyond this is damage."""


def recipe_part(recipe: Recipe) -> tuple[dict[str, Any], Tensors]:
    """Give everything but the number of threads, which is the reader's own business."""
    by_label = isinstance(recipe.threshold, np.ndarray)
    manifest = {
        "inference": recipe.inference,
        "decision": recipe.decision,
        "calibration": list(astuple(recipe.calibration)),
        "scaling": list(astuple(recipe.scaling)),
        "blend": recipe.blend,
        "beta": recipe.beta,
        "threshold": None if by_label else float(recipe.threshold),
        "at_least_one": bool(recipe.at_least_one),
        "n_samples": recipe.n_samples,
        "random_state": recipe.random_state,
    }
    return plain(manifest, "recipe"), {"recipe.threshold": np.asarray(recipe.threshold)} if by_label else {}


def recipe_from(fields: Fields, tensors: Tensors, model: LabelModel, n_jobs: int) -> Recipe:
    """Make the recipe again, if the model can do what it asks."""
    n_labels = len(model.classes_)
    threshold: Any = tensors.pop("recipe.threshold", None)
    if threshold is None:
        threshold = fields.number("threshold")
    else:
        check_array(threshold, "recipe.threshold", (n_labels,))
        if fields.take("threshold") is not None:
            raise InvalidData("recipe.threshold must be null where there is an array of thresholds; it is not")
    recipe = Recipe(
        fields.text("inference", get_args(InferenceName)),  # type: ignore[arg-type]
        fields.text("decision", get_args(DecisionName)),  # type: ignore[arg-type]
        calibration=calibration_from(fields, "calibration"),
        scaling=calibration_from(fields, "scaling"),
        blend=fields.number("blend", 0.0, 1.0),
        beta=checked_beta(fields.number("beta")),
        threshold=threshold,
        at_least_one=fields.flag("at_least_one"),
        n_samples=fields.whole("n_samples", 1, MOST_DRAWN // n_labels),
        random_state=fields.whole("random_state", 0, 2**64 - 1),
        n_jobs=n_jobs,
    )
    fields.end()
    with_sets, takes_sets = ("support", "mode"), recipe.decision == "most_probable"
    if takes_sets != (recipe.inference == "mode") and (not takes_sets or recipe.inference not in with_sets):
        raise InvalidData(f"the decision {recipe.decision!r} cannot work with the inference {recipe.inference!r}")
    if missing := lacking(model, *recipe.needs(model)):
        raise InvalidData(f"{type(model).__name__} has no {missing[0]!r}, which its recipe needs")
    return recipe


def calibration_from(fields: Fields, name: str) -> SetCalibration:
    """Give the calibration whose three numbers a field has."""
    return SetCalibration(*fields.numbers(name, 3, LARGEST_CALIBRATION))
