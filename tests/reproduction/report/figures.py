"""Small figures, and their content."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import numpy as np

from reproduction.report import Figure, heat_map

SVG = "{http://www.w3.org/2000/svg}"
NAN = float("nan")


def map_of(values: Any, chosen: tuple[int, int] | None = None) -> Figure:
    """Return a heat map with the rows r0, r1, ... and the columns c0, c1, ..."""
    rows, columns = ([f"{word}{n}" for n in range(size)] for word, size in zip("rc", np.shape(values), strict=True))
    return heat_map("grid", "A <title>", rows, columns, values, "down", "across", chosen)


def small_map() -> Figure:
    return map_of([[50.0, NAN], [61.5, 40.0]], chosen=(1, 1))


def elements_of(figure: Figure, tag: str) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(figure.svg).iter(SVG + tag))


def texts_of(figure: Figure) -> list[str]:
    return [element.text or "" for element in elements_of(figure, "text")]
