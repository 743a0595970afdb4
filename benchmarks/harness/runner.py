"""Measure section by section, print each table as soon as it is complete, and update the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from benchmarks.harness.benchmark import Benchmark
from benchmarks.harness.machine import run_record
from benchmarks.harness.report import markdown_page, terminal_tables
from benchmarks.harness.rows import Row, read_rows, replace_measured, write_rows
from benchmarks.harness.timing import Skipped

FILE_WIDTH = 180  # columns where the output is not a terminal: rich's default of 80 leaves no room for notes


def run(
    benchmark: Benchmark, plan: Mapping[str, Sequence[str]], *, quick: bool, page: Path | None, command: str
) -> None:
    """Measure the sections that the plan lists for each data set."""
    console = Console()
    if not console.is_terminal:
        console = Console(width=FILE_WIDTH)
    record = run_record(command, benchmark.packages)
    effort = benchmark.quick_effort if quick else benchmark.full_effort
    all_rows: list[Row] = []
    for dataset, sections in plan.items():
        problem = benchmark.load(dataset)
        for section in sections:
            with console.status(f"{section}: {dataset}"):
                rows = [row.with_run(record) for row in measure(benchmark, section, problem, effort)]
            console.print(terminal_tables(benchmark.sections[section], dataset, rows))
            all_rows += rows
            if page is not None:
                update_page(benchmark, page, rows)  # at once, so that an interrupted run loses nothing
    for name, section_ in benchmark.sections.items():
        if section_.one_table and len(in_section := [row for row in all_rows if row.section == name]) > 1:
            console.print(terminal_tables(section_, "all", in_section))
    if page is not None:
        update_page(benchmark, page, [])


def measure(benchmark: Benchmark, section: str, problem: Any, effort: Any) -> list[Row]:
    """Return the rows of a section, or one row with the reason why it was skipped."""
    try:
        return list(benchmark.sections[section].rows(problem, effort))
    except Skipped as skipped:
        return [Row(section, problem.name, "", "setwise", {}, note=str(skipped))]


def update_page(benchmark: Benchmark, page: Path, new: list[Row]) -> None:
    """Store new rows beside the page and redraw it."""
    file = benchmark.rows_file(page)
    rows = replace_measured(read_rows(file), new)
    write_rows(file, rows)
    page.write_text(markdown_page(benchmark, rows, file.name), encoding="utf-8")
