"""What was measured, as data: one line of JSON a row, so that a page can be drawn again without measuring again."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Row:
    """One contestant in one cell. A value that is missing has its reason in ``note``."""

    section: str
    dataset: str
    setting: str
    contestant: str
    values: dict[str, float | None]
    verdict: str = ""
    note: str = ""
    run: dict[str, Any] = field(default_factory=dict)

    def stamped(self, run: dict[str, Any]) -> Row:
        """Return the row with the record of the run it comes from."""
        return replace(self, run=run)


def read_rows(path: Path) -> list[Row]:
    if not path.exists():
        return []
    return [Row(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]


def write_rows(path: Path, rows: Iterable[Row]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(asdict(row)) + "\n" for row in rows), encoding="utf-8")


def with_new(rows: list[Row], new: list[Row]) -> list[Row]:
    """Replace what was measured again, a section of a data set at a time, and leave the rest as it was."""
    measured = {(row.section, row.dataset) for row in new}
    return [row for row in rows if (row.section, row.dataset) not in measured] + new
