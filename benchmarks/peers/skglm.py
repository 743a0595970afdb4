"""skglm's sparse logistic regression (proximal Newton with working sets). Its compilation, some 20 s, is not timed."""

from __future__ import annotations

import warnings
from time import perf_counter

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from skglm import SparseLogisticRegression
from sklearn.exceptions import ConvergenceWarning

from benchmarks.harness.objective import Fit
from benchmarks.harness.problem import Penalty, Problem


class Skglm:
    """Elastic net by proximal Newton, one label at a time."""

    def __init__(self, problem: Problem, *, tol: float = 1e-4, max_iter: int = 20) -> None:
        self.problem = problem
        self.tol = tol
        self.max_iter = max_iter
        self.X = sp.csc_matrix(problem.X, dtype=np.float64)
        self._fit_label(problem.y[:, 0], Penalty(0.1, 0.5))  # the first call compiles

    def fit(self, labels: NDArray[np.intp], penalty: Penalty) -> Fit:
        coef = np.zeros((len(labels), self.problem.n_features))
        intercept = np.zeros(len(labels))
        seconds = 0.0
        for row, label in enumerate(labels):
            start = perf_counter()
            model = self._fit_label(self.problem.y[:, label], penalty)
            seconds += perf_counter() - start
            coef[row], intercept[row] = model.coef_[0], np.ravel(model.intercept_)[0]
        return Fit(seconds, sp.csr_array(coef), intercept)

    def _fit_label(self, y: NDArray[np.float64], penalty: Penalty) -> SparseLogisticRegression:
        strength, l1_ratio = penalty.halved
        model = SparseLogisticRegression(alpha=strength, l1_ratio=l1_ratio, tol=self.tol, max_iter=self.max_iter)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(self.X, y)
        return model
