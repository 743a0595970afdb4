"""One M step of CBM: the gate and the components take a few Newton steps from their current weights.

All steps minimize one function, the penalized mean loss of the mixture::

    -(1/n) sum_i log sum_k pi_k(x_i) prod_l b_kl(y_il | x_i)  +  net(experts)  +  gate_net(gate)

With the responsibilities r_ik fixed, the part of expert (k, l) is (1/n) sum_i r_ik loss_i + net(w_kl): the objective of
the learners with sample weights r_ik and the strength times n / sum_i r_ik. None of their steps raises it, so no
iteration of EM raises the whole. Sample weights c_i multiply r_ik, and their sum replaces n.

With a sharpness t below 1, r_ik is proportional to p(k, y_i | x_i)^t: components share documents. That is EM
too (with an entropy weighted by 1/t), for the loss -(1/n) sum_i (1/t) log sum_k p(k, y_i | x_i)^t.
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
from setwise._validation import check_sample_weight
from setwise.labels import LabelMatrix
from setwise.learners import BinaryProblem, ClassFit, ClassProblem, ElasticNet, FeatureColumns, Start, padded
from setwise.models.cbm_init import smoothed_logits

__all__ = ["Component", "MixtureData", "StepOptions", "train_step"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class StepOptions:
    """The options of an M step."""

    net: ElasticNet
    gate_net: ElasticNet
    newton_steps: int
    gate_sweeps: int
    """Most sweeps over the features per Newton step of the gate; more would chase an optimum that moves anyway."""
    negligible: float
    """A component ignores documents whose responsibility is not above this."""
    least_count: float
    """A label is a constant of a component unless more than this many of its documents have it, and lack it."""
    smoothing: float
    sharpness: float
    """Responsibilities are proportional to this power of p(component, own set | x)."""
    n_jobs: int


@dataclass(frozen=True, eq=False)
class MixtureData:
    """Documents, labels and sample weights, checked and laid out once."""

    X: sp.csr_array
    features: FeatureColumns
    labels: LabelMatrix
    sample_weight: Array | None

    @classmethod
    def of(cls, X: Any, y: Any, sample_weight: Any = None) -> MixtureData:
        """Check that documents, labels and weights have the same length."""
        features, labels = FeatureColumns.of(X), LabelMatrix.of(y)
        labels.check_rows(features.n_samples)
        weight = None if sample_weight is None else check_sample_weight(sample_weight, features.n_samples)
        rows = sp.csr_array(FeatureColumns.matrix_of(X))
        if not rows.has_canonical_format:
            rows = rows.copy()  # the arrays may be the caller's
            rows.sum_duplicates()
        return cls(rows, features, labels, weight)

    @cached_property
    def y(self) -> sp.csr_array:
        """Documents by labels."""
        return sp.csr_array(self.labels.indicator, dtype=np.float64)

    @cached_property
    def shares(self) -> Array:
        """The frequency of each label."""
        counts = self.labels.counts if self.sample_weight is None else self.y.T @ self.sample_weight
        return np.asarray(counts / self.total_weight)

    @property
    def total_weight(self) -> float:
        """Sum of the sample weights: the number of documents where none are set."""
        return self.labels.n_samples if self.sample_weight is None else float(self.sample_weight.sum())


@dataclass(frozen=True, eq=False)
class Component:
    """The experts of one component."""

    coef: sp.csr_array
    """Labels by features; a label that is a constant of the component has no weights."""
    intercept: Array
    learned: NDArray[np.int64]
    """Labels that are not constants of the component."""
    own_log_prob: Array
    """log p(own set | x, component) of every document."""


@dataclass(frozen=True, eq=False)
class Step:
    """The result of an M step."""

    gate: ClassFit
    components: list[Component]
    log_joint: Array
    """log p(component, own set | x), documents by components."""
    objective: float
    """The penalized mean loss."""

    def responsibilities(self, sharpness: float) -> Array:
        """Return the responsibility of each component for each document, for the next step."""
        powers = sharpness * self.log_joint
        return np.asarray(np.exp(powers - np.logaddexp.reduce(powers, axis=1, keepdims=True)))


def train_step(
    data: MixtureData, responsibilities: Array, before: Step | None, iteration: int, options: StepOptions
) -> Step:
    """Improve the gate and the components for these responsibilities; the result does not depend on the threads."""
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
        except BaseException:  # Ctrl-C too: cancel what has not started
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    scores = gate.scores(data.X)
    log_gate = scores - np.logaddexp.reduce(scores, axis=1, keepdims=True)
    log_joint = log_gate + np.stack([component.own_log_prob for component in components], axis=1)
    penalty = options.gate_net.value(gate.coef.data) + sum(options.net.value(c.coef.data) for c in components)
    log_likelihood = np.logaddexp.reduce(options.sharpness * log_joint, axis=1)
    loss = -float(np.average(log_likelihood, weights=data.sample_weight)) / options.sharpness
    return Step(gate, components, log_joint, loss + penalty)


def _fit_gate(
    data: MixtureData, responsibilities: Array, before: Step | None, iteration: int, options: StepOptions
) -> ClassFit:
    problem = ClassProblem.of(data.features, responsibilities, data.sample_weight, None)
    tol = problem.default_tol() if before is None else before.gate.tol
    start = None if before is None else before.gate
    net, steps, sweeps = options.gate_net, options.newton_steps, options.gate_sweeps
    # EM ends a gate's fit long before its optimum: moves with a shift, which end elsewhere, would make another mixture.
    return problem.fit(net.strength, net.l1_ratio, tol, steps, start, iteration * steps, sweeps, shifts=False)


def _fit_component(
    data: MixtureData, responsibility: Array, before: Component | None, iteration: int, options: StepOptions
) -> Component:
    weight = np.where(responsibility > options.negligible, responsibility, 0.0)
    if data.sample_weight is not None:
        weight *= data.sample_weight
    (documents,) = np.nonzero(weight)
    mass, count = weight.sum(), np.asarray(data.y.T @ weight)
    learned = np.flatnonzero((count > options.least_count) & (mass - count > options.least_count))
    intercept = smoothed_logits(count, mass, data.shares, options.smoothing)
    n_labels, n_features = data.labels.n_labels, data.features.n_features
    coef = sp.csr_array((learned.size, n_features), dtype=np.float64)
    if learned.size:
        everything = documents.size == data.features.n_samples
        X = data.features if everything else data.X[documents]
        problem = BinaryProblem.of(X, data.y[documents][:, learned], weight[documents], None, False, n_jobs=1)
        strength = options.net.strength * data.total_weight / mass
        start = None if before is None else _start(before, learned, intercept[learned])
        done = iteration * options.newton_steps
        (fits,) = problem.fit([strength], options.net.l1_ratio, None, options.newton_steps, start, done)
        coef, intercept[learned] = fits.coef, fits.intercept
    own = _own_log_prob(data, coef, intercept, learned)
    lengths = np.zeros(n_labels, dtype=np.int64)
    lengths[learned] = np.diff(coef.indptr)
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    whole = sp.csr_array((coef.data, coef.indices, indptr), shape=(n_labels, n_features))
    return Component(whole, intercept, learned, own)


def _start(before: Component, learned: NDArray[np.int64], null_intercept: Array) -> Start:
    """Start from the weights before; a label that was a constant starts from its frequency."""
    continues = np.isin(learned, before.learned)
    return Start(before.coef[learned], np.where(continues, before.intercept[learned], null_intercept))


def _own_log_prob(data: MixtureData, coef: sp.csr_array, intercept: Array, learned: NDArray[np.int64]) -> Array:
    """Return log p(own set | x): constant labels by one sum over the labels of documents, the others by the core."""
    constant = intercept.copy()
    constant[learned] = 0.0
    fixed = np.ones(intercept.size, dtype=bool)
    fixed[learned] = False
    total = np.asarray(data.y @ constant) - np.logaddexp(0.0, intercept[fixed]).sum()
    if learned.size:
        own = data.labels.indicator[:, learned]
        own.sort_indices()
        bias = np.zeros(padded(learned.size))
        bias[: learned.size] = intercept[learned]
        total += _core.own_log_prob(
            data.features.native,
            _core.LabelSets(learned.size, own.indptr.astype(np.int64), own.indices.astype(np.int32)),
            data.features.dense_weights(coef),
            bias,
            1,
        )
    return np.asarray(total)
