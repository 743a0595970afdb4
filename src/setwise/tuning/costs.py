"""What tasks will probably cost: the order in which they start, and the time that is left, depend on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from setwise.learners import FeatureColumns
from setwise.models import Ensemble
from setwise.tuning.validation import Part

__all__ = ["PartSize", "evaluation_seconds", "evidence_seconds", "fit_seconds", "selection_seconds"]

SECONDS_PER_VALUE = {
    "BinaryRelevance": 1.0e-8,
    "ClassifierChain": 1.5e-8,
    "CostSensitiveRelevance": 2.0e-8,
    "LabelSizeFactors": 4.0e-8,
    "FactorizedLabelSizes": 4.0e-8,
    "PairwiseCRF": 5.0e-8,
    "PowerSet": 5.0e-8,
    "BernoulliMixture": 6.0e-8,
    "MultilayerPerceptron": 2.0e-8,
}
"""CPU seconds of a fit for each non-zero feature and label, measured on bibtex; a fit starts from the one before."""

SECONDS_PER_TASK = 0.02
"""CPU seconds of a task that computes hardly anything: files are read and written."""

OTHER_SECONDS_PER_VALUE = 2.0e-8
"""The same for a model that is not listed."""

DENSE_FACTOR = 6.0
"""A fit without an L1 term costs so many times more: no weight is zero."""

COLD_FITS = 3.0
"""A fit that starts from zero weights takes as long as so many fits of a path; features are laid out for it alone."""

SECONDS_PER_SCORE = 2.0e-8
"""CPU seconds of an evaluation for each held-out document and label set of the support, and per recipe."""

EVIDENCE_RECIPES = 2
"""How sure a model is takes as long to collect as so many recipes to evaluate."""

SELECTION_RECIPES = 9.0
"""The choice of a recipe takes as long as so many evaluations per recipe: it is cross-fitted, and tunes more."""


@dataclass(frozen=True)
class PartSize:
    """What the cost of a part depends on."""

    n_values: int
    """Non-zero values of the features."""
    n_features: int
    n_labels: int
    n_sets: int
    n_held: int

    @classmethod
    def of(cls, part: Part) -> PartSize:
        """Measure a part."""
        matrix = FeatureColumns.matrix_of(part.X)
        n_values = int(matrix.nnz if hasattr(matrix, "nnz") else matrix.size)
        n_held, n_labels = part.y_held.shape
        return cls(n_values, int(matrix.shape[1]), n_labels, part.support.n_sets, n_held)


def fit_seconds(model: Any, size: PartSize, *, cold: bool = False) -> float:
    """Return the CPU seconds that a fit will probably take, from that of a stronger penalty, or ``cold`` from zero."""
    if cold:
        return COLD_FITS * fit_seconds(model, size)
    if isinstance(model, Ensemble):
        return sum(fit_seconds(member.model, size) for member in model.members)
    rate = SECONDS_PER_VALUE.get(type(model).__name__, OTHER_SECONDS_PER_VALUE)
    dense = DENSE_FACTOR if getattr(model, "l1_ratio", 1.0) == 0.0 else 1.0
    return SECONDS_PER_TASK + rate * dense * size.n_values * size.n_labels


def evaluation_seconds(sizes: Sequence[PartSize], n_recipes: int) -> float:
    """Return the CPU seconds that an evaluation under some recipes will probably take."""
    return SECONDS_PER_TASK + SECONDS_PER_SCORE * n_recipes * sum(
        one.n_held * (one.n_sets + one.n_labels) for one in sizes
    )


def evidence_seconds(size: PartSize) -> float:
    """Return the CPU seconds that it will probably take to collect how sure a model is of the held-out documents."""
    return evaluation_seconds([size], EVIDENCE_RECIPES)


def selection_seconds(sizes: Sequence[PartSize], n_recipes: int) -> float:
    """Return the CPU seconds that the choice among some recipes will probably take."""
    return SELECTION_RECIPES * evaluation_seconds(sizes, n_recipes)
