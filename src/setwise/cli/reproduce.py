"""``setwise reproduce``: the paper's tables and figures, ours beside the printed ones."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from setwise.cli.runtime import FAILED_WORK, note
from setwise.cli.settings import RandomState
from setwise.cli.terminal import say
from setwise.exceptions import InvalidData

if TYPE_CHECKING:
    from setwise.experiments.plan import Work
    from setwise.experiments.run_config import Circumstances

__all__ = ["reproduce"]


def _some(what: str) -> Any:
    return typer.Option(help=f"Which {what}, with commas between them; all if not given.")


def reproduce(
    data: Annotated[Path | None, typer.Option(help="The folder of the corpora; SETWISE_DATA if not given.")] = None,
    datasets: Annotated[str | None, _some("corpora")] = None,
    models: Annotated[str | None, _some("models")] = None,
    tables: Annotated[str | None, _some("of the tables: 1 to 5, heat or variants")] = None,
    random_state: RandomState = 0,
    jobs: Annotated[int | None, typer.Option(min=1, help="Work side by side; a piece a core if not given.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Two small corpora, few settings: minutes.")] = False,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="The folder for rows and reports.")] = None,
    page: Annotated[Path | None, typer.Option(help="Where the page goes; into the folder if not given.")] = None,
    only_page: Annotated[bool, typer.Option("--only-page", help="Train nothing; write reports from the rows.")] = False,
) -> None:
    """Run the experiments of the paper, and write its tables and figures with ours beside the printed numbers.

    A run that was ended in any way goes on where it was: call it again. Corpora that are not there are left out.

    Examples:

        setwise reproduce --quick

        setwise reproduce --datasets bibtex,medical --models BR,CBM --tables 2,4 --jobs 2
    """
    from setwise.data import check_distinct, check_files
    from setwise.experiments.corpora import Parts
    from setwise.experiments.grids import FULL, QUICK
    from setwise.experiments.page import write_reports
    from setwise.experiments.rows import read_rows
    from setwise.experiments.run_config import Circumstances

    folder = output or Path("reproduction-quick" if quick else "reproduction")
    target = page or folder / "reproduction.md"
    check_files((), [page] if page is not None else [])
    check_distinct([*folder.glob("rows/*"), *folder.glob("cells/*"), folder / "index.html"], [target])
    failed: list[Work] = []
    if not only_page:
        circumstances = Circumstances(QUICK if quick else FULL, random_state, folder / "cells", data)
        names = _datasets(datasets, circumstances)
        corpora = [file for name in names for file in Parts(name, data).stored().folder.iterdir()]
        check_distinct(corpora, [target])
        failed = _run(circumstances, folder / "rows", names, models, tables, jobs or os.cpu_count() or 1)
    rows = read_rows(folder / "rows")
    if not rows and not failed:
        raise InvalidData(
            f"{folder / 'rows'} must have rows of an earlier run; it has none. Hint: run without --only-page."
        )
    if rows:
        write_reports(rows, folder, target)
        say(f"{len(rows):,} rows in {folder / 'rows'}; the page is {target}, tables and figures are in {folder}.")
    if failed:
        names = ", ".join(work.name for work in failed)
        note(f"{len(failed)} pieces of work failed, and the next call does them again: {names}")
        raise typer.Exit(FAILED_WORK)


def _run(
    run: Circumstances, folder: Path, datasets: Sequence[str], models: str | None, tables: str | None, jobs: int
) -> list[Work]:
    """Do what is not done yet."""
    from setwise.cli.run_bar import run_bar
    from setwise.experiments import runner
    from setwise.experiments.costs import cost
    from setwise.experiments.plan import TABLES, plan
    from setwise.experiments.recipes import MODELS
    from setwise.experiments.rows import read_rows

    for name in datasets:
        with runner.opened(folder, name, run):
            pass  # an error where rows are of another run, before any work
    done = [row.key for row in read_rows(folder)]
    works = plan(datasets, _listed(models) or list(MODELS), _listed(tables) or list(TABLES), run.effort, done)
    costs = {work: cost(work, run) for work in works}
    works = sorted(works, key=lambda work: -costs[work])  # the longest first, so that none is left alone at the end
    note(f"{len(done):,} rows are there; {sum(len(work.keys) for work in works):,} are to be found on {jobs} cores")
    with run_bar(costs) as watcher:
        return runner.run(works, run, folder, jobs, watcher)


def _listed(names: str | None) -> list[str]:
    return [name.strip() for name in (names or "").split(",") if name.strip()]


def _datasets(names: str | None, run: Circumstances) -> Sequence[str]:
    """Give what was asked for, or all that is there; an error where that is nothing."""
    from setwise.experiments.corpora import Parts
    from setwise.experiments.plan import DATASETS, QUICK_DATASETS

    wanted = _listed(names)
    usual = QUICK_DATASETS if run.effort.name == "quick" else DATASETS
    there = []
    for name in wanted or usual:
        try:
            Parts(name, run.data).stored()
            there.append(name)
        except InvalidData:
            if wanted or (name == usual[-1] and not there):
                raise
    return there
