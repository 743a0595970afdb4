"""python-glmnet. Without a line search it diverges when started far off, so it walks a path, as its authors advise."""

from __future__ import annotations

import warnings
from time import perf_counter

import numpy as np
import scipy.sparse as sp
from glmnet import LogitNet
from numpy.typing import NDArray

from benchmarks.judge import Fit
from benchmarks.peers import Refused
from benchmarks.problem import Penalty, Problem

PATH_LENGTHS = (20, 100)  # the second only where the first fell short; the time is that of the one that arrived
MAX_PASSES = 20_000  # its default of 100,000 keeps a diverging label running for minutes
SMALLEST_L1_RATIO = 0.001  # what glmnet itself takes in place of 0 to find the start of a path


class Glmnet:
    def __init__(self, problem: Problem, *, tol: float = 1e-7) -> None:
        self.problem = problem
        self.tol = tol
        self.X = sp.csr_matrix(problem.X, dtype=np.float64)

    def fit(self, labels: NDArray[np.intp], penalty: Penalty) -> Fit:
        coef = np.zeros((len(labels), self.problem.n_features))
        intercept = np.zeros(len(labels))
        seconds = 0.0
        for row, label in enumerate(labels):
            taken, coef[row], intercept[row] = self._fit_label(self.problem.y[:, label], penalty)
            seconds += taken
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
            arrived = self._walk(model, y)
            seconds = perf_counter() - start
            if arrived:
                return seconds, model.coef_path_[0, :, -1], float(model.intercept_path_[0, -1])
        documents = f"{int(y.sum()):,} of {len(y):,} documents"
        raise Refused(f"even on a path of {PATH_LENGTHS[-1]} strengths, no convergence for a label of {documents}")

    def _walk(self, model: LogitNet, y: NDArray[np.float64]) -> bool:
        """Fit the path, and say whether its last strength was reached."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # "did not converge": told by the length of the path
            try:
                model.fit(self.X, y)
            except ValueError as error:
                if "unexpected array size" in str(error):  # it got nowhere, and trips over its empty result
                    return False
                raise
        return len(model.lambda_path_) == len(model.lambda_path)

    def _critical_strength(self, y: NDArray[np.float64], l1_ratio: float) -> float:
        gradient = self.X.T @ (y - y.mean()) / len(y)
        return float(np.abs(gradient).max() / max(l1_ratio, SMALLEST_L1_RATIO))
