"""A report as one page of HTML. What is in texts and label names is shown as text, never as markup."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from html import escape
from pathlib import Path

from setwise.explain import HIGHLIGHT_STYLE
from setwise.reports.document_card import card_html
from setwise.reports.report import CardGroup, Report, Section
from setwise.reports.tables import Column, Table, format_cell

__all__ = ["page_of"]

NARROW = "\u202f"
"""A narrow space that ends no line."""

_ALIGNED_LEFT = ("text", "labels")


def page_of(report: Report) -> str:
    """Return the page of a report."""
    script = _file("page.js")
    digest = b64encode(sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-{digest}'"
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        f'<link rel="icon" href="data:,">\n'
        f"<title>{escape(report.title)}</title>\n<style>{HIGHLIGHT_STYLE}{_file('page.css')}</style></head>\n"
        f"<body>\n{_head(report)}\n<main>\n{''.join(map(_section, report.sections))}</main>\n"
        f"<script>{script}</script>\n</body></html>\n"
    )


@cache
def _file(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


def _head(report: Report) -> str:
    facts = " · ".join(f"{escape(str(value))} {escape(name)}".strip() for name, value in _shown_facts(report))
    figures = "".join(
        f'<div><dt>{escape(one.title)}</dt><dd><span class="value">{_prose(one.value)}</span> '
        f'<span class="note">{_prose(one.note)}</span></dd></div>'
        for one in report.figures
    )
    sentences = "".join(f"<p>{_prose(sentence)}</p>" for sentence in report.summary)
    links = "".join(f'<a href="#{one.id}">{escape(one.title)}</a>' for one in report.sections)
    return (
        f'<header><h1>{escape(report.title)}</h1><p class="facts">{facts}</p><dl class="figures">{figures}</dl>'
        f'<div class="summary">{sentences}</div><nav aria-label="Sections">{links}</nav></header>'
    )


def _shown_facts(report: Report) -> list[tuple[str, str]]:
    return [
        (name, f"{value:,}" if isinstance(value, int) else str(value)) for name, value in report.facts.items() if value
    ]


def _prose(text: str) -> str:
    """Return a sentence of the report as HTML whose percent signs begin no line."""
    return escape(text).replace(" %", f"{NARROW}%")


def _section(section: Section) -> str:
    drawn = [(table, table.svg()) for table in section.tables]
    plots = [_figure(table, pictures) for table, pictures in drawn if pictures]
    others = sorted((table for table, pictures in drawn if not pictures), key=lambda table: not table.rows)
    plain = [_plain(table, section.title) for table in others]
    if len(plots) == 1 and others and others[0].rows and not others[0].is_folded:
        plots.append(f"<div>{plain.pop(0)}</div>")  # where half of the page would be empty
    wrapped = f'<div class="plots">{"".join(plots)}</div>' if plots else ""
    behind = "".join(_numbers(table) for table, pictures in drawn if pictures and table.is_sortable)
    groups = "".join(map(_group, section.groups))
    return (
        f'<section id="{section.id}"><h2>{escape(section.title)}</h2><p class="lead">{_prose(section.lead)}</p>'
        f"{wrapped}{behind}{''.join(plain)}{groups}</section>\n"
    )


def _figure(table: Table, pictures: Sequence[str]) -> str:
    """Return the pictures of a table with its numbers; those that can be sorted have the width of the page."""
    shown = "".join(f"<figure>{picture}</figure>" for picture in pictures)
    numbers = "" if table.is_sortable else _numbers(table)
    return f'<div><h3>{escape(table.title)}</h3>{shown}<p class="note">{_prose(table.note)}</p>{numbers}</div>'


def _numbers(table: Table) -> str:
    """Return the rows behind a picture."""
    is_open = " open" if table.is_folded is False else ""
    title = f"{escape(table.title)}: numbers" if table.is_sortable else "Numbers"
    return f"<details{is_open}><summary>{title}{_count(table)}</summary>{_table(table)}</details>"


def _plain(table: Table, section_title: str) -> str:
    """Return a table without pictures."""
    title = "" if table.title == section_title else f"<h3>{escape(table.title)}</h3>"
    if not table.rows:
        return f'{title}<p class="note">{_prose(table.why_empty)}</p>'
    if table.is_folded:
        return f"<details><summary>{escape(table.title)}{_count(table)}</summary>{_table(table)}</details>"
    note = f'<p class="note">{_prose(table.note)}{_count(table)}</p>' if table.note else ""
    return f"{title}{_table(table)}{note}"


def _count(table: Table) -> str:
    n = len(table.rows)
    if table.n_shown is None or n <= table.n_shown:
        return ""
    return f" (the first {table.n_shown:,} of {n:,})"


def _table(table: Table) -> str:
    shown = [(place, column, _class_of(column)) for place, column in enumerate(table.columns) if column.is_shown]
    head = "".join(f'<th scope="col"{kind}>{escape(column.title)}</th>' for _, column, kind in shown)
    rows = (
        "".join(f"<td{kind}>{escape(format_cell(row[place], column.kind))}</td>" for place, column, kind in shown)
        for row in table.rows[: table.n_shown]
    )
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    kind = ' class="sortable"' if table.is_sortable else ""
    return (
        f'<div class="wide" tabindex="0" role="region" aria-label="{escape(table.title)}"><table{kind}>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _class_of(column: Column) -> str:
    if column.kind in _ALIGNED_LEFT:
        return ' class="words"' if column.kind == "labels" else ""
    return ' class="n"'


def _group(group: CardGroup) -> str:
    cards = "".join(map(card_html, group.cards)) or f'<p class="note">{escape(group.why_empty)}</p>'
    return f'<h3>{escape(group.title)}</h3><p class="note">{escape(group.note)}</p>{cards}'
