"""The numbers that the paper prints, read from ``printed_tables.toml``, and the paper's counterpart of each dataset."""

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
    "published",
    "slips",
]


@dataclass(frozen=True)
class Cell:
    """One cell of a table of the paper."""

    text: str
    bold: bool
    star: bool


@dataclass(frozen=True)
class Slip:
    """A place where the paper contradicts itself."""

    where: str
    dataset: str
    model: str
    printed: str
    why: str


def cell(table: int, dataset: str, model: str, column: str) -> Cell | None:
    """Return a cell of a table, or None where the table has no such row or column."""
    content = _paper()["tables"][str(table)]
    row = content["rows"].get(dataset, {}).get(model)
    if row is None or column not in content["columns"]:
        return None
    marked = row[content["columns"].index(column)]
    text = marked.removesuffix("*")
    bold = text.startswith("[")
    return Cell(text[1:-1] if bold else text, bold, marked != text)


def printed(table: int, dataset: str, model: str, column: str) -> str | None:
    """Return the number or dash of a cell as it is printed, or None where there is no such cell."""
    content = cell(table, dataset, model, column)
    return None if content is None else content.text


def published(model: str, dataset: str) -> str | None:
    """Return the number that the authors of a model print for one of the paper's datasets, or None."""
    number: str | None = _paper()["published"].get(model, {}).get(dataset)
    return number


def paper_datasets(table: int = 1) -> tuple[str, ...]:
    """Return the datasets of a table, in its order."""
    return tuple(_paper()["tables"][str(table)]["rows"])


def known_datasets() -> tuple[str, ...]:
    """Return our datasets in the paper's order, with those that the paper does not have at the end."""
    return tuple(_paper()["ours"])


def counterpart(our_dataset: str) -> str | None:
    """Return the paper's dataset that corresponds to one of ours, or None."""
    name: str | None = _our_dataset(our_dataset).get("paper")
    return name


def domain(our_dataset: str) -> str:
    """Return in a word what the documents are, or a dash."""
    return str(_our_dataset(our_dataset).get("domain", "-"))


def comparability(our_dataset: str) -> str:
    """Return a description of how far our numbers can be compared with the paper's."""
    return str(_our_dataset(our_dataset).get("comparable", "Not in the paper."))


def slips() -> tuple[Slip, ...]:
    """Return the places where the paper contradicts itself."""
    return tuple(Slip(**fields) for fields in _paper()["slips"])


def _our_dataset(dataset: str) -> dict[str, Any]:
    fields: dict[str, Any] = _paper()["ours"].get(dataset, {})
    return fields


@cache
def _paper() -> dict[str, Any]:
    return tomllib.loads(files(__package__).joinpath("printed_tables.toml").read_text(encoding="utf-8"))
