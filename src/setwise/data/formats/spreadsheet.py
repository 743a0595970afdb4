"""Escape cells that a spreadsheet would run as a formula, so that reading them back gives the same strings."""

from __future__ import annotations

import re

__all__ = ["escape_formula", "unescape_formula"]

# Spreadsheets take a cell that begins so for a formula. Cells with apostrophes before it are matched too: they get one
# more, so that taking one off always restores the original.
_FORMULA = re.compile(r"'*[=+\-@\t\r]")


def escape_formula(cell: str) -> str:
    """Return the cell with an apostrophe in front where a spreadsheet would take it for a formula."""
    return "'" + cell if _FORMULA.match(cell) else cell


def unescape_formula(cell: str) -> str:
    """Return the cell that :func:`escape_formula` was given."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell
