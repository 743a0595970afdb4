"""Documents that a model was not trained on: what recipes are judged by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from setwise.labels import LabelMatrix, Support
from setwise.metrics.named import MetricName, lower_is_better, measured
from setwise.prediction.recipe import Recipe

__all__ = ["HeldOut", "goodness", "marginals", "truth"]


@dataclass(frozen=True, eq=False)
class HeldOut:
    """A model, the label sets it was trained on, and documents it was not. Folds give several, a model each."""

    model: Any
    X: Any
    Y: LabelMatrix
    support: Support

    def take(self, documents: NDArray[np.int64]) -> HeldOut:
        """Give some of the documents."""
        return replace(self, X=self.X[documents], Y=self.Y.take(documents))


def goodness(recipe: Recipe, parts: Sequence[HeldOut], metric: MetricName = "instance_f1") -> float:
    """Judge a recipe by all parts together: the higher the better, so a loss has its sign changed."""
    decided = sp.vstack([recipe.decided(part.model, part.X, part.support).sets for part in parts], format="csr")
    known = truth(parts)
    value = measured(metric, known, known.with_indicator(sp.csr_array(decided)))
    return -value if lower_is_better(metric) else value


def truth(parts: Sequence[HeldOut]) -> LabelMatrix:
    """Give the label sets of the documents of all parts."""
    if len(parts) == 1:
        return parts[0].Y
    stacked = sp.vstack([part.Y.indicator for part in parts], format="csr")
    return parts[0].Y.with_indicator(sp.csr_array(stacked))


def marginals(recipe: Recipe, parts: Sequence[HeldOut]) -> NDArray[np.float64]:
    """Give the probabilities of labels, for the documents of all parts."""
    return np.concatenate([recipe.marginals(part.model, part.X, part.support) for part in parts])
