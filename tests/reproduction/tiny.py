"""A small corpus in a folder, and an effort that takes about a second."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from reproduction.plan import Effort, Grid, NetworkEffort, PredictorEffort
from reproduction.run import RunConfig
from tests.models.corpora import NAMES, small_corpus

__all__ = ["TINY", "tiny_config", "write_corpus"]

TINY = Effort(
    "tiny",
    learners=Grid(2, (0.5, 1.0), (1e-1, 1e-2), (1e-2, 1e-3)),
    lsf=Grid(1, (1.0,), (1e-2, 1e-2), (1e-3, 1e-3)),
    crf=Grid(1, (0.5,), (1e-2, 1e-2), (1e-3, 1e-3)),
    cbm=Grid(1, (1.0,), (1e-2, 1e-2), (1e-3, 1e-3)),
    cbm_gates=(1e-3,),
    cbm_sharpness=((1.0, 1.0),),
    heat_map=Grid(3, (0.0, 1.0), (1e-1, 1e-3), (1e-1, 1e-3)),
    n_repeats=2,
    max_tuning_documents=100,
    max_training_documents_if_slow=110,
    max_held_out=50,
    n_tuning_samples=20,
    networks=NetworkEffort((1e-2, 1e-3), 2, 2),
    predictors=PredictorEffort("quick", 100, 110, 50),
)


def write_corpus(folder: Path, name: str = "tiny", n_train: int = 120, n_test: int = 40, random_state: int = 0) -> Path:
    """Write a corpus as LIBSVM files with the names of labels and features; return the outer folder."""
    X, y = small_corpus(random_state, n_train + n_test)
    target = folder / name
    target.mkdir(parents=True)
    (target / "labels.txt").write_text("".join(f"{label}\n" for label in NAMES))
    (target / "features.txt").write_text("".join(f"word{column}\n" for column in range(X.shape[1])))
    for part, rows in {"train": slice(0, n_train), "test": slice(n_train, None)}.items():
        with gzip.open(target / f"{part}.svm.gz", "wt") as file:
            file.writelines(_lines(X.toarray()[rows], y[rows]))
    return folder


def _lines(X: NDArray[np.float64], y: NDArray[np.int64]) -> list[str]:
    return [
        ",".join(map(str, np.flatnonzero(labels)))
        + "".join(f" {column + 1}:{values[column]:.6g}" for column in np.flatnonzero(values))
        + "\n"
        for values, labels in zip(X, y, strict=True)
    ]


def tiny_config(folder: Path) -> RunConfig:
    """Return a run on the corpora of ``folder / "data"``, with its trials beside them."""
    return RunConfig(TINY, 0, folder / "trials", folder / "data")
