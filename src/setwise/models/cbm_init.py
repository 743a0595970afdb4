"""The start of CBM: a mixture of Bernoulli products over label sets alone, without documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
import scipy.sparse as sp
from numpy.typing import NDArray

from setwise.labels import Support
from setwise.learners import CONSTANT_LOGIT

__all__ = ["BernoulliStart", "cluster_sets", "smoothed_logits"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class BernoulliStart:
    """The result of the best of several runs of EM."""

    responsibilities: Array
    """p(component | set), sets by components."""
    history: list[float]
    """Penalized mean log-likelihood after each iteration: it never falls."""


def cluster_sets(
    support: Support,
    counts: NDArray[Any],
    n_components: int,
    n_restarts: int,
    max_iter: int,
    tol: float,
    smoothing: float,
    random_state: int,
) -> BernoulliStart:
    """Group label sets into components of independent labels, by the best of ``n_restarts`` runs of EM.

    Equal sets have equal responsibilities, so EM runs over the distinct sets of the support; ``counts`` is the total
    weight of the documents that have each. A run ends after ``max_iter`` iterations, or when one gains less than
    ``tol``. Each label frequency is smoothed by ``smoothing`` documents with the overall frequencies.
    """
    runs = [
        _run(support, counts, n_components, max_iter, tol, smoothing, np.random.default_rng([random_state, restart]))
        for restart in range(n_restarts)
    ]
    return max(runs, key=lambda run: run.history[-1])


def smoothed_logits(count: Array, mass: Array | float, overall: Array, smoothing: float) -> Array:
    """Return the logits of count / mass, smoothed by ``smoothing`` more documents with the overall frequencies.

    A frequency that rounds to 0 or 1 gets CONSTANT_LOGIT, as constant labels do in the learners.
    """
    having = count + smoothing * overall
    lacking = np.maximum(mass - count, 0.0) + smoothing * (1.0 - overall)
    with np.errstate(
        divide="ignore", invalid="ignore"
    ):  # no document has the label, or none lacks it, or there is none
        logits = np.where(having + lacking > 0.0, np.log(having) - np.log(lacking), -CONSTANT_LOGIT)
    return np.asarray(np.clip(logits, -CONSTANT_LOGIT, CONSTANT_LOGIT))


def _run(
    support: Support,
    counts: NDArray[Any],
    n_components: int,
    max_iter: int,
    tol: float,
    smoothing: float,
    random: np.random.Generator,
) -> BernoulliStart:
    n_documents = counts.sum()
    weight, having = counts / n_documents, support.sets.indicator.T @ counts
    varies = (having > 0) & (having < n_documents)  # a label of all documents, or of none, tells no components apart
    sets, overall = sp.csr_array(support.sets.indicator[:, varies], dtype=np.float64), having[varies] / n_documents
    chosen = random.choice(support.n_sets, size=n_components, p=weight)
    # A component starts as the mean of one training set and the overall frequencies.
    logits = smoothed_logits(sets[chosen].toarray(), 1.0, overall, 1.0)
    log_mix = np.full(n_components, -np.log(n_components))
    history: list[float] = []
    while True:
        joint = log_mix + sets @ logits.T - np.logaddexp(0.0, logits).sum(axis=1)
        total = scipy.special.logsumexp(joint, axis=1)
        prior = smoothing * float((overall * logits - np.logaddexp(0.0, logits)).sum()) / n_documents
        history.append(float(weight @ total) + prior)
        responsibilities = np.exp(joint - total[:, None])
        if len(history) > max_iter or (len(history) > 1 and history[-1] - history[-2] < tol):
            return BernoulliStart(responsibilities, history)
        mass = n_documents * (weight @ responsibilities)
        count = n_documents * (sets.T @ (weight[:, None] * responsibilities)).T
        logits = smoothed_logits(count, mass[:, None], overall, smoothing)
        with np.errstate(divide="ignore"):  # a component without any set has weight 0
            log_mix = np.log(mass / n_documents)
