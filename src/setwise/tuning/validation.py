"""Which documents are trained on, and which are held out to evaluate on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from setwise._estimator import clone
from setwise.data import folds, hold_out
from setwise.exceptions import InvalidData
from setwise.labels import LabelMatrix, Support
from setwise.learners import FeatureColumns
from setwise.prediction import HeldOut

__all__ = [
    "FEW_DOCUMENTS",
    "FEW_FOR_FEATURES",
    "FEW_IF_THOROUGH",
    "MAX_HELD_OUT",
    "N_FOLDS",
    "Part",
    "Validation",
    "default_validation",
    "feature_validation",
    "seen_share",
    "take_documents",
]

FEW_DOCUMENTS = 2000
"""With fewer documents a held-out part is too small to choose by, and cross-validation is used."""

FEW_IF_THOROUGH = 10_000
"""The same where settings and recipes may take their time: what is chosen by all documents is chosen better."""

FEW_FOR_FEATURES = 10_000
"""With fewer documents feature sets are compared by cross-validation: they differ by less than the noise of a fifth."""

N_FOLDS = 3
"""Folds of cross-validation, unless the caller says how many."""

MAX_HELD_OUT = 4000
"""Held-out documents that recipes are tuned on: more hardly change three numbers, and cost time."""

Documents = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Part:
    """Training documents and held-out documents of one split."""

    X: Any
    """The features of the training documents: a matrix, or FeatureColumns that were laid out before."""
    y: LabelMatrix
    X_held: Any
    y_held: LabelMatrix
    make_support: Callable[[LabelMatrix], Support]
    sample_weight: NDArray[np.float64] | None = None
    transformer: Any = None
    """Fitted to the training documents; None where X was given as it is."""

    @classmethod
    def of(
        cls,
        transformer: Any,
        X: Any,
        y: LabelMatrix,
        X_held: Any,
        y_held: LabelMatrix,
        make_support: Callable[[LabelMatrix], Support],
        sample_weight: NDArray[np.float64] | None = None,
    ) -> Part:
        """Return a part whose features a copy of the transformer has learnt from the training documents alone."""
        if transformer is None:
            return cls(X, y, X_held, y_held, make_support, sample_weight)
        fitted = clone(transformer)
        X = fitted.fit_transform(X)
        return cls(X, y, fitted.transform(X_held), y_held, make_support, sample_weight, fitted)

    @cached_property
    def features(self) -> FeatureColumns:
        """The features of the training documents, laid out once for all fits."""
        return FeatureColumns.of(self.X)

    @cached_property
    def support(self) -> Support:
        """The label sets of the training documents, compiled once for all predictions."""
        return self.make_support(self.y)

    def held_out(self, model: Any) -> HeldOut:
        """Score the held-out documents with a model that was trained on this part."""
        return HeldOut.of(model, self.X_held, self.y_held, self.support)


def take_documents(X: Any, rows: Documents) -> Any:
    """Return some documents of a list of texts, or some rows of a matrix."""
    if isinstance(X, list):
        return [X[i] for i in rows]
    return X.tocsr()[rows] if sp.issparse(X) else np.asarray(X)[rows]


@dataclass(frozen=True)
class Validation:
    """How documents are held out: a share of them once, or each once in ``n_folds`` folds, stratified by label.

    Parameters
    ----------
    share : float
        Share of the documents that is held out, where ``n_folds`` is None.
    n_folds : int, optional
    random_state : int
    max_documents : int, optional
        Most held-out documents that are used, over all folds.
    """

    share: float = 0.2
    n_folds: int | None = None
    random_state: int = 0
    max_documents: int | None = None

    def parts(
        self,
        X: Any,
        y: LabelMatrix,
        make_support: Callable[[LabelMatrix], Support] = Support.of,
        sample_weight: NDArray[np.float64] | None = None,
        transformer: Any = None,
    ) -> list[Part]:
        """Split the documents; the split depends on the labels and ``random_state`` alone.

        Where there is a transformer, X has what it transforms: each part has a copy that is fitted to its own training
        documents.
        """
        least = 2 if self.n_folds is None else self.n_folds
        if y.n_samples < least:
            raise InvalidData(f"X must have at least {least} documents to hold some out; got n_samples={y.n_samples}.")
        splits = (
            [hold_out(y, self.share, self.random_state)]
            if self.n_folds is None
            else folds(y, self.n_folds, self.random_state)
        )
        return [
            Part.of(
                transformer,
                take_documents(X, train),
                y.take(train),
                take_documents(X, used),
                y.take(used),
                make_support,
                None if sample_weight is None else sample_weight[train],
            )
            for train, used in ((train, self._limited(held, len(splits))) for train, held in splits)
        ]

    def _limited(self, held: Documents, n_parts: int) -> Documents:
        """Return at most this part's share of ``max_documents``."""
        if self.max_documents is None or len(held) * n_parts <= self.max_documents:
            return held
        random = np.random.default_rng(self.random_state)
        return np.sort(random.permutation(held)[: max(1, self.max_documents // n_parts)])


def seen_share(parts: Sequence[Part]) -> float:
    """Return the share of the held-out documents whose label set a training document has."""
    n_seen = sum(int((part.support.index_of(part.y_held) >= 0).sum()) for part in parts)
    return n_seen / max(1, sum(part.y_held.n_samples for part in parts))


def default_validation(n_documents: int, random_state: int = 0, *, thorough: bool = False) -> Validation:
    """Hold out a fifth once, or with few documents, use three folds."""
    few = FEW_IF_THOROUGH if thorough else FEW_DOCUMENTS
    return Validation(0.2, N_FOLDS if n_documents < few else None, random_state, MAX_HELD_OUT)


def feature_validation(n_documents: int, random_state: int = 0, *, thorough: bool = False) -> Validation | None:
    """Return the folds that feature sets are compared by, where one held-out part would be too small for that."""
    has_folds = default_validation(n_documents, random_state, thorough=thorough).n_folds is not None
    if has_folds or n_documents >= FEW_FOR_FEATURES:
        return None  # as default_validation holds out
    return Validation(n_folds=N_FOLDS, random_state=random_state)
