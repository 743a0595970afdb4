"""Elastic-net linear classifiers: logistic regression of one label, or many labels over one matrix of features."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from setwise._estimator import BaseEstimator, ClassifierMixin, check_is_fitted
from setwise._validation import (
    L1_RATIO,
    PENALTY_CONSTRAINTS,
    SOLVER_CONSTRAINTS,
    Constraint,
    check_parameters,
    class_values,
    require_finite,
)
from setwise.exceptions import InvalidData
from setwise.learners.fits import LabelFits, warn_unless_converged
from setwise.learners.losses import LossName
from setwise.learners.problem import BinaryProblem, StrengthScaling

__all__ = ["BinaryLogistic", "critical_strength", "critical_strengths", "fit_labels"]

FIT_CONSTRAINTS: Mapping[str, Constraint] = {**PENALTY_CONSTRAINTS, **SOLVER_CONSTRAINTS}

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
    loss: LossName = "logistic",
    strength_scaling: StrengthScaling = "global",
    column_limits: Any = None,
    tol: float | None = None,
    max_iter: int = 200,
    n_jobs: int | None = None,
    callback: Callback | None = None,
    block: slice | None = None,
) -> LabelFits:
    """Fit a binary linear classifier with an elastic net for each label: a logistic regression, or another loss.

    Minimizes for each label, over w and b (b is not penalized)::

        (1 / sum_i c_i) sum_i c_i loss(z_i; y_i)  +  strength * (l1_ratio |w|_1 + (1 - l1_ratio) |w|_2^2)

        loss(z; y) = log(1 + exp(z)) - y z     "logistic"
        loss(z; y) = max(0, 1 - t z)^2         "squared_hinge", with t = 2 y - 1

    with z_i = offset_i + b + x_i . w. There is no 1/2 before the squared norm.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features), or FeatureColumns
    y : label sets
        Zeros and ones, documents by labels (sparse or dense), or one list of names per document; with ``soft``, targets
        in [0, 1].
    strength : float
        Weight of the penalty, the paper's lambda.
    l1_ratio : float
        Share of the L1 norm in the penalty, the paper's alpha, from 0 to 1.
    sample_weight : array of shape (n_samples,), optional
        The c_i.
    offset : array of shape (n_samples,) or (n_samples, n_labels), optional
    warm_start : LabelFits, optional
        An earlier result with the same labels and features.
    soft : bool
        Whether y has targets in [0, 1] instead of label sets; for the logistic loss only.
    loss : {"logistic", "squared_hinge"}
    strength_scaling : {"global", "label"}
        With "label", the strength of a label is multiplied by its critical strength, the least at which all its weights
        are zero, as a share of the largest of all labels: rare labels get a weaker penalty.
    column_limits : array of shape (n_labels,), optional
        Label l may use only the first ``column_limits[l]`` features.
    tol : float, optional
        Largest violation of the optimality conditions to end with. By default ``RELATIVE_TOL`` times the largest
        gradient at zero weights, label by label.
    max_iter : int
        Most Newton iterations per label.
    n_jobs : int, optional
        Number of threads; None uses every core, or as many as ``OMP_NUM_THREADS`` says. No bit of the result depends
        on it.
    callback : callable, optional
        ``callback(iteration, fits)`` is called after each Newton iteration of all labels; where it returns True, the
        fit ends.
    block : slice, optional
        Labels to fit, to the same bits as among all; the others get zero weights.

    Returns
    -------
    fits : LabelFits

    Examples
    --------
    >>> from setwise.learners import fit_labels
    >>> fits = fit_labels([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [[1, 0], [0, 1], [1, 0]], strength=0.01)
    >>> fits.coef.shape, bool(fits.converged.all())
    ((2, 2), True)
    """
    parameters = {"strength": strength, "l1_ratio": l1_ratio, "tol": tol, "max_iter": max_iter, "n_jobs": n_jobs}
    check_parameters(FIT_CONSTRAINTS, parameters)
    problem = BinaryProblem.of(X, y, sample_weight, offset, soft, n_jobs, column_limits, loss, strength_scaling, block)
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
    """Take one iteration at a time; the steps are those of a single fit, since each depends on the weights alone."""
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
    """Take Newton iteration number ``iteration`` of every label that has not converged."""
    (after,) = problem.fit([strength], l1_ratio, tol, 1, fits, iteration - 1)
    return _joined(fits, after)


def _joined(before: LabelFits, after: LabelFits) -> LabelFits:
    """Return ``after`` with the history of both."""
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
    loss: LossName = "logistic",
    n_jobs: int | None = None,
) -> NDArray[np.float64]:
    """Return for each label the least strength at which all its weights are zero; infinite where ``l1_ratio`` is 0."""
    check_parameters({"l1_ratio": L1_RATIO}, {"l1_ratio": l1_ratio})
    problem = BinaryProblem.of(X, y, sample_weight, offset, soft, n_jobs, loss=loss)
    return peak_strengths(problem.peak, float(l1_ratio))


def critical_strength(X: Any, y: Any, n_jobs: int | None = None, loss: LossName = "logistic") -> float:
    """Return the least strength of an L1 penalty at which no label has any weight; 1 where every label is constant."""
    peak = float(np.max(critical_strengths(X, y, loss=loss, n_jobs=n_jobs)))
    return peak if peak > 0.0 else 1.0  # nothing is penalized, whatever the strength


def peak_strengths(peak: NDArray[np.float64], l1_ratio: float) -> NDArray[np.float64]:
    """Return the strength that outweighs the largest gradient at zero weights, per label."""
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

    Minimizes over w and b (b is not penalized)::

        (1/n) sum_i log(1 + exp(-t_i (x_i . w + b)))  +  strength * (l1_ratio |w|_1 + (1 - l1_ratio) |w|_2^2)

    with t_i in {-1, +1}. There is no 1/2 before the squared norm.

    Parameters
    ----------
    strength : float
        Weight of the penalty, the paper's lambda.
    l1_ratio : float
        Share of the L1 norm in the penalty, the paper's alpha, from 0 to 1.
    tol : float, optional
        Largest violation of the optimality conditions to end with, see :func:`fit_labels`.
    max_iter : int
        Most Newton iterations.
    n_jobs : int, optional
        Number of threads; None uses every core.

    Attributes
    ----------
    classes_ : array of shape (2,)
        The two classes, the positive one last.
    coef_ : array of shape (1, n_features)
    intercept_ : array of shape (1,)
    violation_ : float
        The optimality certificate: the largest violation of the optimality conditions.
    objective_ : float
        Mean loss plus penalty.
    n_iter_ : int
    history_ : list of dict
        One row per iteration.
    fits_ : LabelFits
    n_features_in_ : int

    Examples
    --------
    >>> from setwise.learners import BinaryLogistic
    >>> X, y = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, 2.0]], ["yes", "no", "yes", "no"]
    >>> BinaryLogistic(strength=0.01).fit(X, y).predict([[2.0, 0.0]])
    array(['yes'], dtype='<U3')
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
        """Fit to documents X and their classes y: 0 and 1, or any two values, the larger of which is positive."""
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
        """Return the logit of the positive class for each document."""
        check_is_fitted(self)
        return self.fits_.scores(X)[:, 0]

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probabilities of the negative and the positive class, documents by classes."""
        logit = self.decision_function(X)
        return np.asarray(np.exp(np.column_stack([-np.logaddexp(0.0, logit), -np.logaddexp(0.0, -logit)])))

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the more probable class of each document."""
        positive = self.decision_function(X) > 0.0
        return np.asarray(self.classes_[positive.astype(np.int64)])


def _two_classes(y: Any) -> tuple[NDArray[Any], NDArray[np.float64]]:
    """Return the two classes in order, and a column with 1 where a document has the second."""
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
