"""Set calibration: how far to trust a model's scale, how much to lean on what was frequent, how large sets should be.

A candidate set is scored anew as::

    scale * log p(set | x)  +  prior * log count(set)  +  size * |set|

(1, 0, 0) is the paper. The three numbers are found on documents that the model was not trained on.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import astuple, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from setwise import _core
from setwise.abilities import GivesScaledSizeMarginals, ScoresSets, require
from setwise.exceptions import InvalidData
from setwise.inference.blocks import document_blocks, documents_that_fit
from setwise.labels import LabelMatrix, SetDistribution, Support

__all__ = [
    "IDENTITY",
    "UNSEEN_COUNT",
    "SetCalibration",
    "calibrated",
    "fit_calibration",
    "fit_scaling",
    "improve_calibration",
]

Array = NDArray[np.float64]

UNSEEN_COUNT = 0.5
"""What a set counts that was added to the support and that no training document has."""

_NEWTON_STEPS = 50
"""Of three parameters: far more than are ever needed."""

_SMALLER = 0.25
"""The scale that Newton starts from is taken this much smaller, as long as that helps."""

_GAIN = 1e-10
"""Newton ends when a step promises less than this a document."""


_LEAST_CHANCE = 1e-15
"""What a label that was ruled out counts: the rounding of a probability."""


@dataclass(frozen=True)
class SetCalibration:
    """Scale, prior and size tilt of the score of a set; as they stand they change nothing."""

    scale: float = 1.0
    prior: float = 0.0
    size: float = 0.0

    @property
    def changes_nothing(self) -> bool:
        """Whether scores stay as they are."""
        return astuple(self) == (1.0, 0.0, 0.0)

    def bias(self, support: Support) -> Array:
        """What each set's score has beyond the scaled log-probability."""
        frequent, size = _set_features(support)
        return self.prior * frequent + self.size * size


IDENTITY = SetCalibration()
"""Trust the model."""


def _set_features(support: Support) -> tuple[Array, Array]:
    """Log count and size of each set."""
    return np.log(np.maximum(support.counts, UNSEEN_COUNT)), np.diff(support.sets.indicator.indptr).astype(np.float64)


def fit_calibration(model: ScoresSets, X: Any, y: Any, support: Support) -> SetCalibration:
    """Find the calibration under which the sets of held-out documents are most probable among the support.

    X and y must not have been trained on. Documents whose set the support lacks, or the model rules out, have no say.
    The problem is convex, and solved by Newton's method; documents by sets are never held whole.
    """
    require(model, "log_prob", by="Set calibration")
    own = support.index_of(LabelMatrix.of(y, support.sets.names))
    if not (own >= 0).any():
        raise InvalidData(
            "y must have at least one set of the support; got none. Hint: use exact or sampled inference."
        )
    n_block = documents_that_fit(4 * support.n_sets)
    point = np.array([1.0, 0.0, 0.0])
    value, gradient, curvature = _likelihood(model, X, own, support, point, n_block)
    for _ in range(_NEWTON_STEPS):  # where scores are so large that nothing is in doubt, there is no curvature to use
        trial = _likelihood(model, X, own, support, _SMALLER * point, n_block)
        if trial[0] >= value:
            break
        point, (value, gradient, curvature) = _SMALLER * point, trial
    for _ in range(_NEWTON_STEPS):
        # A direction in which no document tells sets apart has no curvature, and is left alone.
        step = np.linalg.lstsq(curvature, gradient, rcond=None)[0]
        promised = float(gradient @ step)
        if promised < _GAIN:
            break
        length = 1.0
        while length > _GAIN:
            trial = _likelihood(model, X, own, support, point - length * step, n_block)
            if trial[0] <= value - 0.25 * length * promised:
                break
            length /= 2.0
        else:
            break
        point = point - length * step
        value, gradient, curvature = trial
    return SetCalibration(*map(float, point))


def _likelihood(
    model: ScoresSets, X: Any, own: NDArray[np.int64], support: Support, point: Array, n_block: int
) -> tuple[float, Array, Array]:
    """Mean loss of the held-out sets, with its gradient and curvature: means and covariances of what scores sets."""
    told_by_set = np.stack(_set_features(support), axis=1)
    told_by_set -= told_by_set[0]  # what all sets share has then no curvature at all
    bias = told_by_set @ point[1:]
    loss, gradient, curvature, start, n = 0.0, np.zeros(3), np.zeros((3, 3)), 0, 0
    for some in document_blocks(X, n_block):
        mine = own[start : start + some.shape[0]]
        start += some.shape[0]
        if not (mine >= 0).any():
            continue
        known, mine = some[np.flatnonzero(mine >= 0)], mine[mine >= 0]
        log_prob = model.log_prob(known, support.sets)
        log_prob_of_own = log_prob[np.arange(len(mine)), mine]
        told = log_prob_of_own > -np.inf
        log_prob, mine = log_prob[told] - log_prob_of_own[told, None], mine[told]
        n += len(mine)
        possible = log_prob > -np.inf
        log_prob[~possible] = 0.0
        score = log_prob * point[0]
        score += bias
        score[~possible] = -np.inf
        highest = score.max(axis=1, initial=-np.inf)
        loss += float((np.log(np.exp(score - highest[:, None]).sum(axis=1)) + highest - bias[mine]).sum())
        probability = np.ascontiguousarray(score)
        _core.softmax_rows(probability, 1)
        mean = np.column_stack([np.einsum("is,is->i", probability, log_prob), probability @ told_by_set])
        gradient += mean.sum(axis=0)
        gradient[1:] -= told_by_set[mine].sum(axis=0)
        log_prob -= mean[:, :1]
        weighed = probability * log_prob
        curvature[0, 0] += np.einsum("is,is->", weighed, log_prob)
        curvature[0, 1:] += weighed.sum(axis=0) @ told_by_set
        curvature[1:, 1:] += (told_by_set.T * probability.sum(axis=0)) @ told_by_set - mean[:, 1:].T @ mean[:, 1:]
    curvature[1:, 0] = curvature[0, 1:]
    n = max(1, n)
    return loss / n, gradient / n, curvature / n


def fit_scaling(model: GivesScaledSizeMarginals, X: Any, y: Any) -> SetCalibration:
    """Find scale and shift of the logits under which the labels of held-out documents are most probable, one by one.

    It is the calibration of exact inference, which knows no support and needs no seen set; the prior stays 0.
    """
    require(model, "scaled_marginals", by="Calibration without support")
    truth = LabelMatrix.of(y).indicator.toarray().astype(bool)

    def mean_log_prob(tried: SetCalibration) -> float:
        marginals = model.scaled_marginals(X, tried.scale, tried.size)
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
    """Search near ``start`` for the calibration of the highest ``score``, say instance F1 on held-out documents.

    The score may jump, so the search compares values alone (Nelder and Mead 1965); what it ends with is never worse.
    Without ``with_prior`` the prior stays as it is.
    """
    free = [0, 1, 2] if with_prior else [0, 2]
    begin = np.array(astuple(start))

    def calibration(point: Array) -> SetCalibration:
        whole = begin.copy()
        whole[free] = point
        return SetCalibration(*map(float, whole))

    reach = np.array([0.25 * begin[0] or 0.25, 0.25, 0.5])[free]
    found = minimize(
        lambda point: -score(calibration(point)),
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
    return best if score(best) > score(start) else start


def calibrated(log_prob: Array, calibration: SetCalibration, support: Support, n_jobs: int) -> SetDistribution:
    """Probabilities of the support's sets, from their log-probabilities, which are changed in place.

    A set that the model rules out, with minus infinity, stays so under any scale.
    """
    log_prob = np.ascontiguousarray(log_prob)
    if calibration.scale > 0.0:
        if calibration.scale != 1.0:
            log_prob *= calibration.scale
    else:
        np.multiply(log_prob, calibration.scale, out=log_prob, where=log_prob > -np.inf)
    if calibration.prior != 0.0 or calibration.size != 0.0:
        log_prob += calibration.bias(support)
    _core.softmax_rows(log_prob, n_jobs)
    return SetDistribution(support.sets.indicator, log_prob)
