"""A scale and a shift of the logits of each label, shrunk towards those of all labels.

Platt scaling replaces the logit z of label l by a_l z + b_l. A rare label has too few held-out documents to fit two
numbers, so the pairs (a_l, b_l) are drawn towards their mean as far as they vary by chance alone: they have a normal
prior, whose mean and variances are estimated from all labels together (empirical Bayes).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from setwise.exceptions import InvalidData

__all__ = ["LabelScaling", "fit_label_scaling"]

Array = NDArray[np.float64]

MAX_LOGIT = 30.0
"""Larger logits are those of labels that were constant in training: they say nothing about a scale."""

_ROUNDS = 15
"""Rounds of EM over the prior; its variances change by less than a tenth after that."""

_NEWTON_STEPS = 4
"""Newton steps of every label per round: each round starts where the last one ended."""

_LEAST_VARIANCE = 1e-4
"""The prior never becomes a point, from which EM could not move away."""

_MAX_STEP = 2.0
"""Longest step of a scale or a shift: far from the optimum the curvature says little."""


@dataclass(frozen=True, eq=False)
class LabelScaling:
    """The scale and the shift of each label's logit."""

    scale: Array
    shift: Array


def fit_label_scaling(logits: Array, y: NDArray[np.bool_]) -> LabelScaling:
    """Fit the scaling of each label under which the labels of held-out documents are most probable a posteriori.

    Parameters
    ----------
    logits : array of shape (n_samples, n_labels)
        Of documents that the model was not trained on.
    y : array of bool, of the same shape
        Their labels.

    Returns
    -------
    scaling : LabelScaling

    Examples
    --------
    >>> import numpy as np
    >>> from setwise.inference import fit_label_scaling
    >>> random = np.random.default_rng(0)
    >>> z = random.normal(size=(500, 3)) * 2.0
    >>> y = random.random(z.shape) < 1 / (1 + np.exp(-(0.5 * z - 1.0)))
    >>> fit_label_scaling(z, y).scale.round(1).tolist()
    [0.5, 0.5, 0.5]
    """
    if logits.shape != y.shape or not logits.size:
        raise InvalidData(f"logits and y must have the same shape, not empty; got {logits.shape} and {y.shape}.")
    counts = np.abs(logits) <= MAX_LOGIT
    z = np.where(counts, logits, 0.0)
    # 1. Start from one scale and one shift for all labels.
    mean, variance = np.array([1.0, 0.0]), np.ones(2)
    for _ in range(_ROUNDS):
        gradient, curvature = _derivatives(z.reshape(-1, 1), y.reshape(-1, 1), counts.reshape(-1, 1), mean[None])
        curvature[:, [0, 1], [0, 1]] += _LEAST_VARIANCE  # where no document tells anything, nothing moves
        mean = mean - np.clip(np.linalg.solve(curvature[0], gradient[0]), -_MAX_STEP, _MAX_STEP)
    points = np.tile(mean, (z.shape[1], 1))
    # 2. Fit every label under the prior, and the prior to all labels, in turns.
    for _ in range(_ROUNDS):
        for _ in range(_NEWTON_STEPS):
            gradient, curvature = _derivatives(z, y, counts, points)
            gradient += (points - mean) / variance
            curvature[:, [0, 1], [0, 1]] += 1.0 / variance
            step = np.linalg.solve(curvature, gradient[:, :, None])[:, :, 0]
            points = points - np.clip(step, -_MAX_STEP, _MAX_STEP)
        # The spread of a label beyond its own uncertainty is what the prior has to explain.
        uncertainty = np.linalg.inv(curvature)[:, [0, 1], [0, 1]]
        mean = points.mean(axis=0)
        variance = np.maximum(((points - mean) ** 2 + uncertainty).mean(axis=0), _LEAST_VARIANCE)
    return LabelScaling(np.ascontiguousarray(points[:, 0]), np.ascontiguousarray(points[:, 1]))


def _derivatives(z: Array, y: NDArray[np.bool_], counts: NDArray[np.bool_], points: Array) -> tuple[Array, Array]:
    """Return gradient and curvature of each label's loss, the sum over documents, in its scale and shift."""
    chance = scipy.special.expit(points[:, 0] * z + points[:, 1])
    residual, weight = counts * (chance - y), counts * chance * (1.0 - chance)
    weighted = weight * z
    gradient = np.stack([np.einsum("il,il->l", residual, z), residual.sum(axis=0)], axis=1)
    curvature = np.empty((z.shape[1], 2, 2))
    curvature[:, 0, 0] = np.einsum("il,il->l", weighted, z)
    curvature[:, 0, 1] = curvature[:, 1, 0] = weighted.sum(axis=0)
    curvature[:, 1, 1] = weight.sum(axis=0)
    return gradient, curvature
