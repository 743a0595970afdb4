"""A mixture of Bernoulli products over label sets, without documents: where the conditional mixture starts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import logsumexp

from setwise.labels import Support

__all__ = ["BernoulliStart", "cluster_sets", "smoothed_shares"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class BernoulliStart:
    """The best of several runs of EM."""

    responsibilities: Array
    """p(component | set), sets by components."""
    history: list[float]
    """Penalised mean log-likelihood after each iteration: it never falls."""


def cluster_sets(
    support: Support, n_components: int, n_restarts: int, max_iter: int, tol: float, smoothing: float, seed: int
) -> BernoulliStart:
    """Group the label sets into components of independent labels; the best of ``n_restarts`` seeded runs.

    Equal sets have equal responsibilities, so that EM runs over distinct sets with their counts. A run ends after
    ``max_iter`` iterations, or when one gains less than ``tol``. Each share is smoothed by ``smoothing`` documents that
    have the label as often as all documents do.
    """
    runs = [
        _run(support, n_components, max_iter, tol, smoothing, np.random.default_rng([seed, restart]))
        for restart in range(n_restarts)
    ]
    return max(runs, key=lambda run: run.history[-1])


def smoothed_shares(count: Array, mass: Array | float, overall: Array, smoothing: float) -> Array:
    """Shares count / mass, as if ``smoothing`` documents more had the overall shares."""
    return np.asarray((count + smoothing * overall) / (mass + smoothing))


def _run(
    support: Support, n_components: int, max_iter: int, tol: float, smoothing: float, random: np.random.Generator
) -> BernoulliStart:
    sets, weight = sp.csr_array(support.sets.indicator, dtype=np.float64), support.counts / support.counts.sum()
    n_documents = float(support.counts.sum())
    overall = np.asarray(sets.T @ weight)
    varies = (overall > 0.0) & (overall < 1.0)  # labels that all have, or none, tell no components apart
    sets, overall = sets[:, varies], overall[varies]
    chosen = random.choice(support.n_sets, size=n_components, p=weight)
    shares = 0.5 * (sets[chosen].toarray() + overall)  # half a set that occurs, half all of them
    log_mix = np.full(n_components, -np.log(n_components))
    history: list[float] = []
    while True:
        joint = log_mix + sets @ np.log(shares / (1.0 - shares)).T + np.log1p(-shares).sum(axis=1)
        total = logsumexp(joint, axis=1)
        prior = smoothing * (overall * np.log(shares) + (1.0 - overall) * np.log1p(-shares)).sum() / n_documents
        history.append(float(weight @ total + prior))
        responsibilities = np.exp(joint - total[:, None])
        if len(history) > max_iter or (len(history) > 1 and history[-1] - history[-2] < tol):
            return BernoulliStart(responsibilities, history)
        mass = n_documents * (weight @ responsibilities)
        count = n_documents * ((sets.T @ (weight[:, None] * responsibilities)).T)
        shares = smoothed_shares(count, mass[:, None], overall, smoothing)
        with np.errstate(divide="ignore"):  # a component that no set has left weighs nothing
            log_mix = np.log(mass / n_documents)
