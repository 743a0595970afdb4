"""setwise itself. The whole call is timed: validation, conversions, and the fit of all labels at once."""

from __future__ import annotations

from time import perf_counter

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from benchmarks.harness.objective import Fit
from benchmarks.harness.problem import Penalty, Problem
from setwise.learners import LabelFits, LossName, critical_strengths, fit_labels, fit_path


class Setwise:
    """The elastic-net learners of setwise, all labels in one call."""

    def __init__(
        self, problem: Problem, *, n_jobs: int = 1, tol: float | None = None, loss: LossName = "logistic"
    ) -> None:
        self.problem = problem
        self.n_jobs = n_jobs
        self.tol = tol
        self.loss = loss

    def fit(self, labels: NDArray[np.intp], penalty: Penalty) -> Fit:
        y = sp.csr_array(self.problem.y[:, labels])
        start = perf_counter()
        fits = fit_labels(
            self.problem.X,
            y,
            strength=penalty.strength,
            l1_ratio=penalty.l1_ratio,
            tol=self.tol,
            loss=self.loss,
            n_jobs=self.n_jobs,
        )
        return to_fit(perf_counter() - start, fits)

    def fit_path(self, last: Penalty, n_strengths: int) -> Fit:
        """Fit all labels along a path of strengths that ends at ``last``, and return the fit at its end.

        The path starts at the smallest strength at which the weights of every label are zero. A pure L2 penalty has no
        such strength, so its path starts where that of pure L1 does.
        """
        y = sp.csr_array(self.problem.y)
        first = critical_strengths(self.problem.X, y, l1_ratio=last.l1_ratio or 1.0).max()
        start = perf_counter()
        path = fit_path(
            self.problem.X,
            y,
            np.geomspace(first, last.strength, n_strengths),
            l1_ratio=last.l1_ratio,
            tol=self.tol,
            n_jobs=self.n_jobs,
        )
        return to_fit(perf_counter() - start, path[-1])


def to_fit(seconds: float, fits: LabelFits) -> Fit:
    """Return the fits in the form that all peers share, with the optimality violation as the note."""
    violation = f"largest violation {fits.violation.max():.1e}"
    return Fit(seconds, sp.csr_array(fits.coef), fits.intercept, note=violation)
