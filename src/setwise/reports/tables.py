"""Tables of a report: the numbers, what draws them, and why there are none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from setwise.exceptions import Incompatible

__all__ = ["Column", "Kind", "Table", "format_cell"]

Kind = Literal["text", "labels", "count", "share", "points", "number"]
"""How a value is shown: as it is; as a list of names; as a whole number; as a percentage; as a difference of two
percentages; as a number."""

NO_VALUE = "-"


@dataclass(frozen=True)
class Column:
    """A column of a table."""

    name: str
    """In a data frame and in JSON."""
    title: str
    """On the page."""
    kind: Kind = "text"
    is_shown: bool = True
    """Whether the page has it; frames and JSON have all."""


@dataclass(frozen=True, eq=False)
class Table:
    """Numbers of a report, with the pictures that show them.

    Attributes
    ----------
    name : str
        The name by which :meth:`setwise.reports.Report.frame` finds it.
    title : str
    columns : sequence of Column
    rows : sequence of tuple
        One value per column; None where there is none.
    note : str
        What the numbers are, in a sentence or two.
    why_empty : str
        Why there are no rows.
    draw : callable, optional
        Returns the pictures of the table, each as the text of an SVG.
    n_shown : int, optional
        Rows on the page, the first ones; the frame has all.
    is_sortable : bool
        Whether the page offers to sort the rows.
    is_folded : bool, optional
        Whether the page hides the rows until they are asked for; by default where there is a picture.
    """

    name: str
    title: str
    columns: Sequence[Column]
    rows: Sequence[tuple[Any, ...]]
    note: str = ""
    why_empty: str = "There is nothing to show."
    draw: Callable[[Table], Sequence[str]] | None = field(default=None, repr=False)
    n_shown: int | None = None
    is_sortable: bool = False
    is_folded: bool | None = None

    def column(self, name: str) -> list[Any]:
        """Return the values of one column."""
        place = [column.name for column in self.columns].index(name)
        return [row[place] for row in self.rows]

    def records(self) -> list[dict[str, Any]]:
        """Return one dictionary per row; sets of labels are lists."""
        names = [column.name for column in self.columns]
        return [dict(zip(names, map(_plain, row), strict=True)) for row in self.rows]

    def frame(self) -> Any:
        """Return the rows as a data frame; needs pandas."""
        try:
            import pandas as pd  # type: ignore[import-untyped, unused-ignore]
        except ImportError:
            raise Incompatible(
                "A data frame needs pandas, which is not installed. Hint: pip install pandas, or use records()."
            ) from None
        return pd.DataFrame(self.records(), columns=[column.name for column in self.columns])

    def svg(self) -> list[str]:
        """Return the pictures of the table; none where it has no rows."""
        return list(self.draw(self)) if self.draw is not None and self.rows else []


def format_cell(value: Any, kind: Kind) -> str:
    """Return a value as the page and the terminal show it."""
    if value is None:
        return NO_VALUE
    if kind == "labels":
        return ", ".join(value) or "(no label)"
    if kind == "count":
        return f"{value:,}"
    if kind == "share":
        return f"{100 * value:.1f} %"
    if kind == "points":
        return f"{100 * value:+.1f}"
    return f"{value:.4g}" if kind == "number" else str(value)


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
