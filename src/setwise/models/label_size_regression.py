"""Regression scores for GFM: least squares on the indicators of label and size (Ramaswamy et al., 2015)."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from setwise._estimator import check_is_fitted
from setwise._validation import PENALTY_CONSTRAINTS, SOLVER_CONSTRAINTS
from setwise.labels import LabelMatrix, SizeMarginals
from setwise.learners import FeatureColumns, LeastSquares, LeastSquaresFit
from setwise.models.base import Callback
from setwise.models.lsf import LabelSizeModel, LabelSizePosterior
from setwise.models.lsf_parts import LabelSizes
from setwise.models.state_checks import check_array, check_sparse

__all__ = ["LabelSizeRegression"]

_TOL = 1e-8
"""Where ``tol`` is None: share of the first residual that conjugate gradients leave."""

_SPARSE_TOL = 1e-5
"""Where ``tol`` is None, with an L1 part: the tolerance of scikit-learn's coordinate descent."""


class LabelSizeRegression(LabelSizeModel):
    """Least-squares estimates of p(y_l = 1, |y| = s | x), which GFM turns into sets.

    One regression per pair of label and size that occurs in training, with the target 1 for documents of that size that
    have the label and 0 for all others, and one of the empty set where it occurs. The best set under such estimates is
    consistent for the F1. Minimizes for each target z, over w and b (b is not penalized)::

        (1 / sum_i c_i) sum_i c_i (z_i - b - x_i . w)^2  +  strength * (l1_ratio |w|_1 + (1 - l1_ratio) |w|_2^2)

    Estimates are cut at 0 and 1, and scaled where those of one label add up to more than 1.

    Parameters
    ----------
    strength : float
        Weight of the penalty, the paper's lambda.
    l1_ratio : float
        Share of the L1 norm in the penalty, the paper's alpha. With 0 all regressions share one factorization of the
        covariance matrix; otherwise they are fitted one by one, which takes far longer.
    tol : float, optional
        Tolerance of the solver where it is an iterative one.
    max_iter : int
        Most iterations of the solver with an L1 part.
    n_jobs : int, optional
        Has no effect: products of matrices use the threads of numpy.

    Attributes
    ----------
    classes_ : tuple of str
        The label names.
    n_features_in_ : int
        Number of features seen in ``fit``.
    n_sizes_ : int
        The largest set size in training.
    has_empty_ : bool
        Whether empty sets occur in training.
    pair_labels_, pair_sizes_ : arrays of shape (n_pairs,)
        The pairs (label, size) that occur, sorted.
    coef_, intercept_ : sparse array and array
        One row per pair, and last the empty set where ``has_empty_``.
    violation_ : float
        The optimality certificate.
    objective_ : float

    Examples
    --------
    >>> from setwise.models import LabelSizeRegression
    >>> model = LabelSizeRegression(strength=0.1).fit([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [["a"], ["b"], ["a", "b"]])
    >>> model.posterior([[1.0, 0.0]]).size_marginals().joint.shape
    (1, 2, 2)
    """

    _parameter_constraints: ClassVar = {**PENALTY_CONSTRAINTS, **SOLVER_CONSTRAINTS}

    def __init__(
        self,
        strength: float = 1e-3,
        l1_ratio: float = 0.0,
        tol: float | None = None,
        max_iter: int = 1000,
        n_jobs: int | None = None,
    ) -> None:
        self.strength = strength
        self.l1_ratio = l1_ratio
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None, callback: Callback | None = None) -> LabelSizeRegression:
        """Fit all regressions; ``callback`` is called after the means alone, and after the solution."""
        self._check_parameters()
        labels, matrix = LabelMatrix.of(y), FeatureColumns.matrix_of(X)
        labels.check_rows(matrix.shape[0])
        pairs = LabelSizes.of(labels)
        self._set_labels(labels, pairs, int(matrix.shape[1]))
        problem = LeastSquares.of(matrix, pairs.targets(by_pair=True), sample_weight)
        if callback is not None:
            nothing = np.zeros((problem.targets.shape[1], self.n_features_in_))
            self._set_fit(problem.evaluated(nothing, self.strength, self.l1_ratio))
            if callback(1, self):
                return self
        if self.l1_ratio * self.strength > 0.0:
            tol = _SPARSE_TOL if self.tol is None else self.tol
            coef = problem.solve_sparse(self.strength, self.l1_ratio, tol, self.max_iter)
        else:
            coef = problem.solve(self.strength, _TOL if self.tol is None else self.tol)
        self._set_fit(problem.evaluated(coef, self.strength, self.l1_ratio))
        if callback is not None:
            callback(2, self)
        return self

    def _set_fit(self, fit: LeastSquaresFit) -> None:
        """Set: coef_, intercept_, violation_, objective_."""
        self.coef_, self.intercept_ = sp.csr_array(fit.coef), fit.intercept
        self.violation_, self.objective_ = fit.violation, fit.objective

    def _check_state(self) -> None:
        super()._check_state()
        n_rows = self.pair_labels_.size + self.has_empty_
        check_sparse(self.coef_, "coef_", (n_rows, self.n_features_in_))
        check_array(self.intercept_, "intercept_", (n_rows,))

    def label_weights(self) -> sp.csr_array:
        check_is_fitted(self)
        return self._mean_per_label(self.coef_[: self.pair_labels_.size], self.pair_labels_)

    @property
    def _n_scores(self) -> int:
        return int(self.intercept_.size)

    def _posterior(self, X: Any) -> LabelSizePosterior:
        return RegressionPosterior(self, np.clip(self._linear_scores(X), 0.0, 1.0), None)


class RegressionPosterior(LabelSizePosterior):
    """The estimates of the regressions, cut at 0 and 1, and scaled where those of a label add up to more than 1."""

    model_name = "LabelSizeRegression"

    def size_marginals(self, max_size: int | None = None) -> SizeMarginals:
        found = super().size_marginals()
        joint = found.joint / np.maximum(found.marginals, 1.0)[:, :, None]
        return SizeMarginals(joint if max_size is None else joint[:, :, :max_size], found.empty)
