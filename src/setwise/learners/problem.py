"""The data of a binary fit, checked and laid out once, and the calls of the core."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from setwise import _core
from setwise._validation import (
    Constraint,
    OneOf,
    check_column_limits,
    check_offset,
    check_parameters,
    check_soft_targets,
    effective_n_jobs,
    normalized_weights,
)
from setwise.exceptions import InvalidData, InvalidParameter
from setwise.labels import LabelMatrix
from setwise.learners.features import FeatureColumns
from setwise.learners.fits import (
    CONSTANT_LOGIT,
    LEAST_TOL,
    RELATIVE_TOL,
    LabelFits,
    Start,
    warn_unless_converged,
)
from setwise.learners.losses import LOSS_CONSTRAINTS, LOSSES, LossName

__all__ = ["STRENGTH_SCALING", "BinaryProblem", "StrengthScaling"]

StrengthScaling = Literal["global", "label"]
"""Whether all labels have the same strength, or each a share of it: its own critical strength over the largest."""

STRENGTH_SCALING: Mapping[str, Constraint] = {"strength_scaling": OneOf(["global", "label"])}


@dataclass(frozen=True, eq=False)
class BinaryProblem:
    """Everything of a fit that does not depend on its strength: checked once, read by every fit of a path."""

    features: FeatureColumns
    targets: sp.csc_array
    weight: NDArray[np.float64]
    offset: NDArray[np.float64] | None
    constant: NDArray[np.bool_]
    n_jobs: int
    column_limits: NDArray[np.int64] | None
    """Label l may use the first ``column_limits[l]`` features; None where each may use all."""
    native: _core.Targets
    """Targets, weights, offsets and limits of the labels that vary, and the loss."""
    null_intercept: NDArray[np.float64]
    peak: NDArray[np.float64]
    """Largest gradient of a feature at zero weights; 0 for constants, and for labels outside the block."""
    loss: LossName
    strength_factor: NDArray[np.float64] | None
    """What each label multiplies every strength by; None where all labels have the same strengths."""
    block: slice
    """The labels that are fitted: all, or some that follow one another. The others get zero weights."""

    @classmethod
    def of(
        cls,
        X: Any,
        y: Any,
        sample_weight: Any,
        offset: Any,
        soft: bool,
        n_jobs: Any,
        column_limits: Any = None,
        loss: LossName = "logistic",
        strength_scaling: StrengthScaling = "global",
        block: slice | None = None,
    ) -> BinaryProblem:
        """Check the data of a fit, and fit the models without features.

        Every label is fitted on its own: a fit of the labels in ``block`` has the bits that a fit of all has for them.
        """
        check_parameters(LOSS_CONSTRAINTS, {"loss": loss})
        check_parameters(STRENGTH_SCALING, {"strength_scaling": strength_scaling})
        if soft and not LOSSES[loss].takes_soft_targets:
            raise InvalidParameter(f"soft must be False with loss={loss!r}, whose targets are 0 and 1; got {soft!r}.")
        features = FeatureColumns.of(X)
        targets = check_soft_targets(y, "y") if soft else _columns_of_labels(y)
        if targets.shape[0] != features.n_samples:
            raise InvalidData(f"X has {features.n_samples} rows but y has {targets.shape[0]}.")
        weight = normalized_weights(sample_weight, features.n_samples)
        offsets = check_offset(offset, features.n_samples, targets.shape[1])
        threads = effective_n_jobs(n_jobs)
        limits = check_column_limits(column_limits, targets.shape[1], features.n_features)
        always, never = _constant_labels(targets, weight)
        constant = always | never
        null_intercept = _constant_intercepts(always, offsets)
        peak = np.zeros(targets.shape[1])

        def native_targets(labels: NDArray[np.intp]) -> _core.Targets:
            kept = targets[:, labels]
            return _core.Targets(
                features.n_samples,
                kept.indptr.astype(np.int64),
                kept.indices.astype(np.int32),
                kept.data,
                weight,
                offsets if offsets is None or len(offsets) == 1 else np.ascontiguousarray(offsets[labels]),
                None if limits is None else np.searchsorted(features.kept, limits[labels]).astype(np.int32),
                loss,
            )

        block = slice(None) if block is None else block
        fitted = _fitted_labels(constant, block)
        native = native_targets(fitted)
        null_intercept[fitted], peak[fitted] = _core.null_models(features.native, native, threads)
        factor = None
        if strength_scaling == "label":  # a label's strength depends on the peaks of all
            all_peaks = peak.copy()
            if (others := np.setdiff1d(np.flatnonzero(~constant), fitted, assume_unique=True)).size:
                _, all_peaks[others] = _core.null_models(features.native, native_targets(others), threads)
            factor = _strength_factors(all_peaks)
        return cls(
            features,
            targets,
            weight,
            offsets,
            constant,
            threads,
            limits,
            native,
            null_intercept,
            peak,
            loss,
            factor,
            block,
        )

    @property
    def n_labels(self) -> int:
        """Number of labels, including constant ones."""
        return int(self.targets.shape[1])

    @property
    def _fitted(self) -> NDArray[np.intp]:
        """The labels that are fitted."""
        return _fitted_labels(self.constant, self.block)

    def fit(
        self,
        strengths: list[float],
        l1_ratio: float,
        tol: float | None,
        max_iter: int,
        start: LabelFits | Start | None = None,
        first_iteration: int = 0,
    ) -> list[LabelFits]:
        """Fit the labels that vary, of the block, at falling strengths, each warm-started from the one before.

        The first fit starts from ``start``, the result of ``first_iteration`` iterations, or from zero weights.
        """
        varying = self._fitted
        asked = np.maximum(RELATIVE_TOL * self.peak, LEAST_TOL) if tol is None else np.full(self.n_labels, float(tol))
        if start is None:
            coef = sp.csr_array((varying.size, self.features.kept.size), dtype=np.float64)
            intercept = self.null_intercept[varying]
        else:
            coef = self.features.inward(start.coef[varying] if varying.size < self.n_labels else start.coef)
            intercept = start.intercept[varying]
        dense = [np.empty((varying.size, self.features.kept.size)) for _ in strengths] if l1_ratio == 0.0 else []
        found = _core.fit_binary(
            self.features.native,
            self.native,
            coef.indptr.astype(np.int64, copy=False),
            coef.indices.astype(np.int32, copy=False),
            coef.data.astype(np.float64, copy=False),
            np.ascontiguousarray(intercept, dtype=np.float64),
            float(strengths[-1]),
            float(l1_ratio),
            asked[varying],
            min(int(max_iter), np.iinfo(np.int32).max),
            self.n_jobs,
            np.asarray(strengths[:-1], dtype=np.float64),
            first_iteration,
            dense,
            None if self.strength_factor is None else self.strength_factor[varying],
        )
        if dense:
            coefs = [self.features.outward_dense(weights, varying, self.n_labels) for weights in dense]
        else:
            coefs = [self._sparse_rows(*one[:3]) for one in found]
        return [self._with_constants(coef, *one[3:], asked=asked) for coef, one in zip(coefs, found, strict=True)]

    def path(
        self,
        strengths: Sequence[float],
        l1_ratio: float,
        tol: float | None,
        max_iter: int,
        start: LabelFits | Start | None = None,
    ) -> Iterator[LabelFits]:
        """Yield the fits at falling strengths, each warm-started from the one before, and the first from ``start``.

        A strength is fitted when it is asked for, so that a caller who has seen enough does not pay for weaker ones.
        """
        for strength in strengths:
            (fits,) = self.fit([strength], l1_ratio, tol, max_iter, start)
            warn_unless_converged(fits)
            yield fits
            start = fits

    def _sparse_rows(
        self, indptr: NDArray[np.int64], indices: NDArray[np.int32], values: NDArray[np.float64]
    ) -> sp.csr_array:
        """Insert the empty rows of the constant labels."""
        lengths = np.zeros(self.n_labels, dtype=np.int64)
        lengths[self._fitted] = np.diff(indptr)
        return self.features.outward(lengths, indices, values)

    def _with_constants(
        self,
        coef: sp.csr_array,
        intercepts: NDArray[np.float64],
        violations: NDArray[np.float64],
        objectives: NDArray[np.float64],
        n_iters: NDArray[np.int32],
        history: dict[str, NDArray[Any]],
        *,
        asked: NDArray[np.float64],
    ) -> LabelFits:
        """Insert intercepts and certificates of the constant labels."""
        varying = self._fitted
        history["label"] = varying.astype(np.int32)[history["label"]]
        intercept = self.null_intercept.copy()
        bound = LOSSES[self.loss].of_constant
        violation = np.full(self.n_labels, bound * max(1.0, self.features.largest))
        asked = np.where(self.constant, np.maximum(asked, violation), asked)  # no intercept has a smaller violation
        objective = np.full(self.n_labels, bound)
        n_iter = np.zeros(self.n_labels, dtype=np.int32)
        intercept[varying], violation[varying], objective[varying] = intercepts, violations, objectives
        n_iter[varying] = n_iters
        outside = np.ones(self.n_labels, dtype=bool)
        outside[self.block] = False
        for array in (intercept, violation, asked, objective):
            array[outside] = 0.0
        return LabelFits(coef, intercept, violation, asked, objective, n_iter, self.constant, history)


def _fitted_labels(constant: NDArray[np.bool_], block: slice) -> NDArray[np.intp]:
    """Return the labels of a block that are not constant."""
    labels = np.arange(constant.size)[block]
    return np.asarray(labels[~constant[block]])


def _strength_factors(peak: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return each label's critical strength as a share of the largest; 1 where no feature has any effect."""
    largest = peak.max(initial=0.0)
    return np.where(peak > 0.0, peak / largest if largest > 0.0 else 1.0, 1.0)


def _columns_of_labels(y: Any) -> sp.csc_array:
    return sp.csc_array(LabelMatrix.of(y).indicator, dtype=np.float64)


def _constant_labels(targets: sp.csc_array, weight: NDArray[np.float64]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which labels all documents of positive weight have, and which none of them has."""
    counted = weight > 0.0
    inside = targets[counted]
    never = np.asarray(inside.sum(axis=0)).ravel() == 0.0
    full = sp.csc_array((inside.data == 1.0, inside.indices, inside.indptr), shape=inside.shape)
    always = np.asarray(full.sum(axis=0)).ravel() == np.count_nonzero(counted)
    return always, never


def _constant_intercepts(always: NDArray[np.bool_], offsets: NDArray[np.float64] | None) -> NDArray[np.float64]:
    """Return the intercept that each label would have as a constant: CONSTANT_LOGIT beyond every offset."""
    low = np.zeros(1) if offsets is None else offsets.min(axis=1)
    high = np.zeros(1) if offsets is None else offsets.max(axis=1)
    return np.where(always, CONSTANT_LOGIT - low, -CONSTANT_LOGIT - high)
