"""The OpenAPI 3.1 document: drawn from the same operations and schemas that requests are routed and checked by."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from http import HTTPStatus
from importlib.metadata import version
from typing import Any

from setwise.serve.operations import Operation
from setwise.serve.problems import MEDIA_TYPE
from setwise.serve.schemas import Schema

__all__ = ["document", "statuses_of"]

_DESCRIPTION = (
    "Predicts sets of labels for text, says how sure each set is, and why it was predicted. "
    "Errors are problem details (RFC 9457) whose `detail` is one sentence."
)


def document(
    operations: Iterable[Operation], schemas: Mapping[str, Schema], models: Iterable[str], *, has_token: bool
) -> dict[str, Any]:
    """Return the document of a service with models of these names; ``has_token`` says whether requests need one."""
    model = {"name": "model", "in": "path", "required": True, "schema": {"type": "string", "enum": list(models)}}
    paths: dict[str, dict[str, Any]] = {}
    for operation in operations:
        paths.setdefault(operation.path, {})[operation.method.lower()] = _operation(operation, model, has_token)
    components: dict[str, Any] = {"schemas": dict(schemas)}
    if has_token:
        components["securitySchemes"] = {"bearer": {"type": "http", "scheme": "bearer"}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "setwise", "version": version("setwise"), "description": _DESCRIPTION},
        "paths": paths,
        "components": components,
    }


def statuses_of(operation: Operation, *, has_token: bool) -> list[int]:
    """Return the statuses of the errors that an operation may answer with."""
    found = {421, *operation.errors}
    if has_token and not operation.is_open:
        found.add(401)
    if operation.names_model:
        found.add(404)
    if operation.request is not None:
        found |= {400, 408, 413, 415, 422}
    if not operation.is_open:
        found.add(503)
    return sorted(found)


def _operation(operation: Operation, model: Schema, has_token: bool) -> dict[str, Any]:
    answer = {"schema": _reference(operation.answer)} if operation.media_type == "application/json" else {}
    described: dict[str, Any] = {
        "operationId": operation.name,
        "summary": operation.summary,
        "responses": {
            str(operation.status): {
                "description": HTTPStatus(operation.status).phrase,
                "content": {operation.media_type: answer or {"schema": {"type": "string"}}},
            },
            **{
                str(status): {
                    "description": HTTPStatus(status).phrase,
                    "content": {MEDIA_TYPE: {"schema": _reference("Problem")}},
                }
                for status in statuses_of(operation, has_token=has_token)
            },
        },
    }
    if operation.names_model:
        described["parameters"] = [model]
    if operation.request is not None:
        media_type = "application/x-www-form-urlencoded" if operation.form else "application/json"
        described["requestBody"] = {
            "required": True,
            "content": {media_type: {"schema": _reference(operation.request)}},
        }
    if has_token and not operation.is_open:
        described["security"] = [{"bearer": []}]
    return described


def _reference(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}
