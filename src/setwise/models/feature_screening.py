"""The choice of the features that a model has weights for: those that some label of a sparse linear classifier uses.

Every iteration of a CRF or a network reads and writes many weights per feature, whether they are zero or not. Where the
features are words, pairs of words and parts of words, most of them are of no use in the end; BR finds out which in a
small share of the time, because its labels are fitted one by one with working sets.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from setwise.labels import LabelMatrix
from setwise.learners import FeatureColumns, fit_labels

__all__ = ["ScreenedFeatures"]


@dataclass(frozen=True, eq=False)
class ScreenedFeatures:
    """Some features of a matrix, and their places in it."""

    features: FeatureColumns
    columns: NDArray[np.int64] | None
    """The features that were kept; None for all."""
    n_features: int
    """Of the whole matrix."""

    @classmethod
    def of(
        cls,
        features: FeatureColumns,
        labels: LabelMatrix,
        strength: float | None,
        sample_weight: Any,
        n_jobs: int,
        *,
        max_features: float,
    ) -> ScreenedFeatures:
        """Keep the features that BR with squared hinge and an L1 penalty of this strength uses for some label.

        With None, where there are at most ``max_features`` anyway, and where BR uses no feature at all, all are kept.
        """
        whole = cls(features, None, features.n_features)
        if strength is None or features.kept.size <= max_features:
            return whole
        key = (cls, labels, strength)
        if sample_weight is None and (known := features.derived.get(key)) is not None:
            assert isinstance(known, cls)
            return known
        fits = fit_labels(
            features,
            labels,
            strength=strength,
            loss="squared_hinge",
            sample_weight=sample_weight,
            n_jobs=n_jobs,
        )
        columns = np.unique(fits.coef.indices[fits.coef.data != 0.0]).astype(np.int64)
        screened = whole
        if columns.size:
            kept = FeatureColumns.of(sp.csc_array(features.matrix)[:, columns])
            screened = cls(kept, columns, features.n_features)
        if sample_weight is None:
            features.derived[key] = screened
        return screened

    def outward(self, coef: sp.csr_array) -> sp.csr_array:
        """Return weights of the kept features as weights of all features."""
        if self.columns is None:
            return coef
        return sp.csr_array((coef.data, self.columns[coef.indices], coef.indptr), (coef.shape[0], self.n_features))
