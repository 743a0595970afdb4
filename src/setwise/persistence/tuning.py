"""The result of tuning in the model file."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from setwise._estimator import clone
from setwise.exceptions import InvalidData
from setwise.metrics import METRICS
from setwise.models import LabelModel
from setwise.persistence.fields import Fields, check_scalars, plain
from setwise.prediction import Recipe
from setwise.tuning import Alternative, FeatureTrial, ModelTrial, Trial, TuningResult, trial_of_row

__all__ = ["tuning_from", "tuning_part"]

_MAX_ITERATIONS = 2**31 - 1

_LEFT_OUT = ("seconds",)
"""Fields of a row that differ between two equal trainings."""


def tuning_part(result: TuningResult | None) -> dict[str, Any] | None:
    """Return everything except the recipe, which has its own part; None where nothing was tuned."""
    if result is None:
        return None
    manifest = {
        "n_iterations": result.n_iterations,
        "recipe_name": result.recipe_name,
        "scoring": result.scoring,
        "value": result.value,
        "trials": _rows(result.trials),
        "alternatives": [vars(one) for one in result.alternatives],
        "feature_set": result.feature_set,
        "feature_trials": [vars(one) for one in result.feature_trials],
        "model_name": result.model_name,
        "model_trials": [_model_row(one, result.model_name) for one in result.model_trials],
    }
    return dict(plain(manifest, "tuning"))


def _rows(trials: list[Trial]) -> list[dict[str, Any]]:
    """Return the row of each trial; those of fits that were not evaluated while they trained have no history."""
    return [
        {name: value for name, value in one.row.items() if name not in _LEFT_OUT and (name != "history" or value)}
        for one in trials
    ]


def _model_row(trial: ModelTrial, chosen: str) -> dict[str, Any]:
    """Return a tuned model; the settings of the chosen one are those of the result, and are not written twice."""
    row = {name: value for name, value in vars(trial).items() if name not in (*_LEFT_OUT, "trials")}
    return row if trial.trials is None or trial.name == chosen else {**row, "trials": _rows(trial.trials)}


def tuning_from(fields: Fields | None, model: LabelModel, recipe: Recipe) -> TuningResult | None:
    """Rebuild the result for the chosen model and recipe."""
    if fields is None:
        return None
    trials = [_trial(row) for row in fields.items("trials")]
    model_name = fields.text("model_name")
    result = TuningResult(
        clone(model),
        _n_iterations(fields),
        recipe,
        fields.text("recipe_name"),
        fields.text("scoring", tuple(METRICS)),
        fields.number("value"),
        trials,
        [_alternative(one) for one in fields.items("alternatives")],
        fields.text("feature_set"),
        [_feature_trial(one) for one in fields.items("feature_trials")],
        model_name,
        [_model_trial(one, model_name, trials) for one in fields.items("model_trials")],
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
    if not isinstance(row, dict):
        raise InvalidData(f"{name} must be an object.")
    row = {**check_scalars({**row, "history": None}, name), "history": _history(row.get("history", []))}
    fields = Fields(row, name)
    fields.number("strength")
    fields.number("value")
    fields.text("recipe")
    _n_iterations(fields)
    return trial_of_row(row)


def _history(parts: Any) -> list[list[tuple[int, float]]]:
    """Return the evaluations during a training, per part: iteration and metric."""
    return [[_evaluation(pair) for pair in _items(part, "history")] for part in _items(parts, "history")]


def _evaluation(pair: Any) -> tuple[int, float]:
    iteration, value = Fields({"history": pair}, "tuning").items("history", 2)
    fields = Fields({"iteration": iteration, "value": value}, "tuning.trials.history")
    return fields.whole("iteration", 0, _MAX_ITERATIONS), fields.number("value")


def _items(value: Any, name: str) -> list[Any]:
    return Fields({name: value}, "tuning").items(name)


def _alternative(value: Any) -> Alternative:
    fields = Fields(value, "tuning.alternatives")
    alternative = Alternative(fields.scalars("settings"), fields.text("recipe"), fields.number("value"))
    fields.end()
    return alternative


def _model_trial(value: Any, chosen: str, trials: list[Trial]) -> ModelTrial:
    fields = Fields(value, "tuning.model_trials")
    rows = fields.optional("trials")
    trial = ModelTrial(
        fields.text("name"),
        fields.text("recipe"),
        fields.number("value"),
        fields.whole("n_nonzero", 0, np.iinfo(np.int64).max),
        fields.whole("n_bytes", 0, np.iinfo(np.int64).max),
    )
    fields.end()
    if trial.name == chosen:
        return replace(trial, trials=trials)
    return trial if rows is None else replace(trial, trials=[_trial(row) for row in _items(rows, "trials")])


def _feature_trial(value: Any) -> FeatureTrial:
    fields = Fields(value, "tuning.feature_trials")
    trial = FeatureTrial(
        fields.text("name"), fields.number("value"), fields.whole("n_features", 0, np.iinfo(np.int64).max)
    )
    fields.end()
    return trial
