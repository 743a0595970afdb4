"""Tests of dependence between labels beyond what the features explain, for every pair of labels at once.

If labels l and k are independent given the features, the residuals r_l = y_l - p(y_l = 1 | x) and r_k have a product of
mean zero. The statistic of a pair sums this product over the documents::

    z_lk = sum_i r_il r_ik / sqrt(max(sum_i r_il^2 r_ik^2, sum_i v_il v_ik, 1)),    v = p (1 - p)

It is the generalized covariance measure (Shah and Peters, 2020), whose distribution under independence tends to the
standard normal one as long as the product of the errors of both probabilities vanishes faster than 1 / sqrt(n). Both
sums estimate the variance of the numerator under independence. Where labels are rare, the first is too small if the
labels never meet, and the second if they meet by chance once; with the larger of them, neither is taken for evidence.
The 1 is the variance that one joint occurrence contributes: a sum that differs from zero by less than a document says
nothing.

Probabilities are those of logistic regressions fitted to the other folds of the documents, since residuals of the
documents that were fitted are too small.
"""

from __future__ import annotations

from hashlib import blake2b
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import scipy
import scipy.sparse as sp
from numpy.typing import NDArray

from setwise._validation import check_sample_weight
from setwise.exceptions import InvalidData
from setwise.labels import LabelMatrix
from setwise.learners import BinaryProblem, LabelFits, linear_scores, one_blas_thread

__all__ = ["LEAST_DOCUMENTS", "PairTests", "document_folds", "pair_tests"]

Array = NDArray[np.float64]

_STRENGTHS = (0.5, 0.2, 0.08, 0.03, 0.012, 0.005)
"""Strengths of the L1 penalty, as shares of the critical one of each label; the best on held-out documents counts."""

_MAX_ITER = 200
"""Most Newton iterations per label: the default of the learners."""

LEAST_DOCUMENTS = 5
"""Labels that fewer documents have, or lack, are not tested: a pair that meets n times has a statistic of sqrt(n) at
most, and tests that cannot succeed would make others harder."""

MOST_TESTED = 3000
"""Most labels that are tested: the sums of all pairs take 430 MB then."""

_NUMBERS_AT_ONCE = 2**22
"""Residuals that are held in memory together: 32 MB."""


class PairTests(NamedTuple):
    """The statistics of all pairs of labels that are frequent enough to be tested."""

    labels: NDArray[np.int64]
    """The labels that are tested."""
    z: Array
    """Statistics, ``labels`` by ``labels``: symmetric, and 0 on the diagonal."""


class _Fold(NamedTuple):
    """The documents of one fold, and the regressions of the others at each strength."""

    X: sp.csr_array
    y: sp.csr_array
    weight: Array
    fits: list[LabelFits]


def pair_tests(X: Any, labels: LabelMatrix, sample_weight: Any, n_folds: int, seed: int, n_jobs: int) -> PairTests:
    """Compute the statistic of every pair of labels; all are 0 where the documents cannot be split into folds.

    Labels of fewer than ``LEAST_DOCUMENTS`` documents, or of all but fewer, are not tested.

    Parameters
    ----------
    X : sparse matrix or array of shape (n_samples, n_features)
    labels : LabelMatrix
    sample_weight : array of shape (n_samples,) or None
        A weight of 2 counts as two documents.
    n_folds : int
    seed : int
        Of the folds.
    n_jobs : int
        Number of threads, which no result depends on.
    """
    n_samples = labels.n_samples
    weight = np.ones(n_samples) if sample_weight is None else check_sample_weight(sample_weight, n_samples)
    kept = np.flatnonzero(weight)
    rows, indicator, weight = sp.csr_array(X)[kept], labels.indicator[kept], weight[kept]
    having = np.asarray(indicator.T @ weight)
    tested = np.flatnonzero(np.minimum(having, weight.sum() - having) >= LEAST_DOCUMENTS)
    if tested.size > MOST_TESTED:
        raise InvalidData(
            f"At most {MOST_TESTED:,} labels can be tested for dependence; got {tested.size:,}. Hint: pass partition."
        )
    fold_of = document_folds(rows, n_folds, seed)
    if tested.size < 2 or np.unique(fold_of).size < 2:
        return PairTests(tested, np.zeros((tested.size, tested.size)))
    targets = sp.csr_array(indicator[:, tested])
    folds = [_fold(rows, targets, weight, fold_of == fold, n_jobs) for fold in np.unique(fold_of)]
    best = np.argmin(sum(_held_out_losses(fold) for fold in folds), axis=0)
    sums, n_rows = np.zeros((3, tested.size, tested.size)), max(1, _NUMBERS_AT_ONCE // tested.size)
    for fold in folds:
        logits = _logits(fold, best)
        for start in range(0, len(logits), n_rows):
            block = slice(start, start + n_rows)
            sums += _sums(logits[block], fold.y[block].toarray(), fold.weight[block])
    products, squares, variances = sums
    z = products / np.sqrt(np.maximum(np.maximum(squares, variances), 1.0))
    np.fill_diagonal(z, 0.0)
    return PairTests(tested, z)


def document_folds(X: sp.csr_array, n_folds: int, seed: int) -> NDArray[np.int64]:
    """Return the fold of each document, which depends on its own features and the seed alone.

    Documents with the same features are in the same fold, so that no document is predicted from a copy of itself, and a
    document twice is the same as a document of weight 2.
    """
    rows = sp.csr_array(X, dtype=np.float64, copy=True)
    rows.sum_duplicates()
    rows.eliminate_zeros()
    indices, key = rows.indices.astype(np.int64), seed.to_bytes(8, "little")
    hashes = [
        blake2b(indices[start:end].tobytes() + rows.data[start:end].tobytes(), digest_size=8, key=key).digest()
        for start, end in pairwise(rows.indptr.tolist())
    ]
    return np.array([int.from_bytes(one, "little") % n_folds for one in hashes], dtype=np.int64)


def _fold(X: sp.csr_array, y: sp.csr_array, weight: Array, inside: NDArray[np.bool_], n_jobs: int) -> _Fold:
    """Fit the documents outside a fold at each strength."""
    problem = BinaryProblem.of(X[~inside], y[~inside], weight[~inside], None, False, n_jobs, strength_scaling="label")
    critical = float(problem.peak.max()) or 1.0  # labels that are constant here have no weights anyway
    fits = problem.fit([share * critical for share in _STRENGTHS], 1.0, None, _MAX_ITER)
    return _Fold(X[inside], y[inside], weight[inside], fits)


def _held_out_losses(fold: _Fold) -> Array:
    """Return the logistic loss of each strength and label on the documents of a fold."""
    losses = []
    for fits in fold.fits:
        logits = fits.scores(fold.X)
        of_positives = np.asarray(sp.csr_array(fold.y * (fold.weight[:, None] * logits)).sum(axis=0)).ravel()
        losses.append((fold.weight[:, None] * np.logaddexp(0.0, logits)).sum(axis=0) - of_positives)
    return np.array(losses)


def _logits(fold: _Fold, best: NDArray[np.intp]) -> Array:
    """Return the logit of each document and label at the best strength of the label."""
    n_labels = best.size
    rows = best * n_labels + np.arange(n_labels)
    coef = sp.csr_array(sp.vstack([fits.coef for fits in fold.fits], format="csr")[rows])
    intercept = np.concatenate([fits.intercept for fits in fold.fits])[rows]
    return linear_scores(fold.X, coef, intercept)


def _sums(logits: Array, y: NDArray[Any], weight: Array) -> Array:
    """Return the sums over documents of products of residuals, of their squares and of variances, labels by labels."""
    chances = scipy.special.expit(logits)
    residuals = y - chances
    with one_blas_thread():
        return np.array(
            [(weight[:, None] * one).T @ one for one in (residuals, residuals**2, chances * (1.0 - chances))]
        )
