"""A bar with the progress and the remaining time of a run; without a terminal, one line per task."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.text import Text

from reproduction.plan import Task
from reproduction.run.runner import RunObserver
from setwise.cli.terminal import escape_control

__all__ = ["TUNING_SHARE", "progress_bar"]

TUNING_SHARE = 0.9
"""Share of a task's time that tuning takes; training and testing the chosen settings take the rest."""
SPEED_PERIOD = 3600.0
"""Seconds of steps that the speed is estimated from: steps may be minutes apart."""


@contextmanager
def progress_bar(costs: dict[Task, float]) -> Iterator[RunObserver]:
    """Yield an observer that shows the progress of tasks with these relative costs on standard error."""
    console = Console(stderr=True)
    with Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(compact=True),
        console=console,
        disable=not console.is_terminal,
        speed_estimate_period=SPEED_PERIOD,
    ) as progress:
        yield _Bar(progress, console, costs)


class _Bar(RunObserver):
    def __init__(self, progress: Progress, console: Console, costs: dict[Task, float]) -> None:
        self._progress = progress
        self._console = console
        self._costs = costs
        self._shares: dict[Task, float] = {}
        self._bar = progress.add_task("starting", total=sum(costs.values()))

    def task_progressed(self, task: Task, n_done: int, n_steps: int) -> None:
        self._advance(task, TUNING_SHARE * n_done / n_steps)

    def task_finished(self, task: Task) -> None:
        self._advance(task, 1.0)
        self._print(f"{task.name}: {len(task.keys)} rows")

    def task_failed(self, task: Task, reason: str) -> None:
        self._advance(task, 1.0)
        self._print(f"{task.name} failed: {reason}")

    def _print(self, line: str) -> None:
        self._console.print(Text(escape_control(line)), soft_wrap=True)

    def _advance(self, task: Task, share: float) -> None:
        self._shares[task] = share
        completed = sum(self._costs[one] * part for one, part in self._shares.items())
        self._progress.update(self._bar, completed=completed, description=escape_control(task.name))
