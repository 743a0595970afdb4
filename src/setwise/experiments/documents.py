"""The documents of a corpus or of a variant of it, and what a prediction of the test documents is worth."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from setwise.data.splits import random_hold_out
from setwise.experiments.corpora import Part, Parts
from setwise.labels import LabelMatrix, Support
from setwise.metrics.overlap import Overlap
from setwise.prediction import Recipe

__all__ = ["Documents", "some_of"]


@dataclass(frozen=True, eq=False)
class Documents:
    """Read when they are asked for: test documents when all that is chosen is chosen."""

    corpus: Parts
    most: int | None = None
    """Training documents at most, by chance; None is all."""
    seed: int = 0

    @cached_property
    def train(self) -> Part:
        """Training documents."""
        whole = self.corpus.train()
        if self.most is None:
            return whole
        some = some_of(whole.X.shape[0], self.most, self.seed)
        return Part(whole.X[some], whole.y[some], whole.weighting)

    @cached_property
    def y(self) -> LabelMatrix:
        """Their labels."""
        return LabelMatrix.of(self.train.y)

    @cached_property
    def support(self) -> Support:
        """Their label sets."""
        return Support.of(self.y)

    @cached_property
    def test(self) -> tuple[Any, LabelMatrix]:
        """Test documents, and their labels."""
        part = self.corpus.test(self.train)
        return part.X, LabelMatrix.of(part.y)

    def f1(self, recipe: Recipe, model: Any) -> NDArray[np.float64]:
        """Predict the test documents, and give the F1 of each."""
        X, truth = self.test
        decided = recipe.decided(model, X, self.support)
        return Overlap.by_document(truth, truth.with_indicator(decided.sets)).f1


def some_of(n_documents: int, most: int, seed: int) -> NDArray[np.int64]:
    """Give so many of the documents at most, by chance and rising."""
    if n_documents <= most:
        return np.arange(n_documents)
    return random_hold_out(n_documents, most / n_documents, seed)[1]
