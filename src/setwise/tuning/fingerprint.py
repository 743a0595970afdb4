"""The fingerprint of a run: two runs of the same data and settings have the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from setwise.executors import data_fingerprint, parameter_text
from setwise.learners import FeatureColumns
from setwise.models import Patience, StrengthPath
from setwise.prediction import Candidate
from setwise.tuning.early_stopping import CurveSchedule
from setwise.tuning.validation import Part

__all__ = ["data_fingerprint", "fingerprint", "parameter_text"]


def fingerprint(
    model: Any,
    paths: Sequence[StrengthPath],
    parts: Sequence[Part],
    recipes: Sequence[Candidate],
    scoring: str,
    evaluations: Patience | CurveSchedule | None,
) -> str:
    """Return a digest of everything that decides the result of a search; the number of threads is not part of it."""
    parameters = {name: value for name, value in model.get_params(deep=False).items() if name != "n_jobs"}
    candidates = [(one.name, *_recipe_fields(one)) for one in recipes]
    settings = (type(model).__name__, parameters, [asdict(path) for path in paths], candidates, scoring, evaluations)
    data: list[Any] = []
    for part in parts:
        data += [FeatureColumns.matrix_of(part.X), part.X_held, part.y.indicator, part.y_held.indicator]
        if part.sample_weight is not None:
            data.append(part.sample_weight)
    return data_fingerprint(repr(settings), *data)


def _recipe_fields(candidate: Candidate) -> tuple[str, ...]:
    recipe = {name: value for name, value in vars(candidate.recipe).items() if name != "n_jobs"}
    return repr(recipe), repr(candidate.targets)
