"""Which documents are trained on, and which are held out to evaluate on."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from setwise._estimator import clone
from setwise.confidence import MIN_DOCUMENTS
from setwise.data import folds, hold_out
from setwise.exceptions import InvalidData
from setwise.labels import LabelMatrix, Support
from setwise.learners import FeatureColumns
from setwise.prediction import HeldOut
from setwise.text import transform_with_coverage

__all__ = [
    "FEW_DOCUMENTS",
    "FEW_FOR_FEATURES",
    "FEW_IF_THOROUGH",
    "MAX_HELD_OUT",
    "N_FOLDS",
    "Part",
    "Validation",
    "confidence_validation",
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

N_FOLDS_IF_THOROUGH = 5
"""The same for few documents where settings and recipes may take their time: each fold trains on more of them."""

FOLDS_FOR_CONFIDENCE = 10
"""Folds in which it is learned how sure predictions are; as many of them are held out as are needed. Models that are
trained on nine tenths of the documents are nearly as often right as the final one, and each costs as much."""

ENOUGH_FOR_CONFIDENCE = 2000
"""Held-out documents that are enough for that: they tell the share of right sets within about a point."""

MANY_FOR_CONFIDENCE = 10_000
"""Documents from which ``MAX_HELD_OUT`` are held out for that, in at most two folds: a model that is trained on four
fifths of so many is nearly as often right as the final one, too."""

FOLDS_IF_MANY = (10, 5)
"""Folds with so many documents: the first number of which two are enough."""

SHARE_HELD_OUT = 0.2
"""Share of the documents that is held out once, where there are many."""

MAX_TUNING_WORK = 1e9
"""Stored entries of the training features times labels up to which settings are compared by all training documents;
where there are more, by part of them, since the fits of a whole grid would take half an hour or longer."""

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
    coverage: NDArray[np.float64] | None = None
    """Share of the words of each held-out text that the vocabulary contains; None where it is not known."""

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
        X_held, coverage = transform_with_coverage(fitted, X_held)
        return cls(X, y, X_held, y_held, make_support, sample_weight, fitted, coverage)

    @classmethod
    def of_all(cls, X: Any, y: LabelMatrix, sample_weight: NDArray[np.float64] | None = None) -> Part:
        """Return all documents as training documents; none is held out."""
        X_held = sp.csr_array((0, FeatureColumns.matrix_of(X).shape[1]))
        return cls(X, y, X_held, y.take(np.zeros(0, dtype=np.int64)), Support.of, sample_weight)

    @cached_property
    def features(self) -> FeatureColumns:
        """The features of the training documents, laid out once for all fits."""
        return FeatureColumns.of(self.X)

    @cached_property
    def support(self) -> Support:
        """The label sets of the training documents, compiled once for all predictions."""
        return self.make_support(self.y)

    def limited(self, max_work: float, random_state: int) -> Part:
        """Return the part with so few training documents that their entries times labels are at most ``max_work``."""
        work = float(self.X.nnz if sp.issparse(self.X) else np.size(self.X)) * self.y.n_labels
        if work <= max_work:
            return self
        kept, _ = hold_out(self.y, 1.0 - max_work / work, random_state)
        weight = None if self.sample_weight is None else self.sample_weight[kept]
        return replace(self, X=take_documents(self.X, kept), y=self.y.take(kept), sample_weight=weight)

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
    n_used : int, optional
        How many of the folds are held out; by default all of them, one after the other.
    max_work : float, optional
        Most stored entries of the training features times labels: where there are more, some training documents are
        left out of each part, every label in proportion.
    """

    share: float = SHARE_HELD_OUT
    n_folds: int | None = None
    random_state: int = 0
    max_documents: int | None = None
    n_used: int | None = None
    max_work: float | None = None

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
            else folds(y, self.n_folds, self.random_state)[: self.n_used]
        )
        parts = [
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
        return parts if self.max_work is None else [one.limited(self.max_work, self.random_state) for one in parts]

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
    """Hold out a fifth once, or with few documents, use folds: three, or five where that is thorough."""
    n_folds = None
    if n_documents < (FEW_IF_THOROUGH if thorough else FEW_DOCUMENTS):
        n_folds = N_FOLDS_IF_THOROUGH if thorough and n_documents < FEW_DOCUMENTS else N_FOLDS
    max_work = None if thorough else MAX_TUNING_WORK
    return Validation(SHARE_HELD_OUT, n_folds, random_state, MAX_HELD_OUT, max_work=max_work)


def confidence_validation(n_documents: int, random_state: int = 0) -> Validation | None:
    """Return the parts in which it is learned how sure predictions are; None where documents are too few for that.

    The held-out documents of the tuning would teach too much or too little: the chosen model looks good on them partly
    because it was chosen by them, and was trained on fewer documents than the final one, which is more often right. So
    the chosen model is trained again in folds of their own, on most of the documents, until enough are held out.
    """
    if n_documents < MIN_DOCUMENTS:
        return None
    n_folds, enough = FOLDS_FOR_CONFIDENCE, ENOUGH_FOR_CONFIDENCE
    if n_documents >= MANY_FOR_CONFIDENCE:
        enough = MAX_HELD_OUT
        n_folds = next(k for k in FOLDS_IF_MANY if 2 * n_documents >= k * enough)
    n_used = min(n_folds, math.ceil(n_folds * enough / n_documents))
    return Validation(SHARE_HELD_OUT, n_folds, random_state + 1, MAX_HELD_OUT, n_used)


def feature_validation(n_documents: int, random_state: int = 0, *, thorough: bool = False) -> Validation | None:
    """Return the folds that feature sets are compared by, where one held-out part would be too small for that."""
    has_folds = default_validation(n_documents, random_state, thorough=thorough).n_folds is not None
    if has_folds or n_documents >= FEW_FOR_FEATURES:
        return None  # as default_validation holds out
    return Validation(n_folds=N_FOLDS, random_state=random_state)
