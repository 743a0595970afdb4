"""``python -m reproduction``: run the paper's experiments, and write its tables and figures with ours beside them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from reproduction.paper import MODELS
from reproduction.plan import DATASETS, FULL, PARTS, QUICK, QUICK_DATASETS, TABLES, Task, plan_tasks
from reproduction.report import require_report_extra, write_reports
from reproduction.run import (
    Parts,
    RunConfig,
    open_rows,
    progress_bar,
    read_rows,
    relative_cost,
    row_file,
    run_tasks,
)
from setwise.cli.runtime import EXIT_FAILURE, print_note, run
from setwise.cli.terminal import prepare_streams, print_line
from setwise.data import check_distinct, check_files
from setwise.exceptions import InvalidData

__all__ = ["app", "main", "reproduce"]

FOLDER, QUICK_FOLDER = Path("reproduction-results"), Path("reproduction-results-quick")

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


def _names_option(what: str) -> Any:
    return typer.Option(help=f"{what}, separated by commas; all by default.")


@app.command()
def reproduce(
    data: Annotated[Path | None, typer.Option(help="Folder of the corpora; SETWISE_DATA by default.")] = None,
    datasets: Annotated[str | None, _names_option("Corpora")] = None,
    models: Annotated[str | None, _names_option("Models of Tables 2 to 5")] = None,
    tables: Annotated[str | None, _names_option("Tables, of 1 to 6, heat, variants and predictors")] = None,
    random_state: Annotated[int, typer.Option(min=0, help="Seed of everything random.")] = 0,
    jobs: Annotated[int | None, typer.Option(min=1, help="Tasks to run at a time; one per core by default.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Two small corpora and few settings: minutes.")] = False,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Folder for rows and reports.")] = None,
    page: Annotated[Path | None, typer.Option(help="File of the page; in the output folder by default.")] = None,
    only_page: Annotated[bool, typer.Option("--only-page", help="Write the reports from stored rows only.")] = False,
) -> None:
    """Run the experiments of the paper, and write its tables and figures with our numbers beside the printed ones.

    An interrupted run continues where it stopped when it is called again. Corpora that are not there are left out.

    Examples:

        python -m reproduction --quick

        python -m reproduction --datasets bibtex,medical --models BR,CBM --tables 2,4 --jobs 2

        python -m reproduction --datasets bibtex,medical_raw --tables 6,predictors
    """
    require_report_extra()
    folder = output or (QUICK_FOLDER if quick else FOLDER)
    page_file = page or folder / "reproduction.md"
    check_files((), [page] if page is not None else [])
    check_distinct([*folder.glob("rows/*"), *folder.glob("trials/*"), folder / "index.html"], [page_file])
    failed: list[Task] = []
    if not only_page:
        config = RunConfig(QUICK if quick else FULL, random_state, folder / "trials", data, rows=folder / "rows")
        names = _available_datasets(datasets, config)
        corpus_files = [file for name in names for file in Parts(name, data).stored().folder.iterdir()]
        check_distinct(corpus_files, [page_file])
        failed = _run(config, folder / "rows", names, models, tables, jobs or os.cpu_count() or 1)
    rows = read_rows(folder / "rows")
    if not rows and not failed:
        raise InvalidData(f"{folder / 'rows'} has no rows of an earlier run. Hint: run without --only-page.")
    if rows:
        write_reports(rows, folder, page_file)
        print_line(
            f"{len(rows):,} rows are in {folder / 'rows'}, tables and figures in {folder}, and the page is {page_file}."
        )
    if failed:
        names = ", ".join(task.name for task in failed)
        print_note(f"{len(failed)} tasks failed, and the next call runs them again: {names}")
        raise typer.Exit(EXIT_FAILURE)


def _run(
    config: RunConfig, folder: Path, datasets: Sequence[str], models: str | None, tables: str | None, n_processes: int
) -> list[Task]:
    """Run the tasks that are not done yet; return those that failed."""
    for name in datasets:
        for part in ("", *(part for part in PARTS if row_file(folder, name, part).exists())):
            with open_rows(folder, name, config, part):
                pass  # raises before any work if the stored rows belong to another run
    done = [row.key for row in read_rows(folder)]
    tasks = plan_tasks(datasets, _split(models) or list(MODELS), _split(tables) or list(TABLES), config.effort, done)
    costs = {task: relative_cost(task, config) for task in tasks}
    # Datasets in their order, so that what matters most is done first; within one the longest first.
    tasks = sorted(tasks, key=lambda task: (datasets.index(task.dataset), -costs[task]))
    n_missing = sum(len(task.keys) for task in tasks)
    print_note(f"{len(done):,} rows are stored; computing {n_missing:,} more in {n_processes} processes")
    with progress_bar(costs) as observer:
        return run_tasks(tasks, config, folder, n_processes, observer)


def _split(names: str | None) -> list[str]:
    return [name.strip() for name in (names or "").split(",") if name.strip()]


def _available_datasets(names: str | None, config: RunConfig) -> Sequence[str]:
    """Return the requested datasets, or all that are there; raise ``InvalidData`` where that is none."""
    requested = _split(names)
    usual = QUICK_DATASETS if config.effort is QUICK else DATASETS
    available = []
    for name in requested or usual:
        try:
            Parts(name, config.data).stored()
            available.append(name)
        except InvalidData:
            if requested or (name == usual[-1] and not available):
                raise
    return available


def main() -> None:
    """Run the command; an error becomes one line on standard error and an exit code."""
    prepare_streams()
    run(app)


if __name__ == "__main__":
    main()
