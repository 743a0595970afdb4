"""CRF: a conditional random field over the label sets of the training documents."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from setwise import _core
from setwise._validation import Boolean, Interval, NoneOr, effective_n_jobs
from setwise.exceptions import InvalidData
from setwise.labels import MostProbable, Support
from setwise.learners import ElasticNet, Iterate
from setwise.models.base import Callback
from setwise.models.crf_pairs import PairTerms
from setwise.models.known_sets import KnownSetsModel, KnownSetsPosterior, most_probable_column
from setwise.models.label_terms import LabelTerms
from setwise.models.state_checks import check_array, check_range, check_sparse
from setwise.models.support_likelihood import SupportLikelihood
from setwise.posterior import Rows

__all__ = ["PairwiseCRF"]

Array = NDArray[np.float64]


class PairwiseCRF(KnownSetsModel):
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

    _parameter_constraints: ClassVar = {
        **KnownSetsModel._parameter_constraints,
        "pairs": Boolean(),
        "pair_strength": NoneOr(Interval("real", 0, None)),
    }
    _fitted: ClassVar = ("coef_", "intercept_", "pair_labels_", "pair_weights_", "sets_", "counts_", "set_bias_")

    coef_: sp.csr_array
    intercept_: Array
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
        problem = SupportLikelihood.of(
            X, y, sample_weight, bool(self.pairs), effective_n_jobs(self.n_jobs), self.screening_strength
        )
        self._set_sets(problem.support, problem.screened.n_features)
        self.pair_labels_ = np.stack([problem.pair_terms.first, problem.pair_terms.second])
        net = ElasticNet(self.strength, self.l1_ratio)
        pair_strength = self.strength if self.pair_strength is None else self.pair_strength
        self._train(
            problem, [(problem.weights, net), (problem.pair_weights, PairTerms.penalty(pair_strength))], callback
        )
        return self

    def _set_weights(self, problem: SupportLikelihood, iterate: Iterate) -> None:
        """Set every fitted attribute that depends on the weights."""
        terms, q = problem.pair_terms, iterate.point[problem.pair_weights]
        single = terms.single_terms(q)  # the pair terms already contain it, so the intercept leaves it out
        self.coef_ = problem.screened.outward(problem.weights_by_label(iterate.point))
        self.intercept_ = iterate.point[problem.intercepts][: single.size] - single
        self.pair_weights_ = terms.four_weights(q)
        self.set_bias_ = terms.set_scores(q) + self.sets_ @ single
        self._set_certificate(iterate)

    @property
    def _label_intercept(self) -> Array:
        return self.intercept_

    def label_terms(self, X: Any, sets: sp.csr_array) -> Iterator[LabelTerms]:
        """Yield the terms of the score of each label; the other labels add the pair terms with it minus without it."""
        (first, second), (v00, v01, v10, v11) = self.pair_labels_, self.pair_weights_
        for one, chosen in zip(super().label_terms(X, sets), sets.toarray() > 0, strict=True):
            other_labels = np.zeros(len(self.classes_))
            np.add.at(other_labels, first, np.where(chosen[second], v11 - v01, v10 - v00))
            np.add.at(other_labels, second, np.where(chosen[first], v11 - v10, v01 - v00))
            yield replace(one, other_labels=other_labels)

    def _check_state(self) -> None:
        super()._check_state()
        n_labels, n_sets = len(self.classes_), self.sets_.shape[0]
        check_sparse(self.coef_, "coef_", (n_labels, self.n_features_in_))
        check_array(self.intercept_, "intercept_", (n_labels,))
        check_array(self.set_bias_, "set_bias_", (n_sets,))
        n_pairs = np.shape(self.pair_labels_)[-1:]
        check_array(self.pair_labels_, "pair_labels_", (2, *n_pairs), np.int32)
        check_array(self.pair_weights_, "pair_weights_", (4, *n_pairs))
        check_range(self.pair_labels_, "pair_labels_", 0, n_labels - 1)
        if not (self.pair_labels_[0] < self.pair_labels_[1]).all():
            raise InvalidData("pair_labels_ must list the smaller label of each pair first.")

    @property
    def _n_scores(self) -> int:
        return len(self.classes_)

    def _posterior(self, X: Any) -> CRFPosterior:
        scores = self._linear_scores(X)
        return CRFPosterior(self.classes_, scores, self._support, self.set_bias_, effective_n_jobs(self.n_jobs))


class CRFPosterior(KnownSetsPosterior):
    """The scores w_l . x + b_l of every label, and the pair terms of every set of the support.

    Sets that no training document has have probability 0.
    """

    model_name = "PairwiseCRF"

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

    def mode(self, *, non_empty: bool = False) -> MostProbable:
        """Return the most probable training set of each document, which is the most probable of all sets."""
        log_partition, best, _ = self._sums
        if non_empty:
            best = self._best_non_empty(best)
        sets = self._support.sets.indicator[best]
        scores = np.asarray(sets.multiply(self._scores).sum(axis=1)).ravel()
        return MostProbable(sets, scores + self._set_bias[best] - log_partition, np.ones(len(best), dtype=bool))

    def _best_non_empty(self, best: Any) -> Any:
        """Return the best sets, with the empty one replaced by the best of the others."""
        best = best.copy()
        for i in np.flatnonzero(np.diff(self._support.sets.indicator[best].indptr) == 0):
            best[i] = most_probable_column(self._set_scores(slice(i, i + 1)), self._support, non_empty=True)[0]
        return best

    def _set_scores(self, documents: slice) -> Array:
        return np.asarray((self._support.sets.indicator @ self._scores[documents].T).T + self._set_bias)
