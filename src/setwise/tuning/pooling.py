"""The pool of several tuned models: calibrations and weights are fitted on held-out documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import scipy
from numpy.typing import NDArray

from setwise.labels import SetCalibration, calibrate
from setwise.models import Member, pool_posteriors
from setwise.posterior import Posterior, Rows
from setwise.prediction import HeldOut, Recipe, StoredPosterior, TuningTargets, tune_recipe

__all__ = ["FittedPool", "PoolAdjustment", "joint_held_out", "simplex_weights"]

Array = NDArray[np.float64]

LEAST_WEIGHT = 0.01
"""Members of less weight are dropped: they cost as much as the others and change next to nothing."""

_MAX_STEPS = 100
"""Most Newton steps; about ten are needed."""

_SETTLED = 1e-9
"""The optimality conditions of the weights may be violated by this much."""

_RIDGE = 1e-10
"""Added to the Hessian, which is singular where two members agree everywhere."""

_LEAST_CHANCE = 1e-15
"""Lower bound of a probability under the logarithm: its rounding error."""


def simplex_weights(log_likelihood: Array) -> Array:
    """Return the weights, none negative and their sum 1, under which the mixture of the columns is most likely.

    Maximizes the mean of log sum_m w_m exp(log_likelihood[i, m]), which is concave, by Newton steps (Kim et al., A fast
    algorithm for maximum likelihood estimation of mixture proportions, 2020). Where the sum of the weights is
    subtracted from it in place of the condition that it be 1, the optimum is the same, and the one condition left is
    that no weight is negative.

    Parameters
    ----------
    log_likelihood : array of shape (n_observations, n_members)

    Returns
    -------
    weights : array of shape (n_members,)

    Examples
    --------
    >>> import numpy as np
    >>> from setwise.tuning import simplex_weights
    >>> simplex_weights(np.log([[0.9, 0.1], [0.8, 0.1], [0.1, 0.4]])).round(2).tolist()
    [0.84, 0.16]
    """
    n_members = log_likelihood.shape[1]
    weights = np.full(n_members, 1.0 / n_members)
    # A row in which no member has any probability says nothing about the weights.
    rows = log_likelihood[np.isfinite(log_likelihood).any(axis=1)]
    if not len(rows):
        return weights
    likelihood = np.exp(rows - rows.max(axis=1, keepdims=True))

    def objective(weights: Array) -> float:
        with np.errstate(divide="ignore"):
            return float(weights.sum() - np.log(likelihood @ weights).mean())

    for _ in range(_MAX_STEPS):
        share = likelihood / (likelihood @ weights)[:, None]
        gradient = 1.0 - share.mean(axis=0)
        if max(-gradient.min(), np.abs(weights * gradient).max()) <= _SETTLED:
            break
        root = scipy.linalg.cholesky(share.T @ share / len(share) + _RIDGE * np.eye(n_members))
        # The quadratic at the weights is the squared distance of root @ w to this point, up to a constant.
        point = root @ weights - scipy.linalg.solve_triangular(root, gradient, trans="T")
        step = scipy.optimize.nnls(root, point)[0] - weights
        now, size = objective(weights), 1.0
        while size > _SETTLED and objective(weights + size * step) > now + 1e-4 * size * float(gradient @ step):
            size *= 0.5
        if size <= _SETTLED:  # no progress beyond rounding
            break
        weights = weights + size * step
    return np.asarray(weights / weights.sum())


class JointPosterior(Posterior):
    """The posteriors of several models about the same documents, side by side; it answers nothing itself."""

    model_name = "JointPosterior"
    abilities = frozenset()

    def __init__(self, members: Sequence[Posterior]) -> None:
        self.members = list(members)
        self.classes = members[0].classes
        self.n_samples = members[0].n_samples

    def take(self, rows: Rows) -> JointPosterior:
        return JointPosterior([one.take(rows) for one in self.members])


@dataclass(frozen=True, eq=False)
class FittedPool:
    """Weights and calibrations of models, which pool their posteriors.

    Parameters
    ----------
    weights : array of shape (n_members,)
        0 for members that are dropped.
    calibrations : list of SetCalibration
    over : {"support", "all"}
    """

    weights: Array
    calibrations: list[SetCalibration]
    over: Literal["support", "all"]

    def __call__(self, part: HeldOut) -> HeldOut:
        """Return the documents with the pooled posterior in place of the members' own."""
        assert isinstance(part.posterior, JointPosterior)
        pooled = pool_posteriors(
            [part.posterior.members[number] for number in self.kept],
            self.weights[self.kept],
            [self.calibrations[number] for number in self.kept],
            part.support if self.over == "support" else None,
        )
        return replace(part, posterior=StoredPosterior(pooled))

    @property
    def kept(self) -> list[int]:
        """The numbers of the members that are not dropped."""
        return [int(number) for number in np.flatnonzero(self.weights)]

    def weighted(self, members: Sequence[Member]) -> list[Member]:
        """Return the members that are not dropped, with their weights and calibrations."""
        return [replace(members[m], weight=float(self.weights[m]), calibration=self.calibrations[m]) for m in self.kept]


@dataclass(frozen=True)
class PoolAdjustment:
    """Turns the posteriors of several models into their pool: calibrates each, then weighs them.

    The weights are those of the highest likelihood, or equal: where one model has by far the best likelihood it gets
    all weight, although another one that errs elsewhere would still improve the F1.
    """

    over: Literal["support", "all"] = "support"
    weighting: Literal["likelihood", "equal"] = "likelihood"

    def fit(self, parts: Sequence[HeldOut]) -> FittedPool:
        """Fit on documents that no member was trained on."""
        by_member = [_of_member(parts, number) for number in range(len(_members(parts[0])))]
        calibrations = [self._calibration(held) for held in by_member]
        if self.weighting == "equal":
            return FittedPool(np.full(len(by_member), 1.0 / len(by_member)), calibrations, self.over)
        log_likelihood = np.column_stack(
            [
                np.concatenate([self._log_likelihood(one, calibration) for one in held])
                for held, calibration in zip(by_member, calibrations, strict=True)
            ]
        )
        weights = simplex_weights(log_likelihood)
        weights[weights < min(LEAST_WEIGHT, weights.max())] = 0.0
        return FittedPool(weights / weights.sum(), calibrations, self.over)

    def _calibration(self, held: Sequence[HeldOut]) -> SetCalibration:
        """Calibrate a member: its distribution over the support, or its logits where it can rescale them."""
        targets = TuningTargets("likelihood")
        if self.over == "support":
            return tune_recipe(Recipe("support", "gfm"), targets, held).calibration
        return tune_recipe(Recipe("exact", "gfm"), targets, held).scaling

    def _log_likelihood(self, held: HeldOut, calibration: SetCalibration) -> Array:
        """Return the log-probability of each document's set over the support, or of each document and label."""
        if self.over == "support":
            log_prob = held.posterior.log_prob(held.support.sets)
            probability = calibrate(log_prob, calibration, held.support, 1).probability
            own = held.support.index_of(held.y)
            seen = own >= 0  # a set beyond the support has probability 0 under every member
            return np.log(np.maximum(probability[seen, own[seen]], _LEAST_CHANCE))
        posterior = held.posterior
        if not calibration.keeps_logits:
            posterior = posterior.rescaled(calibration.scale, calibration.size)
        marginals, truth = posterior.marginals(), held.y.indicator.toarray().astype(bool)
        return np.log(np.maximum(np.where(truth, marginals, 1.0 - marginals), _LEAST_CHANCE)).ravel()


def joint_held_out(members: Sequence[Sequence[HeldOut]]) -> list[HeldOut]:
    """Return the held-out documents of each part with the posteriors of all members, which are given per part."""
    return [
        replace(of_part[0], posterior=JointPosterior([one.posterior for one in of_part]))
        for of_part in zip(*members, strict=True)
    ]


def _members(part: HeldOut) -> list[Posterior]:
    assert isinstance(part.posterior, JointPosterior)
    return part.posterior.members


def _of_member(parts: Sequence[HeldOut], number: int) -> list[HeldOut]:
    return [replace(part, posterior=_members(part)[number]) for part in parts]
