"""The energy of relaxed labels, the labels of least energy, and the structured hinge loss."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from setwise.models.neural.hidden_layers import row_products

__all__ = ["Descent", "Energy", "hinge_and_gradient"]

Array = NDArray[np.float64]


class Energy(NamedTuple):
    """The parameters of E(x, y) = sum_l y_l (F(x) . b_l + a_l) + c2 . softplus(C1' y), for y in [0, 1]^L.

    Attributes
    ----------
    local_weights : array of shape (n_hidden, n_labels)
        b_l, one column per label.
    local_intercept : array of shape (n_labels,)
        a_l.
    unit_weights : array of shape (n_labels, n_units)
        C1: what each label adds to each unit of the label energy.
    unit_energies : array of shape (n_units,)
        c2.
    """

    local_weights: Array
    local_intercept: Array
    unit_weights: Array
    unit_energies: Array

    def local(self, hidden: Array) -> Array:
        """Return what each label adds to the energy by itself, documents by labels; ``hidden`` is F(x)."""
        return row_products(hidden, self.local_weights) + self.local_intercept

    def value(self, local: Array, y: Array) -> Array:
        """Return the energy of one relaxed label set per document."""
        return np.asarray((local * y).sum(axis=1) + np.logaddexp(0.0, y @ self.unit_weights) @ self.unit_energies)

    def gradient(self, local: Array, y: Array) -> Array:
        """Return the derivative of the energy by each relaxed label, documents by labels."""
        units = scipy.special.expit(row_products(y, self.unit_weights)) * self.unit_energies
        return np.asarray(local + row_products(units, self.unit_weights.T))


class Descent(NamedTuple):
    """How the energy is minimized over [0, 1]^L: projected gradient descent with momentum, from zero."""

    n_steps: int = 30
    rate: float = 0.1
    momentum: float = 0.95

    def minimize(self, energy: Energy, local: Array, targets: Array | None = None, margin: float = 0.0) -> Array:
        """Return relaxed labels of low energy, documents by labels.

        With ``targets``, minimizes the energy less ``margin`` times the squared distance to them instead: labels that
        are wrong and still have a low energy.
        """
        y = np.zeros_like(local)
        velocity = np.zeros_like(local)
        for _ in range(self.n_steps):
            gradient = energy.gradient(local, y)
            if targets is not None:
                gradient -= 2.0 * margin * (y - targets)
            velocity *= self.momentum
            velocity += gradient
            y = np.clip(y - self.rate * velocity, 0.0, 1.0)
        return y


def hinge_and_gradient(
    energy: Energy, hidden: Array, targets: Array, weight: Array, descent: Descent, margin: float, strength: float
) -> tuple[float, Energy]:
    """Return the structured hinge loss of some documents, and the gradient of it and the penalty.

    The loss is ``sum_i weight_i max(0, margin |y_i - t_i|^2 - E(x_i, y_i) + E(x_i, t_i))``, where t_i are the true
    labels and y_i the relaxed labels that ``descent`` finds for its maximum. The gradient also has that of the penalty,
    ``strength`` times the sum of the squared weights. y_i counts as fixed, as if the maximum were reached.
    """
    local = energy.local(hidden)
    y = descent.minimize(energy, local, targets, margin)
    violation = margin * ((y - targets) ** 2).sum(axis=1) - energy.value(local, y) + energy.value(local, targets)
    loss = float(weight @ np.maximum(violation, 0.0))
    active = weight * (violation > 0.0)
    difference = (targets - y) * active[:, None]
    units_true, units_found = targets @ energy.unit_weights, y @ energy.unit_weights
    slope_true = scipy.special.expit(units_true) * energy.unit_energies * active[:, None]
    slope_found = scipy.special.expit(units_found) * energy.unit_energies * active[:, None]
    gradient = Energy(
        hidden.T @ difference,
        difference.sum(axis=0),
        targets.T @ slope_true - y.T @ slope_found,
        active @ (np.logaddexp(0.0, units_true) - np.logaddexp(0.0, units_found)),
    )
    if strength > 0.0:
        for name in ("local_weights", "unit_weights", "unit_energies"):
            part: Array = getattr(gradient, name)
            part += 2.0 * strength * getattr(energy, name)
    return loss, gradient
