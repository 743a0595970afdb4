"""What a figure is once it is drawn."""

from __future__ import annotations

from dataclasses import dataclass

from setwise.reports.names import checked_name

__all__ = ["Figure"]


@dataclass(frozen=True)
class Figure:
    """A picture that needs nothing beside itself."""

    name: str
    """A word for names of files."""
    title: str
    """One line, which the picture itself does not show."""
    svg: str
    """One ``svg`` element, ready for a file of its own or for the middle of a page."""

    def __post_init__(self) -> None:
        checked_name(self.name)
