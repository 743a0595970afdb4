"""Binary relevance: every label by itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from setwise.labels import LabelMatrix, MostProbable, SizeMarginals
from setwise.labels.matrix import csr_of_ones
from setwise.learners import LabelFits, fit_labels, fit_path
from setwise.learners.checks import checked_n_jobs, linear_scores
from setwise.models import bernoulli_kernels
from setwise.models.base import Callback, LabelModel, checked_count, document_generators, falling_strengths
from setwise.models.state_checks import check_array, check_sparse

__all__ = ["BinaryRelevance"]


class BinaryRelevance(LabelModel):
    """BR: independent labels, p(y | x) = prod_l p(y_l | x), each a logistic regression with an elastic net.

    Minimises for each label, over w and b (b is not penalised)::

        (1/n) sum_i [log(1 + exp(z_i)) - y_i z_i]  +  strength * (l1_ratio |w|_1 + (1 - l1_ratio) |w|_2^2)

    with z_i = b + x_i . w. ``strength`` is the paper's lambda, ``l1_ratio`` its alpha. ``tol`` and ``max_iter`` are
    those of :func:`setwise.learners.fit_labels`; ``n_jobs=None`` uses every core, and no result depends on it.

    After ``fit``: ``classes_``, ``n_features_in_``, ``coef_`` (labels by features), ``intercept_``, ``fits_`` with the
    certificate of each label, and ``objective_``, their sum. Everything that is asked of it is exact.
    """

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
    ) -> None:
        self.strength = strength
        self.l1_ratio = l1_ratio
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, callback: Callback | None = None) -> BinaryRelevance:
        """Fit to documents X and their labels y (0 and 1, sparse or dense, or lists of names).

        ``callback(iteration, model)`` is called after each Newton iteration of all labels, when the model already has
        its weights; where it returns True, the fit ends.
        """
        labels = LabelMatrix.of(y)

        def watch(iteration: int, fits: LabelFits) -> bool | None:
            self._take(labels, fits)
            return None if callback is None else callback(iteration, self)

        fits = fit_labels(
            X,
            labels,
            strength=self.strength,
            l1_ratio=self.l1_ratio,
            tol=self.tol,
            max_iter=self.max_iter,
            n_jobs=self.n_jobs,
            callback=None if callback is None else watch,
        )
        self._take(labels, fits)
        return self

    def fit_path(self, X: Any, y: Any, strengths: Iterable[float]) -> Iterator[BinaryRelevance]:
        """Give a fitted copy for each strength, the strongest first, each begun where the stronger one ended."""
        labels, falling = LabelMatrix.of(y), falling_strengths(strengths)
        path = fit_path(
            X,
            labels,
            falling,
            l1_ratio=self.l1_ratio,
            tol=self.tol,
            max_iter=self.max_iter,
            n_jobs=self.n_jobs,
        )
        for strength, fits in zip(falling, path, strict=True):
            model = clone(self).set_params(strength=strength)
            model._take(labels, fits)
            yield model

    def _take(self, labels: LabelMatrix, fits: LabelFits) -> None:
        """Set every fitted attribute."""
        self.classes_ = labels.names
        self.n_features_in_ = int(fits.coef.shape[1])
        self.coef_ = fits.coef
        self.intercept_ = fits.intercept
        self.fits_ = fits
        self.objective_ = float(fits.objective.sum())

    def _check_state(self) -> None:
        super()._check_state()
        check_sparse(self.coef_, "coef_", (len(self.classes_), self.n_features_in_))
        check_array(self.intercept_, "intercept_", (len(self.classes_),))

    def scores(self, X: Any) -> NDArray[np.float64]:
        """Give the logit of every label, documents by labels."""
        check_is_fitted(self)
        return linear_scores(X, self.coef_, self.intercept_)

    def log_prob(self, X: Any, sets: Any) -> NDArray[np.float64]:
        """Give log p(set | x) = sum_{l in set} z_l - sum_l log(1 + exp z_l), documents by sets."""
        rows = self._read_sets(sets)
        return bernoulli_kernels.log_prob(*self._mixture(X), rows, checked_n_jobs(self.n_jobs))

    def marginals(self, X: Any) -> NDArray[np.float64]:
        """Give p(y_l = 1 | x), documents by labels."""
        return np.asarray(expit(self.scores(X)))

    def scaled_marginals(self, X: Any, scale: float, shift: float) -> NDArray[np.float64]:
        """Give p(y_l = 1 | x) with every logit z replaced by scale z + shift, documents by labels."""
        return np.asarray(expit(scale * self.scores(X) + shift))

    def mode(self, X: Any) -> MostProbable:
        """Give the most probable set of each document: the labels whose logit is above 0."""
        return bernoulli_kernels.mode(*self._mixture(X), 0, checked_n_jobs(self.n_jobs))

    def size_marginals(self, X: Any, max_size: int | None = None) -> SizeMarginals:
        """Give p(y_l = 1, |y| = s | x) for every label and size up to ``max_size``; None means all that matter."""
        return bernoulli_kernels.size_marginals(*self._mixture(X), max_size, checked_n_jobs(self.n_jobs))

    def scaled_size_marginals(self, X: Any, scale: float, shift: float) -> SizeMarginals:
        """Give the size marginals with every logit z replaced by scale z + shift."""
        logits, log_gate = self._mixture(X)
        return bernoulli_kernels.size_marginals(scale * logits + shift, log_gate, None, checked_n_jobs(self.n_jobs))

    def sample(self, X: Any, n: int, random_state: int) -> sp.csr_array:
        """Draw ``n`` sets per document: rows i n to (i + 1) n - 1 are those of document i."""
        n, marginals = checked_count(n, "n"), self.marginals(X)
        lengths, columns = [], []
        for random, chances in zip(document_generators(len(marginals), random_state), marginals, strict=True):
            drawn = random.random((n, chances.size)) < chances
            lengths.append(drawn.sum(axis=1))
            columns.append(np.nonzero(drawn)[1])
        return csr_of_ones(np.concatenate(columns), np.concatenate(lengths), marginals.shape[1])

    def _mixture(self, X: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        return bernoulli_kernels.one_component(self.scores(X))
