"""A model outside the package: label frequencies, whatever the document."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import expit

from setwise._validation import N_JOBS, STRENGTH, Interval, check_sample_weight
from setwise.labels import LabelMatrix
from setwise.learners import CONSTANT_LOGIT, FeatureColumns
from setwise.models import (
    BudgetName,
    Callback,
    LabelModel,
    ModelEntry,
    Patience,
    StrengthPath,
    check_array,
    check_sparse,
)
from setwise.posterior import Posterior, Rows

Array = NDArray[np.float64]


class LabelFrequencies(LabelModel):
    """Independent labels with p(y_l = 1 | x) = sigmoid(b_l): features are ignored.

    Newton's method minimizes for each label::

        (1 / sum_i c_i) sum_i c_i [log(1 + exp(b)) - y_i b]  +  strength b^2
    """

    abilities: ClassVar = frozenset({"log_prob", "marginals"})
    _parameter_constraints: ClassVar = {
        "strength": STRENGTH,
        "max_iter": Interval("integer", 1),
        "n_jobs": N_JOBS,
    }
    _fitted: ClassVar[tuple[str, ...]] = ("coef_", "intercept_")

    def __init__(self, strength: float = 1e-3, max_iter: int = 20, n_jobs: int | None = None) -> None:
        self.strength = strength
        self.max_iter = max_iter
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None, callback: Callback | None = None) -> LabelFrequencies:
        self._check_parameters()
        labels, n_samples = LabelMatrix.of(y), FeatureColumns.matrix_of(X).shape[0]
        labels.check_rows(n_samples)
        weight = np.ones(n_samples) if sample_weight is None else check_sample_weight(sample_weight, n_samples)
        frequency = (labels.indicator.T @ weight) / weight.sum()
        self.classes_ = labels.names
        self.n_features_in_ = int(FeatureColumns.matrix_of(X).shape[1])
        self.coef_ = sp.csr_array((labels.n_labels, self.n_features_in_))  # no feature has any weight
        logit = np.zeros(labels.n_labels)
        for iteration in range(1, self.max_iter + 1):
            p = expit(logit)
            step = (p - frequency + 2.0 * self.strength * logit) / (p * (1.0 - p) + 2.0 * self.strength)
            logit = logit - step
            losses = np.logaddexp(0.0, logit) - frequency * logit + self.strength * logit**2
            self.objective_ = float(losses.sum())
            self.intercept_ = np.select([frequency == 0.0, frequency == 1.0], [-CONSTANT_LOGIT, CONSTANT_LOGIT], logit)
            if callback is not None and callback(iteration, self):
                break
        return self

    def _check_state(self) -> None:
        super()._check_state()
        check_sparse(self.coef_, "coef_", (len(self.classes_), self.n_features_in_))
        check_array(self.intercept_, "intercept_", (len(self.classes_),))

    @property
    def _n_scores(self) -> int:
        return len(self.classes_)

    def _posterior(self, X: Any) -> FrequencyPosterior:
        return FrequencyPosterior(self.classes_, self._linear_scores(X))


class FrequencyPosterior(Posterior):
    """The logit of each label, documents by labels."""

    model_name = "LabelFrequencies"
    abilities = LabelFrequencies.abilities

    def __init__(self, classes: tuple[str, ...], logits: Array) -> None:
        self.classes = classes
        self.n_samples = len(logits)
        self._logits = logits

    def take(self, rows: Rows) -> FrequencyPosterior:
        return FrequencyPosterior(self.classes, self._logits[rows])

    def log_prob(self, sets: Any) -> Array:
        normalizer = np.logaddexp(0.0, self._logits).sum(axis=1, keepdims=True)
        return np.asarray((self._read_sets(sets).indicator @ self._logits.T).T - normalizer)

    def marginals(self) -> Array:
        return np.asarray(expit(self._logits))


def frequency_grid(model: Any, budget: BudgetName, critical: float) -> list[StrengthPath]:
    """Return a few strengths, whatever the budget."""
    return [StrengthPath((1.0, 1e-2, 1e-4))]


ENTRY = ModelEntry("toy", LabelFrequencies, "label frequencies", frequency_grid, Patience(patience=2))
