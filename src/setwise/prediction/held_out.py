"""Documents that a model was not trained on: what recipes are judged by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from setwise.labels import LabelMatrix, Support
from setwise.metrics.named import MetricName, evaluate_metric
from setwise.prediction.recipe import Recipe

__all__ = ["HeldOut", "judged", "marginals", "measured_over", "truth"]


@dataclass(frozen=True, eq=False)
class HeldOut:
    """A model, the label sets it was trained on, and documents it was not. Folds give several, a model each."""

    model: Any
    X: Any
    y: LabelMatrix
    support: Support

    def take(self, documents: NDArray[np.int64]) -> HeldOut:
        """Give some of the documents."""
        return replace(self, X=self.X[documents], y=self.y.take(documents))


def judged(recipe: Recipe, parts: Sequence[HeldOut], metric: MetricName = "instance_f1") -> float:
    """Give the metric of a recipe over the documents of all parts together."""
    return measured_over(parts, [recipe.decided(part.model, part.X, part.support).sets for part in parts], metric)


def measured_over(parts: Sequence[HeldOut], sets: Sequence[sp.csr_array], metric: MetricName) -> float:
    """Give the metric of the sets that were decided for each part."""
    known = truth(parts)
    return evaluate_metric(metric, known, known.with_indicator(sp.csr_array(sp.vstack(sets, format="csr"))))


def truth(parts: Sequence[HeldOut]) -> LabelMatrix:
    """Give the label sets of the documents of all parts."""
    if len(parts) == 1:
        return parts[0].y
    stacked = sp.vstack([part.y.indicator for part in parts], format="csr")
    return parts[0].y.with_indicator(sp.csr_array(stacked))


def marginals(recipe: Recipe, parts: Sequence[HeldOut]) -> NDArray[np.float64]:
    """Give the probabilities of labels, for the documents of all parts."""
    return np.concatenate([recipe.marginals(part.model, part.X, part.support) for part in parts])
