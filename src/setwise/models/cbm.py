"""CBM: a conditional mixture of Bernoulli products."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from setwise._estimator import check_is_fitted
from setwise._validation import PENALTY_CONSTRAINTS, Interval, NoneOr, RandomState, effective_n_jobs, random_seed
from setwise._validation import SOLVER_CONSTRAINTS as SOLVER
from setwise.exceptions import InvalidData
from setwise.labels import Support
from setwise.learners import ElasticNet
from setwise.models.base import Callback, LabelModel
from setwise.models.bernoulli_posterior import MixturePosterior
from setwise.models.cbm_em import MixtureData, Step, StepOptions, train_step
from setwise.models.cbm_init import cluster_sets
from setwise.models.label_terms import LabelTerms, feature_terms
from setwise.models.state_checks import check_array, check_count, check_sparse

__all__ = ["BernoulliMixture"]

MAX_MODE_STEPS = 2**17
"""Most sets that a search for the mode lists per document: their number grows as 2 to the number of labels."""

_LEAST_SHARE = 1e-9
"""Components of a smaller share in a set explain nothing of it."""

_MAX_MODE_LOGITS = 2**28
"""Most logits that such a search reads per document: less than a second."""

Array = NDArray[np.float64]

_AT_LEAST_0 = Interval("real", 0, None)
_AT_LEAST_1 = Interval("integer", 1, None)
_SHARPNESS = Interval("real", 0, 1, closed="right")


class BernoulliMixture(LabelModel):
    """CBM: p(y | x) = sum_k pi_k(x) prod_l b_kl(y_l | x), a mixture with a multinomial gate.

    Each component has one logistic regression per label. EM minimizes, over the weights of gate and experts (intercepts
    are not penalized)::

        -(1 / sum_i c_i) sum_i c_i log p(y_i | x_i)
            +  strength * sum_kl (l1_ratio |w_kl|_1 + (1 - l1_ratio) |w_kl|_2^2)
            +  gate_strength * sum_k (gate_l1_ratio |g_k|_1 + (1 - gate_l1_ratio) |g_k|_2^2)

    Parameters
    ----------
    n_components : int
        Number of components.
    strength, l1_ratio : float
        Penalty of the experts: the paper's lambda and alpha.
    gate_strength, gate_l1_ratio : float, optional
        Penalty of the gate; None takes those of the experts.
    max_iter : int
        Most iterations of EM.
    tol : float
        EM ends when an iteration lowers the objective by less.
    newton_steps : int
        Newton steps of the gate and of each expert per iteration of EM.
    gate_sweeps : int
        Most sweeps over the features per Newton step of the gate.
    negligible : float
        A component ignores documents whose responsibility is not above this.
    least_count : float
        A label that at most this many documents of a component have, or lack, is a constant there.
    smoothing : float
        The frequency of a constant label is smoothed by this many documents with the overall frequency. With
        ``negligible``, ``least_count`` and ``smoothing`` at 0 no iteration raises the objective.
    sharpness : float
        Responsibilities are proportional to p(component, own set | x) to this power. Plain EM (1) assigns each document
        to hardly more than one component, whose experts then see few documents and overfit; below 1 components share
        documents, and the first term of the objective is -(1/n) sum_i (1/t) log sum_k p(k, y_i | x_i)^t with t the
        sharpness.
    start_sharpness : float
        The same power for the mixture over label sets that training starts from.
    n_restarts, start_iter, start_tol
        Training starts from a mixture over the label sets alone: the best of ``n_restarts`` runs of at most
        ``start_iter`` iterations, which end when one gains less than ``start_tol``.
    mode_steps : int
        Most sets that the search for the most probable set lists per document; 0 lists as many as the proof takes, up
        to ``MAX_MODE_STEPS``.
    random_state : int
        Seed of the restarts.
    n_jobs : int, optional
        Number of threads; None uses every core. No result depends on it.

    Attributes
    ----------
    classes_ : tuple of str
        The label names.
    n_features_in_ : int
        Number of features seen in ``fit``.
    gate_coef_ : sparse array of shape (n_components, n_features)
    gate_intercept_ : array of shape (n_components,)
    coef_ : sparse array of shape (n_components * n_labels, n_features)
        The experts, one component after the other.
    intercept_ : array of shape (n_components, n_labels)
    objective_ : float
    n_iter_ : int
    history_ : list of dict
        One row per iteration: the objective, the number of experts that are not constants, non-zero weights, and
        components without a document.

    Examples
    --------
    >>> from setwise.models import BernoulliMixture
    >>> model = BernoulliMixture(2, strength=0.1).fit([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [["a"], ["b"], ["a", "b"]])
    >>> model.posterior([[1.0, 0.0]]).mode().sets.shape
    (1, 2)
    """

    abilities: ClassVar = MixturePosterior.abilities
    _parameter_constraints: ClassVar = {
        **PENALTY_CONSTRAINTS,
        "n_components": _AT_LEAST_1,
        "gate_strength": NoneOr(PENALTY_CONSTRAINTS["strength"]),
        "gate_l1_ratio": NoneOr(PENALTY_CONSTRAINTS["l1_ratio"]),
        "max_iter": _AT_LEAST_1,
        "newton_steps": _AT_LEAST_1,
        "gate_sweeps": _AT_LEAST_1,
        "negligible": _AT_LEAST_0,
        "least_count": _AT_LEAST_0,
        "smoothing": _AT_LEAST_0,
        "sharpness": _SHARPNESS,
        "start_sharpness": _SHARPNESS,
        "n_restarts": _AT_LEAST_1,
        "start_iter": Interval("integer", 0, None),
        "mode_steps": Interval("integer", 0, None),
        "random_state": RandomState(),
        "n_jobs": SOLVER["n_jobs"],
    }
    _fitted: ClassVar[tuple[str, ...]] = ("gate_coef_", "gate_intercept_", "coef_", "intercept_")

    gate_coef_: sp.csr_array
    gate_intercept_: Array
    coef_: sp.csr_array
    intercept_: Array

    def __init__(
        self,
        n_components: int = 20,
        strength: float = 1e-3,
        l1_ratio: float = 0.5,
        gate_strength: float | None = None,
        gate_l1_ratio: float | None = None,
        max_iter: int = 20,
        tol: float = 1e-5,
        newton_steps: int = 3,
        gate_sweeps: int = 5,
        negligible: float = 1e-3,
        least_count: float = 1.0,
        smoothing: float = 1.0,
        sharpness: float = 1.0,
        start_sharpness: float = 1.0,
        n_restarts: int = 3,
        start_iter: int = 50,
        start_tol: float = 1e-4,
        mode_steps: int = 0,
        random_state: int = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.strength = strength
        self.l1_ratio = l1_ratio
        self.gate_strength = gate_strength
        self.gate_l1_ratio = gate_l1_ratio
        self.max_iter = max_iter
        self.tol = tol
        self.newton_steps = newton_steps
        self.gate_sweeps = gate_sweeps
        self.negligible = negligible
        self.least_count = least_count
        self.smoothing = smoothing
        self.sharpness = sharpness
        self.start_sharpness = start_sharpness
        self.n_restarts = n_restarts
        self.start_iter = start_iter
        self.start_tol = start_tol
        self.mode_steps = mode_steps
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None, callback: Callback | None = None) -> BernoulliMixture:
        """Fit gate and experts by EM; ``callback`` is called after each iteration of EM."""
        self._check_parameters()
        options = self._step_options()
        data = MixtureData.of(X, y, sample_weight)
        self.classes_ = data.labels.names
        self.n_features_in_ = data.features.n_features
        self.history_: list[dict[str, float]] = []
        responsibilities = self._initial_responsibilities(data)
        step: Step | None = None
        for iteration in range(1, self.max_iter + 1):
            before = np.inf if step is None else step.objective
            step = train_step(data, responsibilities, step, iteration - 1, options)
            self._set_step(iteration, step, responsibilities)
            if callback is not None and callback(iteration, self):
                break
            if before - step.objective < self.tol:
                break
            responsibilities = step.responsibilities(options.sharpness)
        return self

    def _initial_responsibilities(self, data: MixtureData) -> Array:
        """Return the responsibility of each component for each document, from the label sets alone."""
        support, weight = Support.of(data.labels), data.sample_weight
        counts = support.counts if weight is None else np.bincount(support.set_of, weight, support.n_sets)
        clusters = cluster_sets(
            support,
            counts,
            self.n_components,
            self.n_restarts,
            self.start_iter,
            self.start_tol,
            self.smoothing,
            random_seed(self.random_state),
        )
        softened = clusters.responsibilities**self.start_sharpness
        return np.asarray(softened / softened.sum(axis=1, keepdims=True))[support.set_of]

    def _step_options(self) -> StepOptions:
        gate_net = ElasticNet(
            self.strength if self.gate_strength is None else self.gate_strength,
            self.l1_ratio if self.gate_l1_ratio is None else self.gate_l1_ratio,
        )
        return StepOptions(
            ElasticNet(self.strength, self.l1_ratio),
            gate_net,
            self.newton_steps,
            self.gate_sweeps,
            self.negligible,
            self.least_count,
            self.smoothing,
            self.sharpness,
            effective_n_jobs(self.n_jobs),
        )

    def _set_step(self, iteration: int, step: Step, responsibilities: Array) -> None:
        """Set every fitted attribute, and append a row to the history."""
        self.gate_coef_, self.gate_intercept_ = step.gate.coef, step.gate.intercept
        self.coef_ = sp.csr_array(sp.vstack([component.coef for component in step.components], format="csr"))
        self.intercept_ = np.stack([component.intercept for component in step.components])
        self.objective_ = step.objective
        self.n_iter_ = iteration
        self.history_.append(
            {
                "iteration": iteration,
                "objective": step.objective,
                "n_learned": sum(component.learned.size for component in step.components),
                "n_nonzero": int(self.coef_.nnz + self.gate_coef_.nnz),
                "n_empty": int((responsibilities.max(axis=0) <= self.negligible).sum()),
            }
        )

    def _check_state(self) -> None:
        super()._check_state()
        n_labels, n_components = len(self.classes_), np.size(self.gate_intercept_)
        if n_components == 0:
            raise InvalidData("gate_intercept_ must have at least one component.")
        check_array(self.gate_intercept_, "gate_intercept_", (n_components,))
        check_sparse(self.gate_coef_, "gate_coef_", (n_components, self.n_features_in_))
        check_array(self.intercept_, "intercept_", (n_components, n_labels))
        check_sparse(self.coef_, "coef_", (n_components * n_labels, self.n_features_in_))
        check_count(self.mode_steps, "mode_steps", 0, MAX_MODE_STEPS)

    @property
    def _n_scores(self) -> int:
        return int(self.intercept_.size)

    def label_terms(self, X: Any, sets: sp.csr_array) -> Iterator[LabelTerms]:
        """Yield the terms of the experts, each weighted by the share of its component in the set.

        That share is p(component | x, set); experts with next to none are left out.
        """
        check_is_fitted(self)
        rows, n_labels = sp.csr_array(X), len(self.classes_)
        for i, chosen in enumerate(sets.toarray() > 0):
            scored = self._posterior(rows[[i]])
            logits, log_gate = scored.logits[0], scored.log_gate[0]
            log_share = log_gate - np.logaddexp(0.0, np.where(chosen, -logits, logits)).sum(axis=1)
            share = np.exp(log_share - np.logaddexp.reduce(log_share))
            responsible = np.flatnonzero(share > _LEAST_SHARE)
            weights = sum(
                (share[k] * self.coef_[k * n_labels : (k + 1) * n_labels] for k in responsible),
                start=sp.csr_array((n_labels, rows.shape[1])),
            )
            intercept = share[responsible] @ self.intercept_[responsible]
            (terms,) = feature_terms(sp.csc_array(weights), intercept, rows[[i]])
            yield replace(terms, components=share)

    def _posterior(self, X: Any) -> MixturePosterior:
        gate = self._linear_scores(X, "gate_coef_", "gate_intercept_")
        gate -= gate.max(axis=1, keepdims=True)  # first, so that the sum below is never rounded away
        log_gate = gate - np.logaddexp.reduce(gate, axis=1, keepdims=True)
        logits = self._linear_scores(X).reshape(-1, *self.intercept_.shape)
        most = max(1, min(MAX_MODE_STEPS, _MAX_MODE_LOGITS // self.intercept_.size))
        max_steps = min(int(self.mode_steps) or most, most)
        return MixturePosterior(self.classes_, logits, log_gate, effective_n_jobs(self.n_jobs), max_steps)
