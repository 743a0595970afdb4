"""Solutions and their objective, computed by the same function for every solver, setwise included."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from benchmarks.harness.problem import Penalty, Problem
from benchmarks.harness.timing import Timed
from setwise.learners import LossName


@dataclass(frozen=True)
class Fit(Timed):
    """A solution and its time: one row of ``coef`` and one intercept per label."""

    coef: sp.csr_array
    intercept: NDArray[np.float64]

    @property
    def n_nonzeros(self) -> int:
        return int(self.coef.count_nonzero())


def total_objective(
    problem: Problem, labels: NDArray[np.intp], penalty: Penalty, fit: Fit, loss: LossName = "logistic"
) -> float:
    """Compute the sum over labels of ``sum_i loss_i + n * penalty(w)`` in float64.

    That is n times the objective that setwise minimises, and LIBLINEAR's objective divided by C, so it can be compared
    with what LIBLINEAR prints.
    """
    coef = fit.coef.astype(np.float64).toarray()
    scores = problem.X.astype(np.float64) @ coef.T + fit.intercept
    signs = 2 * problem.y[:, labels] - 1
    margins = signs * scores
    losses = np.logaddexp(0, -margins) if loss == "logistic" else np.square(np.maximum(0, 1 - margins))
    l1, squared = np.abs(coef).sum(), np.square(coef).sum()
    penalized = penalty.l1_ratio * l1 + (1 - penalty.l1_ratio) * squared
    return float(losses.sum() + problem.n_samples * penalty.strength * penalized)
