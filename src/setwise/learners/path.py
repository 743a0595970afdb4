"""A whole path of strengths: each fit starts where the one before ended."""

from __future__ import annotations

import numbers
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from setwise.exceptions import InvalidParameter
from setwise.learners.checks import checked_l1_ratio, checked_max_iter, checked_strength, checked_tol
from setwise.learners.fits import LabelFits, warn_unless_converged
from setwise.learners.problem import BinaryProblem

__all__ = ["checked_strengths", "fit_path", "strength_grid"]


def strength_grid(highest: float, lowest: float, n_strengths: int) -> NDArray[np.float64]:
    """Give ``n_strengths`` strengths from ``highest`` down to ``lowest``, evenly spaced on the log scale."""
    are_numbers = isinstance(highest, numbers.Real) and isinstance(lowest, numbers.Real)
    if not are_numbers or not 0.0 < lowest <= highest < np.inf:
        raise InvalidParameter(f"lowest must lie above 0 and not above highest; got {lowest!r} and {highest!r}.")
    if not isinstance(n_strengths, numbers.Integral) or n_strengths < 1:
        raise InvalidParameter(f"n_strengths must be a whole number from 1 up; got {n_strengths!r}.")
    return np.geomspace(highest, lowest, n_strengths)


def checked_strengths(strengths: Any) -> list[float]:
    """Give the strengths as a list where there are any, and each is one."""
    if not isinstance(strengths, Iterable):
        raise InvalidParameter(f"strengths must be a list of numbers; got {strengths!r}.")
    found = [checked_strength(strength) for strength in strengths]
    if not found:
        raise InvalidParameter("strengths must hold at least one strength; got none.")
    return found


def fit_path(
    X: Any,
    y: Any,
    strengths: Iterable[float],
    *,
    l1_ratio: float = 1.0,
    sample_weight: Any = None,
    offset: Any = None,
    soft: bool = False,
    tol: float | None = None,
    max_iter: int = 200,
    n_jobs: int | None = None,
) -> list[LabelFits]:
    """Fit every label at each strength, from the strongest to the weakest, as :func:`fit_labels` would.

    The data are checked and laid out once. The result has the order of ``strengths``.
    """
    grid = checked_strengths(strengths)
    l1_ratio, tol, max_iter = checked_l1_ratio(l1_ratio), checked_tol(tol), checked_max_iter(max_iter)
    problem = BinaryProblem.of(X, y, sample_weight, offset, soft, n_jobs)
    falling = sorted(set(grid), reverse=True)
    fits = dict(zip(falling, problem.fit(falling, l1_ratio, tol, max_iter), strict=True))
    for strength in falling:
        warn_unless_converged(fits[strength])
    return [fits[strength] for strength in grid]
