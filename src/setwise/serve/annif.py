"""The part of Annif's REST interface that its clients need for suggestions; a model is a project."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import orjson

from setwise.serve.models import LoadedModel
from setwise.serve.operations import Call, Operation, Reply
from setwise.serve.predicting import Options, PredictJob, Row
from setwise.serve.problems import Problem
from setwise.serve.service import Service

__all__ = ["OPERATIONS"]

USUAL_LIMIT = 10
"""Suggestions where the client does not say how many; as in Annif."""

MAX_LIMIT = 1_000_000


async def list_projects(service: Service, call: Call) -> Reply:
    """Answer all models as projects."""
    return Reply(orjson.dumps({"projects": [_project(model) for model in service.models]}))


async def describe_project(service: Service, call: Call) -> Reply:
    """Answer a model as a project."""
    return Reply(orjson.dumps(_project(call.named_model)))


async def suggest(service: Service, call: Call) -> Reply:
    """Answer the most probable labels of a text."""
    limit = int(_number(call.body, "limit", USUAL_LIMIT, MAX_LIMIT))
    threshold = _number(call.body, "threshold", 0.0, 1.0)
    job = PredictJob(call.named_model, [call.body["text"]], Options(least_probability=threshold), _suggestions(limit))
    return Reply(await service.predict(job))


def _suggestions(limit: int) -> Callable[[LoadedModel, list[Row]], bytes]:
    """Return what makes the answer from rows."""

    def render(model: LoadedModel, rows: list[Row]) -> bytes:
        (row,) = rows
        best = list(row["marginals"].items())[:limit]
        return orjson.dumps(
            {"results": [{"label": name, "uri": name, "notation": None, "score": score} for name, score in best]}
        )

    return render


def _number(fields: dict[str, str], name: str, usual: float, most: float) -> float:
    """Return a number of a form, which has only texts."""
    try:
        value = float(fields.get(name, usual))
    except ValueError:
        value = -1.0
    if not 0.0 <= value <= most:
        raise Problem(422, f"{name} must be a number from 0 to {most:g}; it is {fields[name][:40]!r}.")
    return value


def _project(model: LoadedModel) -> dict[str, Any]:
    return {
        "project_id": model.name,
        "name": model.name,
        "language": "",
        "backend": {"backend_id": "setwise"},
        "is_trained": True,
        "modification_time": datetime.fromtimestamp(model.loaded_at, UTC).isoformat(),
    }


_PROJECT = "/v1/projects/{model}"

OPERATIONS: tuple[Operation, ...] = (
    Operation(
        "GET", "/v1/projects", "listProjects", "List the models as projects of Annif.", list_projects, "Projects"
    ),
    Operation("GET", _PROJECT, "describeProject", "Describe a model as a project.", describe_project, "Project"),
    Operation(
        "POST",
        f"{_PROJECT}/suggest",
        "suggest",
        "Suggest the most probable labels of a text.",
        suggest,
        "Suggestions",
        request="SuggestRequest",
        form=True,
    ),
)
