"""Small pictures as SVG: scales, axes and marks, readable on light and dark paper, with a title for who cannot see."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from html import escape

__all__ = ["ACCENT", "COLORS", "MUTED", "Band", "Linear", "Log", "Picture", "Scale", "percent", "shortened"]

ACCENT, SECOND, THIRD, FOURTH, FIFTH = "#2f7fd1", "#d4702a", "#3a9668", "#a463c4", "#b8860b"
"""Colors of middle lightness, with a contrast of at least 3 to both white and black paper."""
COLORS = (ACCENT, SECOND, THIRD, FOURTH, FIFTH)
MUTED = "#808891"

WIDTH, HEIGHT = 420, 300
"""In units of which a phone shows nearly one per pixel, so that text of size 13 can be read there."""
LEFT, RIGHT, TOP, BOTTOM = 66, 26, 14, 48
CHARACTER = 6.6
"""Width of a character of text of size 13, on average."""
N_TICKS = 5


class Scale:
    """From values to a place between 0 and 1, with the places that an axis names."""

    def at(self, value: float) -> float:
        """Return the place of a value."""
        raise NotImplementedError

    def ticks(self) -> list[tuple[float, str]]:
        """Return the values that an axis names, with their names."""
        raise NotImplementedError


def percent(value: float) -> str:
    """Return a share as a whole percentage, or with as many decimals as it has, up to one."""
    is_whole = abs(100 * value - round(100 * value)) < 1e-6
    return f"{100 * value:.{0 if is_whole else 1}f} %"


def shortened(text: str, length: int) -> str:
    """Return a text of at most so many characters."""
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"


@dataclass(frozen=True)
class Linear(Scale):
    """Equal steps."""

    low: float
    high: float
    name: Callable[[float], str] = percent

    def at(self, value: float) -> float:
        """Return the place of a value."""
        return (value - self.low) / ((self.high - self.low) or 1.0)

    def ticks(self) -> list[tuple[float, str]]:
        """Return round values, about five."""
        rough = (self.high - self.low) / N_TICKS or 1.0
        size = 10.0 ** math.floor(math.log10(rough))
        step = next(size * factor for factor in (1, 2, 5, 10) if size * factor >= rough * (1 - 1e-9))
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return [(number * step, self.name(number * step)) for number in range(first, last + 1)]


@dataclass(frozen=True)
class Log(Scale):
    """Equal factors."""

    low: float
    high: float
    name: Callable[[float], str] = "{:g}".format

    def at(self, value: float) -> float:
        """Return the place of a value."""
        span = math.log(self.high) - math.log(self.low)
        return (math.log(max(value, self.low)) - math.log(self.low)) / (span or 1.0)

    def ticks(self) -> list[tuple[float, str]]:
        """Return the powers of ten."""
        first, last = math.ceil(math.log10(self.low) - 1e-9), math.floor(math.log10(self.high) + 1e-9)
        return [(10.0**power, self.name(10.0**power)) for power in range(first, last + 1)]


@dataclass(frozen=True)
class Band(Scale):
    """One band per name; the value of a band is its number, and its place is its middle."""

    names: Sequence[str]
    every: int = 1
    """Every so many of them is named."""

    def at(self, value: float) -> float:
        """Return the middle of a band."""
        return (value + 0.5) / len(self.names)

    def ticks(self) -> list[tuple[float, str]]:
        """Return the bands."""
        return [(number, name) for number, name in enumerate(self.names) if number % self.every == 0]


@dataclass
class Picture:
    """A plot with two axes; marks are added one by one, later ones in front."""

    title: str
    x: Scale
    y: Scale
    x_title: str
    y_title: str
    height: int = HEIGHT
    left: int = LEFT
    top: int = TOP
    _marks: list[str] = field(default_factory=list)

    def place(self, x: float, y: float) -> tuple[float, float]:
        """Return where a pair of values is in the picture."""
        return (
            self.left + self.x.at(x) * (WIDTH - self.left - RIGHT),
            self.height - BOTTOM - self.y.at(y) * (self.height - self.top - BOTTOM),
        )

    def line(
        self, points: Sequence[tuple[float, float]], color: str, *, dashed: bool = False, width: float = 2
    ) -> None:
        """Add a line through points."""
        path = " ".join(f"{_number(x)},{_number(y)}" for x, y in (self.place(*point) for point in points))
        dash = ' stroke-dasharray="5 4"' if dashed else ""
        self._marks.append(
            f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="{width}"{dash} '
            f'stroke-linejoin="round"/>'
        )

    def dot(self, x: float, y: float, color: str, *, says: str = "", radius: float = 4, opacity: float = 1) -> None:
        """Add a dot, which says something where the pointer rests on it."""
        left, top = self.place(x, y)
        shape = f'<circle cx="{_number(left)}" cy="{_number(top)}" r="{radius}" fill="{color}"'
        self._marks.append(_saying(shape if opacity == 1 else f'{shape} fill-opacity="{opacity}"', "circle", says))

    def bar(self, x: tuple[float, float], y: tuple[float, float], color: str, opacity: float, says: str = "") -> None:
        """Add a rectangle between two values of each axis."""
        (left, bottom), (right, top) = self.place(x[0], y[0]), self.place(x[1], y[1])
        shape = (
            f'<rect x="{_number(left)}" y="{_number(top)}" width="{_number(right - left)}" '
            f'height="{_number(bottom - top)}" fill="{color}" fill-opacity="{opacity:.2f}"'
        )
        self._marks.append(_saying(shape, "rect", says))

    def text(self, x: float, y: float, text: str, *, anchor: str = "middle", up: float = 0) -> None:
        """Add a text at a pair of values, or so many units above it."""
        left, top = self.place(x, y)
        self._write(left, top - up, anchor, text)

    def text_between(self, x: tuple[float, float], y: float, text: str) -> None:
        """Add a text in the middle between two values of the first axis."""
        (left, top), (right, _) = self.place(x[0], y), self.place(x[1], y)
        self._write((left + right) / 2, top, "middle", text)

    def _write(self, left: float, top: float, anchor: str, text: str) -> None:
        self._marks.append(
            f'<text x="{_number(left)}" y="{_number(top)}" text-anchor="{anchor}" '
            f'dominant-baseline="middle" fill="currentColor">{escape(text)}</text>'
        )

    def legend_row(self, entries: Sequence[tuple[str, str]]) -> None:
        """Add names of colors, one beside the other, above the plot; the picture must have a ``top`` of 34."""
        left = float(self.left)
        for name, color in entries:
            self._marks.append(
                f'<rect x="{_number(left)}" y="7" width="10" height="10" fill="{color}"/>'
                f'<text x="{_number(left + 15)}" y="12" dominant-baseline="middle" fill="currentColor">'
                f"{escape(name)}</text>"
            )
            left += 15 + CHARACTER * len(name) + 16

    def legend(self, entries: Sequence[tuple[str, str]]) -> None:
        """Add names of colors, one below the other, to the lower corner on the right."""
        for number, (name, color) in enumerate(entries):
            top = self.height - BOTTOM - 12 - 18 * (len(entries) - 1 - number)
            end = WIDTH - RIGHT - 8
            self._marks.append(
                f'<text x="{end - 16}" y="{top}" text-anchor="end" dominant-baseline="middle" fill="currentColor">'
                f'{escape(name)}</text><rect x="{end - 10}" y="{top - 5}" width="10" height="10" fill="{color}"/>'
            )

    def svg(self) -> str:
        """Return the text of the picture."""
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {self.height}" role="img" '
            f'font-family="system-ui, sans-serif" font-size="13"><title>{escape(self.title)}</title>'
            f"{self._axes()}{''.join(self._marks)}</svg>"
        )

    def _axes(self) -> str:
        bottom, right = self.height - BOTTOM, WIDTH - RIGHT
        parts = []
        for value, name in self.x.ticks():
            left = self.left + self.x.at(value) * (right - self.left)
            if not isinstance(self.x, Band):
                parts.append(_rule(left, self.top, left, bottom))
            parts.append(_label(left, bottom + 15, "middle", name))
        for value, name in self.y.ticks():
            top = bottom - self.y.at(value) * (bottom - self.top)
            if not isinstance(self.y, Band):
                parts.append(_rule(self.left, top, right, top))
            parts.append(_label(self.left - 7, top, "end", name))
        parts.append(_label((self.left + right) / 2, self.height - 9, "middle", self.x_title))
        middle = (self.top + bottom) / 2
        parts.append(
            f'<text x="11" y="{_number(middle)}" text-anchor="middle" dominant-baseline="middle" '
            f'transform="rotate(-90 11 {_number(middle)})" fill="currentColor">{escape(self.y_title)}</text>'
        )
        return "".join(parts)


def _rule(x1: float, y1: float, x2: float, y2: float) -> str:
    return (
        f'<line x1="{_number(x1)}" y1="{_number(y1)}" x2="{_number(x2)}" y2="{_number(y2)}" '
        f'stroke="{MUTED}" stroke-opacity="0.25"/>'
    )


def _label(x: float, y: float, anchor: str, text: str) -> str:
    return (
        f'<text x="{_number(x)}" y="{_number(y)}" text-anchor="{anchor}" dominant-baseline="middle" '
        f'fill="currentColor" fill-opacity="0.8">{escape(text)}</text>'
    )


def _saying(shape: str, tag: str, says: str) -> str:
    return f"{shape}><title>{escape(says)}</title></{tag}>" if says else f"{shape}/>"


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
