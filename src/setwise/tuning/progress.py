"""A bar that shows how far a search is, on a terminal alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from setwise.tuning.search import Progress

__all__ = ["progress_bar"]


@contextmanager
def progress_bar(title: str, *, shown: bool) -> Iterator[Callable[[Progress], None] | None]:
    """Give a watcher that draws a bar with the best so far on standard error; None where none is wanted."""
    if not shown:
        yield None
        return
    from rich.console import Console  # not needed by those who want no bar
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Bar(*columns, console=Console(stderr=True), disable=not Console(stderr=True).is_terminal) as bar:
        task = bar.add_task(title, total=None)

        def watch(progress: Progress) -> None:
            best = "" if progress.best is None else f", best {progress.best.row['metric']} {progress.best.value:.4f}"
            bar.update(task, completed=progress.done, total=progress.total, description=f"{title}{best}")

        yield watch
