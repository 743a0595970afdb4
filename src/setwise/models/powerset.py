"""PowerSet: a multinomial logistic regression whose classes are the label sets of the training documents."""

from __future__ import annotations

from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import scipy
import scipy.sparse as sp
from numpy.typing import NDArray

from setwise._estimator import check_is_fitted
from setwise._validation import Interval, check_sample_weight, effective_n_jobs
from setwise.labels import LabelMatrix, MostProbable, Support, csr_of_ones
from setwise.learners import ElasticNet, FeatureColumns, Iterate
from setwise.models.base import Callback
from setwise.models.known_sets import KnownSetsModel, KnownSetsPosterior, most_probable_column
from setwise.models.state_checks import check_array, check_sparse
from setwise.models.support_likelihood import SupportLikelihood
from setwise.posterior import Rows

__all__ = ["PowerSet"]

Array = NDArray[np.float64]


class PowerSet(KnownSetsModel):
    """A multinomial over the training sets, each with weights of its own: the label powerset.

    ::

        p(y | x) = exp(w_y . x + b_y) / sum_{y' in support} exp(w_y' . x + b_y')

    Minimizes over w and b (b is not penalized)::

        (1 / sum_i c_i) sum_i -c_i log p(y_i | x_i)  +  strength * sum_y (l1_ratio |w_y|_1 + (1 - l1_ratio) |w_y|_2^2)

    With ``min_count`` above 1 it is the method of pruned sets (Read, 2008): rarer sets are no classes. A document that
    has one counts as several documents instead, which share its weight: those of its ``n_subsets`` largest subsets that
    are frequent enough, the more frequent first where they are of one size. A document without such a subset is left
    out.

    Parameters
    ----------
    strength : float
        Weight of the penalty, the paper's lambda.
    l1_ratio : float
        Share of the L1 norm in the penalty, the paper's alpha, from 0 to 1.
    min_count : int
        How many training documents must have a set.
    n_subsets : int
        Most sets that stand for a rarer one.
    screening_strength, tol, max_iter, memory, n_jobs
        As for :class:`PairwiseCRF`.

    Attributes
    ----------
    classes_ : tuple of str
        The label names.
    n_features_in_ : int
        Number of features seen in ``fit``.
    sets_ : sparse array of shape (n_sets, n_labels)
        The support.
    counts_ : array of shape (n_sets,)
        How many training documents have each set.
    coef_ : sparse array of shape (n_sets, n_features)
    intercept_ : array of shape (n_sets,)
    violation_ : float
        The optimality certificate.
    objective_ : float
    n_iter_ : int
    history_ : list of dict
        One row per iteration.

    Examples
    --------
    >>> from setwise.models import PowerSet
    >>> model = PowerSet(strength=0.1).fit([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [["a"], ["b"], ["a", "b"]])
    >>> model.posterior([[1.0, 0.0]]).marginals().shape
    (1, 2)
    """

    _parameter_constraints: ClassVar = {
        **KnownSetsModel._parameter_constraints,
        "min_count": Interval("integer", 1, None),
        "n_subsets": Interval("integer", 1, None),
    }
    _fitted: ClassVar = ("sets_", "counts_", "coef_", "intercept_")

    coef_: sp.csr_array
    intercept_: Array

    def __init__(
        self,
        strength: float = 1e-3,
        l1_ratio: float = 0.5,
        min_count: int = 1,
        n_subsets: int = 2,
        tol: float | None = None,
        max_iter: int = 500,
        memory: int = 10,
        n_jobs: int | None = None,
        screening_strength: float | None = None,
    ) -> None:
        self.strength = strength
        self.l1_ratio = l1_ratio
        self.min_count = min_count
        self.n_subsets = n_subsets
        self.tol = tol
        self.max_iter = max_iter
        self.memory = memory
        self.n_jobs = n_jobs
        self.screening_strength = screening_strength

    def fit(self, X: Any, y: Any, sample_weight: Any = None, callback: Callback | None = None) -> PowerSet:
        """Fit all weights together; ``callback`` is called after each iteration of L-BFGS."""
        self._check_parameters()
        labels, features = LabelMatrix.of(y), FeatureColumns.of(X)
        labels.check_rows(features.n_samples)
        support = Support.of(labels)
        kept = support.at_least(self.min_count)
        self._set_sets(kept, features.n_features)
        set_of, weight = kept.set_of, sample_weight
        if (set_of < 0).any():
            shares = np.ones(len(set_of)) if weight is None else check_sample_weight(weight, len(set_of))
            rows, set_of, weight = _with_subsets(support, kept, shares, self.n_subsets)
            features = FeatureColumns.of(sp.csr_array(features.matrix)[rows])
        # A field over one label per set, without pairs, whose sets have one such label each, is this multinomial.
        classes = LabelMatrix.of(csr_of_ones(set_of, np.ones(len(set_of), dtype=np.int64), kept.n_sets))
        problem = SupportLikelihood.of(
            features, classes, weight, False, effective_n_jobs(self.n_jobs), self.screening_strength
        )
        self._train(problem, [(problem.weights, ElasticNet(self.strength, self.l1_ratio))], callback)
        return self

    def _set_weights(self, problem: SupportLikelihood, iterate: Iterate) -> None:
        self.coef_ = problem.screened.outward(problem.weights_by_label(iterate.point))
        self.intercept_ = iterate.point[problem.intercepts][: self.sets_.shape[0]].copy()
        self._set_certificate(iterate)

    def _check_state(self) -> None:
        super()._check_state()
        n_sets = self.sets_.shape[0]
        check_sparse(self.coef_, "coef_", (n_sets, self.n_features_in_))
        check_array(self.intercept_, "intercept_", (n_sets,))

    def label_weights(self) -> sp.csr_array:
        """Return the mean weight of the sets with a label minus that of the others, labels by features."""
        check_is_fitted(self)
        n_sets, having = self.sets_.shape[0], np.asarray(self.sets_.sum(axis=0), dtype=np.float64)
        inside = sp.diags_array(1.0 / np.maximum(having, 1.0)) @ self.sets_.T
        outside = 1.0 / np.maximum(n_sets - having, 1.0)
        share = inside.toarray() - (1.0 - self.sets_.toarray().T) * outside[:, None]
        return sp.csr_array(sp.csr_array(share) @ self.coef_)

    @property
    def _n_scores(self) -> int:
        return int(self.sets_.shape[0])

    def _posterior(self, X: Any) -> PowerSetPosterior:
        return PowerSetPosterior(self._linear_scores(X), self._support, effective_n_jobs(self.n_jobs))


class PowerSetPosterior(KnownSetsPosterior):
    """The score of every set of the support, per document."""

    model_name = "PowerSet"

    def __init__(self, scores: Array, support: Support, n_jobs: int) -> None:
        self.classes = support.sets.names
        self.n_samples = len(scores)
        self._scores = scores
        self._support = support
        self._n_jobs = n_jobs

    def take(self, rows: Rows) -> PowerSetPosterior:
        return PowerSetPosterior(self._scores[rows], self._support, self._n_jobs)

    @cached_property
    def _log_prob(self) -> Array:
        return np.asarray(self._scores - scipy.special.logsumexp(self._scores, axis=1, keepdims=True))

    def log_prob(self, sets: Any) -> Array:
        position = self._support.index_of(self._read_sets(sets))
        return np.where(position >= 0, self._log_prob[:, position], -np.inf)

    def marginals(self) -> Array:
        return np.asarray((self._support.sets.indicator.T @ np.exp(self._log_prob).T).T)

    def mode(self, *, non_empty: bool = False) -> MostProbable:
        """Return the most probable training set of each document, which is the most probable of all sets."""
        best = most_probable_column(self._log_prob, self._support, non_empty=non_empty)
        log_prob = self._log_prob[np.arange(len(best)), best]
        return MostProbable(self._support.sets.indicator[best], log_prob, np.ones(len(best), dtype=bool))

    def _set_scores(self, documents: slice) -> Array:
        return self._scores[documents].copy()


def _with_subsets(
    support: Support, kept: Support, weight: Array, n_subsets: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], Array]:
    """Return documents, the kept set of each and its weight: one row per document, or one per subset of a rare set."""
    common = kept.sets.indicator
    # A kept set is a subset of a rare one where they share as many labels as it has.
    shared = (support.sets.indicator[kept.n_sets :] @ common.T).tocoo()
    inside = shared.data == kept.sizes[shared.col]
    by_rare: dict[int, list[int]] = {}
    for rare, frequent in zip(shared.row[inside].tolist(), shared.col[inside].tolist(), strict=True):
        by_rare.setdefault(rare + kept.n_sets, []).append(frequent)
    stand_ins = {
        rare: sorted(found, key=lambda one: (-int(kept.sizes[one]), one))[:n_subsets] for rare, found in by_rare.items()
    }  # sets are numbered by falling count, so of one size the most frequent comes first
    rows: list[int] = []
    sets: list[int] = []
    weights: list[float] = []
    for document, its_set in enumerate(support.set_of.tolist()):
        found = [its_set] if its_set < kept.n_sets else stand_ins.get(its_set, [])
        rows += [document] * len(found)
        sets += found
        weights += [weight[document] / max(len(found), 1)] * len(found)
    return np.array(rows, dtype=np.int64), np.array(sets, dtype=np.int64), np.array(weights)
