"""What a fit of many labels returns, and when it counts as finished."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from setwise.exceptions import NotConverged
from setwise.learners.checks import linear_scores

__all__ = ["CONSTANT_LOGIT", "LEAST_TOL", "RELATIVE_TOL", "LabelFits", "Start", "warn_unless_converged"]

CONSTANT_LOGIT = 36.0
"""Size of the intercept of a label that every document has, or none: its probability is then 1, or 0, to rounding."""

RELATIVE_TOL = 3e-4
"""Without a ``tol``, a fit ends when its violation is this share of the largest gradient at zero weights."""

LEAST_TOL = 1e-12
"""No fit is asked for less than this violation unless its ``tol`` says so: below lies rounding."""


class Start(NamedTuple):
    """Where a fit starts when it is not an earlier fit."""

    coef: sp.csr_array
    intercept: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LabelFits:
    """The fits of all labels, each with its certificate."""

    coef: sp.csr_array
    """Weights, labels by features; only non-zeros are stored."""
    intercept: NDArray[np.float64]
    violation: NDArray[np.float64]
    """The certificate: the largest violation of the optimality conditions, in units of the mean loss's gradient."""
    tol: NDArray[np.float64]
    """The violation that was asked for."""
    objective: NDArray[np.float64]
    """Mean loss plus penalty."""
    n_iter: NDArray[np.int32]
    """Newton iterations."""
    constant: NDArray[np.bool_]
    """Labels that every document has, or none: nothing to fit, zero weights, intercept at plus or minus 36."""
    history: dict[str, NDArray[Any]] = field(repr=False)
    """One row an iteration of a label: label, iteration, objective, violation, n_nonzero, step."""

    @property
    def converged(self) -> NDArray[np.bool_]:
        """Which labels reached the violation asked for."""
        return np.asarray(self.violation <= self.tol)

    def scores(self, X: Any) -> NDArray[np.float64]:
        """Give the logit of every label for every document."""
        return linear_scores(X, self.coef, self.intercept)

    def history_rows(self, label: int) -> list[dict[str, float]]:
        """Give the iterations of one label, a row each."""
        chosen = np.flatnonzero(self.history["label"] == label)
        return [{name: column[k].item() for name, column in self.history.items() if name != "label"} for k in chosen]


def warn_unless_converged(fits: LabelFits) -> None:
    """Warn in one sentence where a fit ended before its violation was as small as asked."""
    late = np.flatnonzero(~fits.converged)
    if late.size:
        worst = late[np.argmax(fits.violation[late] / fits.tol[late])]
        warnings.warn(
            f"{late.size} of {fits.converged.size} labels did not reach the violation asked for: label {worst} has "
            f"{fits.violation[worst]:.2g} and should have {fits.tol[worst]:.2g} after {fits.n_iter[worst]} iterations. "
            f"Hint: raise max_iter, tol or strength.",
            NotConverged,
            stacklevel=3,
        )
