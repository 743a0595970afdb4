"""The recipe in the model file."""

from __future__ import annotations

from dataclasses import astuple
from typing import Any

import numpy as np

from setwise._validation import checked_beta
from setwise.decision import DECISIONS
from setwise.exceptions import InvalidData
from setwise.inference import INFERENCES, MAX_DRAWN
from setwise.labels import SetCalibration
from setwise.models import LabelModel, check_array
from setwise.persistence.container import Tensors
from setwise.persistence.fields import Fields, plain
from setwise.posterior import lacking
from setwise.prediction import Recipe, are_compatible

__all__ = ["calibration_from", "recipe_from", "recipe_part"]

LARGEST_CALIBRATION = 1e30
"""A larger scale, prior or size tilt is damage."""


def recipe_part(recipe: Recipe) -> tuple[dict[str, Any], Tensors]:
    """Return everything except the number of threads, which is up to who loads the file."""
    per_label = isinstance(recipe.threshold, np.ndarray)
    manifest = {
        "inference": recipe.inference,
        "decision": recipe.decision,
        "calibration": list(astuple(recipe.calibration)),
        "scaling": list(astuple(recipe.scaling)),
        "blend": recipe.blend,
        "beta": recipe.beta,
        "threshold": None if per_label else float(recipe.threshold),
        "at_least_one": bool(recipe.at_least_one),
        "n_samples": recipe.n_samples,
        "random_state": recipe.random_state,
    }
    return plain(manifest, "recipe"), {"recipe.threshold": np.asarray(recipe.threshold)} if per_label else {}


def recipe_from(fields: Fields, tensors: Tensors, model: LabelModel, n_jobs: int) -> Recipe:
    """Rebuild the recipe after checking that the model has the abilities it needs."""
    n_labels = len(model.classes_)
    threshold: Any = tensors.pop("recipe.threshold", None)
    if threshold is None:
        threshold = fields.number("threshold")
    else:
        check_array(threshold, "recipe.threshold", (n_labels,))
        if fields.take("threshold") is not None:
            raise InvalidData("recipe.threshold must be null where the file has one threshold per label.")
    recipe = Recipe(
        fields.text("inference", tuple(INFERENCES)),
        fields.text("decision", tuple(DECISIONS)),
        calibration=calibration_from(fields, "calibration"),
        scaling=calibration_from(fields, "scaling"),
        blend=fields.number("blend", 0.0, 1.0),
        beta=checked_beta(fields.number("beta")),
        threshold=threshold,
        at_least_one=fields.flag("at_least_one"),
        n_samples=fields.whole("n_samples", 1, MAX_DRAWN // n_labels),
        random_state=fields.whole("random_state", 0, 2**64 - 1),
        n_jobs=n_jobs,
    )
    fields.end()
    if not are_compatible(recipe.inference, recipe.decision):
        raise InvalidData(f"The decision {recipe.decision!r} cannot work with the inference {recipe.inference!r}.")
    if missing := lacking(model, *recipe.needs(model)):
        raise InvalidData(f"The recipe needs {missing[0]!r}, which {type(model).__name__} does not have.")
    return recipe


def calibration_from(fields: Fields, name: str) -> SetCalibration:
    """Return the calibration from its three numbers."""
    return SetCalibration(*fields.numbers(name, 3, LARGEST_CALIBRATION))
