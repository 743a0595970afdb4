"""One M step of the conditional Bernoulli mixture: gate and components, each a few Newton steps from where it was.

Everything minimises one function, the penalised mean loss of the mixture::

    -(1/n) sum_i log sum_k pi_k(x_i) prod_l b_kl(y_il | x_i)  +  net(experts)  +  gate_net(gate)

With the responsibilities r_ik fixed, the part of expert (k, l) is (1/n) sum_i r_ik loss_i + net(w_kl): the learners'
own objective with weights r_ik and the strength times n / sum_i r_ik. No step of theirs raises it, so no iteration of
EM raises the whole.

With a sharpness t below 1, r_ik is proportional to p(k, y_i | x_i)^t: experts share documents, and fit fewer of them
alone. That is EM too (with an entropy weighted by 1/t), for the loss -(1/n) sum_i (1/t) log sum_k p(k, y_i | x_i)^t.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from setwise import _core
from setwise.labels import LabelMatrix
from setwise.learners import ClassFit, ElasticNet, FeatureColumns
from setwise.learners.checks import as_matrix
from setwise.learners.features import padded
from setwise.learners.fits import Start
from setwise.learners.multinomial import ClassProblem
from setwise.learners.problem import BinaryProblem
from setwise.models.cbm_init import smoothed_logits

__all__ = ["Component", "MixtureData", "StepOptions", "train_step"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class StepOptions:
    """What an M step needs to know."""

    net: ElasticNet
    gate_net: ElasticNet
    newton_steps: int
    gate_sweeps: int
    """Sweeps over the features in one Newton step of the gate: the next responsibilities will move its optimum."""
    negligible: float
    """Documents with a smaller responsibility are left out of a component."""
    least_count: float
    """A label is a constant of a component unless so many documents there have it, and so many have not."""
    smoothing: float
    sharpness: float
    """Responsibilities are in proportion to this power of p(component, own set | x)."""
    n_jobs: int


@dataclass(frozen=True, eq=False)
class MixtureData:
    """Documents and labels, checked and laid out once."""

    X: sp.csr_array
    features: FeatureColumns
    labels: LabelMatrix

    @classmethod
    def of(cls, X: Any, y: Any) -> MixtureData:
        """Check that X and y go together."""
        features, labels = FeatureColumns.of(as_matrix(X, "X")), LabelMatrix.of(y)
        labels.check_rows(features.n_samples)
        rows = sp.csr_array(X)
        if not rows.has_canonical_format:
            rows = rows.copy()  # the arrays may be the caller's
            rows.sum_duplicates()
        return cls(rows, features, labels)

    @cached_property
    def y(self) -> sp.csr_array:
        """Documents by labels."""
        return sp.csr_array(self.labels.indicator, dtype=np.float64)

    @cached_property
    def shares(self) -> Array:
        """Which part of all documents has each label."""
        return np.asarray(self.labels.counts / self.labels.n_samples)


@dataclass(frozen=True, eq=False)
class Component:
    """The experts of one component."""

    coef: sp.csr_array
    """Labels by features; a label that is a constant here has no weights."""
    intercept: Array
    learnt: NDArray[np.int64]
    """Labels that are no constants here."""
    own_log_prob: Array
    """log p(own set | x, component) of every document."""


@dataclass(frozen=True, eq=False)
class Step:
    """Where an M step ended, and what it makes of the documents."""

    gate: ClassFit
    components: list[Component]
    log_joint: Array
    """log p(component, own set | x), documents by components."""
    objective: float
    """The penalised mean loss."""

    def responsibilities(self, sharpness: float) -> Array:
        """Give the share of each component in each document: what the next step fits to."""
        powers = sharpness * self.log_joint
        return np.asarray(np.exp(powers - np.logaddexp.reduce(powers, axis=1, keepdims=True)))


def train_step(
    data: MixtureData, responsibilities: Array, before: Step | None, iteration: int, options: StepOptions
) -> Step:
    """Improve gate and components for these responsibilities. Threads share them out and change no bit."""
    n_components = responsibilities.shape[1]
    with ThreadPoolExecutor(max_workers=options.n_jobs) as pool:
        gate_work = pool.submit(_fit_gate, data, responsibilities, before, iteration, options)
        starts = [None] * n_components if before is None else before.components
        works = [
            pool.submit(_fit_component, data, responsibilities[:, k], starts[k], iteration, options)
            for k in range(n_components)
        ]
        try:
            gate, components = gate_work.result(), [work.result() for work in works]
        except BaseException:  # Ctrl-C too: what has not begun never will
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    scores = gate.scores(data.X)
    log_gate = scores - np.logaddexp.reduce(scores, axis=1, keepdims=True)
    log_joint = log_gate + np.stack([component.own_log_prob for component in components], axis=1)
    penalty = options.gate_net.value(gate.coef.data) + sum(options.net.value(c.coef.data) for c in components)
    loss = -float(np.logaddexp.reduce(options.sharpness * log_joint, axis=1).mean()) / options.sharpness
    return Step(gate, components, log_joint, loss + penalty)


def _fit_gate(
    data: MixtureData, responsibilities: Array, before: Step | None, iteration: int, options: StepOptions
) -> ClassFit:
    problem = ClassProblem.of(data.features, responsibilities, None, None)
    tol = problem.default_tol() if before is None else before.gate.tol
    start = None if before is None else before.gate
    net, steps = options.gate_net, options.newton_steps
    return problem.fit(net.strength, net.l1_ratio, tol, steps, start, iteration * steps, options.gate_sweeps)


def _fit_component(
    data: MixtureData, responsibility: Array, before: Component | None, iteration: int, options: StepOptions
) -> Component:
    weight = np.where(responsibility > options.negligible, responsibility, 0.0)
    (documents,) = np.nonzero(weight)
    mass, count = weight.sum(), np.asarray(data.y.T @ weight)
    learnt = np.flatnonzero((count > options.least_count) & (mass - count > options.least_count))
    intercept = smoothed_logits(count, mass, data.shares, options.smoothing)
    n_labels, n_features = data.labels.n_labels, data.features.n_features
    coef = sp.csr_array((learnt.size, n_features), dtype=np.float64)
    if learnt.size:
        everything = documents.size == data.features.n_samples
        X = data.features if everything else data.X[documents]
        problem = BinaryProblem.of(X, data.y[documents][:, learnt], weight[documents], None, False, n_jobs=1)
        strength = options.net.strength * data.features.n_samples / mass
        start = None if before is None else _start(before, learnt, intercept[learnt])
        done = iteration * options.newton_steps
        (fits,) = problem.fit([strength], options.net.l1_ratio, None, options.newton_steps, start, done)
        coef, intercept[learnt] = fits.coef, fits.intercept
    own = _own_log_prob(data, coef, intercept, learnt)
    lengths = np.zeros(n_labels, dtype=np.int64)
    lengths[learnt] = np.diff(coef.indptr)
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    whole = sp.csr_array((coef.data, coef.indices, indptr), shape=(n_labels, n_features))
    return Component(whole, intercept, learnt, own)


def _start(before: Component, learnt: NDArray[np.int64], null_intercept: Array) -> Start:
    """Go on where the labels were; one that was a constant begins at its share."""
    went_on = np.isin(learnt, before.learnt)
    return Start(before.coef[learnt], np.where(went_on, before.intercept[learnt], null_intercept))


def _own_log_prob(data: MixtureData, coef: sp.csr_array, intercept: Array, learnt: NDArray[np.int64]) -> Array:
    """Constants by one sum over what documents have, the others by the core."""
    constant = intercept.copy()
    constant[learnt] = 0.0
    fixed = np.ones(intercept.size, dtype=bool)
    fixed[learnt] = False
    total = np.asarray(data.y @ constant) - np.logaddexp(0.0, intercept[fixed]).sum()
    if learnt.size:
        own = data.labels.indicator[:, learnt]
        own.sort_indices()
        bias = np.zeros(padded(learnt.size))
        bias[: learnt.size] = intercept[learnt]
        total += _core.own_log_prob(
            data.features.native,
            learnt.size,
            own.indptr.astype(np.int64),
            own.indices.astype(np.int32),
            data.features.dense_weights(coef),
            bias,
            1,
        )
    return np.asarray(total)
