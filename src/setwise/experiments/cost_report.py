"""What was run, with what, and what it took."""

from __future__ import annotations

from collections.abc import Iterable
from math import fsum

from setwise.experiments.recipes import MODELS
from setwise.experiments.results import Found
from setwise.experiments.rows import Heat, Row, Score
from setwise.reports.table import Entry, Table

__all__ = ["effort_table", "what_was_done"]


def what_was_done(rows: Iterable[Row]) -> str:
    """Tell it in a paragraph."""
    rows = list(rows)
    found = Found.of(rows)
    scores = _scores(found)
    if not scores:
        return "Nothing was run yet."
    recipes = {row.recipe for row in scores}
    timed = [row for row in rows if isinstance(row, Score | Heat)]
    return (
        f"{len(scores):,} results of {len({row.dataset for row in scores})} datasets "
        f"({', '.join(dict.fromkeys(row.dataset for row in scores))}), models {', '.join(_models(scores))} and "
        f"{len(recipes)} recipes ({', '.join(sorted(recipes))}). What is random was repeated up to "
        f"{max(map(len, found.scores.values()))} times; every row keeps its "
        f"seed, {len({row.seed for row in scores})} different ones in all. Versions: {_versions(timed)}. "
        f"All took {_duration(fsum(sorted(row.seconds for row in timed)))}, and no process more than "
        f"{max(row.peak_mb for row in scores):,.0f} MB."
    )


def effort_table(rows: Iterable[Row]) -> Table:
    """Seconds and memory of each dataset and model."""
    found = Found.of(rows)
    scores = _scores(found)
    lines = []
    for dataset in found.datasets:
        for model in _models(scores):
            if of_model := [row for row in scores if (row.dataset, row.model) == (dataset, model)]:
                seconds, peak = fsum(row.seconds for row in of_model), max(row.peak_mb for row in of_model)
                texts = (dataset, model, f"{len(of_model):,}", f"{seconds:,.1f}", f"{peak:,.0f}")
                lines.append(tuple(map(Entry, texts)))
        if (heat := found.heats.get(dataset)) is not None:
            lines.append(tuple(map(Entry, (dataset, "heat map", "1", f"{heat.seconds:,.1f}", "-"))))
    return Table(
        "effort",
        "Seconds and memory",
        ("data", "model", "results", "seconds", "peak MB"),
        tuple(lines),
        "Seconds of choosing settings, training and predicting, of all recipes and repeats together, on one core each; "
        "memory is the peak of a process that does such work.",
        n_headings=2,
    )


def _scores(found: Found) -> list[Score]:
    """All results, datasets in the order of the tables."""
    return [
        row for name in found.datasets for key, repeats in found.scores.items() if key[0] == name for row in repeats
    ]


def _models(scores: Iterable[Score]) -> list[str]:
    there = {row.model for row in scores}
    return [*(model for model in MODELS if model in there), *sorted(there.difference(MODELS))]


def _versions(rows: Iterable[Score | Heat]) -> str:
    distinct = {(package, version) for row in rows for package, version in row.versions.items()}
    return ", ".join(f"{package} {version}" for package, version in sorted(distinct)) or "not told"


def _duration(seconds: float) -> str:
    return f"{seconds:,.0f} seconds ({seconds / 3600:,.1f} hours)"
