"""Fits along a path of strengths, each warm-started from the one before."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from setwise._validation import L1_RATIO, SOLVER_CONSTRAINTS, Interval, check_parameters, checked_strengths
from setwise.exceptions import InvalidParameter
from setwise.learners.fits import LabelFits, warn_unless_converged
from setwise.learners.losses import LossName
from setwise.learners.problem import BinaryProblem, StrengthScaling

__all__ = ["fit_path", "strength_grid"]


def strength_grid(highest: float, lowest: float, n_strengths: int) -> NDArray[np.float64]:
    """Return ``n_strengths`` strengths from ``highest`` down to ``lowest``, evenly spaced on the log scale.

    Examples
    --------
    >>> from setwise.learners import strength_grid
    >>> strength_grid(1.0, 0.01, 3).round(6).tolist()
    [1.0, 0.1, 0.01]
    """
    positive = Interval("real", 0, closed="neither")
    check_parameters(
        {"highest": positive, "lowest": positive, "n_strengths": Interval("integer", 1)},
        {"highest": highest, "lowest": lowest, "n_strengths": n_strengths},
    )
    if lowest > highest:
        raise InvalidParameter(f"lowest must be at most highest; got {lowest!r} and {highest!r}.")
    return np.geomspace(highest, lowest, n_strengths)


def fit_path(
    X: Any,
    y: Any,
    strengths: Iterable[float],
    *,
    l1_ratio: float = 1.0,
    sample_weight: Any = None,
    offset: Any = None,
    soft: bool = False,
    loss: LossName = "logistic",
    strength_scaling: StrengthScaling = "global",
    tol: float | None = None,
    max_iter: int = 200,
    n_jobs: int | None = None,
) -> list[LabelFits]:
    """Fit every label at each strength, from the strongest to the weakest, as :func:`fit_labels` would.

    The data are checked and laid out once.

    Parameters
    ----------
    strengths : iterable of float
        In any order.
    X, y, l1_ratio, sample_weight, offset, soft, loss, strength_scaling, tol, max_iter, n_jobs
        As for :func:`fit_labels`.

    Returns
    -------
    fits : list of LabelFits
        In the order of ``strengths``.

    Examples
    --------
    >>> from setwise.learners import fit_path
    >>> weak, strong = fit_path([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [[1], [0], [1]], [0.01, 10.0])
    >>> weak.coef.nnz > strong.coef.nnz
    True
    """
    grid = checked_strengths(strengths)
    parameters = {"l1_ratio": l1_ratio, "tol": tol, "max_iter": max_iter, "n_jobs": n_jobs}
    check_parameters({"l1_ratio": L1_RATIO, **SOLVER_CONSTRAINTS}, parameters)
    problem = BinaryProblem.of(X, y, sample_weight, offset, soft, n_jobs, loss=loss, strength_scaling=strength_scaling)
    falling = sorted(set(grid), reverse=True)
    fits = dict(zip(falling, problem.fit(falling, l1_ratio, tol, max_iter), strict=True))
    for strength in falling:
        warn_unless_converged(fits[strength])
    return [fits[strength] for strength in grid]
