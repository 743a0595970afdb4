"""Options that several commands share, and groups of options that reach a command as one value."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any

import typer

__all__ = [
    "CLUSTER",
    "CSV_OUTPUT",
    "AsJson",
    "Cluster",
    "EscapeFormulas",
    "LabeledData",
    "ModelPath",
    "TestSize",
    "WorkFolderPath",
    "option_group",
]

CSV_OUTPUT = "csv and tsv output"
"""Title of the options that concern these formats alone."""

CLUSTER = "Cluster"
"""Title of the options that say where work runs."""

Cluster = Annotated[
    str | None,
    typer.Option(
        metavar="WORKERS",
        help="Let workers do the work: local:N are N processes, tcp://HOST:PORT is a Dask scheduler.",
        rich_help_panel=CLUSTER,
    ),
]
WorkFolderPath = Annotated[
    str | None,
    typer.Option(
        "--work-folder",
        metavar="FOLDER",
        help="Folder that all workers see, for data and finished parts; an interrupted run continues there.",
        rich_help_panel=CLUSTER,
    ),
]

ModelPath = Annotated[str, typer.Argument(metavar="MODEL", help="Model file.")]
LabeledData = Annotated[str, typer.Argument(metavar="DATA", help="Labeled documents; - reads standard input.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
TestSize = Annotated[float, typer.Option(help="Share of the documents in the test set, between 0 and 1.")]
EscapeFormulas = Annotated[
    bool,
    typer.Option(
        "--escape-formulas/--no-escape-formulas",
        help="Put an apostrophe before text that a spreadsheet would run as a formula.",
        rich_help_panel=CSV_OUTPUT,
    ),
]


def option_group(group: Callable[..., Any], argument: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return a decorator that adds the options of ``group`` to a command.

    The command receives the return value of ``group`` as its parameter ``argument``.
    """
    group_parameters = inspect.signature(group, eval_str=True).parameters

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(command, eval_str=True)

        @wraps(command)
        def wrapper(**values: Any) -> None:
            grouped = group(**{name: values.pop(name) for name in group_parameters})
            command(**values, **{argument: grouped})

        parameters = [
            parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
            for parameter in signature.parameters.values()
            if parameter.name != argument
        ] + list(group_parameters.values())
        wrapper.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        wrapper.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        return wrapper

    return decorate
