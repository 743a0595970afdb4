"""Options that a command takes together: many on the command line, one value inside."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any

__all__ = ["taking"]


def taking(options: Callable[..., Any], argument: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the parameters of ``options``; it gets what that makes of them as its ``argument``."""
    shared = inspect.signature(options, eval_str=True).parameters

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        own = inspect.signature(command, eval_str=True)

        @wraps(command)
        def wrapped(**given: Any) -> None:
            made = options(**{name: given.pop(name) for name in shared})
            command(**given, **{argument: made})

        parameters = [
            parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
            for parameter in own.parameters.values()
            if parameter.name != argument
        ] + list(shared.values())
        wrapped.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
        wrapped.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        return wrapped

    return decorate
