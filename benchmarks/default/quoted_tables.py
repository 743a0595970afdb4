"""The tables that other pages quote from the rows of the default: ``python -m benchmarks.default.quoted_tables``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from benchmarks.default import CORPORA, DEFAULT
from benchmarks.harness.rows import Row, read_rows

STAGES = ("BR, squared hinge", "BR", "CRF", "MLP", "pool", "pool of equal weights", "pool without support")
"""The columns of the table of stages; a stage that no row has is left out."""


def default_rows(rows: Iterable[Row]) -> list[Row]:
    """Return the rows of the default in the order of the corpora."""
    own = {row.dataset: row for row in rows if row.section == "default"}
    return [own[name] for name in CORPORA if name in own]


def gain_table(rows: Iterable[Row]) -> str:
    """Return the table of the gain over the rivals: a star marks an interval without zero."""
    lines = []
    for row in default_rows(rows):
        values = {name: value for name, value in row.values.items() if value is not None}
        star = "" if values["low"] <= 0.0 <= values["high"] else "*"
        f1 = [f"{values[name]:.1f}" for name in ("baseline", "rival", "F1")]
        interval = f"{values['low']:+.1f} to {values['high']:+.1f}"
        lines.append([row.dataset, *f1, f"{values['gain']:+.1f}{star}", interval])
    heading = ["corpus", "careful", "more careful", "`SetClassifier()`", "gain", "95 % interval"]
    return _table(heading, "---:", lines)


def stage_table(rows: Iterable[Row]) -> str:
    """Return the table of what every stage scored on held-out documents and took; what was chosen is bold."""
    stages_of = {}
    for row in default_rows(rows):
        if ", of the stages " in row.note:
            chosen, tried = row.note.split("; ")[0].split(", of the stages ")
            cells = {name: found[1] for name in STAGES if (found := _stage_pattern(name).search(tried))}
            stages_of[row.dataset] = _chosen_stage(chosen), cells
    shown = [name for name in STAGES if any(name in cells for _, cells in stages_of.values())]
    lines = []
    for corpus, (chosen, cells) in stages_of.items():
        by_stage = [cells.get(name, "-") for name in shown]
        bold = [f"**{cell}**" if name == chosen else cell for name, cell in zip(shown, by_stage, strict=True)]
        lines.append([corpus, *bold])
    return _table(["corpus", *shown], "---", lines)


def _chosen_stage(chosen: str) -> str:
    """Return the stage that a note such as "pool of equal weights of words + bigrams" names: the longest."""
    return max((name for name in STAGES if f"{chosen} of ".startswith(f"{name.lower()} of ")), key=len)


def _stage_pattern(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?:^|, ){re.escape(name.lower())} (\d[^,]*)")


def _table(heading: Sequence[str], alignment: str, lines: Sequence[Sequence[str]]) -> str:
    rule = ["---", *[alignment] * (len(heading) - 1)]
    return "\n".join(f"| {' | '.join(line)} |" for line in [heading, *lines]).replace(
        "\n", f"\n|{'|'.join(rule)}|\n", 1
    )


QUOTED_IN = {"README.md": gain_table, "docs/tuning.md": stage_table}
"""The pages, and what writes their tables."""


def update(folder: Path) -> None:
    """Write the tables into the pages of a repository, in place of those that have the same first columns."""
    rows = read_rows(folder / DEFAULT.page.with_suffix(".jsonl"))
    for page, write_table in QUOTED_IN.items():
        table = write_table(rows)
        first_columns = re.escape(" | ".join(table.split(" | ")[:2]))
        old_table = re.compile(rf"^{first_columns} .*\n(?:\|.*\n)+", re.MULTILINE)
        text = (folder / page).read_text(encoding="utf-8")
        updated, n_found = old_table.subn(f"{table}\n".replace("\\", r"\\"), text)
        assert n_found == 1, page
        (folder / page).write_text(updated, encoding="utf-8")


if __name__ == "__main__":
    update(Path.cwd())
