"""Progress bars of a training, one per stage, on a terminal only."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from setwise.executors import Work
from setwise.tuning.search import Progress, ProgressCallback

__all__ = ["StageBars", "progress_bar"]

BAR_WIDTH = 10
"""Narrow enough that a line with the longest names of a model and of a common metric fits 80 columns."""


class StageBars:
    """Draws a bar for each stage; the bar of a stage is full once the next one begins."""

    def __init__(self, bars: Any) -> None:
        self._bars = bars
        self._stage = ""
        self._task: Any = None
        self._work_task: Any = None

    def show(self, progress: Progress) -> None:
        """Show how far a stage is, with the best value so far where there is one, or how far all workers are."""
        if progress.work is not None:
            self._show_work(progress.work)
            return
        if progress.stage != self._stage:
            self.end_stage()
            self._stage, self._task = progress.stage, self._bars.add_task(progress.stage, total=None, count="")
        best = "" if progress.best is None else f", best {progress.best.row['scoring']} {progress.best.value:.4f}"
        count = "" if progress.total is None else f"{progress.done}/{progress.total}"
        self._bars.update(
            self._task,
            completed=progress.done,
            total=progress.total,
            description=f"{progress.stage}{best}",
            count=count,
        )

    def _show_work(self, work: Work) -> None:
        """Show one bar for all workers: the share of the work that is done, as estimated, and the time that is left."""
        if self._work_task is None:
            self._work_task = self._bars.add_task("", total=None, count="")
        self._bars.update(
            self._work_task,
            completed=work.cost_done,
            total=max(work.cost_total, work.cost_done, 1e-9),
            description=f"all workers, {work.n_running} running",
            count=f"{work.n_done} tasks",
        )

    def end_work(self) -> None:
        """Fill the bar of all workers."""
        if self._work_task is not None:
            self._bars.update(self._work_task, completed=1, total=1)

    def end_stage(self) -> None:
        """Fill the bar of the stage that was shown last."""
        if self._task is not None:
            self._bars.update(self._task, completed=1, total=1)


def time_text(elapsed: float | None, remaining: float | None) -> str:
    """Return the estimate of what is left of a stage, or where there is none, how long it has taken."""
    if remaining is not None:
        return f"{_clock(remaining)} left"
    return "" if elapsed is None else _clock(elapsed)


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


@contextmanager
def progress_bar(*, shown: bool) -> Iterator[ProgressCallback]:
    """Yield a function that shows progress on standard error, or does nothing unless ``shown``."""
    if not shown:
        yield lambda progress: None
        return
    from rich.console import Console  # imported only where a bar is shown
    from rich.progress import BarColumn, ProgressColumn, Task, TextColumn
    from rich.progress import Progress as Bars
    from rich.text import Text

    class TimeColumn(ProgressColumn):
        """Shows the time that is left, and at the end of a stage the time it took."""

        max_refresh = 0.5  # seconds: an estimate that changes all the time cannot be read

        def render(self, task: Task) -> Text:
            remaining = None if task.finished else task.time_remaining
            return Text(time_text(task.finished_time if task.finished else task.elapsed, remaining))

    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(BAR_WIDTH),
        TextColumn("{task.fields[count]}"),
        TimeColumn(),
    )
    with Bars(*columns, console=console, disable=not console.is_terminal) as bars:
        stages = StageBars(bars)
        yield stages.show
        stages.end_stage()
        stages.end_work()
