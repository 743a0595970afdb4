"""Results below the paper's, with the reason where an experiment explains it."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from functools import cache
from importlib.resources import files

from reproduction.paper import ALL_FOUR, counterpart, printed
from reproduction.report.table import Table, text_rows
from reproduction.run import Results, Row

__all__ = ["UNEXPLAINED", "printed_all_four", "reason", "shortfall_table"]

TABLE_OF_MODEL = {"BR": 2, "LSF": 2, "PCC": 2, "CBM": 2, "CRF": 4}
"""The table of the paper with a model's result for all four regularizations."""
UNEXPLAINED = "not explained yet"


def shortfall_table(rows: Iterable[Row]) -> Table:
    """Return the results with all four regularizations below the paper's, per dataset with the largest gap first."""
    results = Results.of(rows)
    lines, n_compared = [], 0
    for dataset in results.datasets:
        gaps = []
        for model in TABLE_OF_MODEL:
            ours, theirs = results.percent(dataset, model, ALL_FOUR), printed_all_four(dataset, model)
            if ours is not None and theirs is not None:
                n_compared += 1
                gaps.append((ours - float(theirs), model, f"{ours:.2f}", theirs))
        lines += [
            (dataset, model, ours, theirs, f"{gap:+.2f}", reason(dataset, model) or UNEXPLAINED)
            for gap, model, ours, theirs in sorted(gaps)
            if gap < 0
        ]
    return Table(
        "shortfall",
        f"Results with {ALL_FOUR} below the paper's",
        ("data", "model", "ours", "the paper's", "gap", "reason"),
        text_rows(lines),
        f"{len(lines)} of {n_compared} results with {ALL_FOUR} are below the paper's. A gap is meaningful only where "
        "levels can be compared, and the paper's CRF has no L1.",
        n_headings=6,
    )


def printed_all_four(dataset: str, model: str) -> str | None:
    """Return the paper's number for all four regularizations beside one of our datasets, or None."""
    return printed(TABLE_OF_MODEL[model], counterpart(dataset) or "", model, ALL_FOUR)


def reason(dataset: str, model: str) -> str | None:
    """Return the sentence of ``reasons.toml`` that explains a result below the paper's, or None."""
    return _reasons().get((dataset, model))


@cache
def _reasons() -> dict[tuple[str, str], str]:
    content = tomllib.loads(files(__package__).joinpath("reasons.toml").read_text(encoding="utf-8"))
    return {(entry["dataset"], model): entry["why"] for entry in content["reasons"] for model in entry["models"]}
