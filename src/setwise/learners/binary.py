"""Elastic-net logistic regression: one label, or many labels over one matrix of features."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from setwise.exceptions import InvalidData
from setwise.learners.checks import (
    checked_l1_ratio,
    checked_max_iter,
    checked_strength,
    checked_tol,
    class_values,
    require_finite,
)
from setwise.learners.fits import LabelFits, warn_unless_converged
from setwise.learners.problem import BinaryProblem

__all__ = ["BinaryLogistic", "critical_strengths", "fit_labels"]

Callback = Callable[[int, "LabelFits"], bool | None]


def fit_labels(
    X: Any,
    y: Any,
    *,
    strength: float,
    l1_ratio: float = 1.0,
    sample_weight: Any = None,
    offset: Any = None,
    warm_start: LabelFits | None = None,
    soft: bool = False,
    column_limits: Any = None,
    tol: float | None = None,
    max_iter: int = 200,
    n_jobs: int | None = None,
    callback: Callback | None = None,
) -> LabelFits:
    """Fit a binary logistic regression with an elastic net for each label.

    Minimises for each label, over w and b (b is not penalised)::

        (1 / sum_i c_i) sum_i c_i [log(1 + exp(z_i)) - y_i z_i]  +  strength * (l1_ratio |w|_1 + (1 - l1_ratio) |w|_2^2)

    with z_i = offset_i + b + x_i . w. ``strength`` is the paper's lambda, ``l1_ratio`` its alpha; there is no 1/2
    before the squared norm. X is sparse or dense, documents by features, or a :class:`FeatureColumns` made of it once.

    y holds 0 and 1, documents by labels (sparse, dense, or lists of names); with ``soft`` it holds targets in [0, 1].
    ``sample_weight`` are the c_i; ``offset`` has one value a document, or one a document and label. ``warm_start`` is
    an earlier result with the same labels and features. ``tol`` is the largest violation of the optimality conditions
    to end with; without it, a small share (``RELATIVE_TOL``) of the largest gradient at zero weights, label by label.
    ``column_limits`` has a number a label: label l may use only the first ``column_limits[l]`` features.

    After each Newton iteration of all labels, ``callback(iteration, fits)`` is called; where it returns True the fit
    ends. ``n_jobs=None`` uses every core, or as many as ``OMP_NUM_THREADS`` says; the bits of the result do not
    depend on it.
    """
    problem = BinaryProblem.of(X, y, sample_weight, offset, soft, n_jobs, column_limits)
    strength, l1_ratio = checked_strength(strength), checked_l1_ratio(l1_ratio)
    tol, max_iter = checked_tol(tol), checked_max_iter(max_iter)
    start = _checked_start(warm_start, problem)
    if callback is not None:
        return _fit_watched(problem, strength, l1_ratio, tol, max_iter, start, callback)
    (fits,) = problem.fit([strength], l1_ratio, tol, max_iter, start)
    warn_unless_converged(fits)
    return fits


def _fit_watched(
    problem: BinaryProblem,
    strength: float,
    l1_ratio: float,
    tol: float | None,
    max_iter: int,
    start: LabelFits | None,
    callback: Callback,
) -> LabelFits:
    """Take one iteration at a time: each needs the weights and its number alone, so the steps are those of one fit."""
    (fits,) = problem.fit([strength], l1_ratio, tol, 0, start)
    for iteration in range(1, max_iter + 1):
        if fits.converged.all():
            return fits
        fits = advanced(problem, strength, l1_ratio, tol, fits, iteration)
        if callback(iteration, fits):
            return fits
    warn_unless_converged(fits)
    return fits


def advanced(
    problem: BinaryProblem, strength: float, l1_ratio: float, tol: float | None, fits: LabelFits, iteration: int
) -> LabelFits:
    """Take one iteration more, the ``iteration``-th, of every label that has not converged."""
    (after,) = problem.fit([strength], l1_ratio, tol, 1, fits, iteration - 1)
    return _joined(fits, after)


def _joined(before: LabelFits, after: LabelFits) -> LabelFits:
    """Give ``after`` with the iterations of both."""
    new = after.history["iteration"] > 0  # row 0 repeats where `before` ended
    rows = {name: column[new] for name, column in after.history.items()}
    rows["iteration"] = rows["iteration"] + before.n_iter[rows["label"]]
    history = {name: np.concatenate([column, rows[name]]) for name, column in before.history.items()}
    return replace(after, n_iter=before.n_iter + after.n_iter, history=history)


def critical_strengths(
    X: Any,
    y: Any,
    *,
    l1_ratio: float = 1.0,
    sample_weight: Any = None,
    offset: Any = None,
    soft: bool = False,
    n_jobs: int | None = None,
) -> NDArray[np.float64]:
    """Give for each label the least strength at which all its weights are zero; infinite where ``l1_ratio`` is 0."""
    problem = BinaryProblem.of(X, y, sample_weight, offset, soft, n_jobs)
    return peak_strengths(problem.peak, checked_l1_ratio(l1_ratio))


def peak_strengths(peak: NDArray[np.float64], l1_ratio: float) -> NDArray[np.float64]:
    """Turn the largest gradients at zero weights into the strengths that outweigh them."""
    if l1_ratio == 0.0:
        return np.where(peak > 0.0, np.inf, 0.0)
    return np.asarray(peak / l1_ratio)


def _checked_start(start: LabelFits | None, problem: BinaryProblem) -> LabelFits | None:
    if start is None:
        return None
    if not isinstance(start, LabelFits):
        raise InvalidData(f"warm_start must be an earlier result of fit_labels; got a {type(start).__name__}.")
    expected = (problem.n_labels, problem.features.n_features)
    if start.coef.shape != expected:
        raise InvalidData(
            f"warm_start must come from {expected[0]} labels and {expected[1]} features; got {start.coef.shape}."
        )
    require_finite(start.coef.data, "warm_start")
    require_finite(start.intercept, "warm_start")
    if problem.column_limits is not None:
        label, feature = start.coef.tocoo().coords
        beyond = np.flatnonzero(feature >= problem.column_limits[label])
        if beyond.size:
            raise InvalidData(
                f"warm_start must have no weight beyond column_limits; got one of label {label[beyond[0]]} "
                f"for feature {feature[beyond[0]]}."
            )
    return start


class BinaryLogistic(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Binary logistic regression with an elastic net.

    Minimises over w and b (b is not penalised)::

        (1/n) sum_i log(1 + exp(-t_i (x_i . w + b)))  +  strength * (l1_ratio |w|_1 + (1 - l1_ratio) |w|_2^2)

    with t_i in {-1, +1}. ``strength`` is the paper's lambda, ``l1_ratio`` its alpha. There is no 1/2 before the squared
    norm. After ``fit``: ``coef_`` (1 x features), ``intercept_``, ``violation_`` (the certificate), ``objective_``,
    ``n_iter_``, ``history_`` (a row an iteration), ``classes_``.
    """

    def __init__(
        self,
        strength: float = 1e-3,
        l1_ratio: float = 0.5,
        tol: float | None = None,
        max_iter: int = 200,
        n_jobs: int | None = None,
    ) -> None:
        self.strength = strength
        self.l1_ratio = l1_ratio
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        offset: Any = None,
        warm_start: LabelFits | None = None,
        callback: Callback | None = None,
    ) -> BinaryLogistic:
        """Fit to documents X and a class for each: 0 and 1, or any two values, the larger being the positive one."""
        classes, positive = _two_classes(y)
        fits = fit_labels(
            X,
            positive,
            strength=self.strength,
            l1_ratio=self.l1_ratio,
            sample_weight=sample_weight,
            offset=offset,
            warm_start=warm_start,
            tol=self.tol,
            max_iter=self.max_iter,
            n_jobs=self.n_jobs,
            callback=callback,
        )
        self.classes_ = classes
        self.fits_ = fits
        self.n_features_in_ = fits.coef.shape[1]
        self.coef_ = fits.coef.toarray()
        self.intercept_ = fits.intercept
        self.violation_ = float(fits.violation[0])
        self.objective_ = float(fits.objective[0])
        self.n_iter_ = int(fits.n_iter[0])
        self.history_ = fits.history_rows(0)
        return self

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Give the logit of the positive class for each document."""
        check_is_fitted(self)
        return self.fits_.scores(X)[:, 0]

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Give the probability of the negative and of the positive class for each document."""
        logit = self.decision_function(X)
        return np.asarray(np.exp(np.column_stack([-np.logaddexp(0.0, logit), -np.logaddexp(0.0, -logit)])))

    def predict(self, X: Any) -> NDArray[Any]:
        """Give the more probable class of each document."""
        positive = self.decision_function(X) > 0.0
        return np.asarray(self.classes_[positive.astype(np.int64)])


def _two_classes(y: Any) -> tuple[NDArray[Any], NDArray[np.float64]]:
    """Give the two classes in order, and a column with 1 where a document is of the second."""
    values = class_values(y)
    classes = np.unique(values)
    if classes.size == 1 and values.dtype.kind in "biuf" and classes[0] in (0, 1):
        classes = np.asarray([0, 1], dtype=values.dtype)
    if classes.size != 2:
        raise InvalidData(
            f"y must hold two classes; got {classes.size}. Hint: for more classes use MultinomialLogistic, for targets "
            f"between 0 and 1 use fit_labels(..., soft=True)."
        )
    return classes, (values == classes[1]).astype(np.float64)[:, None]
