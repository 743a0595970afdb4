"""Which documents are trained on, and which are held out to judge by."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from setwise.data.splits import folds, hold_out
from setwise.exceptions import InvalidData
from setwise.labels import LabelMatrix, Support
from setwise.prediction import HeldOut

__all__ = ["Part", "Validation"]

Documents = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Part:
    """Documents to train on, and documents to judge by."""

    X: Any
    y: LabelMatrix
    X_held: Any
    y_held: LabelMatrix
    make_support: Callable[[LabelMatrix], Support]

    @cached_property
    def support(self) -> Support:
        """The label sets of the training documents."""
        return self.make_support(self.y)

    def held_out(self, model: Any) -> HeldOut:
        """Give what a recipe is judged by, once a model was trained on the part."""
        return HeldOut(model, self.X_held, self.y_held, self.support)


@dataclass(frozen=True)
class Validation:
    """How documents are held out: a share of them once, or in ``n_folds`` turns each once; labels shared out.

    At most ``max_documents`` are judged by; the others that were held out stay unused.
    """

    share: float = 0.2
    n_folds: int | None = None
    random_state: int = 0
    max_documents: int | None = None

    def parts(self, X: Any, y: LabelMatrix, make_support: Callable[[LabelMatrix], Support] = Support.of) -> list[Part]:
        """Split the documents; nothing but their labels and the random_state decides where one goes."""
        least = 2 if self.n_folds is None else self.n_folds
        if y.n_samples < least:
            raise InvalidData(f"X must have at least {least} documents to hold some out; got n_samples={y.n_samples}.")
        rows = X.tocsr() if sp.issparse(X) else np.asarray(X)
        splits = (
            [hold_out(y, self.share, self.random_state)]
            if self.n_folds is None
            else folds(y, self.n_folds, self.random_state)
        )
        return [
            Part(rows[rest], y.take(rest), rows[judged], y.take(judged), make_support)
            for rest, judged in ((rest, self._some(held, len(splits))) for rest, held in splits)
        ]

    def _some(self, held: Documents, n_parts: int) -> Documents:
        """Give at most this part's share of the documents to judge by."""
        if self.max_documents is None or len(held) * n_parts <= self.max_documents:
            return held
        random = np.random.default_rng(self.random_state)
        return np.sort(random.permutation(held)[: max(1, self.max_documents // n_parts)])
