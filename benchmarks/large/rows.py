"""The rows of the benchmark of large corpora."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks.harness.corpora import Parts
from benchmarks.harness.rows import Row
from benchmarks.harness.synthetic import Shape, SyntheticParts, wise
from benchmarks.harness.timing import FULL_CORE
from benchmarks.large import LargeEffort
from setwise.labels import LabelMatrix, Support
from setwise.learners import FeatureColumns, critical_strength
from setwise.models import BinaryRelevance
from setwise.prediction import Recipe

MAX_SECONDS = {"wise": 600.0, "imdb": 360.0}
MAX_MB = 4096.0
"""Of the default."""
MAX_CPU = 20.0
"""Of one strength."""
STRENGTH = 8e-3
"""Share of the critical strength that is best on the generated corpus."""
MOST_GROWTH = 1.15
"""Power of the size with which time may grow where it is called linear."""
LEAST = asdict(Shape(documents=200, features=1_000, labels=8, sets=16))
"""Sizes that every generated corpus has at least: so few labels still have so many sets."""
N_TEST, N_GROWTH_PREDICTED = 5_000, 2_000
"""Generated test documents."""


def scaled(effort: LargeEffort, **changed: int) -> Shape:
    """Return the shape of the generated corpus at the effort's scale, with some of its sizes divided further."""
    sizes = asdict(Shape())
    return Shape(
        **{name: max(LEAST[name], size // effort.scale // changed.get(name, 1)) for name, size in sizes.items()}
    )


def default_rows(parts: Parts, effort: LargeEffort) -> Iterator[Row]:
    """Train ``SetClassifier()`` on all cores in a process of its own."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if isinstance(parts, SyntheticParts):
            corpus = wise(scaled(effort), N_TEST)
            matrices = {"X": corpus.X, "y": corpus.y, "X_test": corpus.X_test, "y_test": corpus.y_test}
        else:
            train = parts.train()
            test = parts.test(train)
            matrices = {"X": train.X, "y": train.y, "X_test": test.X, "y_test": test.y}
        for key, matrix in matrices.items():
            sp.save_npz(folder / f"{key}.npz", sp.csr_array(matrix), compressed=False)
        n_jobs = os.cpu_count() or 1
        command = [sys.executable, "-m", "benchmarks.large.train", name, effort.budget, str(n_jobs)]
        ended = subprocess.run(command, capture_output=True, text=True, check=True)
    found = json.loads(ended.stdout)
    limit, peak = MAX_SECONDS[parts.name], found["peak"]
    failed = [
        *([f"the goal is {limit:.0f} s"] if found["seconds"] > limit else []),
        *([f"the goal is {MAX_MB:.0f} MB"] if peak > MAX_MB else []),
    ]
    share = found["cpu"] / found["seconds"] / n_jobs
    busy = f"{share:.2f} of {n_jobs} cores used" if share < FULL_CORE else ""
    setting = "{:,} documents, {:,} features, {:,} labels".format(*matrices["X"].shape, matrices["y"].shape[1])
    values = {key: found[key] for key in ("seconds", "cpu", "peak", "F1")}
    note = "; ".join(filter(None, [found["stages"], busy]))
    verdict = f"no: {', '.join(failed)}" if failed else "yes"
    yield Row("default", parts.name, setting, f"SetClassifier(), {n_jobs} threads", values, verdict, note)


def one_strength_rows(parts: Parts, effort: LargeEffort) -> Iterator[Row]:
    """Fit BR from zero weights, by one thread."""
    corpus = wise(scaled(effort), N_TEST)
    setting = "{:,} documents, {:,} features, {:,} labels".format(*corpus.X.shape, corpus.y.shape[1])
    for loss in ("squared_hinge", "logistic"):
        for l1_ratio in (1.0, 0.5):
            found = fit_and_predict(corpus.X, corpus.y, corpus.X_test, loss, l1_ratio)
            met = found["fit"] <= MAX_CPU
            verdict = "" if l1_ratio < 1.0 else "yes" if met else f"no: the goal is {MAX_CPU:.0f} s"
            entry = f"BR, {loss.replace('_', ' ')}, l1_ratio {l1_ratio:g}"
            values: dict[str, float | None] = {
                "cpu": found["fit"],
                "weights": found["weights"],
                "predict": found["predict"],
            }
            yield Row("one_strength", parts.name, setting, entry, values, verdict)


def growth_rows(parts: Parts, effort: LargeEffort) -> Iterator[Row]:
    """Fit and predict at three sizes in each direction."""
    for direction in asdict(Shape()):
        smallest: tuple[float, float, float] | None = None
        for shrink in effort.shrinks:
            shape = scaled(effort, **{direction: shrink})
            corpus = wise(shape, N_GROWTH_PREDICTED)
            found = fit_and_predict(corpus.X, corpus.y, corpus.X_test, "squared_hinge", 1.0)
            measured = (float(asdict(shape)[direction]), found["fit"], found["predict"])
            smallest = smallest or measured
            size, fit, predict = (one / least for one, least in zip(measured, smallest, strict=True))
            values: dict[str, float | None] = {
                "size": size,
                "cpu": found["fit"],
                "growth": fit,
                "predict": found["predict"],
                "growth of predict": predict,
                "weights": found["weights"],
            }
            verdict = ""
            if size > 1.0:
                power = float(np.log(max(fit, predict)) / np.log(size))
                verdict = "yes" if power <= MOST_GROWTH else f"no: as the power {power:.2f} of the size"
            yield Row("growth", parts.name, direction, f"{measured[0]:,.0f} {direction}", values, verdict)


def fit_and_predict(X: Any, y: Any, X_test: Any, loss: str, l1_ratio: float) -> dict[str, float]:
    """Return the CPU seconds of one cold fit, and of the decided sets of the test documents, by one thread."""
    started = process_time()
    features = FeatureColumns.of(X)
    strength = STRENGTH * critical_strength(features, y) / l1_ratio
    model = BinaryRelevance(strength, l1_ratio=l1_ratio, loss=loss, n_jobs=1).fit(features, y)  # type: ignore[arg-type]
    fitted = process_time()
    support = Support.of(LabelMatrix.of(y))
    Recipe("support", "gfm", n_jobs=1).decide(model.posterior(X_test), support)
    return {
        "fit": fitted - started,
        "predict": process_time() - fitted,
        "weights": float(model.size().n_nonzero),
    }
