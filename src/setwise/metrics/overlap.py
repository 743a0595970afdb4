"""Sizes of true sets, predicted sets and their intersections, from which every metric is computed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from setwise.exceptions import InvalidData
from setwise.labels import LabelLists, LabelMatrix, is_frame, read_lists

__all__ = ["F1_OF_EMPTY_SETS", "Overlap", "read_pair"]

F1_OF_EMPTY_SETS: Final = 1.0
"""F1 of two empty sets. Decisions that maximize expected F1 assume the same value."""

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Overlap:
    """Sizes of many pairs of sets, each a true and a predicted one."""

    shared: Array
    """Size of each intersection."""
    true: Array
    """Size of each true set."""
    predicted: Array
    """Size of each predicted set."""

    @classmethod
    def by_document(cls, true: LabelMatrix, predicted: LabelMatrix) -> Overlap:
        """Compare the label sets of each document."""
        shared = true.indicator.multiply(predicted.indicator).tocsr()
        return cls(_row_sums(shared), true.sizes.astype(np.float64), predicted.sizes.astype(np.float64))

    @classmethod
    def by_label(cls, true: LabelMatrix, predicted: LabelMatrix) -> Overlap:
        """Compare the document sets of each label."""
        shared = true.indicator.multiply(predicted.indicator).tocsr()
        return cls(_column_sums(shared), true.counts.astype(np.float64), predicted.counts.astype(np.float64))

    def pooled(self) -> Overlap:
        """Return the sums over all pairs, as one pair."""
        return Overlap(*(np.array([part.sum()]) for part in (self.shared, self.true, self.predicted)))

    @property
    def both_empty(self) -> NDArray[np.bool_]:
        """Return which pairs consist of two empty sets."""
        return np.asarray((self.true == 0) & (self.predicted == 0))

    @property
    def f1(self) -> Array:
        """Return 2 |true and predicted| / (|true| + |predicted|) of each pair."""
        return self._ratio(2 * self.shared, self.true + self.predicted)

    @property
    def precision(self) -> Array:
        """Return the share of each predicted set that is true."""
        return self._ratio(self.shared, self.predicted)

    @property
    def recall(self) -> Array:
        """Return the share of each true set that is predicted."""
        return self._ratio(self.shared, self.true)

    def _ratio(self, part: Array, whole: Array) -> Array:
        ratio = np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)
        return np.where(self.both_empty, F1_OF_EMPTY_SETS, ratio)


def read_pair(y_true: Any, y_pred: Any) -> tuple[LabelMatrix, LabelMatrix]:
    """Read true and predicted labels, each in any form that ``LabelMatrix.of`` accepts, with equal columns."""
    y_true = LabelMatrix.of(y_true, called="y_true") if is_frame(y_true) else y_true
    y_pred = LabelMatrix.of(y_pred, called="y_pred") if is_frame(y_pred) else y_pred
    names = _common_names(y_true, y_pred)
    true = LabelMatrix.of(y_true, names, called="y_true")
    predicted = LabelMatrix.of(y_pred, names, called="y_pred").checked_against(true.names, called="y_pred")
    if true.n_samples != predicted.n_samples:
        raise InvalidData(f"y_true has {true.n_samples} rows but y_pred has {predicted.n_samples}.")
    return true, predicted


def _common_names(y_true: Any, y_pred: Any) -> tuple[str, ...] | None:
    """Return the names of a ``LabelMatrix`` argument, or all names in two label lists; None for anything else."""
    for labels in (y_true, y_pred):
        if isinstance(labels, LabelMatrix):
            return labels.names
    true, predicted = read_lists(y_true, called="y_true"), read_lists(y_pred, called="y_pred")
    if true is None or predicted is None:
        return None
    return LabelLists(true.documents + predicted.documents, true.integers and predicted.integers).vocabulary()


def _row_sums(indicator: sp.csr_array) -> Array:
    return np.asarray(indicator.sum(axis=1), dtype=np.float64)


def _column_sums(indicator: sp.csr_array) -> Array:
    return np.asarray(indicator.sum(axis=0), dtype=np.float64)
