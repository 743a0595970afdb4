"""RAkEL: a multinomial over the combinations of each of many random labelsets; probabilities are averaged."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from setwise._estimator import check_is_fitted
from setwise._validation import (
    PENALTY_CONSTRAINTS,
    SOLVER_CONSTRAINTS,
    Interval,
    NoneOr,
    RandomState,
    effective_n_jobs,
    random_seed,
)
from setwise.exceptions import InvalidData, InvalidParameter
from setwise.labels import LabelMatrix
from setwise.learners import ClassFit, ClassProblem, FeatureColumns
from setwise.models.base import Callback, LabelModel
from setwise.models.bernoulli_posterior import IndependentPosterior
from setwise.models.class_fits import ClassOptions, ClassSteps, in_threads, warn_unless_converged
from setwise.models.state_checks import check_array, check_range, check_sparse

__all__ = ["RandomLabelsets"]

Array = NDArray[np.float64]

_LEAST_CHANCE = 1e-15
"""Probabilities are kept this far from 0 and 1, so that their logits are finite."""


class RandomLabelsets(LabelModel):
    """RAkEL (Tsoumakas and Vlahavas, 2007): random k-labelsets.

    Each labelset of k labels has a multinomial logistic regression over the combinations of its labels that occur in
    training. The probability of a label is the mean of its probabilities over the labelsets that contain it; labels are
    then independent. Labelsets are drawn so that all labels are in as many of them, up to one.

    Each multinomial minimizes, over weights w and intercepts that are not penalized::

        (1 / sum_i c_i) sum_i c_i loss_i  +  strength * (l1_ratio |w|_1 + (1 - l1_ratio) |w|_2^2)

    Parameters
    ----------
    strength : float
        Weight of the penalty, the paper's lambda.
    l1_ratio : float
        Share of the L1 norm in the penalty, the paper's alpha, from 0 to 1.
    labelset_size : int
        The k; where there are fewer labels, all of them.
    n_labelsets : int, optional
        Number of labelsets; None takes two per label.
    random_state : int
        Seed of the labelsets.
    tol, max_iter, n_jobs
        As for :class:`BinaryRelevance`.

    Attributes
    ----------
    classes_ : tuple of str
        The label names.
    n_features_in_ : int
        Number of features seen in ``fit``.
    labelsets_ : array of shape (n_labelsets, labelset_size)
        Label indices.
    first_ : array of shape (n_labelsets + 1,)
        The combinations of labelset g are rows ``first_[g]`` to ``first_[g + 1] - 1`` of the following.
    combinations_ : sparse array of shape (n_combinations, n_labels)
        The labels of each combination.
    coef_ : sparse array of shape (n_combinations, n_features)
    intercept_ : array of shape (n_combinations,)
    fits_ : list of ClassFit
        One per labelset, with its optimality certificate.

    Examples
    --------
    >>> from setwise.models import RandomLabelsets
    >>> model = RandomLabelsets(strength=0.1).fit([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [["a"], ["b"], ["a", "b"]])
    >>> model.posterior([[1.0, 0.0]]).marginals().shape
    (1, 2)
    """

    abilities: ClassVar = IndependentPosterior.abilities
    _parameter_constraints: ClassVar = {
        **PENALTY_CONSTRAINTS,
        **SOLVER_CONSTRAINTS,
        "labelset_size": Interval("integer", 1, None),
        "n_labelsets": NoneOr(Interval("integer", 1, None)),
        "random_state": RandomState(),
    }
    _fitted: ClassVar[tuple[str, ...]] = ("labelsets_", "first_", "combinations_", "coef_", "intercept_")

    labelsets_: NDArray[np.int32]
    first_: NDArray[np.int64]
    combinations_: sp.csr_array
    coef_: sp.csr_array
    intercept_: Array
    fits_: list[ClassFit]

    def __init__(
        self,
        strength: float = 1e-3,
        l1_ratio: float = 0.5,
        labelset_size: int = 3,
        n_labelsets: int | None = None,
        random_state: int = 0,
        tol: float | None = None,
        max_iter: int = 200,
        n_jobs: int | None = None,
    ) -> None:
        self.strength = strength
        self.l1_ratio = l1_ratio
        self.labelset_size = labelset_size
        self.n_labelsets = n_labelsets
        self.random_state = random_state
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None, callback: Callback | None = None) -> RandomLabelsets:
        """Fit the multinomial of every labelset; ``callback`` is called after each Newton iteration of all of them."""
        self._check_parameters()
        labels, features = LabelMatrix.of(y), FeatureColumns.of(X)
        labels.check_rows(features.n_samples)
        self.classes_, self.n_features_in_ = labels.names, features.n_features
        self.labelsets_ = self._draw(labels.n_labels)
        columns = sp.csc_array(labels.indicator)
        options = ClassOptions(self.strength, self.l1_ratio, self.tol, self.max_iter, effective_n_jobs(self.n_jobs))
        combinations, problems = [], []
        for labelset in self.labelsets_:
            found, of_document = np.unique(columns[:, labelset].toarray(), axis=0, return_inverse=True)
            combinations.append(found)
            problem = ClassProblem.of(features, np.eye(len(found))[of_document.ravel()], sample_weight)
            problems.append((problem, self.strength, problem.default_tol() if self.tol is None else self.tol))
        self._set_combinations(combinations)
        if callback is None:
            self._set_fits(
                in_threads(
                    lambda one: one[0].fit(one[1], self.l1_ratio, one[2], self.max_iter, None), problems, options.n_jobs
                )
            )
        elif self._fit_stepwise(ClassSteps(problems, options), callback):
            return self
        warn_unless_converged(self.fits_, "labelsets")
        return self

    def _fit_stepwise(self, steps: ClassSteps, callback: Callback) -> bool:
        """Take one iteration of all labelsets at a time; return True where the callback ended the fit."""
        self._set_fits(steps.fits)
        for iteration in range(1, self.max_iter + 1):
            if steps.converged:
                break
            steps.advance(iteration)
            self._set_fits(steps.fits)
            if callback(iteration, self):
                return True
        return False

    def _draw(self, n_labels: int) -> NDArray[np.int32]:
        """Draw the labelsets: permutations of all labels, one after the other, cut into pieces."""
        size = min(self.labelset_size, n_labels)
        least = -(-n_labels // size)
        n_labelsets = 2 * n_labels if self.n_labelsets is None else self.n_labelsets
        if n_labelsets < least:
            raise InvalidParameter(
                f"n_labelsets must be at least {least}, so that each of the {n_labels} labels is in one; "
                f"got {n_labelsets}."
            )
        random = np.random.default_rng(random_seed(self.random_state))
        if size == n_labels:  # all labelsets would be the same
            return np.arange(n_labels, dtype=np.int32)[None]
        drawn: list[NDArray[np.int64]] = []
        while len(drawn) < n_labelsets:
            order = random.permutation(n_labels)
            short = -n_labels % size  # the last piece is filled with labels of the others
            order = np.concatenate([order, random.permutation(order[: n_labels - size + short])[:short]])
            drawn += list(np.sort(order.reshape(-1, size), axis=1))
        return np.array(drawn[:n_labelsets], dtype=np.int32)

    def _set_combinations(self, combinations: list[NDArray[Any]]) -> None:
        """Set: first_, combinations_."""
        self.first_ = np.concatenate([[0], np.cumsum([len(found) for found in combinations])]).astype(np.int64)
        whole = sp.lil_array((self.first_[-1], len(self.classes_)), dtype=np.int64)
        for start, labelset, found in zip(self.first_, self.labelsets_, combinations, strict=False):
            row, place = np.nonzero(found)
            whole[start + row, labelset[place]] = 1
        self.combinations_ = sp.csr_array(whole)

    def _set_fits(self, fits: list[ClassFit]) -> None:
        """Set: fits_, coef_, intercept_, objective_."""
        self.fits_ = fits
        self.coef_ = sp.csr_array(sp.vstack([fit.coef for fit in fits], format="csr"))
        self.intercept_ = np.concatenate([fit.intercept for fit in fits])
        self.objective_ = float(sum(fit.objective for fit in fits))

    def _check_state(self) -> None:
        super()._check_state()
        n_labels, n_labelsets = len(self.classes_), len(self.labelsets_)
        check_array(self.labelsets_, "labelsets_", (n_labelsets, *np.shape(self.labelsets_)[1:2]), np.int32)
        check_range(self.labelsets_, "labelsets_", 0, n_labels - 1)
        if np.unique(self.labelsets_).size != n_labels:
            raise InvalidData("labelsets_ must contain each label at least once.")
        check_array(self.first_, "first_", (n_labelsets + 1,), np.int64)
        if self.first_[0] != 0 or (np.diff(self.first_) < 1).any():
            raise InvalidData("first_ must start at 0 and rise.")
        n_rows = int(self.first_[-1])
        check_sparse(self.combinations_, "combinations_", (n_rows, n_labels), np.int64)
        check_range(self.combinations_.data, "combinations_", 1, 1)
        check_sparse(self.coef_, "coef_", (n_rows, self.n_features_in_))
        check_array(self.intercept_, "intercept_", (n_rows,))

    def label_weights(self) -> sp.csr_array:
        """Return the weights of the combinations with a label minus those without it, averaged over its labelsets."""
        check_is_fitted(self)
        labelset = np.repeat(np.arange(len(self.labelsets_)), np.diff(self.first_))
        inside = np.zeros((len(self.labelsets_), len(self.classes_)))
        np.put_along_axis(inside, self.labelsets_.astype(np.int64), 1.0, axis=1)
        present = self.combinations_.toarray().astype(np.float64)
        absent = inside[labelset] - present
        of_labelset = sp.csr_array((np.ones(len(labelset)), labelset, np.arange(len(labelset) + 1)))
        with_label, without = of_labelset.T @ present, of_labelset.T @ absent
        share = present / np.maximum(with_label, 1.0)[labelset] - absent / np.maximum(without, 1.0)[labelset]
        return sp.csr_array(sp.csr_array((share / inside.sum(axis=0)).T) @ self.coef_)

    @property
    def _n_scores(self) -> int:
        return int(self.first_[-1])

    def _posterior(self, X: Any) -> IndependentPosterior:
        scores = self._linear_scores(X)
        starts, lengths = self.first_[:-1], np.diff(self.first_)
        scores -= np.repeat(np.maximum.reduceat(scores, starts, axis=1), lengths, axis=1)
        chances = np.exp(scores)
        chances /= np.repeat(np.add.reduceat(chances, starts, axis=1), lengths, axis=1)
        n_labelsets = np.bincount(self.labelsets_.ravel(), minlength=len(self.classes_))
        marginals = np.asarray((self.combinations_.T @ chances.T).T) / n_labelsets
        marginals = np.clip(marginals, _LEAST_CHANCE, 1.0 - _LEAST_CHANCE)
        logits = np.log(marginals) - np.log1p(-marginals)
        return IndependentPosterior.of_scores(self.classes_, logits, effective_n_jobs(self.n_jobs))
