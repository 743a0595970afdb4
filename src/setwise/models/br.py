"""Binary relevance (BR): every label is predicted independently of the others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import copy
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from setwise._estimator import check_is_fitted, clone
from setwise._validation import PENALTY_CONSTRAINTS, SOLVER_CONSTRAINTS, effective_n_jobs
from setwise.labels import LabelMatrix
from setwise.learners import (
    LOSS_CONSTRAINTS,
    STRENGTH_SCALING,
    BinaryProblem,
    LabelFits,
    LossName,
    Start,
    StrengthScaling,
    fit_labels,
)
from setwise.models.base import Callback, LabelModel, falling_strengths
from setwise.models.bernoulli_posterior import IndependentPosterior
from setwise.models.label_blocks import LabelBlock, document_costs
from setwise.models.logit_scaling import checked_scaling, scaled_rows
from setwise.models.state_checks import check_array, check_sparse

__all__ = ["BinaryRelevance"]


class BinaryRelevance(LabelModel):
    """BR: independent labels, p(y | x) = prod_l p(y_l | x), each a linear classifier with an elastic net.

    Minimizes for each label, over w and b (b is not penalized)::

        (1 / sum_i c_i) sum_i c_i loss(z_i; y_i)  +  strength * (l1_ratio |w|_1 + (1 - l1_ratio) |w|_2^2)

        loss(z; y) = log(1 + exp(z)) - y z     "logistic": a logistic regression
        loss(z; y) = max(0, 1 - t z)^2         "squared_hinge", with t = 2 y - 1

    with z_i = b + x_i . w and sample weights c_i. The logit of p(y_l | x) is z. With the squared hinge z is a margin,
    not an estimate of a logit: calibrate it, see :meth:`rescale_logits`.

    Parameters
    ----------
    strength : float
        Weight of the penalty, the paper's lambda.
    l1_ratio : float
        Share of the L1 norm in the penalty, the paper's alpha, from 0 to 1.
    tol : float, optional
        Largest violation of the optimality conditions to end with. By default a small share of the largest gradient at
        zero weights, label by label.
    max_iter : int
        Most Newton iterations per label.
    n_jobs : int, optional
        Number of threads; None uses every core. No result depends on it.
    loss : {"logistic", "squared_hinge"}
        The loss of each label.
    strength_scaling : {"global", "label"}
        With "label", the strength of a label is multiplied by its critical strength, the least at which all its weights
        are zero, as a share of the largest of all labels: rare labels get a weaker penalty.

    Attributes
    ----------
    classes_ : tuple of str
        The label names.
    n_features_in_ : int
        Number of features seen in ``fit``.
    coef_ : sparse array of shape (n_labels, n_features)
    intercept_ : array of shape (n_labels,)
    fits_ : LabelFits
        Each label's fit with its optimality certificate.
    objective_ : float
        Sum of the labels' objectives.

    Examples
    --------
    >>> from setwise.models import BinaryRelevance
    >>> model = BinaryRelevance(strength=0.1).fit([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [["a"], ["b"], ["a", "b"]])
    >>> model.posterior([[1.0, 0.0]]).marginals().shape
    (1, 2)
    """

    abilities: ClassVar = IndependentPosterior.abilities
    _parameter_constraints: ClassVar = {
        **PENALTY_CONSTRAINTS,
        **SOLVER_CONSTRAINTS,
        **LOSS_CONSTRAINTS,
        **STRENGTH_SCALING,
    }
    _fitted: ClassVar[tuple[str, ...]] = ("coef_", "intercept_")

    coef_: sp.csr_array
    intercept_: NDArray[np.float64]
    fits_: LabelFits

    def __init__(
        self,
        strength: float = 1e-3,
        l1_ratio: float = 0.5,
        tol: float | None = None,
        max_iter: int = 200,
        n_jobs: int | None = None,
        loss: LossName = "logistic",
        strength_scaling: StrengthScaling = "global",
    ) -> None:
        self.strength = strength
        self.l1_ratio = l1_ratio
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.loss = loss
        self.strength_scaling = strength_scaling

    def fit(self, X: Any, y: Any, sample_weight: Any = None, callback: Callback | None = None) -> BinaryRelevance:
        """Fit one linear classifier per label; ``callback`` is called after each Newton iteration of all labels."""
        self._check_parameters()
        labels = LabelMatrix.of(y)

        def after_iteration(iteration: int, fits: LabelFits) -> bool | None:
            self._set_fits(labels, fits)
            return None if callback is None else callback(iteration, self)

        fits = fit_labels(
            X,
            labels,
            strength=self.strength,
            l1_ratio=self.l1_ratio,
            sample_weight=sample_weight,
            tol=self.tol,
            max_iter=self.max_iter,
            n_jobs=self.n_jobs,
            loss=self.loss,
            strength_scaling=self.strength_scaling,
            callback=None if callback is None else after_iteration,
        )
        self._set_fits(labels, fits)
        return self

    def fit_path(
        self,
        X: Any,
        y: Any,
        strengths: Iterable[float],
        sample_weight: Any = None,
        start: BinaryRelevance | None = None,
        block: LabelBlock | None = None,
    ) -> Iterator[BinaryRelevance]:
        """Yield a fitted copy for each strength, the strongest first, each warm-started from the one before."""
        self._check_parameters()
        labels, falling = LabelMatrix.of(y), falling_strengths(strengths)
        problem = BinaryProblem.of(
            X,
            labels,
            sample_weight,
            None,
            False,
            self.n_jobs,
            loss=self.loss,
            strength_scaling=self.strength_scaling,
            block=None if block is None else block.rows,
        )
        begin = None if start is None else Start(start.coef_, start.intercept_)
        path = problem.path(falling, self.l1_ratio, self.tol, self.max_iter, begin)
        for strength, fits in zip(falling, path, strict=True):
            model = clone(self).set_params(strength=strength)
            model._set_fits(labels, fits)
            yield model

    def unit_costs(self, y: LabelMatrix) -> NDArray[np.float64]:
        return document_costs(y.counts, y.n_samples, self.l1_ratio)

    def rows_of_block(self, block: LabelBlock) -> dict[str, slice]:
        return {"coef_": block.rows, "intercept_": block.rows}

    def _set_fits(self, labels: LabelMatrix, fits: LabelFits) -> None:
        """Set every fitted attribute."""
        self.classes_ = labels.names
        self.n_features_in_ = int(fits.coef.shape[1])
        self.coef_ = fits.coef
        self.intercept_ = fits.intercept
        self.fits_ = fits
        self.objective_ = float(fits.objective.sum())

    def rescale_logits(self, scale: Any, shift: Any) -> BinaryRelevance:
        """Return a copy whose logits are ``scale * z + shift``, where z are those of this model.

        Parameters
        ----------
        scale, shift : float, or array of shape (n_labels,)
            One number for all labels, or one per label.

        Returns
        -------
        model : BinaryRelevance
            With the weights and intercepts alone: ``fits_`` and ``objective_`` are those of the training.

        Examples
        --------
        >>> from setwise.models import BinaryRelevance
        >>> model = BinaryRelevance().fit([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [["a"], ["b"], ["a", "b"]])
        >>> bool((model.rescale_logits(2.0, 0.5).intercept_ == 2.0 * model.intercept_ + 0.5).all())
        True
        """
        check_is_fitted(self)
        scales, shifts = checked_scaling(scale, shift, len(self.classes_))
        model = copy(self)
        model.coef_ = scaled_rows(self.coef_, scales)
        model.intercept_ = scales * self.intercept_ + shifts
        return model

    @property
    def _label_intercept(self) -> NDArray[np.float64]:
        return self.intercept_

    def _check_state(self) -> None:
        super()._check_state()
        check_sparse(self.coef_, "coef_", (len(self.classes_), self.n_features_in_))
        check_array(self.intercept_, "intercept_", (len(self.classes_),))

    @property
    def _n_scores(self) -> int:
        return len(self.classes_)

    def _posterior(self, X: Any) -> IndependentPosterior:
        scores = self._linear_scores(X)
        return IndependentPosterior.of_scores(self.classes_, scores, effective_n_jobs(self.n_jobs))
