"""Checks of JSON values by the schemas that the OpenAPI document publishes: there is no second copy of what they say.

They are the part of JSON Schema that the service uses: ``type``, ``enum``, lengths, ranges, ``items``, ``properties``,
``required``, ``additionalProperties: false``, and ``oneOf`` as a choice of exactly one property.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from setwise.serve.problems import Problem

__all__ = ["check"]

Schema = Mapping[str, Any]

_MAX_SHOWN = 40
"""Characters of a name from a request that an error repeats."""

_NAMES = {
    "string": "a string",
    "number": "a number",
    "integer": "an integer",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}


def check(value: Any, schema: Schema, path: str = "The body") -> None:
    """Raise a problem, with a sentence that names the part, unless the value is as the schema says."""
    types = schema.get("type")
    if types is not None:
        allowed = [types] if isinstance(types, str) else types
        if not any(_has_type(value, name) for name in allowed):
            raise _invalid(f"{path} must be {_listed(_NAMES[name] for name in allowed)}; it is {_kind(value)}.")
    if "enum" in schema and value not in schema["enum"]:
        raise _invalid(f"{path} must be {_listed(map(repr, schema['enum']))}.")
    if isinstance(value, str):
        _check_size(len(value), schema, path, "Length", "characters")
    elif isinstance(value, list):
        _check_size(len(value), schema, path, "Items", "items")
        items = schema.get("items")
        if items is not None:
            for number, item in enumerate(value):
                check(item, items, f"{_part(path)}[{number}]")
    elif isinstance(value, dict):
        _check_object(value, schema, path)
    elif not isinstance(value, bool) and isinstance(value, int | float):
        _check_range(value, schema, path)


def _check_object(value: dict[str, Any], schema: Schema, path: str) -> None:
    properties = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in value:
            raise _invalid(f"{path} has no field {name!r}; add it.")
    choice = [option["required"][0] for option in schema.get("oneOf", ())]
    if choice and sum(name in value for name in choice) != 1:
        raise _invalid(f"{path} must have exactly one of the fields {' and '.join(map(repr, choice))}.")
    for name, item in value.items():
        if name in properties:
            check(item, properties[name], name if path == "The body" else f"{_part(path)}.{name}")
        elif schema.get("additionalProperties") is False:
            raise _invalid(
                f"{path} has the unknown field {name[:_MAX_SHOWN]!r}; the fields are {', '.join(properties)}."
            )


def _check_size(size: int, schema: Schema, path: str, kind: str, unit: str) -> None:
    least, most = schema.get(f"min{kind}", 0), schema.get(f"max{kind}")
    if size < least:
        raise _invalid(f"{path} must have at least {_count(least, unit)}; it has {size:,}.")
    if most is not None and size > most:
        raise _invalid(f"{path} must have at most {_count(most, unit)}; it has {size:,}.")


def _check_range(value: float, schema: Schema, path: str) -> None:
    least, most = schema.get("minimum"), schema.get("maximum")
    if (least is not None and value < least) or (most is not None and value > most):
        raise _invalid(f"{path} must be from {least} to {most}; it is {value:g}.")


def _has_type(value: Any, name: str) -> bool:
    if name == "null":
        return value is None
    if isinstance(value, bool):
        return name == "boolean"
    if name == "integer":
        return isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    kinds: dict[str, Any] = {"string": str, "number": int | float, "array": list, "object": dict}
    return name in kinds and isinstance(value, kinds[name])


def _kind(value: Any) -> str:
    """Return what a JSON value is, in words."""
    return next(text for name, text in _NAMES.items() if name != "integer" and _has_type(value, name))


def _part(path: str) -> str:
    return "body" if path == "The body" else path


def _listed(names: Iterable[str]) -> str:
    return " or ".join(names)


def _count(number: int, unit: str) -> str:
    return f"{number:,} {unit.removesuffix('s') if number == 1 else unit}"


def _invalid(detail: str) -> Problem:
    return Problem(422, detail)
