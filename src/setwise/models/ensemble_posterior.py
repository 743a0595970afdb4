"""The posteriors of an ensemble: distributions over the support, or the models' own, mixed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy
import scipy.sparse as sp
from numpy.typing import NDArray

from setwise._validation import checked_count
from setwise.labels import MostProbable, SetCalibration, SizeMarginals, Support, calibrate, csr_of_ones
from setwise.models.base import numbered_generator
from setwise.models.known_sets import most_probable_column
from setwise.posterior import Posterior, Rows

__all__ = ["MixedPosterior", "SupportPool", "pool_posteriors"]

Array = NDArray[np.float64]


def pool_posteriors(
    posteriors: Sequence[Posterior],
    weights: Array,
    calibrations: Sequence[SetCalibration],
    support: Support | None,
    *,
    geometric: bool = False,
    n_jobs: int = 1,
) -> Posterior:
    """Return the pool of several models' posteriors of the same documents, over a support or over all sets."""
    if support is None:
        return MixedPosterior.of(posteriors, weights, calibrations)
    return SupportPool(posteriors, weights, calibrations, support, geometric, n_jobs)


class SupportPool(Posterior):
    """The pool of distributions over the support, each calibrated and normalized there; other sets have probability 0.

    Parameters
    ----------
    posteriors : sequence of Posterior
        Of the same documents, one per member.
    weights : array of shape (n_members,)
        They sum to one.
    calibrations : sequence of SetCalibration
    support : Support
    geometric : bool
        Whether log-probabilities are averaged, and normalized again, in place of probabilities.
    n_jobs : int
    """

    model_name = "Ensemble"
    abilities = frozenset({"log_prob", "mode"})

    def __init__(
        self,
        posteriors: Sequence[Posterior],
        weights: Array,
        calibrations: Sequence[SetCalibration],
        support: Support,
        geometric: bool,
        n_jobs: int,
    ) -> None:
        self._posteriors = posteriors
        self._weights = weights
        self._calibrations = calibrations
        self._support = support
        self._geometric = geometric
        self._n_jobs = n_jobs
        self.classes = posteriors[0].classes
        self.n_samples = posteriors[0].n_samples

    def take(self, rows: Rows) -> SupportPool:
        posteriors = [one.take(rows) for one in self._posteriors]
        options = self._calibrations, self._support, self._geometric, self._n_jobs
        return SupportPool(posteriors, self._weights, *options)

    def log_prob(self, sets: Any) -> Array:
        label_sets = self._read_sets(sets)
        pooled = self._pooled()
        if label_sets is self._support.sets:
            return pooled
        position = self._support.index_of(label_sets)
        return np.where(position >= 0, pooled[:, position], -np.inf)

    def mode(self, *, non_empty: bool = False) -> MostProbable:
        """Return the most probable set of the support, which is the most probable of all sets."""
        pooled = self._pooled()
        best = most_probable_column(pooled, self._support, non_empty=non_empty)
        proved = np.ones(len(best), dtype=bool)
        return MostProbable(self._support.sets.indicator[best], pooled[np.arange(len(best)), best], proved)

    def _pooled(self) -> Array:
        """Return the log-probability of each set of the support, documents by sets."""
        pooled = np.zeros((self.n_samples, self._support.n_sets))
        for posterior, weight, calibration in zip(self._posteriors, self._weights, self._calibrations, strict=True):
            log_prob = posterior.log_prob(self._support.sets)
            probability = calibrate(log_prob, calibration, self._support, self._n_jobs).probability
            pooled += weight * (_log(probability) if self._geometric else probability)
        if not self._geometric:
            return _log(pooled)
        return np.asarray(pooled - scipy.special.logsumexp(pooled, axis=1, keepdims=True))


class MixedPosterior(Posterior):
    """The mixture of the models' own distributions over all label sets.

    Parameters
    ----------
    posteriors : sequence of Posterior
        Of the same documents, one per member.
    weights : array of shape (n_members,)
        They sum to one.
    """

    model_name = "Ensemble"

    def __init__(self, posteriors: Sequence[Posterior], weights: Array) -> None:
        self._posteriors = posteriors
        self._weights = weights
        self.classes = posteriors[0].classes
        self.n_samples = posteriors[0].n_samples
        self.abilities = self.abilities_of(posteriors)

    @classmethod
    def of(
        cls, posteriors: Sequence[Posterior], weights: Array, calibrations: Sequence[SetCalibration]
    ) -> MixedPosterior:
        """Return the mixture after rescaling the logits of each member, where that is possible and changes them."""
        rescaled = [
            one
            if calibration.keeps_logits or "rescaled" not in one.abilities
            else one.rescaled(calibration.scale, calibration.size)
            for one, calibration in zip(posteriors, calibrations, strict=True)
        ]
        return cls(rescaled, weights)

    @staticmethod
    def abilities_of(members: Sequence[Any]) -> frozenset[str]:
        """Return the questions that a mixture answers, from models or posteriors: those that all of them answer."""
        common = frozenset.intersection(*(one.abilities for one in members)) if members else frozenset()
        return common & {"log_prob", "marginals", "size_marginals", "sample"}

    def take(self, rows: Rows) -> MixedPosterior:
        return MixedPosterior([one.take(rows) for one in self._posteriors], self._weights)

    def log_prob(self, sets: Any) -> Array:
        if "log_prob" not in self.abilities:
            self._refuse("log_prob")
        label_sets = self._read_sets(sets)
        terms = [one.log_prob(label_sets) for one in self._posteriors]
        return np.asarray(scipy.special.logsumexp(terms, axis=0, b=self._weights[:, None, None]))

    def marginals(self) -> Array:
        if "marginals" not in self.abilities:
            return super().marginals()
        parts = zip(self._weights, self._posteriors, strict=True)
        return np.asarray(sum(weight * one.marginals() for weight, one in parts))

    def size_marginals(self, max_size: int | None = None) -> SizeMarginals:
        if "size_marginals" not in self.abilities:
            self._refuse("size_marginals")
        parts = [one.size_marginals(max_size) for one in self._posteriors]
        n_sizes = max(part.joint.shape[2] for part in parts)
        joint = np.zeros((*parts[0].joint.shape[:2], n_sizes))
        empty = np.zeros(self.n_samples)
        for weight, part in zip(self._weights, parts, strict=True):
            joint[:, :, : part.joint.shape[2]] += weight * part.joint
            empty += weight * part.empty
        return SizeMarginals(joint, empty)

    def sample(self, n: int, random_state: int) -> sp.csr_array:
        """Draw a member for each set, then the set from that member."""
        if "sample" not in self.abilities:
            self._refuse("sample")
        n = checked_count(n, "n")
        drawn = sp.csr_array(sp.vstack([one.sample(n, random_state) for one in self._posteriors], format="csr"))
        # The members draw from generator 0 of the random state, so that the choice of a member must use another.
        member = numbered_generator(random_state, 1).choice(len(self._weights), size=n, p=self._weights)
        rows = np.tile(member, self.n_samples) * (self.n_samples * n) + np.arange(self.n_samples * n)
        chosen = drawn[rows]
        return csr_of_ones(chosen.indices, np.diff(chosen.indptr), len(self.classes))


def _log(probability: Array) -> Array:
    """Return the logarithm, minus infinity of 0."""
    return np.log(probability, out=np.full_like(probability, -np.inf), where=probability > 0.0)
