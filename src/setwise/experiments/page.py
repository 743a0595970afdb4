"""The page of the reproduction, and the same as files of tables and figures: functions of the rows alone."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from setwise.data.atomic import atomic_writer
from setwise.experiments.claims import CLAIMS
from setwise.experiments.cost_report import effort_table, what_was_done
from setwise.experiments.figures import figure_titles, figures
from setwise.experiments.method_text import how_it_was_done
from setwise.experiments.paper import comparability, counterpart, slips
from setwise.experiments.results import Found
from setwise.experiments.rows import Row
from setwise.experiments.shortfall import shortfall
from setwise.experiments.tables import tables
from setwise.experiments.variants import features_table, splits_table
from setwise.reports import Entry, Section, Table, as_csv, as_html, as_latex, as_markdown, html_page

__all__ = ["page", "write_reports"]

TITLE = "The paper's tables, run again"
MADE_BY = (
    "This page is made by a machine, not by hand: `setwise reproduce` runs and keeps rows, `make reproduction-page` "
    "writes the page from them, and the next run undoes changes by hand."
)
FIGURES = "Figures"
FORMATS = {"md": as_markdown, "html": as_html, "tex": as_latex, "csv": as_csv}


def page(rows: Iterable[Row], figures_folder: str = "reproduction") -> str:
    """Write the page in Markdown; ``figures_folder`` is the way from it to the figures."""
    rows = list(rows)
    parts = [f"<!-- {MADE_BY} -->", f"# {TITLE}", MADE_BY]
    for section in _sections(rows):
        parts += [f"## {section.title}", section.text, *map(as_markdown, section.tables)]
        if section.title == FIGURES:
            links = figure_titles(rows).items()
            parts += [f"![{title}]({figures_folder}/{name}.svg)\n\n{title}." for name, title in links]
    return "\n\n".join(part.strip() for part in parts if part) + "\n"


def write_reports(rows: Iterable[Row], folder: Path, page_file: Path) -> None:
    """Write the page; and into the folder every table in four formats, every figure, and all of it as one HTML page."""
    rows = list(rows)
    drawn = figures(rows)
    sections = [replace(section, figures=drawn) if section.title == FIGURES else section for section in _sections(rows)]
    (folder / "tables").mkdir(parents=True, exist_ok=True)
    for table in (table for section in sections for table in section.tables):
        for ending, write in FORMATS.items():
            _write(folder / "tables" / f"{table.name}.{ending}", write(table))
    for figure in drawn:
        _write(folder / f"{figure.name}.svg", figure.svg)
    _write(folder / "index.html", html_page(TITLE, sections))
    _write(page_file, page(rows, Path(os.path.relpath(folder, page_file.parent)).as_posix()))


def _sections(rows: list[Row]) -> tuple[Section, ...]:
    """Give all but the figures, which cost time to draw."""
    short, *claims = _claims(rows)
    return (
        Section("The claims in short", "How each is judged, and by what, is told below.", (short,)),
        Section("What was done", what_was_done(rows)),
        Section("How a figure comes about", how_it_was_done()),
        Section("What can be compared", "", (_comparability_table(rows),)),
        Section("Tables", "", tables(rows)),
        Section("Slips of the paper", "", (_slips_table(),)),
        Section(FIGURES),
        Section("Claims", "", tuple(claims)),
        Section("Below the paper", "", (shortfall(rows), splits_table(rows), features_table(rows))),
        Section("Effort", "", (effort_table(rows),)),
    )


def _claims(rows: list[Row]) -> tuple[Table, ...]:
    """Give the verdicts in one table, then the details of each in its own."""
    verdicts = [(claim, claim.verdict(rows)) for claim in CLAIMS]
    lines = [(str(claim.number), claim.text, verdict.word, verdict.figures) for claim, verdict in verdicts]
    details = (
        replace(
            verdict.details,
            title=f"Claim {claim.number}: {verdict.word}",
            text=f"{claim.text} ({claim.where}.) Rule: {claim.rule} Found: {verdict.figures} "
            f"Below: {verdict.details.title}.",
        )
        for claim, verdict in verdicts
    )
    return _of_words("claims", "Claims and verdicts", ("claim", "in our words", "verdict", "figures"), lines), *details


def _comparability_table(rows: list[Row]) -> Table:
    found = Found.of(rows)
    lines = []
    for dataset in found.datasets:
        corpus = found.corpora.get(dataset)
        counted = (corpus.n_train, corpus.n_test, corpus.unseen) if corpus is not None else ()
        numbers = [f"{count:,}" for count in counted] or ["-"] * 3
        lines.append((dataset, counterpart(dataset) or "-", *numbers, comparability(dataset)))
    columns = ("data", "the paper's", "train", "test", "of these with an unseen set", "what can be compared")
    return _of_words("comparable", "Ours beside the paper's", columns, lines)


def _slips_table() -> Table:
    lines = [(slip.where, slip.dataset, slip.model, slip.printed, slip.why) for slip in slips()]
    text = "Where the paper contradicts itself or leaves a figure unexplained; what is printed is told in our words."
    columns = ("where", "data", "model", "printed", "why it is a slip")
    return replace(_of_words("slips", "Numbers, marks and sentences that do not agree", columns, lines), text=text)


def _of_words(name: str, title: str, columns: tuple[str, ...], lines: Iterable[tuple[str, ...]]) -> Table:
    rows = tuple(tuple(map(Entry, line)) for line in lines)
    return Table(name, title, columns, rows, n_headings=len(columns))


def _write(path: Path, text: str) -> None:
    with atomic_writer(path) as file:
        file.write(text.encode())
