"""Test F1 over strength and L1 ratio: to be looked at, not chosen by."""

from __future__ import annotations

import time

from setwise.experiments.documents import Documents
from setwise.experiments.grids import make_model
from setwise.experiments.plan import HEAT_MODEL, HEAT_RECIPE
from setwise.experiments.recipes import prediction
from setwise.experiments.rows import Heat
from setwise.experiments.run_config import Circumstances, Tell, versions
from setwise.tuning.grid import LEAST_PULL, critical_of_all

__all__ = ["heat_row"]


def heat_row(documents: Documents, run: Circumstances, tell: Tell) -> Heat:
    """Train a line a ratio on all training documents, and test every setting of it."""
    started = time.perf_counter()
    X, y = documents.train.X, documents.y
    critical = critical_of_all(X, y, run.n_jobs)
    recipe, grid = prediction(HEAT_MODEL, HEAT_RECIPE), run.effort.heat
    lines = [grid.strengths(critical, ratio) for ratio in grid.l1_ratios]
    f1: list[list[float]] = []
    for ratio, strengths in zip(grid.l1_ratios, lines, strict=True):
        model = make_model(HEAT_MODEL, n_jobs=run.n_jobs).set_params(l1_ratio=ratio)
        f1.append([])
        for fitted in model.fit_path(X, y, strengths):
            f1[-1].append(float(documents.f1(recipe, fitted).mean()))
            tell(sum(map(len, f1)), len(lines) * grid.n_strengths)
    return Heat(
        documents.corpus.name,
        HEAT_MODEL,
        HEAT_RECIPE,
        run.seed,
        list(grid.l1_ratios),
        lines,
        [strength * LEAST_PULL / critical for strength in grid.strengths(critical, 0.0)],
        f1,
        round(time.perf_counter() - started, 2),
        versions(),
    )
