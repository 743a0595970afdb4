"""The paper's figures: the pipeline, and heat maps of test F1 by strength and L1 ratio."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from reproduction.report.figure import Figure
from reproduction.report.heat_map import heat_map
from reproduction.report.pipeline import pipeline_figure, pipeline_name
from reproduction.run import HeatMapRow, Results, Row

__all__ = ["draw_figures", "figure_titles"]


def figure_titles(rows: Iterable[Row]) -> dict[str, str]:
    """Return the title of every figure by its name, without drawing any."""
    return dict([pipeline_name(), *(_name_and_title(row) for row in _heat_map_rows(rows))])


def draw_figures(rows: Iterable[Row]) -> tuple[Figure, ...]:
    """Draw all figures."""
    return (pipeline_figure(), *(_draw_heat_map(row) for row in _heat_map_rows(rows)))


def _draw_heat_map(row: HeatMapRow) -> Figure:
    return heat_map(
        *_name_and_title(row),
        [f"{ratio:g}" for ratio in row.l1_ratios],
        [f"{share:.2g}" for share in row.shares],
        100 * np.array(row.f1),
        "L1 ratio",
        "strength, as a share of the critical strength of each ratio",
    )


def _heat_map_rows(rows: Iterable[Row]) -> list[HeatMapRow]:
    results = Results.of(rows)
    return [results.heat_maps[dataset] for dataset in results.datasets if dataset in results.heat_maps]


def _name_and_title(row: HeatMapRow) -> tuple[str, str]:
    return f"heat_{row.dataset}", f"Test F1 of {row.model} ({row.recipe}) on {row.dataset} by strength and L1 ratio"
