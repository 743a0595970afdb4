"""CRF: a conditional random field over the label sets of the training documents."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from setwise import _core
from setwise.exceptions import InvalidData, InvalidParameter, NotConverged
from setwise.labels import LabelMatrix, MostProbable, SizeMarginals, Support
from setwise.labels.distribution import require_room
from setwise.learners import ElasticNet, FeatureColumns
from setwise.learners.checks import checked_max_iter, checked_n_jobs, checked_strength, checked_tol, linear_scores
from setwise.learners.features import padded
from setwise.learners.fits import LEAST_TOL, RELATIVE_TOL
from setwise.learners.quasi_newton import Iterate, QuasiNewtonOptions, quasi_newton
from setwise.models.base import Callback, LabelModel, checked_count
from setwise.models.crf_pairs import PairTerms
from setwise.models.state_checks import check_array, check_range, check_sparse

__all__ = ["PairwiseCRF"]

_BLOCK = 256
"""Documents whose probabilities of all sets are held at one time."""


class PairwiseCRF(LabelModel):
    """A conditional random field whose partition function runs over the training label sets.

    ::

        p(y | x) = exp(score(y, x)) / sum_{y' in support} exp(score(y', x))
        score(y, x) = sum_{l in y} (w_l . x + b_l) + sum_{l < m} v_{lm, y_l y_m}

    ``pairs=False`` leaves the pair terms out. Minimises over w, b and v (b is not penalised)::

        (1/n) sum_i -log p(y_i | x_i)  +  strength * sum_l (l1_ratio |w_l|_1 + (1 - l1_ratio) |w_l|_2^2)
                                       +  pair_strength * |v|_2^2

    ``strength`` is the paper's lambda, ``l1_ratio`` its alpha, which the paper leaves at 0 for this model.
    ``pair_strength=None`` takes ``strength``. ``tol`` is the largest violation of the optimality conditions to end
    with; without it, a small share (``RELATIVE_TOL``) of the violation at zero weights. ``memory`` is that of L-BFGS.

    After ``fit``: ``coef_`` (labels x features), ``intercept_``, ``pair_weights_`` (rows v00, v01, v10, v11, a column a
    pair) of the pairs in ``pair_labels_`` (two rows; all other pairs have zero weights), ``sets_`` and ``counts_`` (the
    support), ``set_bias_`` (the pair terms of each set, up to a constant), ``violation_`` (the certificate),
    ``objective_``, ``n_iter_`` and ``history_`` (a row an iteration).
    """

    _fitted = ("coef_", "intercept_", "pair_labels_", "pair_weights_", "sets_", "counts_", "set_bias_")

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
    ) -> None:
        self.strength = strength
        self.l1_ratio = l1_ratio
        self.pairs = pairs
        self.pair_strength = pair_strength
        self.tol = tol
        self.max_iter = max_iter
        self.memory = memory
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, callback: Callback | None = None) -> PairwiseCRF:
        """Fit to documents X and their labels y: 0 and 1 (sparse or dense), or lists of names.

        After each iteration of L-BFGS ``callback(iteration, model)`` is called; where it returns True the fit ends.
        """
        net = ElasticNet(self.strength, self.l1_ratio)
        pair_strength = (
            self.strength if self.pair_strength is None else checked_strength(self.pair_strength, "pair_strength")
        )
        if not isinstance(self.pairs, bool | np.bool_):
            raise InvalidParameter(f"pairs must be True or False; got {self.pairs!r}.")
        tol, max_iter = checked_tol(self.tol), checked_max_iter(self.max_iter)
        threads = checked_n_jobs(self.n_jobs)
        options = QuasiNewtonOptions(memory=checked_count(self.memory, "memory"), n_jobs=threads)
        problem = _Likelihood.of(X, y, bool(self.pairs), threads)

        self.classes_ = problem.support.sets.names
        self.n_features_in_ = problem.features.n_features
        self.sets_ = problem.support.sets.indicator
        self.counts_ = problem.support.counts
        self.history_: list[dict[str, float]] = []
        self.pair_labels_ = np.stack([problem.pair_terms.first, problem.pair_terms.second])
        penalties = [(problem.weights, net), (problem.pair_weights, PairTerms.penalty(pair_strength))]
        iterates = quasi_newton(problem.evaluate, np.zeros(problem.size), penalties, options)
        for iteration, iterate in enumerate(iterates):
            if iteration == 0:
                asked = max(RELATIVE_TOL * iterate.violation, LEAST_TOL) if tol is None else tol
            self._record(iteration, iterate)
            if iteration and callback is not None:
                self._keep(problem, iterate)
                if callback(iteration, self):
                    return self
            if iterate.violation <= asked or iterate.stalled or iteration == max_iter:
                break
        self._keep(problem, iterate)
        if self.violation_ > asked:
            warnings.warn(
                f"The fit did not reach the violation asked for: it has {self.violation_:.2g} and should have "
                f"{asked:.2g} after {self.n_iter_} iterations. Hint: raise max_iter, tol or strength.",
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

    def _keep(self, problem: _Likelihood, iterate: Iterate) -> None:
        terms, q = problem.pair_terms, iterate.point[problem.pair_weights]
        single = terms.single_terms(q)  # part of the four weights' score, so the intercept leaves it out
        self.coef_ = problem.weights_by_label(iterate.point)
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
        self._support().check()
        require_room(n_labels, int(np.diff(self.sets_.indptr).max()))
        n_pairs = np.shape(self.pair_labels_)[-1:]
        check_array(self.pair_labels_, "pair_labels_", (2, *n_pairs), np.int32)
        check_array(self.pair_weights_, "pair_weights_", (4, *n_pairs))
        check_range(self.pair_labels_, "pair_labels_", 0, n_labels - 1)
        if not (self.pair_labels_[0] < self.pair_labels_[1]).all():
            raise InvalidData("pair_labels_ must name the smaller label of each pair first; they do not.")

    def scores(self, X: Any) -> NDArray[np.float64]:
        """Give w_l . x + b_l, documents by labels; the pair terms come on top."""
        check_is_fitted(self)
        return linear_scores(X, self.coef_, self.intercept_)

    def log_prob(self, X: Any, sets: Any) -> NDArray[np.float64]:
        """log p(set | x), documents by sets; minus infinity for a set that no training document has."""
        indicator = self._read_sets(sets)
        place = self._support().index_of(LabelMatrix(self.classes_, indicator))
        scores = self.scores(X)
        log_partition, _, _ = self._sums(scores)
        bias = np.where(place >= 0, self.set_bias_[place], -np.inf)
        return np.asarray((indicator @ scores.T).T + bias - log_partition[:, None])

    def marginals(self, X: Any) -> NDArray[np.float64]:
        """p(y_l = 1 | x), documents by labels."""
        _, _, expected = self._sums(self.scores(X))
        return expected

    def mode(self, X: Any) -> MostProbable:
        """The most probable of the training sets, which is the most probable of all: no other has probability."""
        scores = self.scores(X)
        log_partition, best, _ = self._sums(scores)
        sets = self.sets_[best]
        log_prob = np.asarray(sets.multiply(scores).sum(axis=1)).ravel() + self.set_bias_[best] - log_partition
        return MostProbable(sets, log_prob, np.ones(len(best), dtype=bool))

    def size_marginals(self, X: Any, max_size: int | None = None) -> SizeMarginals:
        """p(y_l = 1, |y| = s | x) for every label and size, as sums over the training sets."""
        scores = self.scores(X)
        sizes = np.diff(self.sets_.indptr)
        largest = int(sizes.max(initial=1)) if max_size is None else checked_count(max_size, "max_size")
        threads = checked_n_jobs(self.n_jobs)
        joint = np.zeros((*scores.shape, max(largest, 1)))
        empty = np.zeros(len(scores))
        for start in range(0, len(scores), _BLOCK):
            block = slice(start, start + _BLOCK)
            # Divided by the sum of these very exponentials: a partition function that was added up elsewhere rounds
            # otherwise, and for large scores the difference is anything.
            probability = np.ascontiguousarray((self.sets_ @ scores[block].T).T + self.set_bias_)
            _core.softmax_rows(probability, threads)
            empty[block] = probability[:, sizes == 0].sum(axis=1)
            for size in range(1, largest + 1):
                chosen = sizes == size
                joint[block, :, size - 1] = (self.sets_[chosen].T @ probability[:, chosen].T).T
        return SizeMarginals(joint, empty)

    def _support(self) -> Support:
        return Support(LabelMatrix(self.classes_, self.sets_), self.counts_, np.zeros(0, dtype=np.int64))

    def _sums(self, scores: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int32], NDArray[np.float64]]:
        return _core.support_sums(scores, *_set_structure(self.sets_), self.set_bias_, checked_n_jobs(self.n_jobs))


def _set_structure(sets: sp.csr_array) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    return sets.indptr.astype(np.int64), sets.indices.astype(np.int32)


@dataclass(frozen=True, eq=False)
class _Likelihood:
    """The data of a fit, and its parameters as one vector: weights, intercepts, and a number q a pair."""

    features: FeatureColumns
    support: Support
    pair_terms: PairTerms
    n_jobs: int

    @classmethod
    def of(cls, X: Any, y: Any, pairs: bool, n_jobs: int) -> _Likelihood:
        features, labels = FeatureColumns.of(X), LabelMatrix.of(y)
        labels.check_rows(features.n_samples)
        support = Support.of(labels)
        return cls(features, support, PairTerms.of(support.sets.indicator, pairs), n_jobs)

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
        """Mean loss and its gradient."""
        loss, weights, intercept, excess = _core.support_likelihood(
            self.features.native,
            self.support.sets.n_labels,
            *_set_structure(self.support.sets.indicator),
            self.pair_terms.set_scores(point[self.pair_weights]),
            self.support.set_of.astype(np.int32),
            point[self.weights].reshape(-1, self.stride),
            point[self.intercepts],
            self.n_jobs,
        )
        return loss, np.concatenate([weights.ravel(), intercept, self.pair_terms.gradient(excess)])

    def weights_by_label(self, point: NDArray[np.float64]) -> sp.csr_array:
        """Weights, labels by features, as the caller numbers features."""
        return self.features.sparse_weights(point[self.weights].reshape(-1, self.stride), self.support.sets.n_labels)
