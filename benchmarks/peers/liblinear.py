"""LIBLINEAR, the reference for pure L1 and pure L2. Only its C function is timed, on data converted beforehand."""

from __future__ import annotations

import ctypes
from time import perf_counter

import numpy as np
import scipy.sparse as sp
from liblinear.liblinear import liblinear, parameter
from liblinear.liblinear import problem as liblinear_problem
from numpy.typing import NDArray

from benchmarks.harness.objective import Fit
from benchmarks.harness.problem import Penalty, Problem
from benchmarks.harness.timing import Skipped
from setwise.learners import LossName

SOLVERS: dict[tuple[LossName, float], int] = {
    ("logistic", 0): 0,
    ("logistic", 1): 6,
    ("squared_hinge", 0): 2,
    ("squared_hinge", 1): 5,
}
"""Number of the solver, by loss and l1_ratio."""


class Liblinear:
    """Linear classifiers by LIBLINEAR's own solvers, one label at a time."""

    def __init__(self, problem: Problem, *, tol: float = 0.001, loss: LossName = "logistic") -> None:
        self.problem = problem
        self.loss = loss
        self.tol = tol
        X = sp.csr_matrix(problem.X, dtype=np.float64)  # it accepts only scipy's older matrix classes
        self.data = liblinear_problem(np.ones(problem.n_samples), X, bias=1.0)
        self.target = np.ctypeslib.as_array(self.data.y, (problem.n_samples,))  # a view: labels change in place

    def fit(self, labels: NDArray[np.intp], penalty: Penalty) -> Fit:
        options = parameter(self._options(penalty))
        coef = np.zeros((len(labels), self.problem.n_features))
        intercept = np.zeros(len(labels))
        seconds = 0.0
        for row, label in enumerate(labels):
            self.target[:] = 2 * self.problem.y[:, label] - 1
            start = perf_counter()
            model = liblinear.train(self.data, options)
            seconds += perf_counter() - start
            weights = np.ctypeslib.as_array(model.contents.w, (self.problem.n_features + 1,))
            coef[row], intercept[row] = weights[:-1], weights[-1]
            liblinear.free_and_destroy_model(ctypes.byref(model))
        return Fit(seconds, sp.csr_array(coef), intercept)

    def _options(self, penalty: Penalty) -> str:
        """Return the penalty as LIBLINEAR's command-line options."""
        n_samples = self.problem.n_samples
        solver = SOLVERS.get((self.loss, penalty.l1_ratio))
        if solver is None:
            raise Skipped("has no elastic net")
        c = 1 / (penalty.strength * n_samples) if penalty.l1_ratio == 1 else 1 / (2 * penalty.strength * n_samples)
        # -R leaves the intercept unpenalised, as for the other peers.
        return f"-s {solver} -c {c!r} -e {self.tol!r} -B 1 -R -q"
