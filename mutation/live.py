"""Functions of this process, and how a mutant takes the place of one."""

from __future__ import annotations

import importlib
from functools import cached_property
from types import CodeType, FunctionType
from typing import Any

__all__ = ["function_of", "put_in_place"]


def function_of(module: str, name: str, first_line: int) -> FunctionType | None:
    """Return the function of a qualified name, whatever wraps it; None where another one has the name."""
    found: Any = importlib.import_module(module)
    for part in name.split("."):
        found = vars(found).get(part)
        if found is None:
            return None
    found = _unwrapped(found)
    is_it = isinstance(found, FunctionType) and found.__code__.co_firstlineno == first_line
    return found if is_it else None


def _unwrapped(found: Any) -> Any:
    while not isinstance(found, FunctionType):
        match found:
            case staticmethod() | classmethod():
                found = found.__func__
            case property():
                found = found.fget
            case cached_property():
                found = found.func
            case _ if hasattr(found, "__wrapped__"):
                found = found.__wrapped__
            case _:
                return None
    while hasattr(found, "__wrapped__"):
        found = found.__wrapped__
    return found


def put_in_place(function: FunctionType, code: CodeType) -> bool:
    """Let a function run other code; return whether it can, which takes the same variables from around it."""
    if function.__code__.co_freevars != code.co_freevars:
        return False
    function.__code__ = code
    return True
