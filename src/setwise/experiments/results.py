"""Rows in order: which datasets there are, and what was found for each model and recipe."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from setwise.experiments.paper import known_datasets
from setwise.experiments.recipes import not_applicable
from setwise.experiments.rows import Corpus, Heat, Row, Score

__all__ = ["Found"]

Key = tuple[str, str, str]


@dataclass(frozen=True)
class Found:
    """All that a page is written from, whatever the order of rows."""

    corpora: dict[str, Corpus]
    heats: dict[str, Heat]
    scores: dict[Key, tuple[Score, ...]]
    """The repeats of a dataset, model and recipe."""
    variants: dict[Key, tuple[Score, ...]]
    """The same of datasets with another split or fewer features, which stand in no table of the paper."""

    @classmethod
    def of(cls, rows: Iterable[Row]) -> Found:
        """Sort rows out."""
        corpora, heats = {}, {}
        scores, variants = dict[Key, tuple[Score, ...]](), dict[Key, tuple[Score, ...]]()
        for row in sorted(rows, key=lambda row: row.key):
            match row:
                case Corpus():
                    corpora[row.dataset] = row
                case Heat():
                    heats[row.dataset] = row
                case Score():
                    key = (row.dataset, row.model, row.recipe)
                    where = variants if "@" in row.dataset else scores
                    where[key] = (*where.get(key, ()), row)
        return cls(corpora, heats, scores, variants)

    @property
    def datasets(self) -> tuple[str, ...]:
        """Those with any row: in the paper's order, then by name."""
        order = known_datasets()
        there = {*self.corpora, *self.heats, *(dataset for dataset, _, _ in self.scores)}
        return tuple(sorted(there, key=lambda name: (order.index(name) if name in order else len(order), name)))

    def repeats(self, dataset: str, model: str, recipe: str) -> tuple[Score, ...]:
        """Give what was found, once or several times; nothing where it was not run."""
        return self.scores.get((dataset, model, recipe), ())

    def percents(self, dataset: str, model: str, recipe: str) -> list[float]:
        """Give the F1 of every repeat, in per cent."""
        return [100 * row.f1 for row in self.repeats(dataset, model, recipe)]

    def percent(self, dataset: str, model: str, recipe: str) -> float | None:
        """Give the mean F1 of the repeats, in per cent."""
        values = self.percents(dataset, model, recipe)
        return float(np.mean(values)) if values else None

    def why_not(self, dataset: str, model: str, recipe: str) -> str | None:
        """Say why there is no figure; None where there is one."""
        if self.repeats(dataset, model, recipe):
            return None
        return not_applicable(model, recipe) or "not run"
