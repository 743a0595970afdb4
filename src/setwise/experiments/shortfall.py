"""Where a figure of ours is below the paper's, and why."""

from __future__ import annotations

from collections.abc import Iterable

from setwise.experiments.paper import counterpart, printed
from setwise.experiments.reasons import reason
from setwise.experiments.recipes import ALL_FOUR
from setwise.experiments.results import Found
from setwise.experiments.rows import Row
from setwise.reports.table import Entry, Table

__all__ = ["shortfall"]

TABLE_OF = {"BR": 2, "LSF": 2, "PCC": 2, "CBM": 2, "CRF": 4}
UNKNOWN = "not known yet"


def shortfall(rows: Iterable[Row]) -> Table:
    """Name every such figure with all four regularisations, the widest gap of a dataset first."""
    found = Found.of(rows)
    lines, n_compared = [], 0
    for dataset in found.datasets:
        gaps = []
        for model, table in TABLE_OF.items():
            ours = found.percent(dataset, model, ALL_FOUR)
            theirs = printed(table, counterpart(dataset) or "", model, ALL_FOUR)
            if ours is not None and theirs is not None:
                n_compared += 1
                gaps.append((ours - float(theirs), model, f"{ours:.2f}", theirs))
        lines += [
            (dataset, model, ours, theirs, f"{gap:+.2f}", reason(dataset, model) or UNKNOWN)
            for gap, model, ours, theirs in sorted(gaps)
            if gap < 0
        ]
    return Table(
        "shortfall",
        f"Figures with {ALL_FOUR}",
        ("data", "model", "ours", "the paper's", "gap", "reason"),
        tuple(tuple(map(Entry, line)) for line in lines),
        f"{len(lines)} of {n_compared} figures with {ALL_FOUR} are below the paper's. A gap means something "
        "where levels can be compared, and the paper's CRF has no L1.",
        n_headings=6,
    )
