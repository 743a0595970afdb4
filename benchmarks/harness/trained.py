"""Classifiers that are trained once, and shared by the benchmarks of what they can do."""

from __future__ import annotations

from pathlib import Path

from benchmarks.harness.corpora import Part, Parts
from setwise import SetClassifier, load
from setwise.models import BudgetName

__all__ = ["store_default", "trained_default"]


def trained_default(parts: Parts, train: Part, folder: Path | None, budget: BudgetName = "normal") -> SetClassifier:
    """Return ``SetClassifier()`` fitted to the train part, from the folder where that has one."""
    file = None if folder is None else folder / f"{parts.name}.setwise"
    if file is not None and file.exists():
        return load(file)
    classifier = SetClassifier(budget=budget, n_jobs=1).fit(train.X, train.y)
    store_default(classifier, parts, folder)
    return classifier


def store_default(classifier: SetClassifier, parts: Parts, folder: Path | None) -> None:
    """Save a fitted ``SetClassifier()`` in the folder; without one, do nothing."""
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        classifier.save(folder / f"{parts.name}.setwise")
