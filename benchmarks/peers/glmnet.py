"""python-glmnet, fitted along a path of strengths: it has no line search, and diverges from a cold start."""

from __future__ import annotations

import warnings
from time import perf_counter

import numpy as np
import scipy.sparse as sp
from glmnet import LogitNet
from numpy.typing import NDArray

from benchmarks.harness.objective import Fit
from benchmarks.harness.problem import Penalty, Problem
from benchmarks.harness.timing import Skipped

PATH_LENGTHS = (20, 100)  # the second only where the first did not converge; only the one that converged is timed
MAX_PASSES = 20_000  # with its default of 100,000 a diverging label runs for minutes
MIN_L1_RATIO = 0.001  # glmnet itself uses this in place of 0 to compute the start of a path


class Glmnet:
    """Elastic net by coordinate descent, warm-started along a path."""

    def __init__(self, problem: Problem, *, tol: float = 1e-7) -> None:
        self.problem = problem
        self.tol = tol
        self.X = sp.csr_matrix(problem.X, dtype=np.float64)

    def fit(self, labels: NDArray[np.intp], penalty: Penalty) -> Fit:
        coef = np.zeros((len(labels), self.problem.n_features))
        intercept = np.zeros(len(labels))
        seconds = 0.0
        for row, label in enumerate(labels):
            label_seconds, coef[row], intercept[row] = self._fit_label(self.problem.y[:, label], penalty)
            seconds += label_seconds
        return Fit(seconds, sp.csr_array(coef), intercept)

    def _fit_label(self, y: NDArray[np.float64], penalty: Penalty) -> tuple[float, NDArray[np.float64], float]:
        strength, l1_ratio = penalty.halved
        for path_length in PATH_LENGTHS:
            path = np.geomspace(max(self._critical_strength(y, l1_ratio), strength), strength, path_length)
            model = LogitNet(
                alpha=l1_ratio,
                lambda_path=path,
                n_splits=0,
                standardize=False,
                tol=self.tol,
                max_iter=MAX_PASSES,
            )
            start = perf_counter()
            converged = self._fit_path(model, y)
            seconds = perf_counter() - start
            if converged:
                return seconds, model.coef_path_[0, :, -1], float(model.intercept_path_[0, -1])
        documents = f"{int(y.sum()):,} of {len(y):,} documents"
        raise Skipped(f"did not converge on a path of {PATH_LENGTHS[-1]} strengths, for a label of {documents}")

    def _fit_path(self, model: LogitNet, y: NDArray[np.float64]) -> bool:
        """Fit the path and return whether its last strength was reached."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # non-convergence is read from the length of the path
            try:
                model.fit(self.X, y)
            except ValueError as error:
                if "unexpected array size" in str(error):  # no strength converged, and glmnet fails on its empty result
                    return False
                raise
        return len(model.lambda_path_) == len(model.lambda_path)

    def _critical_strength(self, y: NDArray[np.float64], l1_ratio: float) -> float:
        """Return the smallest strength at which all weights are zero."""
        gradient = self.X.T @ (y - y.mean()) / len(y)
        return float(np.abs(gradient).max() / max(l1_ratio, MIN_L1_RATIO))
