"""The registry of executors. Adding one is one module and one line here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from setwise.data import FilePath
from setwise.exceptions import InvalidParameter
from setwise.executors.dask import DaskExecutor
from setwise.executors.processes import ProcessExecutor
from setwise.executors.session import Executor, SerialExecutor

__all__ = ["EXECUTORS", "ExecutorEntry", "executor_of"]


@dataclass(frozen=True)
class ExecutorEntry:
    """One way to run tasks."""

    name: str
    """The name that users choose it by, alone or before a colon."""
    title: str
    build: Callable[[str, FilePath | None], Executor | None]
    """Returns the executor for what follows the colon, and the work folder; None where that is not of its form."""
    form: str
    """What users write."""
    example: str


def _serial(rest: str, folder: FilePath | None) -> Executor:
    return SerialExecutor()


def _processes(rest: str, folder: FilePath | None) -> Executor | None:
    if rest and not (rest.isdecimal() and int(rest) > 0):
        return None
    return ProcessExecutor(int(rest) if rest else None, folder)


def _dask(rest: str, folder: FilePath | None) -> Executor | None:
    return DaskExecutor(f"tcp:{rest}", folder) if rest.startswith("//") else None


EXECUTORS: dict[str, ExecutorEntry] = {
    entry.name: entry
    for entry in (
        ExecutorEntry("serial", "this process", _serial, "serial", "serial"),
        ExecutorEntry("processes", "processes of this machine, one per core", _processes, "processes", "processes"),
        ExecutorEntry("local", "as many processes of this machine", _processes, "local:N", "local:4"),
        ExecutorEntry("tcp", "the workers of a Dask scheduler", _dask, "tcp://HOST:PORT", "tcp://host:8786"),
    )
}
"""Every executor by name."""


def executor_of(value: Any, folder: FilePath | None = None, parameter: str = "executor") -> Executor:
    """Return an executor by its name, such as ``"processes"``, ``"local:4"`` or ``"tcp://host:8786"``.

    Parameters
    ----------
    value : str, Executor or None
        None is this process.
    folder : str or path, optional
        Where data and finished parts are stored, for an executor that has a name.
    parameter : str
        What an error calls the value, such as the option of a command.

    Examples
    --------
    >>> from setwise.executors import executor_of
    >>> executor_of("local:4").n_workers
    4
    """
    if value is None:
        return SerialExecutor()
    if isinstance(value, Executor):
        return value
    name, _, rest = value.partition(":") if isinstance(value, str) else ("", "", "")
    if name not in EXECUTORS:
        forms = ", ".join(entry.form for entry in EXECUTORS.values())
        kinds = "one of" if isinstance(value, str) else "an executor or one of"
        raise InvalidParameter(f"{parameter} must be {kinds} {forms}; got {value!r}.")
    entry = EXECUTORS[name]
    executor = entry.build(rest, folder)
    if executor is None:
        raise InvalidParameter(
            f"{parameter} must have the form {entry.form}; got {value!r}. Hint: write {entry.example}."
        )
    return executor
