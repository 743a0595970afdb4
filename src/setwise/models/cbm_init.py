"""A mixture of Bernoulli products over label sets, without documents: where the conditional mixture starts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import logsumexp

from setwise.labels import Support
from setwise.learners.fits import CONSTANT_LOGIT

__all__ = ["BernoulliStart", "cluster_sets", "smoothed_logits"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class BernoulliStart:
    """The best of several runs of EM."""

    responsibilities: Array
    """p(component | set), sets by components."""
    history: list[float]
    """Penalised mean log-likelihood after each iteration: it never falls."""


def cluster_sets(
    support: Support, n_components: int, n_restarts: int, max_iter: int, tol: float, smoothing: float, random_state: int
) -> BernoulliStart:
    """Group the label sets into components of independent labels; the best of ``n_restarts`` seeded runs.

    Equal sets have equal responsibilities, so that EM runs over distinct sets with their counts. A run ends after
    ``max_iter`` iterations, or when one gains less than ``tol``. Each share is smoothed by ``smoothing`` documents that
    have the label as often as all documents do.
    """
    runs = [
        _run(support, n_components, max_iter, tol, smoothing, np.random.default_rng([random_state, restart]))
        for restart in range(n_restarts)
    ]
    return max(runs, key=lambda run: run.history[-1])


def smoothed_logits(count: Array, mass: Array | float, overall: Array, smoothing: float) -> Array:
    """Logits of the shares count / mass, as if ``smoothing`` documents more had the overall shares.

    A share that rounds to 0 or 1 has CONSTANT_LOGIT, as the learners' constants do.
    """
    having = count + smoothing * overall
    lacking = np.maximum(mass - count, 0.0) + smoothing * (1.0 - overall)
    with np.errstate(divide="ignore", invalid="ignore"):  # nothing has it, or nothing lacks it; or there is nothing
        logits = np.where(having + lacking > 0.0, np.log(having) - np.log(lacking), -CONSTANT_LOGIT)
    return np.asarray(np.clip(logits, -CONSTANT_LOGIT, CONSTANT_LOGIT))


def _run(
    support: Support, n_components: int, max_iter: int, tol: float, smoothing: float, random: np.random.Generator
) -> BernoulliStart:
    n_documents = int(support.counts.sum())
    weight, having = support.counts / n_documents, support.sets.indicator.T @ support.counts
    varies = (having > 0) & (having < n_documents)  # labels that all have, or none, tell no components apart
    sets, overall = sp.csr_array(support.sets.indicator[:, varies], dtype=np.float64), having[varies] / n_documents
    chosen = random.choice(support.n_sets, size=n_components, p=weight)
    # A component begins as half a set that occurs, half all of them.
    logits = smoothed_logits(sets[chosen].toarray(), 1.0, overall, 1.0)
    log_mix = np.full(n_components, -np.log(n_components))
    history: list[float] = []
    while True:
        joint = log_mix + sets @ logits.T - np.logaddexp(0.0, logits).sum(axis=1)
        total = logsumexp(joint, axis=1)
        prior = smoothing * float((overall * logits - np.logaddexp(0.0, logits)).sum()) / n_documents
        history.append(float(weight @ total) + prior)
        responsibilities = np.exp(joint - total[:, None])
        if len(history) > max_iter or (len(history) > 1 and history[-1] - history[-2] < tol):
            return BernoulliStart(responsibilities, history)
        mass = n_documents * (weight @ responsibilities)
        count = n_documents * (sets.T @ (weight[:, None] * responsibilities)).T
        logits = smoothed_logits(count, mass[:, None], overall, smoothing)
        with np.errstate(divide="ignore"):  # a component that no set has left weighs nothing
            log_mix = np.log(mass / n_documents)
