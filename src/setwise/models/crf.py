"""CRF: a conditional random field over the label sets of the training documents."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from setwise import _core
from setwise._validation import (
    PENALTY_CONSTRAINTS,
    SOLVER_CONSTRAINTS,
    Boolean,
    Interval,
    NoneOr,
    check_sample_weight,
    effective_n_jobs,
)
from setwise.exceptions import InvalidData, NotConverged
from setwise.labels import LabelMatrix, MostProbable, SizeMarginals, Support, require_room
from setwise.learners import (
    LEAST_TOL,
    RELATIVE_TOL,
    ElasticNet,
    FeatureColumns,
    Iterate,
    QuasiNewtonOptions,
    linear_scores,
    padded,
    quasi_newton,
)
from setwise.models.base import Callback, LabelModel, reads_model
from setwise.models.crf_pairs import PairTerms
from setwise.models.crf_screening import ScreenedFeatures
from setwise.models.state_checks import check_array, check_range, check_sparse
from setwise.posterior import Posterior, Rows

__all__ = ["PairwiseCRF"]

_BLOCK = 256
"""Documents whose probabilities of all sets are held in memory together."""

Array = NDArray[np.float64]


class PairwiseCRF(LabelModel):
    """A conditional random field whose partition function runs over the training label sets.

    ::

        p(y | x) = exp(score(y, x)) / sum_{y' in support} exp(score(y', x))
        score(y, x) = sum_{l in y} (w_l . x + b_l) + sum_{l < m} v_{lm, y_l y_m}

    Minimizes over w, b and v (b is not penalized)::

        (1 / sum_i c_i) sum_i -c_i log p(y_i | x_i)  +  strength * sum_l (l1_ratio |w_l|_1 + (1 - l1_ratio) |w_l|_2^2)
                                                     +  pair_strength * |v|_2^2

    Parameters
    ----------
    strength : float
        Weight of the penalty, the paper's lambda.
    l1_ratio : float
        Share of the L1 norm in the penalty, the paper's alpha, which the paper leaves at 0 for this model.
    pairs : bool
        Whether there are pair terms v.
    pair_strength : float, optional
        Weight of the penalty of the pair terms; None takes ``strength``.
    screening_strength : float, optional
        Where there are many features, those alone get weights that BR with squared hinge and an L1 penalty of this
        strength uses for some label: a fit then takes a fraction of the time. None gives weights to all features.
    tol : float, optional
        Largest violation of the optimality conditions to end with. By default a small share of the violation at zero
        weights.
    max_iter : int
        Most iterations of L-BFGS.
    memory : int
        Number of steps that L-BFGS remembers.
    n_jobs : int, optional
        Number of threads; None uses every core. No result depends on it.

    Attributes
    ----------
    classes_ : tuple of str
        The label names.
    n_features_in_ : int
        Number of features seen in ``fit``.
    coef_ : sparse array of shape (n_labels, n_features)
    intercept_ : array of shape (n_labels,)
    pair_labels_ : array of shape (2, n_pairs)
        The pairs of labels that have pair terms, the smaller index first; all other pairs have zero weights.
    pair_weights_ : array of shape (4, n_pairs)
        Rows v00, v01, v10, v11.
    sets_ : sparse array of shape (n_sets, n_labels)
        The support.
    counts_ : array of shape (n_sets,)
        How many training documents have each set.
    set_bias_ : array of shape (n_sets,)
        The pair terms of each set, up to a constant.
    violation_ : float
        The optimality certificate.
    objective_ : float
    n_iter_ : int
    history_ : list of dict
        One row per iteration.

    Examples
    --------
    >>> from setwise.models import PairwiseCRF
    >>> model = PairwiseCRF(strength=0.1).fit([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [["a"], ["b"], ["a", "b"]])
    >>> model.sets_.shape
    (3, 2)
    """

    abilities: ClassVar = frozenset({"log_prob", "marginals", "size_marginals", "mode"})
    _parameter_constraints: ClassVar = {
        **PENALTY_CONSTRAINTS,
        **SOLVER_CONSTRAINTS,
        "pairs": Boolean(),
        "pair_strength": NoneOr(Interval("real", 0, None)),
        "screening_strength": NoneOr(Interval("real", 0, None)),
        "memory": Interval("integer", 1, None),
    }
    _fitted: ClassVar = ("coef_", "intercept_", "pair_labels_", "pair_weights_", "sets_", "counts_", "set_bias_")

    coef_: sp.csr_array
    intercept_: Array
    sets_: sp.csr_array
    counts_: NDArray[np.int64]
    set_bias_: Array

    def __init__(
        self,
        strength: float = 1e-3,
        l1_ratio: float = 0.0,
        pairs: bool = True,
        pair_strength: float | None = None,
        tol: float | None = None,
        max_iter: int = 500,
        memory: int = 10,
        n_jobs: int | None = None,
        screening_strength: float | None = None,
    ) -> None:
        self.strength = strength
        self.l1_ratio = l1_ratio
        self.pairs = pairs
        self.pair_strength = pair_strength
        self.tol = tol
        self.max_iter = max_iter
        self.memory = memory
        self.n_jobs = n_jobs
        self.screening_strength = screening_strength

    def fit(self, X: Any, y: Any, sample_weight: Any = None, callback: Callback | None = None) -> PairwiseCRF:
        """Fit all weights together; ``callback`` is called after each iteration of L-BFGS."""
        self._check_parameters()
        net = ElasticNet(self.strength, self.l1_ratio)
        pair_strength = self.strength if self.pair_strength is None else self.pair_strength
        n_jobs = effective_n_jobs(self.n_jobs)
        options = QuasiNewtonOptions(memory=self.memory, n_jobs=n_jobs)
        problem = _Likelihood.of(X, y, sample_weight, bool(self.pairs), n_jobs, self.screening_strength)
        self.__dict__.pop("_support", None)
        self.classes_ = problem.support.sets.names
        self.n_features_in_ = problem.screened.n_features
        self.sets_ = problem.support.sets.indicator
        self.counts_ = problem.support.counts
        self.history_: list[dict[str, float]] = []
        self.pair_labels_ = np.stack([problem.pair_terms.first, problem.pair_terms.second])
        penalties = [(problem.weights, net), (problem.pair_weights, PairTerms.penalty(pair_strength))]
        iterates = quasi_newton(problem.evaluate, np.zeros(problem.size), penalties, options)
        ended = False
        for iteration, iterate in enumerate(iterates):
            if iteration == 0:
                tol = max(RELATIVE_TOL * iterate.violation, LEAST_TOL) if self.tol is None else self.tol
            self._record(iteration, iterate)
            if iteration and callback is not None:
                if reads_model(callback, iteration):
                    self._set_weights(problem, iterate)
                ended = bool(callback(iteration, self))
            if ended or iterate.violation <= tol or iterate.stalled or iteration == self.max_iter:
                break
        self._set_weights(problem, iterate)
        if not ended and self.violation_ > tol:
            warnings.warn(
                f"The fit did not converge: after {self.n_iter_} iterations its violation is {self.violation_:.2g}, "
                f"above the tolerance {tol:.2g}. Hint: raise max_iter, tol or strength.",
                NotConverged,
                stacklevel=2,
            )
        return self

    def _record(self, iteration: int, iterate: Iterate) -> None:
        self.history_.append(
            {
                "iteration": iteration,
                "objective": iterate.objective,
                "violation": iterate.violation,
                "n_evaluations": iterate.n_evaluations,
            }
        )

    def _set_weights(self, problem: _Likelihood, iterate: Iterate) -> None:
        """Set every fitted attribute that depends on the weights."""
        terms, q = problem.pair_terms, iterate.point[problem.pair_weights]
        single = terms.single_terms(q)  # the pair terms already contain it, so the intercept leaves it out
        self.coef_ = problem.screened.outward(problem.weights_by_label(iterate.point))
        self.intercept_ = iterate.point[problem.intercepts][: single.size] - single
        self.pair_weights_ = terms.four_weights(q)
        self.set_bias_ = terms.set_scores(q) + self.sets_ @ single
        self.violation_ = iterate.violation
        self.objective_ = iterate.objective
        self.n_iter_ = int(self.history_[-1]["iteration"])

    def _check_state(self) -> None:
        super()._check_state()
        n_labels, n_sets = len(self.classes_), self.sets_.shape[0] if sp.issparse(self.sets_) else 0
        check_sparse(self.coef_, "coef_", (n_labels, self.n_features_in_))
        check_array(self.intercept_, "intercept_", (n_labels,))
        check_sparse(self.sets_, "sets_", (n_sets, n_labels), np.int64)
        check_range(self.sets_.data, "sets_", 1, 1)
        check_array(self.counts_, "counts_", (n_sets,), np.int64)
        check_array(self.set_bias_, "set_bias_", (n_sets,))
        self._support.check()
        require_room(n_labels, int(np.diff(self.sets_.indptr).max()))
        n_pairs = np.shape(self.pair_labels_)[-1:]
        check_array(self.pair_labels_, "pair_labels_", (2, *n_pairs), np.int32)
        check_array(self.pair_weights_, "pair_weights_", (4, *n_pairs))
        check_range(self.pair_labels_, "pair_labels_", 0, n_labels - 1)
        if not (self.pair_labels_[0] < self.pair_labels_[1]).all():
            raise InvalidData("pair_labels_ must list the smaller label of each pair first.")

    def check_support(self, support: Support) -> None:
        if not (support.index_of(self._support.sets) >= 0).any():
            raise InvalidData("The support has no label set in common with the CRF's own.")

    @cached_property
    def _support(self) -> Support:
        """The training label sets in the core's layout, with their positions, built once per fit."""
        return Support(LabelMatrix(self.classes_, self.sets_), self.counts_, np.zeros(0, dtype=np.int64))

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the compiled support: it is built again when needed."""
        return {name: value for name, value in super().__getstate__().items() if name != "_support"}

    @property
    def _n_scores(self) -> int:
        return len(self.classes_)

    def _posterior(self, X: Any) -> CRFPosterior:
        scores = self._linear_scores(X)
        return CRFPosterior(self.classes_, scores, self._support, self.set_bias_, effective_n_jobs(self.n_jobs))


class CRFPosterior(Posterior):
    """The scores w_l . x + b_l of every label, and the pair terms of every set of the support.

    Sets that no training document has have probability 0.
    """

    model_name = "PairwiseCRF"
    abilities = PairwiseCRF.abilities

    def __init__(self, classes: tuple[str, ...], scores: Array, support: Support, set_bias: Array, n_jobs: int) -> None:
        self.classes = classes
        self.n_samples = len(scores)
        self._scores = np.ascontiguousarray(scores)
        self._support = support
        self._set_bias = set_bias
        self._n_jobs = n_jobs

    def take(self, rows: Rows) -> CRFPosterior:
        return CRFPosterior(self.classes, self._scores[rows], self._support, self._set_bias, self._n_jobs)

    @cached_property
    def _sums(self) -> tuple[Array, NDArray[np.int32], Array]:
        """Log of the partition function, index of the best set, and expected labels, per document."""
        return _core.support_sums(self._scores, self._support.sets.native, self._set_bias, self._n_jobs)

    def log_prob(self, sets: Any) -> Array:
        label_sets = self._read_sets(sets)
        position = self._support.index_of(label_sets)
        log_partition, _, _ = self._sums
        bias = np.where(position >= 0, self._set_bias[position], -np.inf)
        return np.asarray((label_sets.indicator @ self._scores.T).T + bias - log_partition[:, None])

    def marginals(self) -> Array:
        return self._sums[2]

    def mode(self) -> MostProbable:
        """Return the most probable training set of each document, which is the most probable of all sets."""
        log_partition, best, _ = self._sums
        sets = self._support.sets.indicator[best]
        scores = np.asarray(sets.multiply(self._scores).sum(axis=1)).ravel()
        return MostProbable(sets, scores + self._set_bias[best] - log_partition, np.ones(len(best), dtype=bool))

    def size_marginals(self, max_size: int | None = None) -> SizeMarginals:
        sets = self._support.sets.indicator
        sizes = np.diff(sets.indptr)
        largest = int(sizes.max(initial=1)) if max_size is None else max_size
        joint = np.zeros((*self._scores.shape, max(largest, 1)))
        empty = np.zeros(self.n_samples)
        for start in range(0, self.n_samples, _BLOCK):
            block = slice(start, start + _BLOCK)
            # Divided by the sum of these very exponentials: a partition function that was added up elsewhere rounds
            # differently, and for large scores the difference is arbitrary.
            probability = np.ascontiguousarray((sets @ self._scores[block].T).T + self._set_bias)
            _core.softmax_rows(probability, self._n_jobs)
            empty[block] = probability[:, sizes == 0].sum(axis=1)
            for size in range(1, largest + 1):
                chosen = sizes == size
                joint[block, :, size - 1] = (sets[chosen].T @ probability[:, chosen].T).T
        return SizeMarginals(joint, empty)


@dataclass(frozen=True, eq=False)
class _Likelihood:
    """The data of a fit, and its parameters as one vector: weights, intercepts, and one number q per pair."""

    screened: ScreenedFeatures
    support: Support
    pair_terms: PairTerms
    sample_weight: Array | None
    n_jobs: int

    @classmethod
    def of(
        cls, X: Any, y: Any, sample_weight: Any, pairs: bool, n_jobs: int, screening_strength: float | None = None
    ) -> _Likelihood:
        features, labels = FeatureColumns.of(X), LabelMatrix.of(y)
        labels.check_rows(features.n_samples)
        support = Support.of(labels)
        weight = None if sample_weight is None else check_sample_weight(sample_weight, features.n_samples)
        screened = ScreenedFeatures.of(features, labels, screening_strength, weight, n_jobs)
        return cls(screened, support, PairTerms.of(support.sets.indicator, pairs), weight, n_jobs)

    @property
    def features(self) -> FeatureColumns:
        """The features that have weights."""
        return self.screened.features

    @property
    def stride(self) -> int:
        return padded(self.support.sets.n_labels)

    @property
    def weights(self) -> slice:
        return slice(0, self.features.kept.size * self.stride)

    @property
    def intercepts(self) -> slice:
        return slice(self.weights.stop, self.weights.stop + self.stride)

    @property
    def pair_weights(self) -> slice:
        return slice(self.intercepts.stop, self.size)

    @property
    def size(self) -> int:
        return int(self.intercepts.stop) + self.pair_terms.n_pairs

    def evaluate(self, point: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        """Return the mean loss and its gradient."""
        if self.sample_weight is not None:
            return self._evaluate_weighted(point, self.sample_weight / self.sample_weight.sum())
        loss, weights, intercept, excess = _core.support_likelihood(
            self.features.native,
            self.support.sets.native,
            self.pair_terms.set_scores(point[self.pair_weights]),
            self.support.set_of.astype(np.int32),
            point[self.weights].reshape(-1, self.stride),
            point[self.intercepts],
            self.n_jobs,
        )
        return loss, np.concatenate([weights.ravel(), intercept, self.pair_terms.gradient(excess)])

    def _evaluate_weighted(self, point: Array, share: Array) -> tuple[float, Array]:
        """Return the weighted mean loss and its gradient; ``share`` is the weight of each document, in total 1.

        The core's kernel has no weights, so this works block by block in numpy.
        """
        sets, n_labels = self.support.sets.indicator, self.support.sets.n_labels
        rows = sp.csr_array(self.features.matrix)
        coef, intercept = self.weights_by_label(point), point[self.intercepts][:n_labels]
        set_scores = self.pair_terms.set_scores(point[self.pair_weights])
        loss, by_set, by_score = 0.0, np.zeros(self.support.n_sets), np.zeros((rows.shape[0], n_labels))
        for start in range(0, rows.shape[0], _BLOCK):
            block = slice(start, start + _BLOCK)
            document = np.arange(len(share[block]))
            own = self.support.set_of[block]
            score = np.ascontiguousarray((sets @ linear_scores(rows[block], coef, intercept).T).T + set_scores)
            highest, score_of_own = score.max(axis=1), score[document, own]
            _core.softmax_rows(score, self.n_jobs)  # from here on the probability of each set
            # The best set has the probability 1 / sum exp(score - highest), which never underflows.
            loss += float(share[block] @ (highest - np.log(score.max(axis=1)) - score_of_own))
            score[document, own] -= 1.0
            score *= share[block, None]
            by_set += score.sum(axis=0)
            by_score[block] = (sets.T @ score.T).T
        weights, intercepts = np.zeros((self.features.kept.size, self.stride)), np.zeros(self.stride)
        weights[self.features.place, :n_labels] = (rows.T @ by_score)[self.features.kept]
        intercepts[:n_labels] = by_score.sum(axis=0)
        return loss, np.concatenate([weights.ravel(), intercepts, self.pair_terms.gradient(by_set)])

    def weights_by_label(self, point: NDArray[np.float64]) -> sp.csr_array:
        """Return the weights, labels by the features that have some."""
        return self.features.sparse_weights(point[self.weights].reshape(-1, self.stride), self.support.sets.n_labels)
