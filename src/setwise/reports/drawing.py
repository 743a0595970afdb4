"""A clean sheet to draw on: whatever the user's settings of matplotlib, the same drawing gives the same bytes."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from setwise.reports.figure import Figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Sheet

__all__ = ["drawn"]

_TAG = re.compile(r"<[^>]*>")
_TARGET = re.compile(r'(?<= id=")|(?<=href="#)|(?<=url\(#)')
"""Where names of elements begin, in their own tags and in those that point to them."""


def drawn(name: str, title: str, size: tuple[float, float], draw: Callable[[Sheet], None]) -> Figure:
    """Let ``draw`` fill a sheet of a width and height in inches, and keep it, cut to what was drawn, as text in SVG.

    What stands outside the sheet is kept too, so that long labels need no room beforehand.
    """
    import matplotlib
    from matplotlib.figure import Figure as Sheet

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(
            {"svg.fonttype": "none", "svg.hashsalt": name, "text.parse_math": False, "font.size": 9.0}
        )
        sheet = Sheet(figsize=size)
        draw(sheet)
        buffer = io.StringIO()
        about = {"Title": title, "Date": None, "Creator": None, "Format": None, "Type": None}
        sheet.savefig(buffer, format="svg", bbox_inches="tight", metadata=about)
    text = buffer.getvalue()
    return Figure(name, title, _with_own_names(text[text.index("<svg") :], name))


def _with_own_names(svg: str, name: str) -> str:
    """Put the figure's name before the names of its elements, so that figures on one page have no name in common."""
    return _TAG.sub(lambda tag: _TARGET.sub(f"{name}-", tag[0]), svg)
