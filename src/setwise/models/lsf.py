"""LSF: label and size factors, p(y_l = 1, |y| = s | x) learned directly."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, ClassVar, Literal

import numpy as np
import scipy
import scipy.sparse as sp
from numpy.typing import NDArray

from setwise._estimator import check_is_fitted, clone
from setwise._validation import PENALTY_CONSTRAINTS, SOLVER_CONSTRAINTS, OneOf, effective_n_jobs
from setwise.exceptions import InvalidData
from setwise.labels import LabelMatrix, SizeMarginals, require_room
from setwise.learners import BinaryProblem, ClassFit, FeatureColumns, LabelFits, Start, fit_labels
from setwise.models.base import Callback, LabelModel, falling_strengths
from setwise.models.class_fits import ClassOptions, warn_unless_converged
from setwise.models.label_blocks import LabelBlock, document_costs
from setwise.models.lsf_parts import LabelSizes, SizeClassifiers, check_label_sizes, pair_rows
from setwise.models.state_checks import check_array, check_count, check_sparse
from setwise.posterior import Posterior, Rows

__all__ = ["LabelSizeFactors", "LabelSizeModel", "LabelSizePosterior"]

Array = NDArray[np.float64]


class LabelSizeModel(LabelModel):
    """Base class of the models that estimate p(y_l = 1, |y| = s | x) for the pairs (l, s) that occur in training."""

    abilities: ClassVar = frozenset({"marginals", "size_marginals"})
    _fitted: ClassVar[tuple[str, ...]] = (
        "n_sizes_",
        "has_empty_",
        "pair_labels_",
        "pair_sizes_",
        "coef_",
        "intercept_",
    )

    n_sizes_: int
    has_empty_: bool
    pair_labels_: NDArray[np.int32]
    pair_sizes_: NDArray[np.int32]
    coef_: sp.csr_array
    intercept_: NDArray[np.float64]

    def _set_labels(self, labels: LabelMatrix, pairs: LabelSizes, n_features: int) -> None:
        """Set the attributes that depend on the labels alone."""
        self.classes_ = labels.names
        self.n_features_in_ = n_features
        self.n_sizes_ = pairs.largest
        self.has_empty_ = pairs.empty_subsets.size > 0
        self.pair_labels_ = pairs.labels
        self.pair_sizes_ = pairs.sizes

    def _check_state(self) -> None:
        super()._check_state()
        self._check_pairs()

    def _check_pairs(self) -> None:
        """Raise ``InvalidData`` unless what :meth:`_set_labels` sets can come from documents."""
        n_labels = len(self.classes_)
        check_count(self.n_sizes_, "n_sizes_", 0, n_labels)
        require_room(n_labels, self.n_sizes_)
        if not isinstance(self.has_empty_, bool):
            raise InvalidData(f"has_empty_ must be True or False; got {self.has_empty_!r:.40}.")
        check_label_sizes(np.zeros(n_labels, dtype=np.int32), self.n_sizes_, self.pair_labels_, self.pair_sizes_)
        if self.pair_sizes_.max(initial=0) != self.n_sizes_:
            raise InvalidData("The pairs must be sorted by label and size, up to the size n_sizes_.")


class LabelSizeFactors(LabelSizeModel):
    """LSF, the paper's baseline: p(y_l = 1, |y| = s | x) without a joint model of the set.

    Each part minimizes, over weights w and intercepts that are not penalized::

        (1 / sum_i c_i) sum_i c_i loss_i  +  strength * (l1_ratio |w|_1 + (1 - l1_ratio) |w|_2^2)

    with the sums over all training documents, and no loss for those that a part does not use. Pairs (label, size) that
    never occur in training have probability 0. p(y = 0 | x) is a logistic regression where empty sets occur in
    training, and 0 otherwise.

    Parameters
    ----------
    form : {"binary", "multinomial"}
        "binary": one logistic regression per pair (l, s), with target y_l = 1 and |y| = s. "multinomial": one logistic
        regression per label, and per label a multinomial over the sizes that occur with it, trained on the documents
        that have the label; the two probabilities are multiplied.
    strength : float
        Weight of the penalty, the paper's lambda.
    l1_ratio : float
        Share of the L1 norm in the penalty, the paper's alpha, from 0 to 1.
    tol, max_iter, n_jobs
        As for :class:`BinaryRelevance`.

    Attributes
    ----------
    classes_ : tuple of str
        The label names.
    n_features_in_ : int
        Number of features seen in ``fit``.
    n_sizes_ : int
        The largest set size in training.
    has_empty_ : bool
        Whether empty sets occur in training.
    pair_labels_, pair_sizes_ : arrays of shape (n_pairs,)
        The pairs (label, size) that occur, sorted.
    coef_, intercept_ : sparse array and array
        The logistic regressions: one row per pair or per label, and last the empty set where ``has_empty_``.
    size_coef_, size_intercept_ : sparse array and array
        The multinomials over sizes, one row per pair.
    fits_ : LabelFits
        The logistic regressions with their optimality certificates.
    size_fits_ : list of ClassFit
        The multinomials with theirs.

    Examples
    --------
    >>> from setwise.models import LabelSizeFactors
    >>> model = LabelSizeFactors(strength=0.1).fit([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [["a"], ["b"], ["a", "b"]])
    >>> model.posterior([[1.0, 0.0]]).size_marginals().joint.shape
    (1, 2, 2)
    """

    _parameter_constraints: ClassVar = {
        **PENALTY_CONSTRAINTS,
        **SOLVER_CONSTRAINTS,
        "form": OneOf(["binary", "multinomial"]),
    }
    _fitted: ClassVar[tuple[str, ...]] = (*LabelSizeModel._fitted, "size_coef_", "size_intercept_")

    size_coef_: sp.csr_array
    size_intercept_: NDArray[np.float64]
    fits_: LabelFits
    size_fits_: list[ClassFit]

    def __init__(
        self,
        form: Literal["binary", "multinomial"] = "binary",
        strength: float = 1e-3,
        l1_ratio: float = 0.5,
        tol: float | None = None,
        max_iter: int = 200,
        n_jobs: int | None = None,
    ) -> None:
        self.form = form
        self.strength = strength
        self.l1_ratio = l1_ratio
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None, callback: Callback | None = None) -> LabelSizeFactors:
        """Fit all parts; ``callback`` is called after each Newton iteration, which all parts take together."""
        self._check_parameters()
        labels = LabelMatrix.of(y)
        return self._fit(FeatureColumns.of(X), labels, sample_weight, callback)

    def fit_path(
        self,
        X: Any,
        y: Any,
        strengths: Iterable[float],
        sample_weight: Any = None,
        start: LabelSizeFactors | None = None,
        block: LabelBlock | None = None,
    ) -> Iterator[LabelSizeFactors]:
        """Yield a fitted copy for each strength, the strongest first; the binary form warm-starts each fit."""
        self._check_parameters()
        falling, labels, features = falling_strengths(strengths), LabelMatrix.of(y), FeatureColumns.of(X)
        if self.form != "binary":
            for strength in falling:
                yield clone(self).set_params(strength=strength)._fit(features, labels, sample_weight, block=block)
            return
        pairs = self._label_sizes(features, labels, sample_weight)
        targets = pairs.targets(by_pair=True)
        rows = None if block is None else pair_rows(pairs.labels, labels.n_labels, block)
        problem = BinaryProblem.of(features, targets, sample_weight, None, False, self.n_jobs, block=rows)
        begin = None if start is None else Start(start.coef_, start.intercept_)
        path = problem.path(falling, self.l1_ratio, self.tol, self.max_iter, begin)
        for strength, fits in zip(falling, path, strict=True):
            model = clone(self).set_params(strength=strength)
            model._set_labels(labels, pairs, features.n_features)
            model._set_fits(fits)
            yield model

    def unit_costs(self, y: LabelMatrix) -> Array | None:
        """Return the costs of the labels, and last that of the empty set where it occurs."""
        pairs = LabelSizes.of(y)
        n_of_pair = np.bincount(pairs.of_entry, minlength=pairs.n_pairs)
        empty = document_costs(np.asarray(pairs.empty.sum(axis=0)).ravel(), y.n_samples, self.l1_ratio)
        if self.form == "binary":
            by_pair = document_costs(n_of_pair, y.n_samples, self.l1_ratio)
            labels = np.bincount(pairs.labels, by_pair, minlength=y.n_labels)
        else:
            n_sizes = np.bincount(pairs.labels, minlength=y.n_labels)
            labels = document_costs(y.counts, y.n_samples, self.l1_ratio) + y.counts * n_sizes
        return np.concatenate([labels, empty])

    def rows_of_block(self, block: LabelBlock) -> dict[str, slice]:
        by_pair = pair_rows(self.pair_labels_, len(self.classes_), block)
        if self.form == "binary":
            return {"coef_": by_pair, "intercept_": by_pair}
        sizes = slice(*(min(bound, self.pair_labels_.size) for bound in (by_pair.start, by_pair.stop)))
        return {"coef_": block.rows, "intercept_": block.rows, "size_coef_": sizes, "size_intercept_": sizes}

    def _fit(
        self,
        features: FeatureColumns,
        labels: LabelMatrix,
        sample_weight: Any,
        callback: Callback | None = None,
        block: LabelBlock | None = None,
    ) -> LabelSizeFactors:
        """Fit all parts, or those of a block of labels."""
        labels.check_rows(features.n_samples)
        pairs = self._label_sizes(features, labels, sample_weight)
        self._set_labels(labels, pairs, features.n_features)
        if self.form == "binary":
            self._fit_pairs(features, pairs, sample_weight, callback)
        else:
            options = ClassOptions(self.strength, self.l1_ratio, self.tol, self.max_iter, effective_n_jobs(self.n_jobs))
            rows = sp.csr_array(features.matrix)
            classifiers = SizeClassifiers(rows, pairs, sample_weight, options, block)
            self._fit_labels_and_sizes(features, pairs, sample_weight, classifiers, callback, block)
        return self

    def _label_sizes(self, features: FeatureColumns, labels: LabelMatrix, sample_weight: Any) -> LabelSizes:
        """Return the pairs of label and size to be learned."""
        return LabelSizes.of(labels)

    def _fit_pairs(
        self, features: FeatureColumns, pairs: LabelSizes, sample_weight: Any, callback: Callback | None
    ) -> None:
        def after_iteration(iteration: int, fits: LabelFits) -> bool | None:
            self._set_fits(fits)
            return None if callback is None else callback(iteration, self)

        self._set_fits(self._fit_columns(features, pairs, sample_weight, None if callback is None else after_iteration))

    def _fit_labels_and_sizes(
        self,
        features: FeatureColumns,
        pairs: LabelSizes,
        sample_weight: Any,
        classifiers: SizeClassifiers,
        callback: Callback | None,
        block: LabelBlock | None,
    ) -> None:
        if callback is None:
            fits = self._fit_columns(features, pairs, sample_weight, None, block)
            self._set_fits(fits, classifiers, classifiers.fit())
            warn_unless_converged(self.size_fits_, "size classifiers")
            return
        steps = classifiers.steps()
        last, ended = 0, False

        def after_iteration(iteration: int, fits: LabelFits) -> bool:
            nonlocal last, ended
            steps.advance(iteration)
            self._set_fits(fits, classifiers, steps.fits)
            last, ended = iteration, bool(callback(iteration, self))
            return ended

        fits = self._fit_columns(features, pairs, sample_weight, after_iteration)
        self._set_fits(fits, classifiers, steps.fits)
        while not ended and not steps.converged and last < self.max_iter:  # the labels have converged, the sizes not
            after_iteration(last + 1, fits)
        if not ended:
            warn_unless_converged(self.size_fits_, "size classifiers")

    def _fit_columns(
        self,
        features: FeatureColumns,
        pairs: LabelSizes,
        sample_weight: Any,
        callback: Any,
        block: LabelBlock | None = None,
    ) -> LabelFits:
        return fit_labels(
            features,
            pairs.targets(by_pair=self.form == "binary"),
            strength=self.strength,
            l1_ratio=self.l1_ratio,
            sample_weight=sample_weight,
            tol=self.tol,
            max_iter=self.max_iter,
            n_jobs=self.n_jobs,
            callback=callback,
            block=None if block is None else block.rows,
        )

    def _set_fits(
        self, fits: LabelFits, classifiers: SizeClassifiers | None = None, size_fits: list[ClassFit] | None = None
    ) -> None:
        """Set the weights and the optimality certificates."""
        self.coef_, self.intercept_, self.fits_ = fits.coef, fits.intercept, fits
        self.size_fits_ = size_fits or []
        self.objective_ = float(fits.objective.sum() + sum(fit.objective for fit in self.size_fits_))
        if classifiers is None:
            self.size_coef_, self.size_intercept_ = sp.csr_array((0, self.n_features_in_)), np.zeros(0)
        else:
            self.size_coef_, self.size_intercept_ = classifiers.weights(self.size_fits_)

    def _check_state(self) -> None:
        super()._check_state()
        n_labels, n_pairs = len(self.classes_), np.size(self.pair_labels_)
        n_rows = (n_pairs if self.form == "binary" else n_labels) + self._n_empty
        check_sparse(self.coef_, "coef_", (n_rows, self.n_features_in_))
        check_array(self.intercept_, "intercept_", (n_rows,))
        n_rows = 0 if self.form == "binary" else n_pairs
        check_sparse(self.size_coef_, "size_coef_", (n_rows, self.n_features_in_))
        check_array(self.size_intercept_, "size_intercept_", (n_rows,))

    def label_weights(self) -> sp.csr_array:
        check_is_fitted(self)
        n_labels = len(self.classes_)
        if self.form == "binary":  # one row per label and size
            return self._mean_per_label(self.coef_[: self.pair_labels_.size], self.pair_labels_)
        return self._mean_per_label(self.coef_[:n_labels], np.arange(n_labels))

    @property
    def _n_empty(self) -> int:
        """Number of logistic regressions of empty sets."""
        return int(self.has_empty_)

    @property
    def _n_scores(self) -> int:
        return int(self.intercept_.size + self.size_intercept_.size)

    def _posterior(self, X: Any) -> LabelSizePosterior:
        return self._posterior_of(LabelSizePosterior, X)

    def _posterior_of(self, kind: type[LabelSizePosterior], X: Any) -> LabelSizePosterior:
        chances = np.asarray(scipy.special.expit(self._linear_scores(X)))
        return kind(self, chances, None if self.form == "binary" else self._size_shares(X))

    def _size_shares(self, X: Any) -> Array:
        """Return p(|y| = s | x, y_l = 1), documents by pairs: a softmax over the sizes of each label."""
        scores = self._linear_scores(X, "size_coef_", "size_intercept_")
        if scores.shape[1] == 0:
            return scores
        _, first, counts = np.unique(self.pair_labels_, return_index=True, return_counts=True)
        scores -= np.repeat(np.maximum.reduceat(scores, first, axis=1), counts, axis=1)
        weights = np.exp(scores)
        return np.asarray(weights / np.repeat(np.add.reduceat(weights, first, axis=1), counts, axis=1))


class LabelSizePosterior(Posterior):
    """The probabilities of the logistic regressions, and in the multinomial form those of the sizes."""

    model_name = "LabelSizeFactors"
    abilities = LabelSizeModel.abilities

    def __init__(self, model: Any, chances: Array, shares: Array | None) -> None:
        self.classes = model.classes_
        self.n_samples = len(chances)
        self._model = model
        self._chances = chances
        self._shares = shares

    def take(self, rows: Rows) -> LabelSizePosterior:
        shares = None if self._shares is None else self._shares[rows]
        return type(self)(self._model, self._chances[rows], shares)

    def size_marginals(self, max_size: int | None = None) -> SizeMarginals:
        """Return p(y_l = 1, |y| = s | x) for sizes up to the largest one seen, and p(y = 0 | x).

        Each part is learned separately, so they need not agree with any distribution over sets.
        """
        model = self._model
        empty = self._chances[:, -1].copy() if model.has_empty_ else np.zeros(self.n_samples)
        joint = np.zeros((self.n_samples, len(self.classes), model.n_sizes_))
        joint[:, model.pair_labels_, model.pair_sizes_ - 1] = self._by_pair()
        return SizeMarginals(joint if max_size is None else joint[:, :, :max_size], empty)

    def _by_pair(self) -> Array:
        """Return p(y_l = 1, |y| = s | x), documents by pairs."""
        labels = self._model.pair_labels_
        if self._shares is None:
            return self._chances[:, : labels.size]
        return np.asarray(self._chances[:, labels] * self._shares)

    def marginals(self) -> Array:
        """Return p(y_l = 1 | x), documents by labels.

        In the multinomial form it is the label's own regression; in the binary form it is the sum over sizes, which may
        exceed one and is clipped there.
        """
        if self._shares is None:
            return np.minimum(self.size_marginals().marginals, 1.0)
        return np.asarray(self._chances[:, : len(self.classes)])
