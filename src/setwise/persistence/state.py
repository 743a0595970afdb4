"""Everything a model file stores of a fitted classifier."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from setwise.confidence import Automation, SetConfidence
from setwise.labels import LabelMatrix, Support
from setwise.models import LabelModel
from setwise.prediction import Recipe
from setwise.text import CountWeighting, TextVectorizer
from setwise.tuning import TuningResult

__all__ = ["ClassifierState"]


@dataclass(frozen=True, eq=False)
class ClassifierState:
    """A fitted :class:`setwise.SetClassifier`, taken apart."""

    parameters: dict[str, Any]
    """Of the constructor, by name."""
    labels: LabelMatrix
    """Label names and the form of y; its rows do not matter."""
    model: LabelModel
    recipe: Recipe
    support: Support
    tuning: TuningResult | None
    n_features: int
    feature_names: list[str] | None
    """Names of the columns of X, where it was a data frame."""
    vectorizer: TextVectorizer | None
    """The fitted vectorizer; None where documents are vectors."""
    weighting: CountWeighting | None = None
    """The fitted weighting of counts; None where features are used as they are."""
    confidence: SetConfidence | None = None
    """How sure predictions are; None where nothing was held out to learn it from."""
    automation: Automation | None = None
    """The confidence from which predictions need no review; None where none was looked for."""
