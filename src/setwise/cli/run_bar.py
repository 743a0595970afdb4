"""A bar that shows how much of a run is done and how long the rest may take; without a terminal, a line a piece."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.text import Text

from setwise.cli.terminal import plain
from setwise.experiments.plan import Work
from setwise.experiments.runner import Watcher

__all__ = ["run_bar"]

OF_CHOOSING = 0.9
"""The share of a piece of work that choosing its settings takes; training and testing what was chosen is the rest."""
LONGEST_STEP = 3600.0
"""Seconds: how fast it goes is told from the steps of the last hour, for steps may be minutes apart."""


@contextmanager
def run_bar(costs: dict[Work, float]) -> Iterator[Watcher]:
    """Give a watcher of work that costs so much, one piece beside another."""
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
        speed_estimate_period=LONGEST_STEP,
    ) as progress:
        yield _Bar(progress, console, costs)


class _Bar(Watcher):
    def __init__(self, progress: Progress, console: Console, costs: dict[Work, float]) -> None:
        self._progress = progress
        self._console = console
        self._costs = costs
        self._shares: dict[Work, float] = {}
        self._task = progress.add_task("starting", total=sum(costs.values()))

    def stepped(self, work: Work, done: int, total: int) -> None:
        self._show(work, OF_CHOOSING * done / total)

    def ended(self, work: Work) -> None:
        self._show(work, 1.0)
        self._tell(f"{work.name}: {len(work.keys)} rows")

    def failed(self, work: Work, reason: str) -> None:
        self._show(work, 1.0)
        self._tell(f"{work.name} failed: {reason}")

    def _tell(self, line: str) -> None:
        self._console.print(Text(plain(line)), soft_wrap=True)

    def _show(self, work: Work, share: float) -> None:
        self._shares[work] = share
        completed = sum(self._costs[one] * part for one, part in self._shares.items())
        self._progress.update(self._task, completed=completed, description=plain(work.name))
