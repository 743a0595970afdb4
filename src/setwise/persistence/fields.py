"""Strict reading of the manifest: every field is present, has its type and range, and no field is left over."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from setwise.exceptions import InvalidData, InvalidParameter

__all__ = ["Fields", "check_scalars", "check_text", "plain"]

_MAX_FLOAT = float(np.finfo(np.float64).max)


class Fields:
    """JSON object of the manifest, named ``path`` in errors; each field is taken once, and :meth:`end` closes it."""

    def __init__(self, value: Any, path: str) -> None:
        if not isinstance(value, dict):
            raise InvalidData(f"{path} must be an object; got {_type_name(value)}.")
        self._left = dict(value)
        self._path = path

    def take(self, name: str) -> Any:
        """Return a field of any type."""
        if name not in self._left:
            raise InvalidData(f"Field {name!r} is missing from {self._path}.")
        return self._left.pop(name)

    def optional(self, name: str) -> Any:
        """Return a field of any type that files of older versions do not have, or None."""
        return self._left.pop(name, None)

    def fields(self, name: str) -> Fields:
        """Return an object."""
        return Fields(self.take(name), self._path_of(name))

    def fields_or_none(self, name: str) -> Fields | None:
        """Return an object, or None if the field is null."""
        value = self.take(name)
        return None if value is None else Fields(value, self._path_of(name))

    def items(self, name: str, length: int | None = None) -> list[Any]:
        """Return a list, which must have ``length`` items if that is not None."""
        value = self.take(name)
        if not isinstance(value, list) or length not in (None, len(value)):
            items = "" if length is None else f" of {length} items"
            got = f"{len(value)} items" if isinstance(value, list) else _type_name(value)
            raise InvalidData(f"{self._path_of(name)} must be a list{items}; got {got}.")
        return value

    def text(self, name: str, among: tuple[str, ...] | None = None) -> str:
        """Return a string, which must be in ``among`` if that is not None."""
        value = self.take(name)
        if not isinstance(value, str) or (among is not None and value not in among):
            allowed = "a string" if among is None else f"one of {', '.join(among)}"
            raise InvalidData(f"{self._path_of(name)} must be {allowed}; got {value!r:.40}.")
        return value

    def flag(self, name: str) -> bool:
        """Return a boolean."""
        value = self.take(name)
        if not isinstance(value, bool):
            raise InvalidData(f"{self._path_of(name)} must be true or false; got {_type_name(value)}.")
        return value

    def whole(self, name: str, low: int, high: int) -> int:
        """Return an integer from ``low`` to ``high``."""
        value = self.take(name)
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            raise InvalidData(f"{self._path_of(name)} must be an integer from {low} to {high}; got {value!r:.40}.")
        return value

    def number(self, name: str, low: float = -_MAX_FLOAT, high: float = _MAX_FLOAT) -> float:
        """Return a finite number from ``low`` to ``high``."""
        return _checked_number(self.take(name), self._path_of(name), low, high)

    def numbers(self, name: str, length: int, high: float) -> list[float]:
        """Return a list of ``length`` numbers from ``-high`` to ``high``."""
        return [_checked_number(value, self._path_of(name), -high, high) for value in self.items(name, length)]

    def scalars(self, name: str) -> dict[str, Any]:
        """Return an object whose values are scalars, lists of strings, or lists of such lists."""
        return check_scalars(self.take(name), self._path_of(name), lists=True)

    def end(self) -> None:
        """Raise ``InvalidData`` if fields are left."""
        if self._left:
            raise InvalidData(f"{self._path} has the unknown field {next(iter(self._left))!r:.40}.")

    def _path_of(self, name: str) -> str:
        return f"{self._path}.{name}"


def check_scalars(value: Any, path: str, *, lists: bool = False) -> dict[str, Any]:
    """Return an object after checking that its values are strings, numbers, booleans or null.

    With ``lists``, values may also be lists of strings, or lists of such lists.
    """
    if not isinstance(value, dict):
        raise InvalidData(f"{path} must be an object; got {_type_name(value)}.")
    for name, scalar in value.items():
        if lists and isinstance(scalar, list):
            flat = [one for item in scalar for one in (item if isinstance(item, list) else [item])]
            valid = all(isinstance(one, str) for one in flat)
        else:
            valid = isinstance(scalar, str | float | None) or (isinstance(scalar, int) and abs(scalar) < 2**64)
        if not valid:
            allowed = "a string, a number, true, false, null" + (
                " or a list of strings or of such lists" if lists else ""
            )
            raise InvalidData(f"{path}.{name:.40} must be {allowed}; got {_type_name(scalar)}.")
    return value


def check_text(manifest: dict[str, Any]) -> None:
    """Raise ``InvalidData`` if a string contains a lone surrogate, which UTF-8 cannot encode."""
    try:
        json.dumps(manifest, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        character = error.object[error.start : error.end]
        raise InvalidData(f"A string contains {character!a}, which UTF-8 cannot encode.") from None


def plain(value: Any, path: str) -> Any:
    """Return a parameter as JSON: numpy scalars become Python numbers, tuples become lists."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, list | tuple):
        return [plain(item, path) for item in value]
    if isinstance(value, dict):
        return {str(name): plain(item, f"{path}.{name}") for name, item in value.items()}
    if isinstance(value, str | int | None) or (isinstance(value, float) and abs(value) <= _MAX_FLOAT):
        return value
    raise InvalidParameter(
        f"{path} cannot be saved: it must be a string, a finite number, a boolean or None; got {value!r:.40}."
    )


def _checked_number(value: Any, path: str, low: float, high: float) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not low <= value <= high:
        raise InvalidData(f"{path} must be a number from {low:g} to {high:g}; got {value!r:.40}.")
    return float(value)


def _type_name(value: Any) -> str:
    """Return the type of a value in the terms of JSON."""
    names = {dict: "an object", list: "a list", str: "a string", bool: "a boolean", int: "a number", float: "a number"}
    return names.get(type(value), "null")
