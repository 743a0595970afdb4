"""Measure section by section, show each table as soon as it is there, and keep the page up to date."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from benchmarks.benchmark import Benchmark
from benchmarks.machine import run_record
from benchmarks.peers import Refused
from benchmarks.problem import load
from benchmarks.report import page as drawn
from benchmarks.report import terminal_tables
from benchmarks.rows import Row, read_rows, with_new, write_rows

WIDTH_OF_FILES = 140


def run(
    benchmark: Benchmark, plan: Mapping[str, Sequence[str]], *, quick: bool, page: Path | None, command: str
) -> None:
    """Measure the sections that the plan has for each data set."""
    console = Console()
    if not console.is_terminal:
        console = Console(width=WIDTH_OF_FILES)  # otherwise rich takes 80 columns, too few for a remark
    record = run_record(command, benchmark.packages)
    effort = benchmark.quick if quick else benchmark.full
    all_rows: list[Row] = []
    for dataset, sections in plan.items():
        problem = (benchmark.load or load)(dataset)
        for section in sections:
            with console.status(f"{section}: {dataset}"):
                rows = [row.stamped(record) for row in measured(benchmark, section, problem, effort)]
            console.print(terminal_tables(benchmark.sections[section], dataset, rows))
            all_rows += rows
            if page is not None:
                bring_up_to_date(benchmark, page, rows)  # at once: a run that is broken off keeps what it has
    for name, kind in benchmark.sections.items():
        if kind.together and len(of_section := [row for row in all_rows if row.section == name]) > 1:
            console.print(terminal_tables(kind, "all", of_section))
    if page is not None:
        bring_up_to_date(benchmark, page, [])


def measured(benchmark: Benchmark, section: str, problem: Any, effort: Any) -> list[Row]:
    """Return the section's rows, or one row with the reason why it has none."""
    try:
        return list(benchmark.sections[section].rows(problem, effort))
    except Refused as refusal:
        return [Row(section, problem.name, "", "setwise", {}, note=str(refusal))]


def bring_up_to_date(benchmark: Benchmark, page: Path, new: list[Row]) -> None:
    data = benchmark.data_beside(page)
    rows = with_new(read_rows(data), new)
    write_rows(data, rows)
    page.write_text(drawn(benchmark, rows, data.relative_to(page.parent).as_posix()), encoding="utf-8")
