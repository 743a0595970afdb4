"""What the paper printed, read from ``paper_tables.toml``, and which of its datasets ours stand beside."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

__all__ = [
    "Cell",
    "Slip",
    "cell",
    "comparability",
    "counterpart",
    "domain",
    "known_datasets",
    "paper_datasets",
    "printed",
    "slips",
]


@dataclass(frozen=True)
class Cell:
    """One place of one of its tables."""

    text: str
    bold: bool
    star: bool


@dataclass(frozen=True)
class Slip:
    """Where the paper contradicts itself."""

    where: str
    dataset: str
    model: str
    printed: str
    why: str


def cell(table: int, dataset: str, model: str, column: str) -> Cell | None:
    """Give what stands in a table; None where it has no such row or column."""
    found = _paper()["tables"][str(table)]
    row = found["rows"].get(dataset, {}).get(model)
    if row is None or column not in found["columns"]:
        return None
    marked = row[found["columns"].index(column)]
    text = marked.removesuffix("*")
    bold = text.startswith("[")
    return Cell(text[1:-1] if bold else text, bold, marked != text)


def printed(table: int, dataset: str, model: str, column: str) -> str | None:
    """Give the number as it is printed, or the dash; None where there is no such place."""
    found = cell(table, dataset, model, column)
    return None if found is None else found.text


def paper_datasets(table: int = 1) -> tuple[str, ...]:
    """Name the datasets of a table, in its order."""
    return tuple(_paper()["tables"][str(table)]["rows"])


def known_datasets() -> tuple[str, ...]:
    """Name our datasets in the order of the paper's, those that it has not at the end."""
    return tuple(_paper()["ours"])


def counterpart(our_dataset: str) -> str | None:
    """Name the paper's dataset that ours stands beside; None where there is none."""
    name: str | None = _ours(our_dataset).get("paper")
    return name


def domain(our_dataset: str) -> str:
    """Say in a word what the documents are; a dash where nobody has said."""
    return str(_ours(our_dataset).get("domain", "-"))


def comparability(our_dataset: str) -> str:
    """Say what can be read from our figures beside the paper's."""
    return str(_ours(our_dataset).get("comparable", "Not in the paper."))


def slips() -> tuple[Slip, ...]:
    """List where the paper contradicts itself."""
    return tuple(Slip(**found) for found in _paper()["slips"])


def _ours(dataset: str) -> dict[str, Any]:
    found: dict[str, Any] = _paper()["ours"].get(dataset, {})
    return found


@cache
def _paper() -> dict[str, Any]:
    return tomllib.loads(files(__package__).joinpath("paper_tables.toml").read_text(encoding="utf-8"))
