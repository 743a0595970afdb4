"""Figures as SVG; the same figure has the same bytes, whatever the user's matplotlib settings."""

from __future__ import annotations

import importlib
import io
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reproduction.report.table import checked_name
from setwise.exceptions import Incompatible

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

__all__ = ["Figure", "draw_figure", "require_report_extra"]

_TAG = re.compile(r"<[^>]*>")
_TARGET = re.compile(r'(?<= id=")|(?<=href="#)|(?<=url\(#)')
"""Where the name of an element starts, in its own tag and in tags that refer to it."""


@dataclass(frozen=True)
class Figure:
    """A self-contained picture."""

    name: str
    """Used in the names of files."""
    title: str
    """One line, which the picture itself does not show."""
    svg: str
    """One ``svg`` element, for a file of its own or for the middle of a page."""

    def __post_init__(self) -> None:
        checked_name(self.name)


def require_report_extra() -> None:
    """Raise ``Incompatible`` unless the libraries that reports need are installed."""
    for module in ("matplotlib", "jinja2"):
        try:
            importlib.import_module(module)
        except ImportError:
            raise Incompatible(f'Reports need {module}. Install it with: pip install "setwise[report]".') from None


def draw_figure(name: str, title: str, size: tuple[float, float], draw: Callable[[Canvas], None]) -> Figure:
    """Let ``draw`` fill a canvas, and return it as SVG, cropped to what was drawn.

    Parameters
    ----------
    name, title : str
    size : tuple of float
        Width and height in inches. Content outside of them is included, so long labels need no margin.
    draw : callable
        ``draw(canvas)`` draws on a matplotlib figure.
    """
    require_report_extra()
    import matplotlib
    from matplotlib.figure import Figure as Canvas

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(
            {"svg.fonttype": "none", "svg.hashsalt": name, "text.parse_math": False, "font.size": 9.0}
        )
        canvas = Canvas(figsize=size)
        draw(canvas)
        buffer = io.StringIO()
        metadata = {"Title": title, "Date": None, "Creator": None, "Format": None, "Type": None}
        canvas.savefig(buffer, format="svg", bbox_inches="tight", metadata=metadata)
    text = buffer.getvalue()
    return Figure(name, title, _with_unique_names(text[text.index("<svg") :], name))


def _with_unique_names(svg: str, name: str) -> str:
    """Prefix the names of elements with the figure's name, so that figures on one page share none."""
    return _TAG.sub(lambda tag: _TARGET.sub(f"{name}-", tag[0]), svg)
