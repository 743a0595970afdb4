"""Rows as tables: on the terminal while measuring, and as the Markdown page."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import groupby
from typing import Any

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from benchmarks.benchmark import Benchmark, Section
from benchmarks.rows import Row

FORMATS = {
    "seconds": "{:.3f}",
    "cpu": "{:.3f}",
    "objective": "{:,.4f}",
    "non-zeros": "{:,.0f}",
    "ratio": "{:.2f}",
    "cold fits": "{:.2f}",
    "fits": "{:.1f}",
    "cells": "{:.0f}",
    "a second": "{:,.0f}",
    "percent": "{:.0f}",
    "calibrated": "{:.2f}",
    "cores": "{:.2f}",
    "data": "{:,.1f}",
    "before": "{:,.1f}",
    "peak": "{:,.1f}",
    "result": "{:,.1f}",
    "times": "{:.2f}",
    "goal": "{:g}",
    "iterations": "{:,.0f}",
    "documents": "{:,.0f}",
    "sets": "{:,.0f}",
    "F1": "{:.2f}",
    "gain": "{:+.2f}",
    "low": "{:+.2f}",
    "high": "{:+.2f}",
    "rival": "{:.2f}",
    "validation": "{:.2f}",
    "per label": "{:.2f}",
    "C": "{:.3g}",
    "threshold": "{:.3f}",
}
WIDTHS = {"objective": 14}


def terminal_tables(section: Section, dataset: str, rows: Iterable[Row]) -> RenderableType:
    """One small table a setting, all of the same widths, so that the numbers stand below one another."""
    parts: list[RenderableType] = [Text(f"\n{section.title}: {dataset}", style="bold"), Text(section.text)]
    for setting, group in groupby(arranged(section, rows), key=lambda row: row.setting):
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        table.add_column(leading(section)[1], min_width=24, no_wrap=True)
        for column in section.columns:
            table.add_column(column, min_width=WIDTHS.get(column, 9), justify="right", no_wrap=True)
        table.add_column(asked(section))
        for row in group:
            remarks = "; ".join(filter(None, [row.verdict, row.note]))
            table.add_row(row.contestant, *numbers(section, row), remarks)
        parts += [Text(f"\n{setting}", style="cyan"), table]
    return Group(*parts)


def page(benchmark: Benchmark, rows: list[Row], data: str) -> str:
    parts = [benchmark.head.format(data=data), summary(rows)]
    for name, section in benchmark.sections.items():
        of_section = sorted((row for row in rows if row.section == name), key=lambda row: row.dataset)
        if of_section:
            parts.append(f"## {section.title}\n\n{section.text}\n")
        if of_section and section.together:
            parts.append(markdown_table(section, of_section))
            continue
        for dataset, group in groupby(of_section, key=lambda row: row.dataset):
            parts.append(f"### {section.title}: {dataset}\n\n{markdown_table(section, group)}")
    return "\n".join([*parts, runs(rows)])


def markdown_table(section: Section, rows: Iterable[Row]) -> str:
    rulers = ["---", "---", *["---:"] * len(section.columns), "---", "---"]
    lines = [headings(section), rulers, *shown(section, arranged(section, rows))]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def headings(section: Section) -> list[str]:
    return [*leading(section), *section.columns, asked(section), "note"]


def leading(section: Section) -> tuple[str, str]:
    return ("contestant", "data set") if section.together else ("setting", "contestant")


def asked(section: Section) -> str:
    return f"{section.question}?" if section.question else ""


def arranged(section: Section, rows: Iterable[Row]) -> Iterable[Row]:
    """Put data sets where contestants stand otherwise, if a section has one table for all of them."""
    if not section.together:
        return rows
    return [replace(row, setting=row.contestant, contestant=row.dataset) for row in rows]


def shown(section: Section, rows: Iterable[Row]) -> Iterable[list[str]]:
    """Rows as text, the setting only where it changes."""
    previous = None
    for row in rows:
        setting = row.setting if row.setting != previous else ""
        yield [setting, row.contestant, *numbers(section, row), row.verdict, row.note]
        previous = row.setting


def numbers(section: Section, row: Row) -> list[str]:
    values = {column: row.values.get(column) for column in section.columns}
    return ["-" if value is None else FORMATS[column].format(value) for column, value in values.items()]


def summary(rows: list[Row]) -> str:
    """Count the goals that are met, and name those that are not."""
    judged = [row for row in rows if row.verdict]
    missed = [row for row in judged if not row.verdict.startswith("yes")]
    lines = [f"Goals met: {len(judged) - len(missed)} of {len(judged)}.\n\n"]
    lines += [f"- {row.section}, {row.dataset}, {row.setting}, {row.contestant}: {row.verdict}\n" for row in missed]
    return "".join(lines)


def runs(rows: list[Row]) -> str:
    """Tell how the rows came about: one item a run that still has rows here."""
    distinct: list[dict[str, Any]] = []
    for row in rows:
        if row.run not in distinct:
            distinct.append(row.run)
    lines = ["## Runs\n\n"]
    for run in distinct:
        of_run = sorted({f"{row.section} ({row.dataset})" for row in rows if row.run == run})
        versions = ", ".join(f"{package} {version}" for package, version in run["versions"].items())
        lines.append(
            f"- {run['date']}, `{run['command']}`\n"
            f"  - {run['cpu']}, {run['cores']} cores; Python {run['python']}, {versions}\n"
            f"  - {', '.join(of_run)}\n"
        )
    return "".join(lines)
