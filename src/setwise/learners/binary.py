"""Elastic-net logistic regression: one label, or many labels over one matrix of features."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from setwise import _core
from setwise.exceptions import InvalidData, NotConverged
from setwise.labels import LabelMatrix
from setwise.learners.checks import (
    checked_l1_ratio,
    checked_max_iter,
    checked_offset,
    checked_soft_targets,
    checked_strength,
    checked_threads,
    checked_tol,
    class_values,
    document_weights,
    linear_scores,
    require_finite,
)
from setwise.learners.features import FeatureColumns

__all__ = [
    "CONSTANT_LOGIT",
    "LEAST_TOL",
    "RELATIVE_TOL",
    "BinaryLogistic",
    "LabelFits",
    "critical_strengths",
    "fit_labels",
]

CONSTANT_LOGIT = 36.0
"""Size of the intercept of a label that every document has, or none: its probability is then 1, or 0, to rounding."""

RELATIVE_TOL = 3e-4
"""Without a ``tol``, a fit ends when its violation is this share of the largest gradient at zero weights."""

LEAST_TOL = 1e-12
"""No fit is asked for less than this violation unless its ``tol`` says so: below lies rounding."""

Callback = Callable[[int, "LabelFits"], bool | None]


@dataclass(frozen=True, eq=False)
class LabelFits:
    """The fits of all labels, each with its certificate."""

    coef: sp.csr_array
    """Weights, labels by features; only non-zeros are stored."""
    intercept: NDArray[np.float64]
    violation: NDArray[np.float64]
    """The certificate: the largest violation of the optimality conditions, in units of the mean loss's gradient."""
    tol: NDArray[np.float64]
    """The violation that was asked for."""
    objective: NDArray[np.float64]
    """Mean loss plus penalty."""
    n_iter: NDArray[np.int32]
    """Newton iterations."""
    constant: NDArray[np.bool_]
    """Labels that every document has, or none: nothing to fit, zero weights, intercept at plus or minus 36."""
    history: dict[str, NDArray[Any]] = field(repr=False)
    """One row an iteration of a label: label, iteration, objective, violation, n_nonzero, step."""

    @property
    def converged(self) -> NDArray[np.bool_]:
        """Which labels reached the violation asked for."""
        return np.asarray(self.violation <= self.tol)

    def scores(self, X: Any) -> NDArray[np.float64]:
        """Give the logit of every label for every document."""
        return linear_scores(X, self.coef, self.intercept)

    def history_rows(self, label: int) -> list[dict[str, float]]:
        """Give the iterations of one label, a row each."""
        chosen = np.flatnonzero(self.history["label"] == label)
        return [{name: column[k].item() for name, column in self.history.items() if name != "label"} for k in chosen]


@dataclass(frozen=True, eq=False)
class BinaryProblem:
    """Everything of a fit that its strength does not change: checked once, read by every fit of a path."""

    features: FeatureColumns
    targets: sp.csc_array
    weight: NDArray[np.float64]
    offset: NDArray[np.float64] | None
    constant: NDArray[np.bool_]
    n_threads: int
    native: _core.Targets
    """Targets, weights and offsets of the labels that vary."""
    null_intercept: NDArray[np.float64]
    peak: NDArray[np.float64]
    """Largest gradient of a feature at zero weights; 0 for constants."""

    @classmethod
    def of(cls, X: Any, Y: Any, sample_weight: Any, offset: Any, soft: bool, n_threads: Any) -> BinaryProblem:
        """Check the data of a fit and find the models without features."""
        features = FeatureColumns.of(X)
        targets = checked_soft_targets(Y, "Y") if soft else _columns_of_labels(Y)
        if targets.shape[0] != features.n_samples:
            raise InvalidData(f"Y must have one row a row of X, {features.n_samples}; got {targets.shape[0]}.")
        weight = document_weights(sample_weight, features.n_samples)
        offsets = checked_offset(offset, features.n_samples, targets.shape[1])
        threads = checked_threads(n_threads)
        always, never = _constant_labels(targets, weight)
        constant = always | never
        varying = np.flatnonzero(~constant)
        kept = targets[:, varying]
        kept_offsets = offsets if offsets is None or len(offsets) == 1 else np.ascontiguousarray(offsets[varying])
        native = _core.Targets(
            features.n_samples,
            kept.indptr.astype(np.int64),
            kept.indices.astype(np.int32),
            kept.data,
            weight,
            kept_offsets,
        )
        null_intercept = _constant_intercepts(always, offsets)
        peak = np.zeros(targets.shape[1])
        null_intercept[varying], peak[varying] = _core.null_models(features.native, native, threads)
        return cls(features, targets, weight, offsets, constant, threads, native, null_intercept, peak)

    @property
    def n_labels(self) -> int:
        """How many labels there are, constants too."""
        return int(self.targets.shape[1])

    def fit(
        self,
        strengths: list[float],
        l1_ratio: float,
        tol: float | None,
        max_iter: int,
        start: LabelFits | None = None,
        first_iteration: int = 0,
    ) -> list[LabelFits]:
        """Fit every label that varies at falling strengths, each from where the one before ended.

        The first starts from ``start``, which has ``first_iteration`` iterations behind it, or from zero weights.
        """
        varying = np.flatnonzero(~self.constant)
        asked = np.maximum(RELATIVE_TOL * self.peak, LEAST_TOL) if tol is None else np.full(self.n_labels, tol)
        if start is None:
            coef = sp.csr_array((varying.size, self.features.kept.size), dtype=np.float64)
            intercept = self.null_intercept[varying]
        else:
            coef = self.features.inward(start.coef[varying])
            intercept = start.intercept[varying]
        found = _core.fit_binary(
            self.features.native,
            self.native,
            coef.indptr.astype(np.int64),
            coef.indices.astype(np.int32),
            coef.data.astype(np.float64),
            np.ascontiguousarray(intercept, dtype=np.float64),
            strengths[-1],
            l1_ratio,
            asked[varying],
            max_iter,
            self.n_threads,
            np.asarray(strengths[:-1], dtype=np.float64),
            first_iteration,
        )
        return [self._with_constants(*one, asked=asked) for one in found]

    def _with_constants(
        self,
        indptr: NDArray[np.int64],
        indices: NDArray[np.int32],
        values: NDArray[np.float64],
        intercepts: NDArray[np.float64],
        violations: NDArray[np.float64],
        objectives: NDArray[np.float64],
        n_iters: NDArray[np.int32],
        history: dict[str, NDArray[Any]],
        *,
        asked: NDArray[np.float64],
    ) -> LabelFits:
        """Put the constant labels back between those that vary."""
        varying = np.flatnonzero(~self.constant)
        lengths = np.zeros(self.n_labels, dtype=np.int64)
        lengths[varying] = np.diff(indptr)
        coef = self.features.outward(np.concatenate([[0], np.cumsum(lengths)]), indices, values)
        history["label"] = varying.astype(np.int32)[history["label"]]
        intercept = self.null_intercept.copy()
        chance = np.exp(-CONSTANT_LOGIT)  # bounds a constant label's chance of being otherwise, and its loss
        violation = np.full(self.n_labels, chance * max(1.0, self.features.largest))
        asked = np.where(self.constant, np.maximum(asked, violation), asked)  # an intercept far out is all one can ask
        objective = np.full(self.n_labels, chance)
        n_iter = np.zeros(self.n_labels, dtype=np.int32)
        intercept[varying], violation[varying], objective[varying] = intercepts, violations, objectives
        n_iter[varying] = n_iters
        return LabelFits(coef, intercept, violation, asked, objective, n_iter, self.constant, history)


def fit_labels(
    X: Any,
    Y: Any,
    *,
    strength: float,
    l1_ratio: float = 1.0,
    sample_weight: Any = None,
    offset: Any = None,
    warm_start: LabelFits | None = None,
    soft: bool = False,
    tol: float | None = None,
    max_iter: int = 200,
    n_threads: int | None = None,
    callback: Callback | None = None,
) -> LabelFits:
    """Fit a binary logistic regression with an elastic net for each label.

    Minimises for each label, over w and b (b is not penalised)::

        (1 / sum_i c_i) sum_i c_i [log(1 + exp(z_i)) - y_i z_i]  +  strength * (l1_ratio |w|_1 + (1 - l1_ratio) |w|_2^2)

    with z_i = offset_i + b + x_i . w. ``strength`` is the paper's lambda, ``l1_ratio`` its alpha; there is no 1/2
    before the squared norm. X is sparse or dense, documents by features, or a :class:`FeatureColumns` made of it once.

    Y holds 0 and 1, documents by labels (sparse, dense, or lists of names); with ``soft`` it holds targets in [0, 1].
    ``sample_weight`` are the c_i; ``offset`` has one value a document, or one a document and label. ``warm_start`` is
    an earlier result with the same labels and features. ``tol`` is the largest violation of the optimality conditions
    to end with; without it, a small share (``RELATIVE_TOL``) of the largest gradient at zero weights, label by label.

    After each Newton iteration of all labels, ``callback(iteration, fits)`` is called; where it returns True the fit
    ends. ``n_threads=None`` uses every core; the result has the same bits whatever the number.
    """
    problem = BinaryProblem.of(X, Y, sample_weight, offset, soft, n_threads)
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
        (after,) = problem.fit([strength], l1_ratio, tol, 1, fits, iteration - 1)
        fits = _joined(fits, after)
        if callback(iteration, fits):
            return fits
    warn_unless_converged(fits)
    return fits


def _joined(before: LabelFits, after: LabelFits) -> LabelFits:
    """Give ``after`` with the iterations of both."""
    new = after.history["iteration"] > 0  # row 0 repeats where `before` ended
    rows = {name: column[new] for name, column in after.history.items()}
    rows["iteration"] = rows["iteration"] + before.n_iter[rows["label"]]
    history = {name: np.concatenate([column, rows[name]]) for name, column in before.history.items()}
    return replace(after, n_iter=before.n_iter + after.n_iter, history=history)


def warn_unless_converged(fits: LabelFits) -> None:
    """Warn in one sentence where a fit ended before its violation was as small as asked."""
    late = np.flatnonzero(~fits.converged)
    if late.size:
        worst = late[np.argmax(fits.violation[late] / fits.tol[late])]
        warnings.warn(
            f"{late.size} of {fits.converged.size} labels did not reach the violation asked for: label {worst} has "
            f"{fits.violation[worst]:.2g} and should have {fits.tol[worst]:.2g} after {fits.n_iter[worst]} iterations. "
            f"Hint: raise max_iter, tol or strength.",
            NotConverged,
            stacklevel=3,
        )


def critical_strengths(
    X: Any,
    Y: Any,
    *,
    l1_ratio: float = 1.0,
    sample_weight: Any = None,
    offset: Any = None,
    soft: bool = False,
    n_threads: int | None = None,
) -> NDArray[np.float64]:
    """Give for each label the least strength at which all its weights are zero; infinite where ``l1_ratio`` is 0."""
    problem = BinaryProblem.of(X, Y, sample_weight, offset, soft, n_threads)
    return peak_strengths(problem.peak, checked_l1_ratio(l1_ratio))


def peak_strengths(peak: NDArray[np.float64], l1_ratio: float) -> NDArray[np.float64]:
    """Turn the largest gradients at zero weights into the strengths that outweigh them."""
    if l1_ratio == 0.0:
        return np.where(peak > 0.0, np.inf, 0.0)
    return np.asarray(peak / l1_ratio)


def _columns_of_labels(Y: Any) -> sp.csc_array:
    return sp.csc_array(LabelMatrix.of(Y).indicator, dtype=np.float64)


def _constant_labels(targets: sp.csc_array, weight: NDArray[np.float64]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Tell which labels all documents of positive weight have, and which none has."""
    counted = weight > 0.0
    inside = targets[counted]
    never = np.asarray(inside.sum(axis=0)).ravel() == 0.0
    full = sp.csc_array((inside.data == 1.0, inside.indices, inside.indptr), shape=inside.shape)
    always = np.asarray(full.sum(axis=0)).ravel() == np.count_nonzero(counted)
    return always, never


def _constant_intercepts(always: NDArray[np.bool_], offsets: NDArray[np.float64] | None) -> NDArray[np.float64]:
    """Give the intercept that each label would have as a constant: CONSTANT_LOGIT beyond every offset."""
    low = np.zeros(1) if offsets is None else offsets.min(axis=1)
    high = np.zeros(1) if offsets is None else offsets.max(axis=1)
    return np.where(always, CONSTANT_LOGIT - low, -CONSTANT_LOGIT - high)


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
        n_threads: int | None = None,
    ) -> None:
        self.strength = strength
        self.l1_ratio = l1_ratio
        self.tol = tol
        self.max_iter = max_iter
        self.n_threads = n_threads

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
            n_threads=self.n_threads,
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
