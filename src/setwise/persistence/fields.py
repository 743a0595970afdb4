"""A manifest's objects, read field by field: each is there, of its type, in its range, and no other is."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from setwise.exceptions import InvalidData, InvalidParameter

__all__ = ["Fields", "check_scalars", "check_text", "plain"]

_MOST = float(np.finfo(np.float64).max)


class Fields:
    """An object of the manifest. Each field is taken once, and :meth:`end` sees that none is left."""

    def __init__(self, given: Any, called: str) -> None:
        if not isinstance(given, dict):
            raise InvalidData(f"{called} must be an object; got {_kind(given)}")
        self._left = dict(given)
        self._called = called

    def take(self, name: str) -> Any:
        """Give a field of any type."""
        if name not in self._left:
            raise InvalidData(f"{self._called} must have {name!r}; it has not")
        return self._left.pop(name)

    def fields(self, name: str) -> Fields:
        """Give an object."""
        return Fields(self.take(name), self._within(name))

    def fields_or_none(self, name: str) -> Fields | None:
        """Give an object, or None where the field is null."""
        given = self.take(name)
        return None if given is None else Fields(given, self._within(name))

    def items(self, name: str, length: int | None = None) -> list[Any]:
        """Give a list, of a length if one is said."""
        given = self.take(name)
        if not isinstance(given, list) or length not in (None, len(given)):
            raise InvalidData(f"{self._within(name)} must be a list of {length or 'any'} items; got {_kind(given)}")
        return given

    def text(self, name: str, among: tuple[str, ...] | None = None) -> str:
        """Give a string, one of some if they are said."""
        given = self.take(name)
        if not isinstance(given, str) or (among is not None and given not in among):
            allowed = "a string" if among is None else f"one of {', '.join(among)}"
            raise InvalidData(f"{self._within(name)} must be {allowed}; got {given!r:.40}")
        return given

    def flag(self, name: str) -> bool:
        """Give true or false."""
        given = self.take(name)
        if not isinstance(given, bool):
            raise InvalidData(f"{self._within(name)} must be true or false; got {_kind(given)}")
        return given

    def whole(self, name: str, low: int, high: int) -> int:
        """Give a whole number from ``low`` to ``high``."""
        given = self.take(name)
        if not isinstance(given, int) or isinstance(given, bool) or not low <= given <= high:
            raise InvalidData(f"{self._within(name)} must be a whole number from {low} to {high}; got {given!r:.40}")
        return given

    def number(self, name: str, low: float = -_MOST, high: float = _MOST) -> float:
        """Give a finite number from ``low`` to ``high``."""
        return _number(self.take(name), self._within(name), low, high)

    def numbers(self, name: str, length: int, high: float) -> list[float]:
        """Give so many numbers, none further from zero than ``high``."""
        return [_number(one, self._within(name), -high, high) for one in self.items(name, length)]

    def scalars(self, name: str) -> dict[str, Any]:
        """Give an object of strings, numbers, true, false and null, and lists of strings."""
        return check_scalars(self.take(name), self._within(name), lists=True)

    def end(self) -> None:
        """Raise ``InvalidData`` where fields are left."""
        if self._left:
            raise InvalidData(f"{self._called} must have no field {next(iter(self._left))!r:.40}; it has")

    def _within(self, name: str) -> str:
        return f"{self._called}.{name}"


def check_scalars(given: Any, called: str, *, lists: bool = False) -> dict[str, Any]:
    """Give an object of strings, numbers, true, false and null, with ``lists`` of lists of strings too."""
    if not isinstance(given, dict):
        raise InvalidData(f"{called} must be an object; got {_kind(given)}")
    for name, value in given.items():
        if lists and isinstance(value, list):
            simple = all(isinstance(one, str) for one in value)
        else:
            simple = isinstance(value, str | float | None) or (isinstance(value, int) and abs(value) < 2**64)
        if not simple:
            raise InvalidData(f"{called}.{name:.40} must be a string, a number, true, false or null; it is not")
    return given


def check_text(manifest: dict[str, Any]) -> None:
    """Raise ``InvalidData`` where a string of the manifest has half a surrogate pair, which cannot be printed."""
    try:
        json.dumps(manifest, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        wrong = error.object[error.start : error.end]
        raise InvalidData(f"all strings must be text that UTF-8 can hold; one has {wrong!a}") from None


def plain(value: Any, called: str) -> Any:
    """Give a parameter as JSON has it: numbers of numpy become Python's, tuples become lists."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, list | tuple):
        return [plain(one, called) for one in value]
    if isinstance(value, dict):
        return {str(name): plain(one, f"{called}.{name}") for name, one in value.items()}
    if isinstance(value, str | int | None) or (isinstance(value, float) and abs(value) <= _MOST):
        return value
    raise InvalidParameter(
        f"{called} must be a string, a finite number, true, false or None to be saved; got {value!r:.40}."
    )


def _number(given: Any, called: str, low: float, high: float) -> float:
    if not isinstance(given, int | float) or isinstance(given, bool) or not low <= given <= high:
        raise InvalidData(f"{called} must be a number from {low:g} to {high:g}; got {given!r:.40}")
    return float(given)


def _kind(value: Any) -> str:
    return "null" if value is None else f"a {type(value).__name__}"
