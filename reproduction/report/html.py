"""Tables in HTML, and self-contained pages of tables and figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from reproduction.report.figure import Figure, require_report_extra
from reproduction.report.table import Table, notes_of

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
    """Return the table with its text before it and its notes after it, as a part of a page."""
    return _environment().get_template("table.html.j2").render(table=table)


def html_page(title: str, sections: Sequence[Section]) -> str:
    """Return a whole page with its figures inside, readable on a phone, in light and dark mode."""
    return _environment().get_template("page.html.j2").render(title=title, sections=sections)


@cache
def _environment() -> Environment:
    require_report_extra()
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("reproduction.report", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.globals["notes_of"] = notes_of
    return environment
