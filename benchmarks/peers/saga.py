"""scikit-learn's saga, its only elastic-net solver; labels that do not converge within ``max_iter`` are counted."""

from __future__ import annotations

import warnings
from time import perf_counter

import numpy as np
import scipy.sparse as sp
import sklearn
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from benchmarks.harness.objective import Fit
from benchmarks.harness.problem import Penalty, Problem

# From scikit-learn 1.8 on, l1_ratio implies the penalty, and the `penalty` option is deprecated.
NEEDS_PENALTY = tuple(int(part) for part in sklearn.__version__.split(".")[:2]) < (1, 8)


class Saga:
    """Elastic net by stochastic average gradients, one label at a time."""

    def __init__(self, problem: Problem, *, max_iter: int = 100, tol: float = 1e-4) -> None:
        self.problem = problem
        self.max_iter = max_iter
        self.tol = tol
        self.X = sp.csr_array(problem.X, dtype=np.float64)

    def fit(self, labels: NDArray[np.intp], penalty: Penalty) -> Fit:
        strength, l1_ratio = penalty.halved
        model = LogisticRegression(
            solver="saga",
            C=1 / (strength * self.problem.n_samples),
            l1_ratio=l1_ratio,
            max_iter=self.max_iter,
            tol=self.tol,
            random_state=0,
            **({"penalty": "elasticnet"} if NEEDS_PENALTY else {}),
        )
        coef = np.zeros((len(labels), self.problem.n_features))
        intercept = np.zeros(len(labels))
        seconds, n_unconverged = 0.0, 0
        for row, label in enumerate(labels):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                start = perf_counter()
                model.fit(self.X, self.problem.y[:, label])
                seconds += perf_counter() - start
            n_unconverged += int(model.n_iter_.max() >= self.max_iter)
            coef[row], intercept[row] = model.coef_[0], model.intercept_[0]
        note = f"{n_unconverged} of {len(labels)} labels stopped at max_iter" if n_unconverged else ""
        return Fit(seconds, sp.csr_array(coef), intercept, note=note)
