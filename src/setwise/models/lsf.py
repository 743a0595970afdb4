"""LSF: how probable it is that a document has a label and is of a size, learnt directly."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, ClassVar, Literal, get_args

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from setwise.exceptions import InvalidData, InvalidParameter
from setwise.labels import LabelMatrix, SizeMarginals
from setwise.labels.distribution import require_room
from setwise.learners import ClassFit, FeatureColumns, LabelFits, fit_labels, fit_path
from setwise.learners.checks import (
    as_matrix,
    checked_l1_ratio,
    checked_max_iter,
    checked_n_jobs,
    checked_strength,
    checked_tol,
    linear_scores,
)
from setwise.models.base import Callback, LabelModel, falling_strengths
from setwise.models.lsf_parts import LabelSizes, Settings, SizeClassifiers, warn_unless_converged
from setwise.models.state_checks import check_array, check_count, check_range, check_sparse

__all__ = ["Form", "LabelSizeFactors"]

Form = Literal["binary", "multinomial"]


class LabelSizeFactors(LabelModel):
    """LSF, the paper's baseline: p(y_l = 1, |y| = s | x) without a joint model of the set.

    ``form="binary"`` has a logistic regression for every pair (l, s) that occurs in training, with target y_l = 1 and
    |y| = s. ``form="multinomial"`` has one for every label, and for every label a multinomial over the sizes that occur
    with it, trained on the documents that have it; the two probabilities are multiplied. Pairs that never occur have
    probability 0. In both, p(y = 0 | x) is a logistic regression where empty sets occur, and 0 where not.

    Each part minimises, over weights w and intercepts that are not penalised::

        (1/n) sum_i loss_i  +  strength * (l1_ratio |w|_1 + (1 - l1_ratio) |w|_2^2)

    with n the number of all training documents, and no loss for those that a part does not see. ``strength`` is the
    paper's lambda, ``l1_ratio`` its alpha; ``tol`` and ``max_iter`` are those of the learners. ``n_jobs=None`` uses
    every core, and no result depends on it.

    After ``fit``: ``classes_``, ``n_features_in_``, ``n_sizes_`` (the largest size seen), the pairs as ``pair_labels_``
    and ``pair_sizes_``, the weights of the logistic regressions as ``coef_`` and ``intercept_`` (a row a pair or a
    label, last the empty set where ``has_empty_``), those of the multinomials as ``size_coef_`` and
    ``size_intercept_`` (a row a pair), and with the certificates ``fits_`` and ``size_fits_``.
    """

    _fitted: ClassVar[tuple[str, ...]] = (
        "n_sizes_",
        "has_empty_",
        "pair_labels_",
        "pair_sizes_",
        "coef_",
        "intercept_",
        "size_coef_",
        "size_intercept_",
    )

    n_sizes_: int
    has_empty_: bool
    pair_labels_: NDArray[np.int32]
    pair_sizes_: NDArray[np.int32]
    coef_: sp.csr_array
    intercept_: NDArray[np.float64]
    size_coef_: sp.csr_array
    size_intercept_: NDArray[np.float64]
    fits_: LabelFits
    size_fits_: list[ClassFit]

    def __init__(
        self,
        form: Form = "binary",
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

    def fit(self, X: Any, y: Any, callback: Callback | None = None) -> LabelSizeFactors:
        """Fit to documents X and their labels y (0 and 1, sparse or dense, or lists of names).

        ``callback(iteration, model)`` is called after each Newton iteration, which all parts take together, when the
        model already has its weights; where it returns True, the fit ends.
        """
        _checked_form(self.form)
        settings = Settings(
            checked_strength(self.strength),
            checked_l1_ratio(self.l1_ratio),
            checked_tol(self.tol),
            checked_max_iter(self.max_iter),
            checked_n_jobs(self.n_jobs),
        )
        labels = LabelMatrix.of(y)
        features = FeatureColumns.of(X)
        labels.check_rows(features.n_samples)
        pairs = LabelSizes.of(labels)
        self._take_labels(labels, pairs, features.n_features)
        if self.form == "binary":
            self._fit_pairs(features, pairs, callback)
        else:
            self._fit_labels_and_sizes(features, pairs, SizeClassifiers(_rows(X), pairs, settings), callback)
        return self

    def fit_path(self, X: Any, y: Any, strengths: Iterable[float]) -> Iterator[LabelSizeFactors]:
        """Give a fitted copy for each strength, the strongest first; in the binary form each begins where one ended."""
        if self.form != "binary":
            yield from super().fit_path(X, y, strengths)
            return
        falling, labels, features = falling_strengths(strengths), LabelMatrix.of(y), FeatureColumns.of(X)
        pairs = LabelSizes.of(labels)
        path = fit_path(
            features,
            pairs.targets(by_pair=True),
            falling,
            l1_ratio=self.l1_ratio,
            tol=self.tol,
            max_iter=self.max_iter,
            n_jobs=self.n_jobs,
        )
        for strength, fits in zip(falling, path, strict=True):
            model = clone(self).set_params(strength=strength)
            model._take_labels(labels, pairs, features.n_features)
            model._take_fits(fits)
            yield model

    def _fit_pairs(self, features: FeatureColumns, pairs: LabelSizes, callback: Callback | None) -> None:
        def watch(iteration: int, fits: LabelFits) -> bool | None:
            self._take_fits(fits)
            return None if callback is None else callback(iteration, self)

        self._take_fits(self._fit_columns(features, pairs, None if callback is None else watch))

    def _fit_labels_and_sizes(
        self, features: FeatureColumns, pairs: LabelSizes, classifiers: SizeClassifiers, callback: Callback | None
    ) -> None:
        if callback is None:
            self._take_fits(self._fit_columns(features, pairs, None), classifiers, classifiers.fit())
            warn_unless_converged(self.size_fits_)
            return
        steps = classifiers.steps()
        last, ended = 0, False

        def watch(iteration: int, fits: LabelFits) -> bool:
            nonlocal last, ended
            steps.advance(iteration)
            self._take_fits(fits, classifiers, steps.fits)
            last, ended = iteration, bool(callback(iteration, self))
            return ended

        fits = self._fit_columns(features, pairs, watch)
        self._take_fits(fits, classifiers, steps.fits)
        while not ended and not steps.converged and last < self.max_iter:  # the labels have converged, sizes go on
            watch(last + 1, fits)
        if not ended:
            warn_unless_converged(self.size_fits_)

    def _fit_columns(self, features: FeatureColumns, pairs: LabelSizes, callback: Any) -> LabelFits:
        return fit_labels(
            features,
            pairs.targets(by_pair=self.form == "binary"),
            strength=self.strength,
            l1_ratio=self.l1_ratio,
            tol=self.tol,
            max_iter=self.max_iter,
            n_jobs=self.n_jobs,
            callback=callback,
        )

    def _take_labels(self, labels: LabelMatrix, pairs: LabelSizes, n_features: int) -> None:
        """Set what is known before the weights."""
        self.classes_ = labels.names
        self.n_features_in_ = n_features
        self.n_sizes_ = pairs.largest
        self.has_empty_ = bool(pairs.empty.any())
        self.pair_labels_ = pairs.labels
        self.pair_sizes_ = pairs.sizes

    def _take_fits(
        self, fits: LabelFits, classifiers: SizeClassifiers | None = None, size_fits: list[ClassFit] | None = None
    ) -> None:
        """Set the weights and the certificates."""
        self.coef_, self.intercept_, self.fits_ = fits.coef, fits.intercept, fits
        self.size_fits_ = size_fits or []
        self.objective_ = float(fits.objective.sum() + sum(fit.objective for fit in self.size_fits_))
        if classifiers is None:
            self.size_coef_, self.size_intercept_ = sp.csr_array((0, self.n_features_in_)), np.zeros(0)
        else:
            self.size_coef_, self.size_intercept_ = classifiers.weights(self.size_fits_)

    def _check_state(self) -> None:
        super()._check_state()
        _checked_form(self.form)
        n_labels, n_pairs = len(self.classes_), np.size(self.pair_labels_)
        check_count(self.n_sizes_, "n_sizes_", 0, n_labels)
        require_room(n_labels, self.n_sizes_)
        if not isinstance(self.has_empty_, bool):
            raise InvalidData(f"has_empty_ must be true or false; got {self.has_empty_!r:.40}.")
        check_array(self.pair_labels_, "pair_labels_", (n_pairs,), np.int32)
        check_array(self.pair_sizes_, "pair_sizes_", (n_pairs,), np.int32)
        check_range(self.pair_labels_, "pair_labels_", 0, n_labels - 1)
        check_range(self.pair_sizes_, "pair_sizes_", 1, self.n_sizes_)
        keys = self.pair_labels_.astype(np.int64) * (n_labels + 1) + self.pair_sizes_
        if self.pair_sizes_.max(initial=0) != self.n_sizes_ or (np.diff(keys) <= 0).any():
            raise InvalidData("pairs must rise by label and size, up to the size n_sizes_; they do not.")
        having = np.bincount(self.pair_sizes_, minlength=1)
        if ((having > 0) & (having < np.arange(having.size))).any():
            raise InvalidData("pairs of each size must be of as many labels, as a set of that size has; they are not.")
        n_rows = (n_pairs if self.form == "binary" else n_labels) + self.has_empty_
        check_sparse(self.coef_, "coef_", (n_rows, self.n_features_in_))
        check_array(self.intercept_, "intercept_", (n_rows,))
        n_rows = 0 if self.form == "binary" else n_pairs
        check_sparse(self.size_coef_, "size_coef_", (n_rows, self.n_features_in_))
        check_array(self.size_intercept_, "size_intercept_", (n_rows,))

    def size_marginals(self, X: Any) -> SizeMarginals:
        """Give p(y_l = 1, |y| = s | x) for sizes up to the largest seen, and p(y = 0 | x).

        Each part is learnt by itself, so over all labels and sizes they need not add up to a distribution over sets.
        """
        check_is_fitted(self)
        chances = np.asarray(expit(linear_scores(X, self.coef_, self.intercept_)))
        n_columns = chances.shape[1] - self.has_empty_
        empty = chances[:, n_columns].copy() if self.has_empty_ else np.zeros(len(chances))
        joint = np.zeros((len(chances), len(self.classes_), self.n_sizes_))
        if self.form == "binary":
            by_pair = chances[:, :n_columns]
        else:
            by_pair = chances[:, self.pair_labels_] * self._size_shares(X)
        joint[:, self.pair_labels_, self.pair_sizes_ - 1] = by_pair
        return SizeMarginals(joint, empty)

    def marginals(self, X: Any) -> NDArray[np.float64]:
        """Give p(y_l = 1 | x), documents by labels.

        In the multinomial form it is the label's own regression; in the binary form the sum over sizes, which nothing
        keeps from going beyond one, and which is held there.
        """
        if self.form == "binary":
            return np.minimum(self.size_marginals(X).marginals, 1.0)
        check_is_fitted(self)
        return np.asarray(expit(linear_scores(X, self.coef_, self.intercept_)[:, : len(self.classes_)]))

    def _size_shares(self, X: Any) -> NDArray[np.float64]:
        """Give p(|y| = s | x, y_l = 1), documents by pairs: a softmax over the sizes of each label."""
        scores = linear_scores(X, self.size_coef_, self.size_intercept_)
        if scores.shape[1] == 0:
            return scores
        _, first, counts = np.unique(self.pair_labels_, return_index=True, return_counts=True)
        scores -= np.repeat(np.maximum.reduceat(scores, first, axis=1), counts, axis=1)
        weights = np.exp(scores)
        return np.asarray(weights / np.repeat(np.add.reduceat(weights, first, axis=1), counts, axis=1))


def _checked_form(form: Any) -> None:
    if not isinstance(form, str) or form not in get_args(Form):
        raise InvalidParameter(f"form must be 'binary' or 'multinomial'; got {form!r}.")


def _rows(X: Any) -> sp.csr_array:
    """Give features by rows, of which each size classifier takes its own."""
    if isinstance(X, FeatureColumns):
        raise InvalidData(
            "X must be a matrix where form is 'multinomial'; got FeatureColumns, which have no rows to take."
        )
    return sp.csr_array(as_matrix(X, "X"))
