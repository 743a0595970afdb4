"""What tuning chose, and what else it tried, as a part of the file."""

from __future__ import annotations

from typing import Any, get_args

from setwise.exceptions import InvalidData
from setwise.metrics.named import MetricName
from setwise.models.base import LabelModel
from setwise.persistence.fields import Fields, check_scalars, plain
from setwise.prediction import Recipe
from setwise.tuning.autotune import Alternative, Tuned
from setwise.tuning.search import Tried, tried_of_row

__all__ = ["tuning_from", "tuning_part"]

_MOST_ITERATIONS = 2**31 - 1

_LEFT_OUT = ("history", "seconds")
"""Of a row: what is long, and what differs between two equal trainings."""


def tuning_part(tuned: Tuned | None) -> dict[str, Any] | None:
    """Give all of it but the recipe, which has a part of its own; None where nothing was tuned."""
    if tuned is None:
        return None
    manifest = {
        "parameters": tuned.model.get_params(deep=False),
        "iterations": tuned.iterations,
        "recipe_name": tuned.recipe_name,
        "metric": tuned.metric,
        "value": tuned.value,
        "tried": [{name: value for name, value in one.row.items() if name not in _LEFT_OUT} for one in tuned.tried],
        "alternatives": [vars(one) for one in tuned.alternatives],
    }
    made: dict[str, Any] = plain(manifest, "tuning")
    return made


def tuning_from(fields: Fields | None, model: LabelModel, recipe: Recipe) -> Tuned | None:
    """Make it again, for the model and the recipe that were chosen."""
    if fields is None:
        return None
    parameters = fields.scalars("parameters")
    if parameters.keys() != model.get_params(deep=False).keys():
        raise InvalidData(f"tuning.parameters must be those of {type(model).__name__}; they are not")
    found = Tuned(
        type(model)(**parameters),
        _iterations(fields),
        recipe,
        fields.text("recipe_name"),
        fields.text("metric", get_args(MetricName)),  # type: ignore[arg-type]
        fields.number("value"),
        [_tried(row) for row in fields.items("tried")],
        [_alternative(one) for one in fields.items("alternatives")],
    )
    fields.end()
    return found


def _iterations(fields: Fields) -> int | None:
    given = fields.take("iterations")
    return None if given is None else Fields({"iterations": given}, "tuning").whole("iterations", 0, _MOST_ITERATIONS)


def _tried(row: Any) -> Tried:
    called = "a row of tuning.tried"
    row = check_scalars(row, called)
    fields = Fields(row, called)
    fields.number("strength")
    fields.number("value")
    fields.text("judge")
    _iterations(fields)
    return tried_of_row(row)


def _alternative(given: Any) -> Alternative:
    fields = Fields(given, "tuning.alternatives")
    found = Alternative(fields.scalars("settings"), fields.text("recipe"), fields.number("value"))
    fields.end()
    return found
