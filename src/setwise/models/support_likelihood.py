"""The likelihood of models whose partition function runs over the training sets, CRF and PowerSet, and its gradient."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from setwise import _core
from setwise._validation import check_sample_weight
from setwise.labels import LabelMatrix, Support
from setwise.learners import FeatureColumns, linear_scores, padded
from setwise.models.crf_pairs import PairTerms
from setwise.models.feature_screening import ScreenedFeatures

__all__ = ["SCREENED_WEIGHTS", "SETS_AT_ONCE", "SupportLikelihood"]

Array = NDArray[np.float64]

SCREENED_WEIGHTS = 1_500_000
"""Features are screened where one weight per feature and label would be more weights than this: below it, screening
saves no time, and the features that it drops cost up to a point of F1 (enron_raw)."""

SETS_AT_ONCE = 256
"""Documents whose probabilities of all sets are held in memory together."""


@dataclass(frozen=True, eq=False)
class SupportLikelihood:
    """The data of a fit, and its parameters as one vector: weights, intercepts, and one number q per pair."""

    screened: ScreenedFeatures
    support: Support
    pair_terms: PairTerms
    sample_weight: Array | None
    n_jobs: int

    @classmethod
    def of(
        cls, X: Any, y: Any, sample_weight: Any, pairs: bool, n_jobs: int, screening_strength: float | None = None
    ) -> SupportLikelihood:
        features, labels = FeatureColumns.of(X), LabelMatrix.of(y)
        labels.check_rows(features.n_samples)
        support = Support.of(labels)
        weight = None if sample_weight is None else check_sample_weight(sample_weight, features.n_samples)
        most = SCREENED_WEIGHTS / labels.n_labels
        screened = ScreenedFeatures.of(features, labels, screening_strength, weight, n_jobs, max_features=most)
        return cls(screened, support, PairTerms.of(support.sets.indicator, pairs), weight, n_jobs)

    @property
    def features(self) -> FeatureColumns:
        """The features that have weights."""
        return self.screened.features

    @property
    def stride(self) -> int:
        return padded(self.support.sets.n_labels)

    @property
    def weights(self) -> slice:
        return slice(0, self.features.kept.size * self.stride)

    @property
    def intercepts(self) -> slice:
        return slice(self.weights.stop, self.weights.stop + self.stride)

    @property
    def pair_weights(self) -> slice:
        return slice(self.intercepts.stop, self.size)

    @property
    def size(self) -> int:
        return int(self.intercepts.stop) + self.pair_terms.n_pairs

    def evaluate(self, point: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        """Return the mean loss and its gradient."""
        if self.sample_weight is not None:
            return self._evaluate_weighted(point, self.sample_weight / self.sample_weight.sum())
        loss, weights, intercept, excess = _core.support_likelihood(
            self.features.native,
            self.support.sets.native,
            self.pair_terms.set_scores(point[self.pair_weights]),
            self.support.set_of.astype(np.int32),
            point[self.weights].reshape(-1, self.stride),
            point[self.intercepts],
            self.n_jobs,
        )
        return loss, np.concatenate([weights.ravel(), intercept, self.pair_terms.gradient(excess)])

    def _evaluate_weighted(self, point: Array, share: Array) -> tuple[float, Array]:
        """Return the weighted mean loss and its gradient; ``share`` is the weight of each document, in total 1.

        The core's kernel has no weights, so this works block by block in numpy.
        """
        sets, n_labels = self.support.sets.indicator, self.support.sets.n_labels
        rows = sp.csr_array(self.features.matrix)
        coef, intercept = self.weights_by_label(point), point[self.intercepts][:n_labels]
        set_scores = self.pair_terms.set_scores(point[self.pair_weights])
        loss, by_set, by_score = 0.0, np.zeros(self.support.n_sets), np.zeros((rows.shape[0], n_labels))
        for start in range(0, rows.shape[0], SETS_AT_ONCE):
            block = slice(start, start + SETS_AT_ONCE)
            document = np.arange(len(share[block]))
            own = self.support.set_of[block]
            score = np.ascontiguousarray((sets @ linear_scores(rows[block], coef, intercept).T).T + set_scores)
            highest, score_of_own = score.max(axis=1), score[document, own]
            _core.softmax_rows(score, self.n_jobs)  # from here on the probability of each set
            # The best set has the probability 1 / sum exp(score - highest), which never underflows.
            loss += float(share[block] @ (highest - np.log(score.max(axis=1)) - score_of_own))
            score[document, own] -= 1.0
            score *= share[block, None]
            by_set += score.sum(axis=0)
            by_score[block] = (sets.T @ score.T).T
        weights, intercepts = np.zeros((self.features.kept.size, self.stride)), np.zeros(self.stride)
        weights[self.features.place, :n_labels] = (rows.T @ by_score)[self.features.kept]
        intercepts[:n_labels] = by_score.sum(axis=0)
        return loss, np.concatenate([weights.ravel(), intercepts, self.pair_terms.gradient(by_set)])

    def weights_by_label(self, point: NDArray[np.float64]) -> sp.csr_array:
        """Return the weights, labels by the features that have some."""
        return self.features.sparse_weights(point[self.weights].reshape(-1, self.stride), self.support.sets.n_labels)
