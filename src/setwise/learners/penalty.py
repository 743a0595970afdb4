"""The elastic-net penalty: its value, its proximal operator and its optimality conditions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from setwise._validation import PENALTY_CONSTRAINTS, check_parameters

__all__ = ["ElasticNet"]


@dataclass(frozen=True)
class ElasticNet:
    """The penalty ``strength * (l1_ratio |w|_1 + (1 - l1_ratio) |w|_2^2)``, without a 1/2 before the square.

    Parameters
    ----------
    strength : float
        Weight of the penalty, the paper's lambda.
    l1_ratio : float
        Share of the L1 norm, the paper's alpha, from 0 to 1.

    Examples
    --------
    >>> from setwise.learners import ElasticNet
    >>> net = ElasticNet(strength=0.5, l1_ratio=1.0)
    >>> net.value([1.0, -2.0]), net.prox([1.0, -0.2]).tolist()
    (1.5, [0.5, -0.0])
    """

    strength: float
    l1_ratio: float

    def __post_init__(self) -> None:
        check_parameters(PENALTY_CONSTRAINTS, vars(self))

    @property
    def l1(self) -> float:
        """Weight of the absolute values."""
        return self.strength * self.l1_ratio

    @property
    def l2(self) -> float:
        """Curvature of the squared term: twice its weight."""
        return 2.0 * self.strength * (1.0 - self.l1_ratio)

    def value(self, w: ArrayLike) -> float:
        """Return the penalty, summed over all weights."""
        weights = np.asarray(w, dtype=np.float64)
        absolute = self.l1 * float(np.abs(weights).sum()) if self.l1 > 0.0 else 0.0
        return absolute + 0.5 * self.l2 * float(np.vdot(weights, weights))

    def prox(self, v: ArrayLike, step: float = 1.0) -> NDArray[np.float64]:
        """Return argmin_u (u - v)^2 / 2 + step * value(u): shrink, then scale."""
        point = np.asarray(v, dtype=np.float64)
        shrunk = np.sign(point) * np.maximum(np.abs(point) - step * self.l1, 0.0)
        return np.asarray(shrunk / (1.0 + step * self.l2))

    def violation(self, w: ArrayLike, gradient: ArrayLike) -> NDArray[np.float64]:
        """Return the distance of -gradient to the subdifferential, per coordinate; zero exactly at the optimum."""
        weights = np.asarray(w, dtype=np.float64)
        smooth = np.asarray(gradient, dtype=np.float64) + self.l2 * weights
        moved = np.abs(smooth + self.l1 * np.sign(weights))
        return np.asarray(np.where(weights != 0, moved, np.maximum(np.abs(smooth) - self.l1, 0.0)))

    def critical_strength(self, null_gradient: ArrayLike) -> float:
        """Return the least strength at which all weights are zero, given the gradient there; infinite without L1."""
        peak = float(np.max(np.abs(np.asarray(null_gradient, dtype=np.float64)), initial=0.0))
        if self.l1_ratio == 0.0:
            return np.inf if peak > 0.0 else 0.0
        return peak / self.l1_ratio
