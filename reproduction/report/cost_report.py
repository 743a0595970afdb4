"""What was run, with which versions, and what it cost in time and memory."""

from __future__ import annotations

from collections.abc import Iterable
from math import fsum

from reproduction.paper import MODELS
from reproduction.report.table import Table, text_rows
from reproduction.run import HeatMapRow, Results, Row, ScoreRow

__all__ = ["cost_table", "run_summary"]


def run_summary(rows: Iterable[Row]) -> str:
    """Summarize a run in one paragraph."""
    rows = list(rows)
    results = Results.of(rows)
    scores = _scores(results)
    if not scores:
        return "Nothing was run yet."
    recipes = {row.recipe for row in scores}
    timed = [row for row in rows if isinstance(row, ScoreRow | HeatMapRow)]
    return (
        f"{len(scores):,} results of {len({row.dataset for row in scores})} datasets "
        f"({', '.join(dict.fromkeys(row.dataset for row in scores))}), models {', '.join(_models(scores))} and "
        f"{len(recipes)} recipes ({', '.join(sorted(recipes))}). Results that depend on a seed were repeated up to "
        f"{max(map(len, results.scores.values()))} times; every row stores its seed, "
        f"{len({row.seed for row in scores})} different ones in total.{_others(results)} Versions: {_versions(timed)}. "
        f"Everything took {_duration(fsum(sorted(row.seconds for row in timed)))}, and no process used more than "
        f"{max(row.peak_mb for row in scores):,.0f} MB."
    )


def cost_table(rows: Iterable[Row]) -> Table:
    """Return the time and memory per dataset and model."""
    results = Results.of(rows)
    scores = [*_scores(results), *(row for repeats in results.others.values() for row in repeats)]
    lines = []
    for dataset in results.datasets:
        for model in _models(scores):
            if of_model := [row for row in scores if (row.dataset, row.model) == (dataset, model)]:
                seconds, peak = fsum(row.seconds for row in of_model), max(row.peak_mb for row in of_model)
                lines.append((dataset, model, f"{len(of_model):,}", f"{seconds:,.1f}", f"{peak:,.0f}"))
        if (heat_map := results.heat_maps.get(dataset)) is not None:
            lines.append((dataset, "heat map", "1", f"{heat_map.seconds:,.1f}", "-"))
    return Table(
        "cost",
        "Seconds and memory",
        ("data", "model", "results", "seconds", "peak MB"),
        text_rows(lines),
        "Seconds of tuning, training and prediction, of all recipes and repeats together, on one core each; memory is "
        "the peak of the process.",
        n_headings=2,
    )


def _others(results: Results) -> str:
    """Count the results of networks and of predictors for F1, or return nothing."""
    models = sorted({model for _, model, _ in results.others})
    n_rows = sum(map(len, results.others.values()))
    return f" {n_rows:,} more are of networks and of predictors for F1 ({', '.join(models)})." if n_rows else ""


def _scores(results: Results) -> list[ScoreRow]:
    """Return all results of the paper's models, with datasets in the order of the tables."""
    return [
        row for name in results.datasets for key, repeats in results.scores.items() if key[0] == name for row in repeats
    ]


def _models(scores: Iterable[ScoreRow]) -> list[str]:
    names = {row.model for row in scores}
    return [*(model for model in MODELS if model in names), *sorted(names.difference(MODELS))]


def _versions(rows: Iterable[ScoreRow | HeatMapRow]) -> str:
    distinct = {(package, version) for row in rows for package, version in row.versions.items()}
    return ", ".join(f"{package} {version}" for package, version in sorted(distinct)) or "not stored"


def _duration(seconds: float) -> str:
    return f"{seconds:,.0f} seconds ({seconds / 3600:,.1f} hours)"
