"""Heat maps: a grid of percentages as colors, with a frame around the best one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reproduction.report.figure import Figure, draw_figure
from setwise.exceptions import InvalidData, InvalidParameter

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import QuadMesh
    from matplotlib.figure import Figure as Canvas

__all__ = ["heat_map"]

MAX_NUMBERS = 150
"""With more cells than this, no numbers are written into them."""

CELL = (0.46, 0.32)
"""Width and height in inches of a cell with a number such as 100.0."""

BARE_CELL = (0.24, 0.24)
"""Width and height in inches of a cell without a number."""

CHARACTER = 0.085
"""Approximate width in inches of a character; column labels that are wider than a cell are slanted."""

FAINT_SHARE = 0.25
"""This share of the values, the lowest ones, may have the palest color, so that high values stay distinct."""

COLOR_MAP = "Blues"
BLANK: dict[str, Any] = {"facecolor": "white", "edgecolor": "0.65", "hatch": "/////", "linewidth": 0.0}
BEST: dict[str, Any] = {"edgecolor": "#d1001c", "linewidth": 2.0}
CHOSEN: dict[str, Any] = {"edgecolor": "#e68a00", "linewidth": 2.0, "linestyle": (0, (2, 1))}


def heat_map(
    name: str,
    title: str,
    rows: Sequence[str],
    columns: Sequence[str],
    values: ArrayLike,
    row_title: str,
    column_title: str,
    chosen: tuple[int, int] | None = None,
) -> Figure:
    """Draw a heat map.

    Parameters
    ----------
    name, title : str
    rows, columns : sequences of str
        Labels of the rows, from top to bottom, and of the columns.
    values : array of shape (n_rows, n_columns)
        In percent; NaN leaves a cell blank. The best cell is framed, the first of equals.
    row_title, column_title : str
    chosen : tuple of int, optional
        Row and column, counted from 0, of a cell with a frame of its own.
    """
    grid = _checked_grid(values, len(rows), len(columns))
    if chosen is not None and not (0 <= chosen[0] < len(rows) and 0 <= chosen[1] < len(columns)):
        raise InvalidParameter(
            f"chosen must be the row and the column of one of {len(rows)} x {len(columns)} cells, counted from 0; "
            f"got {chosen}."
        )
    width, height = CELL if grid.size <= MAX_NUMBERS else BARE_CELL

    def draw(canvas: Canvas) -> None:
        axes = canvas.add_axes((0.0, 0.0, 1.0, 1.0))
        cells = _draw_cells(axes, grid)
        slant = max(map(len, columns)) * CHARACTER > width
        slanted: dict[str, Any] = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"} if slant else {}
        axes.set_xticks(np.arange(len(columns)) + 0.5, columns, **slanted)
        axes.set_yticks(np.arange(len(rows)) + 0.5, rows)
        axes.set(xlabel=column_title, ylabel=row_title)
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        if grid.size <= MAX_NUMBERS:
            _write_numbers(axes, cells, grid)
        _draw_frames(axes, grid, chosen)
        if not np.isnan(grid).all():
            _draw_color_bar(canvas, cells, grid)

    return draw_figure(name, title, (width * len(columns), height * len(rows)), draw)


def _checked_grid(values: ArrayLike, n_rows: int, n_columns: int) -> NDArray[np.float64]:
    grid = np.asarray(values, dtype=np.float64)
    if grid.shape != (n_rows, n_columns) or not grid.size:
        raise InvalidData(
            "values must have one number per row and column, of at least one row and one column; "
            f"got shape {grid.shape} for {n_rows} rows and {n_columns} columns."
        )
    if np.isinf(grid).any():
        raise InvalidData("values must be finite, or NaN for a blank cell; got an infinite one.")
    return grid


def _draw_cells(axes: Axes, grid: NDArray[np.float64]) -> QuadMesh:
    from matplotlib.patches import Rectangle

    n_rows, n_columns = grid.shape
    cells = axes.pcolormesh(
        np.arange(n_columns + 1),
        np.arange(n_rows + 1),
        np.ma.masked_invalid(grid),
        cmap=COLOR_MAP,
        vmin=_palest(grid),
        edgecolors="white",
    )
    axes.set_ylim(n_rows, 0)
    for row, column in np.argwhere(np.isnan(grid)):
        axes.add_patch(Rectangle((column, row), 1.0, 1.0, **BLANK))
    return cells


def _palest(grid: NDArray[np.float64]) -> float:
    """Return the value of the palest color, below the best one if values differ; 0 if all cells are blank."""
    values = np.unique(grid[~np.isnan(grid)])
    return float(min(np.nanquantile(grid, FAINT_SHARE), *values[-2:])) if values.size else 0.0


def _write_numbers(axes: Axes, cells: QuadMesh, grid: NDArray[np.float64]) -> None:
    for row, column in np.argwhere(~np.isnan(grid)):
        value = grid[row, column]
        red, green, blue, _ = cells.to_rgba(value)
        light = 0.299 * red + 0.587 * green + 0.114 * blue > 0.5  # perceived brightness
        color = "black" if light else "white"
        axes.text(column + 0.5, row + 0.5, f"{value:.1f}", ha="center", va="center", size=8, color=color)


def _draw_frames(axes: Axes, grid: NDArray[np.float64], chosen: tuple[int, int] | None) -> None:
    """Frame the best and the chosen cell, one inside the other if they are the same, and draw the legend."""
    from matplotlib.patches import Patch

    legend = []
    blank = np.isnan(grid)
    if not blank.all():
        best = divmod(int(np.nanargmax(grid)), grid.shape[1])
        _draw_frame(axes, best, 0.0, BEST)
        legend.append(Patch(fill=False, label="best", **BEST))
    if chosen is not None:
        _draw_frame(axes, chosen, 0.1, CHOSEN)
        legend.append(Patch(fill=False, label="chosen", **CHOSEN))
    if blank.any():
        legend.append(Patch(label="no value", **BLANK))
    axes.legend(handles=legend, loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=len(legend), frameon=False)


def _draw_frame(axes: Axes, cell: tuple[int, int], inset: float, style: dict[str, Any]) -> None:
    from matplotlib.patches import Rectangle

    row, column = cell
    side = 1.0 - 2.0 * inset
    corner = (column + inset, row + inset)
    axes.add_patch(Rectangle(corner, side, side, fill=False, clip_on=False, zorder=3, **style))


def _draw_color_bar(canvas: Canvas, cells: QuadMesh, grid: NDArray[np.float64]) -> None:
    """Draw the color bar to the right of the cells, a tenth of an inch away and wide."""
    tenth = 0.1 / canvas.get_figwidth()
    place = canvas.add_axes((1.0 + tenth, 0.0, tenth, 1.0))
    below = "min" if np.nanmin(grid) < _palest(grid) else "neither"
    scale = canvas.colorbar(cells, cax=place, label="%", extend=below)
    scale.outline.set_visible(False)
