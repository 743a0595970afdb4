"""Cost-sensitive BR: missing a label costs more than a false alarm, as much as the F1 to be reached asks for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from setwise._estimator import clone
from setwise._validation import Interval, check_sample_weight, effective_n_jobs
from setwise.labels import LabelMatrix
from setwise.learners import (
    BinaryProblem,
    FeatureColumns,
    LabelFits,
    LossName,
    Start,
    StrengthScaling,
    advanced,
    warn_unless_converged,
)
from setwise.models.base import Callback, falling_strengths
from setwise.models.br import BinaryRelevance
from setwise.models.class_fits import in_threads
from setwise.models.label_blocks import LabelBlock

__all__ = ["CostSensitiveRelevance"]


class CostSensitiveRelevance(BinaryRelevance):
    """BR whose losses are weighted by document and label (Parambath et al., 2014).

    The F1 of a classifier is at least t exactly where its misses, each at a cost of 2 - t, and its false alarms, each
    at a cost of t, cost little enough. So the classifier of the best F1 is found among those that minimize such costs,
    one per t, with labels cut at a probability of one half. Minimizes for each label, over w and b (b is not
    penalized)::

        (1 / sum_i c_i) sum_i c_i loss(w . x_i + b; y_i)  +  strength * (l1_ratio |w|_1 + (1 - l1_ratio) |w|_2^2)

    with c_i = 2 - t for documents that have the label and t for the others, times the sample weight. With ``t=1`` this
    is :class:`BinaryRelevance`.

    Parameters
    ----------
    t : float
        The F1 that is aimed at, above 0 and up to 1. Tune it on held-out documents for the metric of interest.
    strength, l1_ratio, tol, max_iter, n_jobs, loss, strength_scaling
        As for :class:`BinaryRelevance`, whose attributes it has too.

    Examples
    --------
    >>> from setwise.models import CostSensitiveRelevance
    >>> X, y = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [["a"], ["b"], ["a", "b"]]
    >>> CostSensitiveRelevance(t=0.5, strength=0.1).fit(X, y).posterior([[1.0, 0.0]]).marginals().shape
    (1, 2)
    """

    _parameter_constraints: ClassVar = {
        **BinaryRelevance._parameter_constraints,
        "t": Interval("real", 0, 1, closed="right"),
    }

    def __init__(
        self,
        t: float = 0.5,
        strength: float = 1e-3,
        l1_ratio: float = 0.5,
        tol: float | None = None,
        max_iter: int = 200,
        n_jobs: int | None = None,
        loss: LossName = "logistic",
        strength_scaling: StrengthScaling = "global",
    ) -> None:
        super().__init__(strength, l1_ratio, tol, max_iter, n_jobs, loss, strength_scaling)
        self.t = t

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, callback: Callback | None = None
    ) -> CostSensitiveRelevance:
        """Fit one linear classifier per label; ``callback`` is called after each Newton iteration of all labels."""
        self._check_parameters()
        labels = LabelMatrix.of(y)
        problems = self._problems(X, labels, sample_weight)
        if callback is not None:
            if self._fit_stepwise(labels, problems, callback):
                return self
        else:
            parts = self._parts(problems, self.strength, None, self.max_iter)
            self._set_fits(labels, LabelFits.stacked(parts))
        warn_unless_converged(self.fits_)
        return self

    def fit_path(
        self,
        X: Any,
        y: Any,
        strengths: Iterable[float],
        sample_weight: Any = None,
        start: CostSensitiveRelevance | None = None,
        block: LabelBlock | None = None,
    ) -> Iterator[CostSensitiveRelevance]:
        """Yield a fitted copy for each strength, the strongest first, each warm-started from the one before."""
        self._check_parameters()
        labels = LabelMatrix.of(y)
        fitted = range(labels.n_labels)[slice(None) if block is None else block.rows]
        problems = self._problems(X, labels, sample_weight, fitted)
        n_features = FeatureColumns.matrix_of(X).shape[1]
        before, after = (
            LabelFits.unfitted(n_labels, n_features) for n_labels in (fitted.start, labels.n_labels - fitted.stop)
        )
        starts: Sequence[LabelFits | Start] | None = None
        if start is not None:
            starts = [Start(start.coef_[[label]], start.intercept_[[label]]) for label in fitted]
        for strength in falling_strengths(strengths):
            model = clone(self).set_params(strength=strength)
            starts = parts = self._parts(problems, strength, starts, self.max_iter)
            model._set_fits(labels, LabelFits.stacked([before, *parts, after]))
            warn_unless_converged(model.fits_)
            yield model

    def _problems(
        self, X: Any, labels: LabelMatrix, sample_weight: Any, fitted: Sequence[int] | None = None
    ) -> list[BinaryProblem]:
        """Lay out one problem per label, or per label that is ``fitted``.

        Documents weigh differently in each, and share their features.
        """
        features = FeatureColumns.of(X)
        labels.check_rows(features.n_samples)
        weight = np.ones(features.n_samples)
        if sample_weight is not None:
            weight = check_sample_weight(sample_weight, features.n_samples)
        columns = sp.csc_array(labels.indicator)

        def problem(label: int) -> BinaryProblem:
            target = columns[:, [label]]
            costs = np.where(target.toarray().ravel() == 1, 2.0 - self.t, self.t)
            return BinaryProblem.of(
                features,
                target,
                weight * costs,
                None,
                False,
                1,
                loss=self.loss,
                strength_scaling=self.strength_scaling,
            )

        return [problem(label) for label in (range(labels.n_labels) if fitted is None else fitted)]

    def _parts(
        self,
        problems: list[BinaryProblem],
        strength: float,
        starts: Sequence[LabelFits | Start] | None,
        max_iter: int,
    ) -> list[LabelFits]:
        """Fit each label, from the solutions of a stronger penalty where there are some."""

        def fit(label: int) -> LabelFits:
            start = None if starts is None else starts[label]
            return problems[label].fit([strength], self.l1_ratio, self.tol, max_iter, start)[0]

        return in_threads(fit, range(len(problems)), effective_n_jobs(self.n_jobs))

    def _fit_stepwise(self, labels: LabelMatrix, problems: list[BinaryProblem], callback: Callback) -> bool:
        """Take one iteration of all labels at a time; return True where the callback ended the fit."""
        parts = self._parts(problems, self.strength, None, 0)
        self._set_fits(labels, LabelFits.stacked(parts))
        for iteration in range(1, self.max_iter + 1):
            if self.fits_.converged.all():
                break
            parts = self._advanced(problems, parts, iteration)
            self._set_fits(labels, LabelFits.stacked(parts))
            if callback(iteration, self):
                return True
        return False

    def _advanced(self, problems: list[BinaryProblem], parts: list[LabelFits], iteration: int) -> list[LabelFits]:
        """Take one iteration of every label that has not converged."""

        def step(label: int) -> LabelFits:
            if parts[label].converged.all():
                return parts[label]
            return advanced(problems[label], self.strength, self.l1_ratio, self.tol, parts[label], iteration)

        return in_threads(step, range(len(parts)), effective_n_jobs(self.n_jobs))
