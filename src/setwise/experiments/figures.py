"""The paper's figures: the way of a document, and test F1 over strength and L1 ratio."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from setwise.experiments.results import Found
from setwise.experiments.rows import Heat, Row
from setwise.reports import Figure, heat_map, pipeline_figure

__all__ = ["figure_titles", "figures"]

PIPELINE = ("pipeline", "The way of a document, and where each regularisation acts")


def figure_titles(rows: Iterable[Row]) -> dict[str, str]:
    """Give the name and the title of every figure, with nothing drawn."""
    return dict([PIPELINE, *(_named(heat) for heat in _heats(rows))])


def figures(rows: Iterable[Row]) -> tuple[Figure, ...]:
    """Draw them all."""
    name, title = PIPELINE
    return (replace(pipeline_figure(), name=name, title=title), *(_drawn(heat) for heat in _heats(rows)))


def _drawn(heat: Heat) -> Figure:
    return heat_map(
        *_named(heat),
        [f"{ratio:g}" for ratio in heat.l1_ratios],
        [f"{share:.2g}" for share in heat.shares],
        100 * np.array(heat.f1),
        "L1 ratio",
        "strength, as a share of the critical one of each ratio",
    )


def _heats(rows: Iterable[Row]) -> list[Heat]:
    found = Found.of(rows)
    return [found.heats[dataset] for dataset in found.datasets if dataset in found.heats]


def _named(heat: Heat) -> tuple[str, str]:
    return f"heat_{heat.dataset}", f"Test F1 of {heat.model} ({heat.recipe}) on {heat.dataset} by strength and L1 ratio"
