"""Fitting a :class:`setwise.labels.SetCalibration` on documents that the model was not trained on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import astuple, dataclass
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from setwise import _core
from setwise.exceptions import InvalidData
from setwise.inference.base import documents_per_block
from setwise.labels import IDENTITY, LabelMatrix, SetCalibration, Support, set_features
from setwise.posterior import Posterior

__all__ = ["fit_calibration", "fit_scaling", "improve_calibration"]

Array = NDArray[np.float64]

_NEWTON_STEPS = 50
"""Most steps of Newton's method; three parameters need far fewer."""

_SHRINK = 0.25
"""Factor applied to the initial scale while the loss falls."""

_GAIN = 1e-10
"""Newton's method ends when a step promises less gain per document."""

_LEAST_CHANCE = 1e-15
"""Lower bound of the probability of a label: the rounding error of a probability."""


def fit_calibration(posterior: Posterior, y: Any, support: Support) -> SetCalibration:
    """Fit the calibration under which the sets of held-out documents are most probable among the support.

    Documents whose set is not in the support, or is ruled out by the model, are ignored. The problem is convex, and
    solved by Newton's method; documents by sets are processed in blocks.

    Parameters
    ----------
    posterior : Posterior
        Of documents that the model was not trained on.
    y : label sets
        Their true sets.
    support : Support

    Returns
    -------
    calibration : SetCalibration
    """
    own = support.index_of(LabelMatrix.of(y, support.sets.names))
    if not (own >= 0).any():
        raise InvalidData("No set of y is in the support. Hint: use exact or sampled inference.")
    likelihood = _Likelihood(posterior, own, support)
    # 1. Shrink the scale while that helps: where scores are so large that nothing is in doubt, there is no curvature.
    point = np.array([1.0, 0.0, 0.0])
    value, gradient, curvature = likelihood.at(point)
    for _ in range(_NEWTON_STEPS):
        trial = likelihood.at(_SHRINK * point)
        if trial[0] >= value:
            break
        point, (value, gradient, curvature) = _SHRINK * point, trial
    # 2. Take Newton steps, each halved until it lowers the loss enough.
    for _ in range(_NEWTON_STEPS):
        # A direction in which no document tells sets apart has no curvature, and is left alone.
        step = np.linalg.lstsq(curvature, gradient, rcond=None)[0]
        promised = float(gradient @ step)
        if promised < _GAIN:
            break
        length = 1.0
        while length > _GAIN:
            trial = likelihood.at(point - length * step)
            if trial[0] <= value - 0.25 * length * promised:
                break
            length /= 2.0
        else:
            break
        point = point - length * step
        value, gradient, curvature = trial
    return SetCalibration(*map(float, point))


@dataclass(frozen=True, eq=False)
class _Likelihood:
    """The mean loss of held-out sets as a function of the calibration."""

    posterior: Posterior
    own: NDArray[np.int64]
    """Position of each document's set in the support; -1 where it is not in it."""
    support: Support

    def at(self, point: Array) -> tuple[float, Array, Array]:
        """Return loss, gradient and curvature: means and covariances of the features that score sets."""
        features = np.stack(set_features(self.support), axis=1)
        features -= features[0]  # a feature that is the same for all sets then has exactly no curvature
        bias = features @ point[1:]
        loss, gradient, curvature, n = 0.0, np.zeros(3), np.zeros((3, 3)), 0
        for log_prob, own in self._blocks():
            n += len(own)
            possible = log_prob > -np.inf
            rules_out = not possible.all()
            if rules_out:
                log_prob[~possible] = 0.0
            score = log_prob * point[0]
            score += bias
            if rules_out:
                score[~possible] = -np.inf
            highest = score.max(axis=1, initial=-np.inf)
            probability = np.ascontiguousarray(score)
            _core.softmax_rows(probability, 1)
            # The best set has the probability 1 / sum exp(score - highest), which never underflows.
            loss += float((highest - np.log(probability.max(axis=1)) - bias[own]).sum())
            mean = np.column_stack([np.einsum("is,is->i", probability, log_prob), probability @ features])
            gradient += mean.sum(axis=0)
            gradient[1:] -= features[own].sum(axis=0)
            log_prob -= mean[:, :1]
            weighted = probability * log_prob
            curvature[0, 0] += np.einsum("is,is->", weighted, log_prob)
            curvature[0, 1:] += weighted.sum(axis=0) @ features
            curvature[1:, 1:] += (features.T * probability.sum(axis=0)) @ features - mean[:, 1:].T @ mean[:, 1:]
        curvature[1:, 0] = curvature[0, 1:]
        n = max(1, n)
        return loss / n, gradient / n, curvature / n

    def _blocks(self) -> Iterator[tuple[Array, NDArray[np.int64]]]:
        """Yield log-probabilities relative to the own set's, and the own sets, for documents that have both."""
        start = 0
        for block in self.posterior.blocks(documents_per_block(4 * self.support.n_sets)):
            own = self.own[start : start + block.n_samples]
            start += block.n_samples
            (used,) = np.nonzero(own >= 0)
            if not used.size:
                continue
            log_prob = block.log_prob(self.support.sets)
            log_prob_of_own = log_prob[used, own[used]]
            possible = log_prob_of_own > -np.inf
            used, log_prob_of_own = used[possible], log_prob_of_own[possible]
            yield log_prob[used] - log_prob_of_own[:, None], own[used]


def fit_scaling(posterior: Posterior, y: Any) -> SetCalibration:
    """Fit scale and shift of the logits under which the labels of held-out documents are most probable, one by one.

    It is the calibration of exact inference, which needs no support; the prior stays 0.
    """
    truth = LabelMatrix.of(y).indicator.toarray().astype(bool)

    def mean_log_prob(calibration: SetCalibration) -> float:
        marginals = posterior.rescaled(calibration.scale, calibration.size).marginals()
        chance = np.where(truth, marginals, 1.0 - marginals)
        return float(np.log(np.maximum(chance, _LEAST_CHANCE)).sum(axis=1).mean())

    return improve_calibration(IDENTITY, mean_log_prob, with_prior=False)


def improve_calibration(
    start: SetCalibration,
    score: Callable[[SetCalibration], float],
    *,
    with_prior: bool = True,
    max_evaluations: int = 60,
) -> SetCalibration:
    """Search near ``start`` for the calibration of the highest ``score``, such as the F1 on held-out documents.

    The score may be discontinuous, so the search compares values only (Nelder and Mead 1965); the result is never worse
    than ``start``. Without ``with_prior`` the prior stays as it is.
    """
    free = [0, 1, 2] if with_prior else [0, 2]
    begin = np.array(astuple(start))
    scores: dict[SetCalibration, float] = {}

    def calibration(point: Array) -> SetCalibration:
        whole = begin.copy()
        whole[free] = point
        return SetCalibration(*map(float, whole))

    def scored(candidate: SetCalibration) -> float:
        if candidate not in scores:
            scores[candidate] = score(candidate)
        return scores[candidate]

    reach = np.array([0.25 * begin[0] or 0.25, 0.25, 0.5])[free]
    found = scipy.optimize.minimize(
        lambda point: -scored(calibration(point)),
        begin[free],
        method="Nelder-Mead",
        options={
            "initial_simplex": np.vstack([begin[free], begin[free] + np.diag(reach)]),
            "maxfev": max_evaluations,
            "xatol": 1e-3,
            "fatol": 1e-5,
        },
    )
    best = calibration(found.x)
    return best if scored(best) > scored(start) else start
