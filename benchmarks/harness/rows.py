"""Measurements as data, one JSON object per line, so that a page can be redrawn without measuring again."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Row:
    """One measured entry: a solver, a model or a variant of it, in one setting on one data set."""

    section: str
    dataset: str
    setting: str
    entry: str
    # Numbers by column. A missing number is None or absent, with its reason in `note`.
    values: dict[str, float | None]
    # "yes" or "no: ..." where the entry has a goal.
    verdict: str = ""
    note: str = ""
    # When, where and by which command the row was measured.
    run: dict[str, Any] = field(default_factory=dict)

    def with_run(self, run: dict[str, Any]) -> Row:
        """Return the row with the record of its run."""
        return replace(self, run=run)


def read_rows(path: Path) -> list[Row]:
    """Read the rows of a file; none where the file does not exist."""
    if not path.exists():
        return []
    return [Row(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]


def write_rows(path: Path, rows: Iterable[Row]) -> None:
    """Write rows to a file, creating its folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(asdict(row)) + "\n" for row in rows), encoding="utf-8")


def replace_measured(rows: list[Row], new: list[Row]) -> list[Row]:
    """Replace the rows of every section and data set that was measured again; leave the others unchanged."""
    measured = {(row.section, row.dataset) for row in new}
    return [row for row in rows if (row.section, row.dataset) not in measured] + new
