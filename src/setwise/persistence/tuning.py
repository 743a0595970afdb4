"""The result of tuning in the model file."""

from __future__ import annotations

from typing import Any

import numpy as np

from setwise._estimator import clone
from setwise.metrics import METRICS
from setwise.models import LabelModel
from setwise.persistence.fields import Fields, check_scalars, plain
from setwise.prediction import Recipe
from setwise.tuning import Alternative, FeatureTrial, ModelTrial, Trial, TuningResult, trial_of_row

__all__ = ["tuning_from", "tuning_part"]

_MAX_ITERATIONS = 2**31 - 1

_LEFT_OUT = ("history", "seconds")
"""Fields of a row that are long, or that differ between two equal trainings."""


def tuning_part(result: TuningResult | None) -> dict[str, Any] | None:
    """Return everything except the recipe, which has its own part; None where nothing was tuned."""
    if result is None:
        return None
    manifest = {
        "n_iterations": result.n_iterations,
        "recipe_name": result.recipe_name,
        "scoring": result.scoring,
        "value": result.value,
        "trials": [{name: value for name, value in one.row.items() if name not in _LEFT_OUT} for one in result.trials],
        "alternatives": [vars(one) for one in result.alternatives],
        "feature_set": result.feature_set,
        "feature_trials": [vars(one) for one in result.feature_trials],
        "model_name": result.model_name,
        "model_trials": [
            {name: value for name, value in vars(one).items() if name not in _LEFT_OUT} for one in result.model_trials
        ],
    }
    return dict(plain(manifest, "tuning"))


def tuning_from(fields: Fields | None, model: LabelModel, recipe: Recipe) -> TuningResult | None:
    """Rebuild the result for the chosen model and recipe."""
    if fields is None:
        return None
    result = TuningResult(
        clone(model),
        _n_iterations(fields),
        recipe,
        fields.text("recipe_name"),
        fields.text("scoring", tuple(METRICS)),
        fields.number("value"),
        [_trial(row) for row in fields.items("trials")],
        [_alternative(one) for one in fields.items("alternatives")],
        fields.text("feature_set"),
        [_feature_trial(one) for one in fields.items("feature_trials")],
        fields.text("model_name"),
        [_model_trial(one) for one in fields.items("model_trials")],
    )
    fields.end()
    return result


def _n_iterations(fields: Fields) -> int | None:
    value = fields.take("n_iterations")
    return (
        None if value is None else Fields({"n_iterations": value}, "tuning").whole("n_iterations", 0, _MAX_ITERATIONS)
    )


def _trial(row: Any) -> Trial:
    name = "a row of tuning.trials"
    row = check_scalars(row, name)
    fields = Fields(row, name)
    fields.number("strength")
    fields.number("value")
    fields.text("recipe")
    _n_iterations(fields)
    return trial_of_row(row)


def _alternative(value: Any) -> Alternative:
    fields = Fields(value, "tuning.alternatives")
    alternative = Alternative(fields.scalars("settings"), fields.text("recipe"), fields.number("value"))
    fields.end()
    return alternative


def _model_trial(value: Any) -> ModelTrial:
    fields = Fields(value, "tuning.model_trials")
    trial = ModelTrial(
        fields.text("name"),
        fields.text("recipe"),
        fields.number("value"),
        fields.whole("n_nonzero", 0, np.iinfo(np.int64).max),
        fields.whole("n_bytes", 0, np.iinfo(np.int64).max),
    )
    fields.end()
    return trial


def _feature_trial(value: Any) -> FeatureTrial:
    fields = Fields(value, "tuning.feature_trials")
    trial = FeatureTrial(
        fields.text("name"), fields.number("value"), fields.whole("n_features", 0, np.iinfo(np.int64).max)
    )
    fields.end()
    return trial
