"""Measure section by section, show each table as soon as it is there, and keep the page up to date."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from benchmarks.effort import FULL, QUICK, Effort
from benchmarks.machine import run_record
from benchmarks.peers import Refused
from benchmarks.problem import Problem, load
from benchmarks.report import page as drawn
from benchmarks.report import terminal_tables
from benchmarks.rows import Row, read_rows, with_new, write_rows
from benchmarks.sections import SECTIONS

WIDTH_OF_FILES = 140


def run(datasets: Sequence[str], sections: Sequence[str], *, quick: bool, page: Path | None, command: str) -> None:
    console = Console()
    if not console.is_terminal:
        console = Console(width=WIDTH_OF_FILES)  # otherwise rich takes 80 columns, too few for a remark
    record = run_record(command)
    for dataset in datasets if sections else ():
        problem = load(dataset)
        for section in sections:
            with console.status(f"{section}: {dataset}"):
                rows = [row.stamped(record) for row in measured(section, problem, QUICK if quick else FULL)]
            console.print(terminal_tables(SECTIONS[section], dataset, rows))
            if page is not None:
                bring_up_to_date(page, rows)  # at once: a run that is broken off keeps what it has
    if page is not None:
        bring_up_to_date(page, [])


def measured(section: str, problem: Problem, effort: Effort) -> list[Row]:
    """Return the section's rows, or one row with the reason why it has none."""
    try:
        return list(SECTIONS[section].rows(problem, effort))
    except Refused as refusal:
        return [Row(section, problem.name, "", "setwise", {}, note=str(refusal))]


def bring_up_to_date(page: Path, new: list[Row]) -> None:
    data = page.with_suffix("") / "learners.jsonl"
    rows = with_new(read_rows(data), new)
    write_rows(data, rows)
    page.write_text(drawn(rows, data.relative_to(page.parent).as_posix()), encoding="utf-8")
