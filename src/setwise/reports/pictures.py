"""Pictures that several tables share: bars with names, and maps of cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from setwise.reports.svg import ACCENT, MUTED, WIDTH, Band, Picture, Scale, shortened

__all__ = ["Cell", "bar_list", "cell_map"]

ROW_HEIGHT = 36
LONGEST_NAME = 46
"""Characters of a name that a row has room for."""
PALEST, DARKEST = 0.06, 0.8
"""Opacity of the smallest and the largest value of a map, on which text can be read in light and dark."""


def bar_list(title: str, entries: Sequence[tuple[str, float, str]]) -> str:
    """Return horizontal bars, each below its name and with its value as a text.

    Parameters
    ----------
    title : str
    entries : sequence of tuple (name, value, text)
        Values are at least 0; the largest one has the full width.
    """
    largest = max((value for _, value, _ in entries), default=0.0) or 1.0
    parts = []
    for number, (name, value, text) in enumerate(entries):
        top = number * ROW_HEIGHT
        parts.append(
            f'<text x="0" y="{top + 12}" fill="currentColor">{escape(shortened(name, LONGEST_NAME))}</text>'
            f'<text x="{WIDTH}" y="{top + 12}" text-anchor="end" fill="currentColor">{escape(text)}</text>'
            f'<rect x="0" y="{top + 19}" width="{WIDTH}" height="7" fill="{MUTED}" fill-opacity="0.15"/>'
            f'<rect x="0" y="{top + 19}" width="{WIDTH * value / largest:.1f}" height="7" fill="{ACCENT}"/>'
        )
    height = max(len(entries), 1) * ROW_HEIGHT
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
        f'font-family="system-ui, sans-serif" font-size="13"><title>{escape(title)}</title>{"".join(parts)}</svg>'
    )


@dataclass(frozen=True)
class Cell:
    """A cell of a map."""

    x: tuple[float, float]
    """Where it begins and ends."""
    row: int
    shade: float
    """Between 0 and 1."""
    text: str
    says: str
    """Where the pointer rests on it."""
    is_marked: bool = False
    """Whether it has a frame."""


def cell_map(
    title: str, x: Scale, y: Band, x_title: str, y_title: str, cells: Sequence[Cell], *, height: int = 300
) -> str:
    """Return a map of cells, each shaded by its value."""
    picture = Picture(title, x, y, x_title, y_title, height=height)
    for cell in sorted(cells, key=lambda one: one.is_marked):
        low, high = cell.row - 0.5, cell.row + 0.5
        picture.bar(cell.x, (low, high), ACCENT, PALEST + (DARKEST - PALEST) * cell.shade, cell.says)
        picture.text_between(cell.x, cell.row, cell.text)
        if cell.is_marked:
            left, right = cell.x
            picture.line([(left, low), (right, low), (right, high), (left, high), (left, low)], "currentColor")
    return picture.svg()
