"""The one judge of all solutions. It knows nothing of how they were found, ours included."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from benchmarks.problem import Penalty, Problem
from benchmarks.timed import Timed


@dataclass(frozen=True)
class Fit(Timed):
    """What a contestant hands in: a row of ``coef`` and an intercept a label, and the time they took."""

    coef: sp.csr_array
    intercept: NDArray[np.float64]

    @property
    def nonzeros(self) -> int:
        return int(self.coef.count_nonzero())


def total_objective(problem: Problem, labels: NDArray[np.intp], penalty: Penalty, fit: Fit) -> float:
    """Sum over labels of ``sum_i loss_i + n * penalty(w)`` in float64: n times the objective that setwise minimises.

    It is LIBLINEAR's objective divided by C, so it can be compared with what LIBLINEAR prints.
    """
    coef = fit.coef.astype(np.float64).toarray()
    scores = problem.X.astype(np.float64) @ coef.T + fit.intercept
    signs = 2 * problem.y[:, labels] - 1
    loss = np.logaddexp(0, -signs * scores).sum()
    l1, squared = np.abs(coef).sum(), np.square(coef).sum()
    size = penalty.l1_ratio * l1 + (1 - penalty.l1_ratio) * squared
    return float(loss + problem.n_samples * penalty.strength * size)
