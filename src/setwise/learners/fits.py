"""The result of fitting many labels, and when a fit has converged."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from setwise.exceptions import NotConverged
from setwise.learners.scoring import linear_scores

__all__ = ["CONSTANT_LOGIT", "LEAST_TOL", "RELATIVE_TOL", "LabelFits", "Start", "warn_unless_converged"]

CONSTANT_LOGIT = 36.0
"""Size of the intercept of a label that every document has, or none: its probability is then 1, or 0, to rounding."""

RELATIVE_TOL = 3e-4
"""Where ``tol`` is None, a fit ends when its violation is this share of the largest gradient at zero weights."""

LEAST_TOL = 1e-12
"""Smallest default tolerance: smaller violations are rounding errors."""


class Start(NamedTuple):
    """Warm start given as coefficients and intercepts."""

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
    """The violation to end with."""
    objective: NDArray[np.float64]
    """Mean loss plus penalty."""
    n_iter: NDArray[np.int32]
    """Newton iterations."""
    constant: NDArray[np.bool_]
    """Labels that every document has, or none: their weights are zero, and the intercept is plus or minus 36."""
    history: dict[str, NDArray[Any]] = field(repr=False)
    """One row per label and iteration: label, iteration, objective, violation, n_nonzero, step."""

    @property
    def converged(self) -> NDArray[np.bool_]:
        """Which labels have a violation within ``tol``."""
        return np.asarray(self.violation <= self.tol)

    @classmethod
    def unfitted(cls, n_labels: int, n_features: int) -> LabelFits:
        """Return zero weights for labels that another process fits."""
        integers, numbers = ("label", "iteration", "n_nonzero"), ("objective", "violation", "step")
        history: dict[str, NDArray[Any]] = {name: np.zeros(0, dtype=np.int32) for name in integers}
        history |= {name: np.zeros(0) for name in numbers}
        intercept, violation, tol, objective = np.zeros((4, n_labels))
        n_iter, constant = np.zeros(n_labels, dtype=np.int32), np.zeros(n_labels, dtype=bool)
        coef = sp.csr_array((n_labels, n_features))
        return cls(coef, intercept, violation, tol, objective, n_iter, constant, history)

    @classmethod
    def stacked(cls, parts: Sequence[LabelFits]) -> LabelFits:
        """Return the labels of all parts, one part after the other."""
        first = np.cumsum([0, *(len(part.intercept) for part in parts)])
        history = {
            name: np.concatenate(
                [
                    part.history[name] + (start if name == "label" else 0)
                    for start, part in zip(first, parts, strict=False)
                ]
            )
            for name in parts[0].history
        }
        arrays = ("intercept", "violation", "tol", "objective", "n_iter", "constant")
        return cls(
            coef=sp.csr_array(sp.vstack([part.coef for part in parts], format="csr")),
            history=history,
            **{name: np.concatenate([getattr(part, name) for part in parts]) for name in arrays},
        )

    def scores(self, X: Any) -> NDArray[np.float64]:
        """Return the logit of every label for every document."""
        return linear_scores(X, self.coef, self.intercept)

    def history_rows(self, label: int) -> list[dict[str, float]]:
        """Return the iterations of one label, one row each."""
        chosen = np.flatnonzero(self.history["label"] == label)
        return [{name: column[k].item() for name, column in self.history.items() if name != "label"} for k in chosen]


def warn_unless_converged(fits: LabelFits) -> None:
    """Warn where a fit ended before its violation was within ``tol``."""
    late = np.flatnonzero(~fits.converged)
    if late.size:
        worst = late[np.argmax(fits.violation[late] / fits.tol[late])]
        warnings.warn(
            f"{late.size} of {fits.converged.size} labels did not converge: after {fits.n_iter[worst]} iterations "
            f"label {worst} has a violation of {fits.violation[worst]:.2g}, above the tolerance "
            f"{fits.tol[worst]:.2g}. Hint: raise max_iter, tol or strength.",
            NotConverged,
            stacklevel=3,
        )
