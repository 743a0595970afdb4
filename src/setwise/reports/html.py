"""Tables in HTML, and pages of tables and figures that need neither a network nor other files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from setwise.reports.figure import Figure
from setwise.reports.table import Table, notes_of

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["Section", "as_html", "html_page"]


@dataclass(frozen=True)
class Section:
    """A part of a page: its text, then its tables, then its figures."""

    title: str
    text: str = ""
    tables: tuple[Table, ...] = ()
    figures: tuple[Figure, ...] = ()


def as_html(table: Table) -> str:
    """Give the table with its text before it and its notes after it, to be put into a page."""
    return _environment().get_template("table.html.j2").render(table=table)


def html_page(title: str, sections: Sequence[Section]) -> str:
    """Give a whole page, with the figures inside it, readable on a phone, in light and in dark."""
    return _environment().get_template("page.html.j2").render(title=title, sections=sections)


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("setwise.reports", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.globals["notes_of"] = notes_of
    return environment
