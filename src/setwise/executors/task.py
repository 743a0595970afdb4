"""Tasks, which can run anywhere, and what comes out of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

from setwise.executors.digests import data_fingerprint, parameter_text

__all__ = ["Cost", "Data", "Input", "Outcome", "Task", "TaskContext"]


class Input(Protocol):
    """What a task reads: data, or the outcome of another task."""

    @property
    def kind(self) -> str:
        """Return ``data`` or ``part``, where a work folder has it."""

    @property
    def key(self) -> str:
        """Return the digest of the content, or of what it is computed from."""

    @property
    def value(self) -> Any:
        """Return the content: the object itself in this process, plain values and arrays in another."""


@dataclass(frozen=True, eq=False)
class Data:
    """Data that tasks read, such as the documents of a fold."""

    key: str
    load: Callable[[], Any] = field(repr=False)
    kind: str = "data"

    @property
    def value(self) -> Any:
        """Return the data."""
        return self.load()


@dataclass(frozen=True)
class Cost:
    """What a task took."""

    seconds: float = 0.0
    cpu_seconds: float = 0.0
    peak_bytes: int = 0
    """Largest memory of the process so far; 0 where it is not known."""
    worker: str = ""


@dataclass(frozen=True, eq=False)
class Outcome:
    """The result of a task, which is read where it is needed, and what it took."""

    key: str
    load: Callable[[], Any] = field(repr=False)
    cost: Cost = field(default_factory=Cost)
    warnings: tuple[tuple[str, str], ...] = ()
    """Category and text of each warning, for those who use the result."""
    kind: str = "part"

    @property
    def value(self) -> Any:
        """Return what the function of the task returned, in plain form where another process ran it."""
        return self.load()


class TaskContext(Protocol):
    """What a running task knows of where it runs."""

    n_jobs: int | None
    """Threads that it may use; None leaves that to its parameters."""
    task: str
    """The key of the task."""

    def remember(self, key: Any, make: Callable[[], Any]) -> Any:
        """Return what ``make`` returns, made once per worker for tasks that follow one another."""

    def keep(self, key: Any, value: Any) -> None:
        """Keep something for a later task that may run in the same worker."""

    def take(self, key: Any) -> Any:
        """Return what an earlier task has kept, and forget it; None where there is nothing."""


@dataclass(frozen=True, eq=False)
class Task:
    """A function to call, as plain data: it can be sent anywhere, and repeated.

    Parameters
    ----------
    function : str
        Module and name, such as ``"package.module:name"``, called as ``function(context, **inputs, **parameters)``.
    parameters : dict
        Numbers, names and unfitted models: all that the result depends on beside the inputs.
    inputs : dict
        Data and earlier outcomes, one or a sequence per name. The function reads the ``value`` of each.
    cost : float
        Estimated, in any unit: of tasks that can start, those that cost most start first.
    title : str
        What the task does, in a few words for messages.
    hints : dict
        Further arguments on which the result does not depend.
    """

    function: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    inputs: Mapping[str, Input | Sequence[Input]] = field(default_factory=dict)
    cost: float = 1.0
    title: str = "a task"
    hints: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def key(self) -> str:
        """The digest of the parameters and of all that is read: with the same code, equal tasks have equal results."""
        reads = {
            name: [one.key for one in given] if isinstance(given, Sequence) else given.key
            for name, given in self.inputs.items()
        }
        return data_fingerprint(self.function, parameter_text(dict(self.parameters)), repr(reads))
