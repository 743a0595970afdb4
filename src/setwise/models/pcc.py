"""Probabilistic classifier chains (PCC): each label is predicted from the features and the labels before it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from setwise import _core
from setwise.exceptions import InvalidData, InvalidParameter
from setwise.labels import LabelMatrix, MostProbable
from setwise.labels.matrix import csr_of_ones
from setwise.learners.binary import advanced
from setwise.learners.checks import (
    as_matrix,
    checked_l1_ratio,
    checked_max_iter,
    checked_n_jobs,
    checked_strength,
    checked_tol,
    linear_scores,
)
from setwise.learners.fits import LabelFits, warn_unless_converged
from setwise.learners.problem import BinaryProblem
from setwise.models.base import (
    Callback,
    LabelModel,
    checked_count,
    document_generators,
    falling_strengths,
    numbered_generator,
)
from setwise.models.state_checks import check_array, check_sparse

__all__ = ["MOST_IN_BEAM", "ClassifierChain"]

MOST_IN_BEAM = 2**22
"""Logits of beginnings that beams hold at one time: documents times beam width times labels."""


class ClassifierChain(LabelModel):
    """Probabilistic classifier chain (paper, section 2, PCC).

    For labels in the order of the chain::

        p(y | x) = prod_j p(y_j = 1 | x, y_1 .. y_{j-1}),     logit_j = w_j . x + b_j + sum_{l < j} V_jl y_l

    Each label is a binary logistic regression whose features are x and the labels before it, all under one elastic net;
    it minimises what :func:`setwise.learners.fit_labels` states. ``strength`` is the paper's lambda, ``l1_ratio`` its
    alpha.

    ``order`` is ``"frequency"`` (the most frequent label first, ties in the order of the labels), ``"given"`` (the
    order of the labels), ``"random"``, or all label names in the order wanted. With ``"random"`` there are ``n_orders``
    chains, their orders drawn from ``random_state``, and the model is their average: p(y | x) is the mean of theirs.
    ``beam_width`` is the number of beginnings that the search for the mode keeps. ``tol``, ``max_iter`` and
    ``n_jobs`` are those of ``fit_labels``.

    After ``fit``: ``order_`` (chains by labels: label indices in the order of each chain); ``coef_``, ``feedback_`` and
    ``intercept_``, the w, V and b of each label, chain after chain: row m n_labels + l is label l in chain m, and
    column l of ``feedback_`` is what label l adds; ``fits_``, one :class:`LabelFits` a chain with its certificates,
    whose last features are the labels in the order of the chain.
    """

    _fitted: ClassVar[tuple[str, ...]] = ("order_", "coef_", "feedback_", "intercept_")

    order_: NDArray[np.int32]
    coef_: sp.csr_array
    feedback_: sp.csr_array
    intercept_: NDArray[np.float64]
    fits_: list[LabelFits]

    def __init__(
        self,
        strength: float = 1e-3,
        l1_ratio: float = 0.5,
        order: str | Sequence[str] = "frequency",
        n_orders: int = 1,
        random_state: int = 0,
        beam_width: int = 15,
        tol: float | None = None,
        max_iter: int = 200,
        n_jobs: int | None = None,
    ) -> None:
        self.strength = strength
        self.l1_ratio = l1_ratio
        self.order = order
        self.n_orders = n_orders
        self.random_state = random_state
        self.beam_width = beam_width
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, callback: Callback | None = None) -> ClassifierChain:
        """Fit to documents X and their labels y: an indicator of 0 and 1, or lists of names.

        After each Newton iteration of all labels, ``callback(iteration, model)`` is called; where it returns True,
        training ends there.
        """
        strength, l1_ratio = checked_strength(self.strength), checked_l1_ratio(self.l1_ratio)
        tol, max_iter = checked_tol(self.tol), checked_max_iter(self.max_iter)
        problems = self._begin(X, y)
        if callback is None:
            self._take([problem.fit([strength], l1_ratio, tol, max_iter)[0] for problem in problems])
        elif self._fit_watched(list(problems), strength, l1_ratio, tol, max_iter, callback):
            return self
        for fits in self.fits_:
            warn_unless_converged(fits)
        return self

    def fit_path(self, X: Any, y: Any, strengths: Iterable[float]) -> Iterator[ClassifierChain]:
        """Give a fitted copy for each strength, the strongest first, each begun where the stronger one ended."""
        falling, l1_ratio = falling_strengths(strengths), checked_l1_ratio(self.l1_ratio)
        tol, max_iter = checked_tol(self.tol), checked_max_iter(self.max_iter)
        first = clone(self)
        paths = [problem.fit(falling, l1_ratio, tol, max_iter) for problem in first._begin(X, y)]
        for strength, *fits in zip(falling, *paths, strict=True):
            model = clone(self).set_params(strength=strength)
            model.classes_, model.n_features_in_, model.order_ = first.classes_, first.n_features_in_, first.order_
            model._take(fits)
            for one in fits:
                warn_unless_converged(one)
            yield model

    def _begin(self, X: Any, y: Any) -> Iterator[BinaryProblem]:
        """Set what is known before the weights, and lay out the problem of each chain."""
        checked_count(self.beam_width, "beam_width")
        matrix, labels = as_matrix(X, "X"), LabelMatrix.of(y)
        labels.check_rows(matrix.shape[0])
        orders = _chain_orders(self.order, self.n_orders, self.random_state, labels)
        self.classes_, self.n_features_in_, self.order_ = labels.names, int(matrix.shape[1]), orders
        return (_chain_problem(matrix, labels, order, self.n_jobs) for order in orders)

    def _fit_watched(
        self,
        problems: list[BinaryProblem],
        strength: float,
        l1_ratio: float,
        tol: float | None,
        max_iter: int,
        callback: Callback,
    ) -> bool:
        """Take one iteration of all chains at a time; True where the callback ended it."""
        fits = [problem.fit([strength], l1_ratio, tol, 0)[0] for problem in problems]
        self._take(fits)
        for iteration in range(1, max_iter + 1):
            if all(one.converged.all() for one in fits):
                break
            fits = [
                one if one.converged.all() else advanced(problem, strength, l1_ratio, tol, one, iteration)
                for problem, one in zip(problems, fits, strict=True)
            ]
            self._take(fits)
            if callback(iteration, self):
                return True
        return False

    def _take(self, fits: list[LabelFits]) -> None:
        """Split the weights into those of features and those of labels; sets all that a prediction reads."""
        n_features = self.n_features_in_
        places = np.argsort(self.order_, axis=1)  # of each label in each chain
        self.fits_ = fits
        self.coef_ = sp.csr_array(sp.vstack([one.coef[:, :n_features] for one in fits], format="csr"))
        self.feedback_ = sp.csr_array(
            sp.vstack([one.coef[:, n_features + place] for one, place in zip(fits, places, strict=True)], format="csr")
        )
        self.feedback_.sort_indices()
        self.intercept_ = np.concatenate([one.intercept for one in fits])
        self.objective_ = float(sum(one.objective.sum() for one in fits))

    def _check_state(self) -> None:
        super()._check_state()
        n_labels, n_chains = len(self.classes_), np.shape(self.order_)[0] if np.ndim(self.order_) else 0
        check_array(self.order_, "order_", (n_chains, n_labels), np.int32)
        if n_chains == 0 or not (np.sort(self.order_, axis=1) == np.arange(n_labels)).all():
            raise InvalidData("order_ must have at least one chain, and every label once in each; it has not.")
        n_rows = n_chains * n_labels
        check_sparse(self.coef_, "coef_", (n_rows, self.n_features_in_))
        check_array(self.intercept_, "intercept_", (n_rows,))
        check_sparse(self.feedback_, "feedback_", (n_rows, n_labels))
        place = np.argsort(self.order_, axis=1)  # of each label in each chain
        row = np.repeat(np.arange(n_rows), np.diff(self.feedback_.indptr))
        if not (place[row // n_labels, self.feedback_.indices] < place.ravel()[row]).all():
            raise InvalidData("feedback_ must come from labels earlier in the chain alone; it does not.")
        checked_count(self.beam_width, "beam_width")

    def log_prob(self, X: Any, sets: Any) -> NDArray[np.float64]:
        """log p(set | x), documents by sets; with several chains, that of their mean."""
        rows = self._read_sets(sets)
        threads = checked_n_jobs(self.n_jobs)
        chains = self._chains(X)
        return _log_mean(chain.log_prob(scores, *_placed(rows, order), threads) for chain, scores, order in chains)

    def mode(self, X: Any) -> MostProbable:
        """Search the most probable set of each document by beam search.

        The candidates are the sets that the beams of all chains end in. The best is proved where no other set can be
        more probable; that is always so when ``beam_width`` is at least 2 to the number of labels.
        """
        check_is_fitted(self)
        checked_count(self.beam_width, "beam_width")
        matrix = as_matrix(X, "X")
        rows = matrix.tocsr() if sp.issparse(matrix) else matrix
        n_at_a_time = max(1, MOST_IN_BEAM // self.largest_beam)
        found = [self._modes(rows[start : start + n_at_a_time]) for start in range(0, rows.shape[0], n_at_a_time)]
        return MostProbable(
            sp.csr_array(sp.vstack([modes.sets for modes in found], format="csr")),
            np.concatenate([modes.log_prob for modes in found]),
            np.concatenate([modes.exact for modes in found]),
        )

    @property
    def largest_beam(self) -> int:
        """How many logits a beam holds for a document, at most: it never holds more beginnings than there are sets."""
        n_labels = len(self.classes_)
        return n_labels * int(min(self.beam_width, 2 ** min(n_labels, 64)))

    def _modes(self, X: Any) -> MostProbable:
        """Search the most probable sets of some documents."""
        width = min(self.beam_width, np.iinfo(np.int32).max)
        threads = checked_n_jobs(self.n_jobs)
        chains = self._chains(X)
        beams = [_beams(chain, scores, order, width, threads) for chain, scores, order in chains]
        document = np.concatenate([found[0] for found in beams])
        by_document = np.argsort(document, kind="stable")
        document = np.ascontiguousarray(document[by_document])
        sets = sp.csr_array(sp.vstack([found[1] for found in beams], format="csr")[by_document])
        log_prob = _log_mean(
            chain.log_prob_each(scores, *_placed(sets, order), document, threads) for chain, scores, order in chains
        )
        best = _best_of_each(document, sets, log_prob)
        # A set in no beam began, in every chain, with something pruned: in chain m it has at most the largest
        # probability pruned there, and in all at most the mean of these.
        bound = _log_mean(found[2] for found in beams)
        return MostProbable(sets[best], log_prob[best], log_prob[best] >= bound)

    def sample(self, X: Any, n: int, random_state: int) -> sp.csr_array:
        """Draw ``n`` sets a document, label by label along the chain; of several chains each set draws its own first.

        Rows i n to (i + 1) n - 1 are those of document i. The first of them do not depend on ``n``.
        """
        check_is_fitted(self)
        n = checked_count(n, "n")
        chains = self._chains(X)
        n_documents, n_labels = chains[0][1].shape
        sizes, labels = [], []
        for document, random in enumerate(document_generators(n_documents, random_state)):
            uniform = random.random((n, n_labels + (len(chains) > 1)))
            drawn = _drawn([(chain, scores[document], order) for chain, scores, order in chains], uniform)
            sizes.append(np.diff(drawn.indptr))
            labels.append(drawn.indices)
        return csr_of_ones(np.concatenate(labels), np.concatenate(sizes), n_labels)

    def _chains(self, X: Any) -> list[tuple[_core.Chain, NDArray[np.float64], NDArray[np.int32]]]:
        """Give each chain as the core reads it: its feedback, and its scores and labels in the order of the chain."""
        scores = linear_scores(X, self.coef_, self.intercept_)
        n_labels = self.order_.shape[1]
        chains = []
        for m, order in enumerate(self.order_):
            rows = slice(m * n_labels, (m + 1) * n_labels)
            by_giver = sp.csc_array(self.feedback_[rows][order][:, order])
            by_giver.sort_indices()
            chain = _core.Chain(
                by_giver.indptr.astype(np.int64), by_giver.indices.astype(np.int32), by_giver.data.astype(np.float64)
            )
            chains.append((chain, np.ascontiguousarray(scores[:, rows][:, order]), order))
        return chains


def _chain_orders(order: Any, n_orders: Any, random_state: Any, labels: LabelMatrix) -> NDArray[np.int32]:
    """Give the label indices in the order of each chain, chains by labels."""
    n_orders = checked_count(n_orders, "n_orders")
    if isinstance(order, str) and order == "random":
        # A generator a chain, so that more chains leave the first as they were.
        generators = (numbered_generator(random_state, chain) for chain in range(n_orders))
        drawn = [random.permutation(labels.n_labels) for random in generators]
        return np.array(drawn, dtype=np.int32)
    if n_orders != 1:
        raise InvalidParameter(f"n_orders must be 1 unless order is 'random'; got {n_orders} and order {order!r}.")
    if isinstance(order, str):
        match order:
            case "frequency":
                return np.argsort(-labels.counts, kind="stable").astype(np.int32)[None, :]
            case "given":
                return np.arange(labels.n_labels, dtype=np.int32)[None, :]
    elif isinstance(order, Iterable):
        return _named_order(list(order), labels)[None, :]
    raise InvalidParameter(f"order must be 'frequency', 'given', 'random' or a list of all label names; got {order!r}.")


def _named_order(names: list[Any], labels: LabelMatrix) -> NDArray[np.int32]:
    index = {name: label for label, name in enumerate(labels.names)}
    seen = set()
    for name in names:
        if not isinstance(name, str) or name not in index:
            raise InvalidParameter(f"order must name labels of y alone; got {name!r}.")
        if name in seen:
            raise InvalidParameter(f"order must name each label once; got {name!r} twice.")
        seen.add(name)
    if len(names) != labels.n_labels:
        missing = next(name for name in labels.names if name not in seen)
        raise InvalidParameter(f"order must name all {labels.n_labels} labels; got {len(names)}, without {missing!r}.")
    return np.array([index[name] for name in names], dtype=np.int32)


def _chain_problem(matrix: Any, labels: LabelMatrix, order: NDArray[np.int32], n_jobs: Any) -> BinaryProblem:
    """Lay out features and labels as one matrix, the labels last and in the order of the chain.

    Each label may then use a number of the first columns: all features, and as many labels as come before it.
    """
    kind = matrix.dtype if matrix.dtype.kind == "f" else np.float64
    spoken = labels.indicator[:, order].astype(kind)
    features = sp.hstack([sp.csc_array(matrix), spoken], format="csc", dtype=kind)
    limits = matrix.shape[1] + np.argsort(order)
    return BinaryProblem.of(features, labels, None, None, False, n_jobs, limits)


def _placed(sets: sp.csr_array, order: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Give label sets with labels numbered by their place in the chain, as the core reads them."""
    placed = sets[:, order]
    placed.sort_indices()
    return placed.indptr.astype(np.int64), placed.indices.astype(np.int32)


def _log_mean(log_probs: Iterable[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Give the log of the mean of probabilities; of one, its very bits."""
    total, n = None, 0
    for log_prob in log_probs:
        total = log_prob if total is None else np.logaddexp(total, log_prob)
        n += 1
    return np.asarray(total if n == 1 else total - np.log(n))


def _beams(
    chain: _core.Chain, scores: NDArray[np.float64], order: NDArray[np.int32], width: int, n_jobs: int
) -> tuple[NDArray[np.int32], sp.csr_array, NDArray[np.float64]]:
    """Give the sets that a chain's beams end in, the document of each, and the best log p each document gave up."""
    first, indptr, places, pruned = chain.beams(scores, width, n_jobs)
    document = np.repeat(np.arange(len(scores), dtype=np.int32), np.diff(first))
    sets = csr_of_ones(order[places], np.diff(indptr), len(order))
    sets.sort_indices()
    return document, sets, pruned


def _best_of_each(document: NDArray[np.int32], sets: sp.csr_array, log_prob: NDArray[np.float64]) -> NDArray[np.intp]:
    """Find the most probable of the sets of each document, ties by the labels in order; documents rise."""
    starts = np.flatnonzero(np.diff(document, prepend=-1))
    most = np.maximum.reduceat(log_prob, starts)
    tied = np.flatnonzero(log_prob == most[document])
    best = tied[np.flatnonzero(np.diff(document[tied], prepend=-1))]
    if tied.size == best.size:
        return best
    # As bytes, the most significant first, sets compare label by label, and fast: all sets of a wide beam may tie.
    labels, ends = sets.indices.astype(">u4").tobytes(), (sets.indptr.astype(np.int64) * 4).tolist()
    for other in np.setdiff1d(tied, best).tolist():
        i = document[other]
        best[i] = min(int(best[i]), other, key=lambda row: labels[ends[row] : ends[row + 1]])
    return best


def _drawn(
    chains: list[tuple[_core.Chain, NDArray[np.float64], NDArray[np.int32]]], uniform: NDArray[np.float64]
) -> sp.csr_array:
    """Draw the sets of one document, one for each row of uniform numbers; of several, the first picks the chain."""
    n_labels = len(chains[0][2])
    if len(chains) == 1:
        picked = np.zeros(len(uniform), dtype=np.intp)
    else:
        picked = (uniform[:, 0] * len(chains)).astype(np.intp)
        uniform = uniform[:, 1:]
    rows, labels = [], []
    for m, (chain, score, order) in enumerate(chains):
        mine = np.flatnonzero(picked == m)
        indptr, places = chain.samples(score, np.ascontiguousarray(uniform[mine]))
        rows.append(np.repeat(mine, np.diff(indptr)))
        labels.append(order[places])
    row, label = np.concatenate(rows), np.concatenate(labels)
    in_order = np.lexsort((label, row))
    return csr_of_ones(label[in_order], np.bincount(row, minlength=len(uniform)), n_labels)
