"""CBM: a conditional mixture of Bernoulli products."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.utils.validation import check_is_fitted

from setwise.exceptions import InvalidData, InvalidParameter
from setwise.labels import MostProbable, SizeMarginals, Support
from setwise.labels.matrix import csr_of_ones
from setwise.learners import ElasticNet
from setwise.learners.checks import as_matrix, checked_l1_ratio, checked_n_jobs, checked_strength, linear_scores
from setwise.models import bernoulli_kernels
from setwise.models.base import Callback, LabelModel, checked_count, checked_random_state, document_generators
from setwise.models.cbm_em import MixtureData, Step, StepOptions, train_step
from setwise.models.cbm_init import cluster_sets
from setwise.models.state_checks import check_array, check_count, check_sparse

__all__ = ["BernoulliMixture"]

_BLOCK = 256
"""Documents whose logits for all components and labels are held at one time, or fewer where there are many of these."""

_BLOCK_LOGITS = 2**24

MOST_MODE_STEPS = 2**17
"""Sets that a search for the mode lists for a document, at most: their number grows as 2 to the number of labels."""

_MODE_WORK = 2**28
"""Logits that such a search reads, at most: less than a second."""

Array = NDArray[np.float64]


class BernoulliMixture(LabelModel):
    """CBM: p(y | x) = sum_k pi_k(x) prod_l b_kl(y_l | x), with a multinomial gate and a logistic regression a label.

    Minimises by EM, over the weights of gate and experts (intercepts are not penalised)::

        -(1/n) sum_i log p(y_i | x_i)  +  strength * sum_kl (l1_ratio |w_kl|_1 + (1 - l1_ratio) |w_kl|_2^2)
                                       +  gate_strength * sum_k (gate_l1_ratio |g_k|_1 + (1 - gate_l1_ratio) |g_k|_2^2)

    ``strength`` is the paper's lambda, ``l1_ratio`` its alpha; those of the gate are the same where they are None.

    Training starts from a mixture over the label sets alone (the best of ``n_restarts`` seeded runs of ``start_iter``
    iterations, which end when one gains less than ``start_tol``), then takes ``max_iter`` iterations of EM, or fewer
    where one lowers the objective by less than ``tol``. In each, gate and experts take ``newton_steps`` Newton steps
    from where they were, the gate's with at most ``gate_sweeps`` sweeps over the features. A document whose
    responsibility is at most ``negligible`` is left out of a component. A label that at most ``least_count`` documents
    of a component have, or lack, is a constant there: its share, smoothed by ``smoothing`` documents that have it as
    often as all documents do. With all three at 0 no iteration raises the objective.

    EM gives each document to hardly more than one component, whose experts then see few documents and overfit. Where
    ``sharpness`` t is below 1, responsibilities are in proportion to p(component, own set | x)^t, so that components
    share documents, and the first term of the objective is -(1/n) sum_i (1/t) log sum_k p(k, y_i | x_i)^t;
    ``start_sharpness`` does the same to the mixture over label sets that training starts from. At 1 both are plain EM.

    ``mode`` lists the sets of each component in falling probability until no other can win, which proves the best; it
    lists at most ``mode_steps`` per document, where that is above 0, and never more than ``MOST_MODE_STEPS`` (fewer for
    very many labels and components), and says where that was too few for a proof.

    After ``fit``: ``gate_coef_`` (components x features), ``gate_intercept_``, ``coef_`` (a row a component and label,
    components first), ``intercept_`` (components x labels), ``objective_``, ``n_iter_`` and ``history_``, a row an
    iteration: objective, how many experts are no constants, non-zero weights, components without a document.
    """

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

    def fit(self, X: Any, y: Any, callback: Callback | None = None) -> BernoulliMixture:
        """Fit to documents X and their labels y: 0 and 1 (sparse or dense), or lists of names.

        After each iteration of EM ``callback(iteration, model)`` is called; where it returns True the fit ends.
        """
        options, max_iter = self._checked_options(), checked_count(self.max_iter, "max_iter")
        data = MixtureData.of(X, y)
        self.classes_ = data.labels.names
        self.n_features_in_ = data.features.n_features
        self.history_: list[dict[str, float]] = []
        responsibilities = self._start(data)
        step: Step | None = None
        for iteration in range(1, max_iter + 1):
            before = np.inf if step is None else step.objective
            step = train_step(data, responsibilities, step, iteration - 1, options)
            self._keep(iteration, step, responsibilities, options)
            if callback is not None and callback(iteration, self):
                break
            if before - step.objective < self.tol:
                break
            responsibilities = step.responsibilities(options.sharpness)
        return self

    def _start(self, data: MixtureData) -> Array:
        """Responsibilities of the components for each document, from the label sets alone."""
        n_components, random_state = (
            checked_count(self.n_components, "n_components"),
            checked_random_state(self.random_state),
        )
        n_restarts = checked_count(self.n_restarts, "n_restarts")
        start_iter = checked_count(self.start_iter, "start_iter", least=0)
        support = Support.of(data.labels)
        found = cluster_sets(
            support, n_components, n_restarts, start_iter, self.start_tol, self.smoothing, random_state
        )
        softened = found.responsibilities**self.start_sharpness
        return np.asarray(softened / softened.sum(axis=1, keepdims=True))[support.set_of]

    def _checked_options(self) -> StepOptions:
        net = ElasticNet(self.strength, self.l1_ratio)
        gate_net = ElasticNet(
            self.strength if self.gate_strength is None else checked_strength(self.gate_strength, "gate_strength"),
            self.l1_ratio if self.gate_l1_ratio is None else checked_l1_ratio(self.gate_l1_ratio, "gate_l1_ratio"),
        )
        for name in ("negligible", "least_count", "smoothing"):
            if not getattr(self, name) >= 0.0:
                raise InvalidParameter(f"{name} must be a number from 0 up; got {getattr(self, name)!r}.")
        for name in ("sharpness", "start_sharpness"):
            if not 0.0 < getattr(self, name) <= 1.0:
                raise InvalidParameter(f"{name} must be above 0 and at most 1; got {getattr(self, name)!r}.")
        return StepOptions(
            net,
            gate_net,
            checked_count(self.newton_steps, "newton_steps"),
            checked_count(self.gate_sweeps, "gate_sweeps"),
            self.negligible,
            self.least_count,
            self.smoothing,
            self.sharpness,
            checked_n_jobs(self.n_jobs),
        )

    def _keep(self, iteration: int, step: Step, responsibilities: Array, options: StepOptions) -> None:
        """Set every fitted attribute, and note the iteration."""
        self.gate_coef_, self.gate_intercept_ = step.gate.coef, step.gate.intercept
        self.coef_ = sp.csr_array(sp.vstack([component.coef for component in step.components], format="csr"))
        self.intercept_ = np.stack([component.intercept for component in step.components])
        self.objective_ = step.objective
        self.n_iter_ = iteration
        self.history_.append(
            {
                "iteration": iteration,
                "objective": step.objective,
                "n_learnt": sum(component.learnt.size for component in step.components),
                "n_nonzero": int(self.coef_.nnz + self.gate_coef_.nnz),
                "n_empty": int((responsibilities.max(axis=0) <= options.negligible).sum()),
            }
        )

    def _check_state(self) -> None:
        super()._check_state()
        n_labels, n_components = len(self.classes_), np.size(self.gate_intercept_)
        if n_components == 0:
            raise InvalidData("gate_intercept_ must have at least one component; got none.")
        check_array(self.gate_intercept_, "gate_intercept_", (n_components,))
        check_sparse(self.gate_coef_, "gate_coef_", (n_components, self.n_features_in_))
        check_array(self.intercept_, "intercept_", (n_components, n_labels))
        check_sparse(self.coef_, "coef_", (n_components * n_labels, self.n_features_in_))
        check_count(self.mode_steps, "mode_steps", 0, MOST_MODE_STEPS)

    def log_prob(self, X: Any, sets: Any) -> Array:
        """log p(set | x), documents by sets."""
        rows, threads = self._read_sets(sets), checked_n_jobs(self.n_jobs)
        return np.concatenate([bernoulli_kernels.log_prob(*block, rows, threads) for block in self._blocks(X)])

    def marginals(self, X: Any) -> Array:
        """p(y_l = 1 | x), documents by labels."""
        return self.scaled_marginals(X, 1.0, 0.0)

    def scaled_marginals(self, X: Any, scale: float, shift: float) -> Array:
        """Give p(y_l = 1 | x) with every logit z of an expert replaced by scale z + shift, documents by labels."""
        return np.concatenate(
            [
                np.einsum("ik,ikl->il", np.exp(log_gate), expit(scale * logits + shift))
                for logits, log_gate in self._blocks(X)
            ]
        )

    def mode(self, X: Any) -> MostProbable:
        """The most probable set of each document, and whether that is proved."""
        check_is_fitted(self)
        asked, threads = checked_count(self.mode_steps, "mode_steps", least=0), checked_n_jobs(self.n_jobs)
        most = max(1, min(MOST_MODE_STEPS, _MODE_WORK // self.intercept_.size))
        found = [bernoulli_kernels.mode(*block, min(asked or most, most), threads) for block in self._blocks(X)]
        return MostProbable(
            sp.csr_array(sp.vstack([modes.sets for modes in found], format="csr")),
            np.concatenate([modes.log_prob for modes in found]),
            np.concatenate([modes.exact for modes in found]),
        )

    def size_marginals(self, X: Any, max_size: int | None = None) -> SizeMarginals:
        """p(y_l = 1, |y| = s | x) for every label and every size up to ``max_size``; None means all that matter."""
        return self._size_marginals(X, max_size, 1.0, 0.0)

    def scaled_size_marginals(self, X: Any, scale: float, shift: float) -> SizeMarginals:
        """Give the size marginals with every logit z of an expert replaced by scale z + shift."""
        return self._size_marginals(X, None, scale, shift)

    def _size_marginals(self, X: Any, max_size: int | None, scale: float, shift: float) -> SizeMarginals:
        threads = checked_n_jobs(self.n_jobs)
        found = [
            bernoulli_kernels.size_marginals(scale * logits + shift, log_gate, max_size, threads)
            for logits, log_gate in self._blocks(X)
        ]
        n_sizes = max(sizes.joint.shape[2] for sizes in found)
        joint = [np.pad(sizes.joint, ((0, 0), (0, 0), (0, n_sizes - sizes.joint.shape[2]))) for sizes in found]
        return SizeMarginals(np.concatenate(joint), np.concatenate([sizes.empty for sizes in found]))

    def sample(self, X: Any, n: int, random_state: int) -> sp.csr_array:
        """Draw ``n`` sets per document, each from a component drawn beforehand.

        Rows i n to (i + 1) n - 1 are those of document i.
        """
        n = checked_count(n, "n")
        generators = document_generators(as_matrix(X, "X").shape[0], random_state)
        lengths, columns = [], []
        for logits, log_gate in self._blocks(X):
            for chances, gate in zip(expit(logits), np.exp(log_gate), strict=True):
                random = next(generators)
                component = random.choice(gate.size, size=n, p=gate / gate.sum())
                drawn = random.random((n, chances.shape[1])) < chances[component]
                lengths.append(drawn.sum(axis=1))
                columns.append(np.nonzero(drawn)[1])
        return csr_of_ones(np.concatenate(columns), np.concatenate(lengths), len(self.classes_))

    def _blocks(self, X: Any) -> Iterator[tuple[Array, Array]]:
        """Logits, documents by components by labels, and log of the gate, for some documents at a time."""
        check_is_fitted(self)
        matrix = as_matrix(X, "X")
        rows = matrix.tocsr() if sp.issparse(matrix) else matrix
        n_at_a_time = max(1, min(_BLOCK, _BLOCK_LOGITS // self.intercept_.size))
        for start in range(0, rows.shape[0], n_at_a_time):
            some = rows[start : start + n_at_a_time]
            gate = linear_scores(some, self.gate_coef_, self.gate_intercept_)
            gate -= gate.max(axis=1, keepdims=True)  # first, so that the sum below is never rounded away
            logits = linear_scores(some, self.coef_, self.intercept_.ravel())
            yield (
                logits.reshape(-1, *self.intercept_.shape),
                np.asarray(gate - np.logaddexp.reduce(gate, axis=1, keepdims=True)),
            )
