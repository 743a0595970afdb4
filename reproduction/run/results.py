"""The rows of a run, sorted by dataset, model and recipe."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from reproduction.paper import CBM_NON_EMPTY, MODELS, known_datasets, not_applicable
from reproduction.run.rows import CorpusRow, HeatMapRow, Row, ScoreRow

__all__ = ["Results"]

Key = tuple[str, str, str]
"""Dataset, model and recipe."""


@dataclass(frozen=True)
class Results:
    """Everything that a page is written from; the order of the rows does not matter."""

    corpora: dict[str, CorpusRow]
    heat_maps: dict[str, HeatMapRow]
    scores: dict[Key, tuple[ScoreRow, ...]]
    """The repeats of each dataset, model and recipe."""
    variants: dict[Key, tuple[ScoreRow, ...]]
    """The same for datasets with another split or fewer features, which are in no table of the paper."""
    others: dict[Key, tuple[ScoreRow, ...]] = field(default_factory=dict)
    """The same for networks and predictors for F1, which have no recipes of the paper."""

    @classmethod
    def of(cls, rows: Iterable[Row]) -> Results:
        """Sort the rows."""
        corpora, heat_maps = {}, {}
        scores: dict[Key, tuple[ScoreRow, ...]] = {}
        variants: dict[Key, tuple[ScoreRow, ...]] = {}
        others: dict[Key, tuple[ScoreRow, ...]] = {}
        for row in sorted(rows, key=lambda row: row.key):
            match row:
                case CorpusRow():
                    corpora[row.dataset] = row
                case HeatMapRow():
                    heat_maps[row.dataset] = row
                case ScoreRow():
                    key = (row.dataset, row.model, row.recipe)
                    is_papers = row.model in (*MODELS, CBM_NON_EMPTY)
                    group = variants if "@" in row.dataset else scores if is_papers else others
                    group[key] = (*group.get(key, ()), row)
        return cls(corpora, heat_maps, scores, variants, others)

    @property
    def datasets(self) -> tuple[str, ...]:
        """The datasets with any row: in the paper's order, then by name."""
        order = known_datasets()
        with_rows = (dataset for dataset, _, _ in (*self.scores, *self.others))
        names = {*self.corpora, *self.heat_maps, *with_rows}
        return tuple(sorted(names, key=lambda name: (order.index(name) if name in order else len(order), name)))

    def repeats(self, dataset: str, model: str, recipe: str) -> tuple[ScoreRow, ...]:
        """Return the rows of a recipe, one per repeat; none where it was not run."""
        key = (dataset, model, recipe)
        return self.scores.get(key) or self.others.get(key, ())

    def percents(self, dataset: str, model: str, recipe: str) -> list[float]:
        """Return the F1 of every repeat, in percent."""
        return [100 * row.f1 for row in self.repeats(dataset, model, recipe)]

    def percent(self, dataset: str, model: str, recipe: str) -> float | None:
        """Return the mean F1 of the repeats, in percent, or None where it was not run."""
        values = self.percents(dataset, model, recipe)
        return float(np.mean(values)) if values else None

    def why_missing(self, dataset: str, model: str, recipe: str) -> str | None:
        """Return why there is no result, or None where there is one."""
        if self.repeats(dataset, model, recipe):
            return None
        return not_applicable(model, recipe) or "not run"
