"""Elastic-net multinomial logistic regression, with classes or with distributions over classes as targets."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from setwise import _core
from setwise._estimator import BaseEstimator, ClassifierMixin, check_is_fitted
from setwise._validation import (
    MAX_ITER,
    PENALTY_CONSTRAINTS,
    TOL,
    Constraint,
    as_matrix,
    check_offset,
    check_parameters,
    check_soft_targets,
    class_values,
    normalized_weights,
    require_finite,
)
from setwise.exceptions import InvalidData, NotConverged
from setwise.learners.features import FeatureColumns
from setwise.learners.fits import CONSTANT_LOGIT, LEAST_TOL, RELATIVE_TOL
from setwise.learners.scoring import linear_scores

__all__ = ["ClassFit", "ClassProblem", "MultinomialLogistic", "fit_classes"]

_ROW_SUM_ERROR = 1e-6
"""How far the targets of a document may sum from one; they are scaled to sum to one exactly."""

FIT_CONSTRAINTS: Mapping[str, Constraint] = {**PENALTY_CONSTRAINTS, "tol": TOL, "max_iter": MAX_ITER}

ClassCallback = Callable[[int, "ClassFit"], bool | None]


@dataclass(frozen=True, eq=False)
class ClassFit:
    """The weights of every class, with the certificate of the fit."""

    coef: sp.csr_array
    """Weights, classes by features; only non-zeros are stored."""
    intercept: NDArray[np.float64]
    """One per class; those of classes that occur sum to zero, others lie CONSTANT_LOGIT below the lowest."""
    violation: float
    """The certificate: the largest violation of the optimality conditions, in units of the mean loss's gradient."""
    tol: float
    """The violation to end with."""
    objective: float
    """Mean loss plus penalty."""
    n_iter: int
    """Newton iterations."""
    absent: NDArray[np.bool_]
    """Classes that no document has."""
    history: list[dict[str, float]] = field(repr=False)
    """One row per iteration: iteration, objective, violation, n_nonzero, step."""

    @property
    def converged(self) -> bool:
        """Whether the violation is within ``tol``."""
        return self.violation <= self.tol

    def scores(self, X: Any) -> NDArray[np.float64]:
        """Return the score of every class for every document; probabilities are their softmax."""
        return linear_scores(X, self.coef, self.intercept)


def fit_classes(
    X: Any,
    targets: Any,
    *,
    strength: float,
    l1_ratio: float = 1.0,
    sample_weight: Any = None,
    offset: Any = None,
    warm_start: ClassFit | None = None,
    tol: float | None = None,
    max_iter: int = 200,
    callback: ClassCallback | None = None,
) -> ClassFit:
    """Fit a multinomial logistic regression with an elastic net.

    Minimizes over a weight vector w_k and an intercept b_k for each class (intercepts are not penalized)::

        (1 / sum_i c_i) sum_i c_i [log sum_k exp(z_ik) - sum_k y_ik z_ik]
            +  strength * sum_k (l1_ratio |w_k|_1 + (1 - l1_ratio) |w_k|_2^2)

    with z_ik = offset_ik + b_k + x_i . w_k. There is no 1/2 before the squared norm. With two classes this is the
    binary learner with its squared term halved.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features), or FeatureColumns
    targets : array or sparse matrix of shape (n_samples, n_classes)
        The y_ik; each row is a distribution over classes.
    strength : float
        Weight of the penalty, the paper's lambda.
    l1_ratio : float
        Share of the L1 norm in the penalty, the paper's alpha, from 0 to 1.
    sample_weight : array of shape (n_samples,), optional
        The c_i.
    offset : array of shape (n_samples, n_classes), optional
    warm_start : ClassFit, optional
        An earlier result with the same classes and features.
    tol : float, optional
        Largest violation of the optimality conditions to end with. By default ``RELATIVE_TOL`` times the largest
        gradient at zero weights.
    max_iter : int
        Most Newton iterations.
    callback : callable, optional
        ``callback(iteration, fit)`` is called after each iteration; where it returns True, the fit ends.

    Returns
    -------
    fit : ClassFit

    Examples
    --------
    >>> from setwise.learners import fit_classes
    >>> fit = fit_classes([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [[1, 0], [0, 1], [0.5, 0.5]], strength=0.01)
    >>> fit.scores([[1.0, 0.0]]).shape, fit.converged
    ((1, 2), True)
    """
    parameters = {"strength": strength, "l1_ratio": l1_ratio, "tol": tol, "max_iter": max_iter}
    check_parameters(FIT_CONSTRAINTS, parameters)
    problem = ClassProblem.of(X, targets, sample_weight, offset)
    if warm_start is not None and not isinstance(warm_start, ClassFit):
        raise InvalidData(f"warm_start must be an earlier result of fit_classes; got a {type(warm_start).__name__}.")
    if warm_start is not None and warm_start.coef.shape != problem.shape:
        raise InvalidData(
            f"warm_start must come from {problem.shape[0]} classes and {problem.shape[1]} features; "
            f"got {warm_start.coef.shape}."
        )
    if warm_start is not None:
        require_finite(warm_start.coef.data, "warm_start")
        require_finite(warm_start.intercept, "warm_start")
    asked = problem.default_tol() if tol is None else float(tol)
    if callback is None:
        fit = problem.fit(strength, l1_ratio, asked, max_iter, warm_start)
    else:
        fit = problem.fit(strength, l1_ratio, asked, 0, warm_start)
        for iteration in range(1, max_iter + 1):
            if fit.converged:
                return fit
            fit = problem.step(fit, strength, l1_ratio, iteration)
            if callback(iteration, fit):
                return fit
    if not fit.converged:
        warnings.warn(
            f"The fit did not converge: after {fit.n_iter} iterations its violation is {fit.violation:.2g}, "
            f"above the tolerance {fit.tol:.2g}. Hint: raise max_iter, tol or strength.",
            NotConverged,
            stacklevel=2,
        )
    return fit


def _joined(before: ClassFit, after: ClassFit) -> ClassFit:
    rows = [{**row, "iteration": row["iteration"] + before.n_iter} for row in after.history[1:]]
    return replace(after, n_iter=before.n_iter + after.n_iter, history=before.history + rows)


@dataclass(frozen=True, eq=False)
class ClassProblem:
    """Everything of a fit that does not depend on its strength; the core sees only the classes that occur."""

    features: FeatureColumns
    targets: NDArray[np.float64]
    weight: NDArray[np.float64]
    offset: NDArray[np.float64] | None
    absent: NDArray[np.bool_]

    @classmethod
    def of(cls, X: Any, targets: Any, sample_weight: Any = None, offset: Any = None) -> ClassProblem:
        """Check the data of a fit."""
        features = FeatureColumns.of(X)
        dense = check_soft_targets(targets, "targets").toarray()
        if dense.shape[0] != features.n_samples:
            raise InvalidData(f"X has {features.n_samples} rows but the targets have {dense.shape[0]}.")
        sums = dense.sum(axis=1)
        if (np.abs(sums - 1.0) > _ROW_SUM_ERROR).any():
            wrong = int(np.argmax(np.abs(sums - 1.0)))
            raise InvalidData(f"targets must sum to 1 in each row; got {sums[wrong]:g} in row {wrong}.")
        weight = normalized_weights(sample_weight, features.n_samples)
        offsets = check_offset(offset, features.n_samples, dense.shape[1])
        if offsets is not None and len(offsets) != dense.shape[1]:
            raise InvalidData(f"offset must have one column per class, {dense.shape[1]}; got one for all.")
        absent = weight @ dense == 0.0
        kept = np.ascontiguousarray((dense / sums[:, None])[:, ~absent])
        kept_offsets = None if offsets is None else np.ascontiguousarray(offsets[~absent].T)
        return cls(features, kept, weight, kept_offsets, absent)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of classes, including absent ones, and number of features."""
        return self.absent.size, self.features.n_features

    def default_tol(self) -> float:
        """Return a share of the largest gradient at zero weights: the violation without penalty and iterations."""
        return max(RELATIVE_TOL * self.fit(0.0, 1.0, 1.0, 0, None).violation, LEAST_TOL)

    def step(self, fit: ClassFit, strength: float, l1_ratio: float, iteration: int) -> ClassFit:
        """Take Newton iteration number ``iteration``, counted from 1, just as a whole fit would."""
        return _joined(fit, self.fit(strength, l1_ratio, fit.tol, 1, fit, iteration - 1))

    def fit(
        self,
        strength: float,
        l1_ratio: float,
        tol: float,
        max_iter: int,
        start: ClassFit | None,
        first_iteration: int = 0,
        max_sweeps: int = 1000,
        shifts: bool = True,
    ) -> ClassFit:
        """Fit from ``start``, the result of ``first_iteration`` iterations, or from zero weights.

        Each iteration takes at most ``max_sweeps`` sweeps over the features to find its direction. Without ``shifts``
        the classes of a feature move without a shift that all share, which takes more sweeps to the same optimum.
        """
        n_inner, present = self.features.kept.size, np.flatnonzero(~self.absent)
        if start is None:
            weights = np.zeros((n_inner, present.size))
            intercept = np.log(self.weight @ self.targets)
        else:
            weights = np.ascontiguousarray(self.features.inward(start.coef[present]).toarray().T)
            intercept = start.intercept[present]
        flat, intercepts, violation, objective, n_iter, columns = _core.fit_multinomial(
            self.features.native,
            self.targets,
            self.weight,
            self.offset,
            weights,
            np.ascontiguousarray(intercept),
            float(strength),
            float(l1_ratio),
            float(tol),
            min(int(max_iter), np.iinfo(np.int32).max),
            first_iteration,
            max_sweeps,
            shifts,
        )
        inner = sp.csr_array(flat.reshape(n_inner, present.size).T)
        lengths = np.zeros(self.absent.size, dtype=np.int64)
        lengths[present] = np.diff(inner.indptr)
        coef = self.features.outward(lengths, inner.indices, inner.data)
        whole = np.full(self.absent.size, intercepts.min() - CONSTANT_LOGIT)
        whole[present] = intercepts
        names = [name for name in columns if name != "label"]
        history = [{name: columns[name][row].item() for name in names} for row in range(len(columns["iteration"]))]
        return ClassFit(coef, whole, violation, tol, objective, n_iter, self.absent, history)


class MultinomialLogistic(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Multinomial logistic regression with an elastic net: :func:`fit_classes` as an estimator.

    Parameters
    ----------
    strength, l1_ratio : float
        The penalty, as for :class:`BinaryLogistic`.
    tol : float, optional
        Largest violation of the optimality conditions to end with, see :func:`fit_classes`.
    max_iter : int
        Most Newton iterations.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    coef_ : array of shape (n_classes, n_features)
    intercept_ : array of shape (n_classes,)
    fit_ : ClassFit
        The fit with its optimality certificate.
    violation_, objective_, n_iter_, history_, n_features_in_
        As for :class:`BinaryLogistic`.

    Examples
    --------
    >>> from setwise.learners import MultinomialLogistic
    >>> X, y = [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]], ["sun", "rain", "fog"]
    >>> MultinomialLogistic(strength=0.01).fit(X, y).predict([[2.0, 0.0]])
    array(['sun'], dtype='<U4')
    """

    def __init__(
        self, strength: float = 1e-3, l1_ratio: float = 0.5, tol: float | None = None, max_iter: int = 200
    ) -> None:
        self.strength = strength
        self.l1_ratio = l1_ratio
        self.tol = tol
        self.max_iter = max_iter

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        offset: Any = None,
        warm_start: ClassFit | None = None,
        callback: ClassCallback | None = None,
    ) -> MultinomialLogistic:
        """Fit to documents X and their classes y, or distributions over classes, documents by classes."""
        classes, targets = _class_targets(y)
        fit = fit_classes(
            X,
            targets,
            strength=self.strength,
            l1_ratio=self.l1_ratio,
            sample_weight=sample_weight,
            offset=offset,
            warm_start=warm_start,
            tol=self.tol,
            max_iter=self.max_iter,
            callback=callback,
        )
        self.classes_ = classes
        self.fit_ = fit
        self.n_features_in_ = fit.coef.shape[1]
        self.coef_ = fit.coef.toarray()
        self.intercept_ = fit.intercept
        self.violation_ = fit.violation
        self.objective_ = fit.objective
        self.n_iter_ = fit.n_iter
        self.history_ = fit.history
        return self

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the score of every class for each document, documents by classes."""
        check_is_fitted(self)
        return self.fit_.scores(X)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of every class for each document, documents by classes."""
        scores = self.decision_function(X)
        return np.asarray(np.exp(scores - np.logaddexp.reduce(scores, axis=1, keepdims=True)))

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most probable class of each document."""
        best = np.argmax(self.decision_function(X), axis=1)
        return np.asarray(self.classes_[best])


def _class_targets(y: Any) -> tuple[NDArray[Any], Any]:
    """Return the classes in order, and one row per document with 1 at its class; a matrix of targets stays as it is."""
    if sp.issparse(y) or (hasattr(y, "ndim") and y.ndim == 2) or _is_nested(y):
        targets = as_matrix(y, "y")
        return np.arange(targets.shape[1]), targets
    classes, place = np.unique(class_values(y), return_inverse=True)
    return classes, np.eye(classes.size)[place]


def _is_nested(y: Any) -> bool:
    return isinstance(y, list | tuple) and len(y) > 0 and isinstance(y[0], list | tuple)
