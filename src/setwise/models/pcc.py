"""Probabilistic classifier chains (PCC): each label is predicted from the features and the labels before it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from setwise import _core
from setwise._estimator import check_is_fitted, clone
from setwise._validation import PENALTY_CONSTRAINTS, SOLVER_CONSTRAINTS, Interval, RandomState, effective_n_jobs
from setwise.exceptions import InvalidData, InvalidParameter
from setwise.labels import LabelMatrix
from setwise.learners import (
    LOSS_CONSTRAINTS,
    BinaryProblem,
    FeatureColumns,
    LabelFits,
    LossName,
    Start,
    advanced,
    warn_unless_converged,
)
from setwise.models.base import Callback, LabelModel, falling_strengths, numbered_generator
from setwise.models.label_blocks import LabelBlock, document_costs
from setwise.models.label_terms import LabelTerms
from setwise.models.logit_scaling import checked_scaling, scaled_rows
from setwise.models.pcc_posterior import ChainPosterior, PlannedChain, largest_beam
from setwise.models.state_checks import check_array, check_sparse

__all__ = ["ClassifierChain"]

MAX_BEAM = 2**22
"""Logits that the beam of one document may store in a model that is loaded from a file."""


class ClassifierChain(LabelModel):
    """Probabilistic classifier chain (paper, section 2, PCC).

    For labels in the order of the chain::

        p(y | x) = prod_j p(y_j = 1 | x, y_1 .. y_{j-1}),     logit_j = w_j . x + b_j + sum_{l < j} V_jl y_l

    Each label is a linear classifier of the features and the labels before it, with the losses and the elastic net of
    :class:`BinaryRelevance`.

    Parameters
    ----------
    strength : float
        Weight of the penalty, the paper's lambda.
    l1_ratio : float
        Share of the L1 norm in the penalty, the paper's alpha, from 0 to 1.
    order : {"frequency", "given", "random"} or list of str
        Order of the labels in the chain: the most frequent label first, the order of ``classes_``, random, or all label
        names in the order to use.
    n_orders : int
        Number of chains with ``order="random"``; p(y | x) is the mean over the chains.
    random_state : int
        Seed of the random orders.
    beam_width : int
        Number of partial sets that the search for the most probable set keeps.
    tol, max_iter, n_jobs, loss
        As for :class:`BinaryRelevance`.

    Attributes
    ----------
    classes_ : tuple of str
        The label names.
    n_features_in_ : int
        Number of features seen in ``fit``.
    order_ : array of shape (n_chains, n_labels)
        Label indices in the order of each chain.
    coef_ : sparse array of shape (n_chains * n_labels, n_features)
        The w of label l in chain m in row m * n_labels + l.
    feedback_ : sparse array of shape (n_chains * n_labels, n_labels)
        The V of each label, in the same rows; column l is what label l contributes.
    intercept_ : array of shape (n_chains * n_labels,)
    fits_ : list of LabelFits
        One per chain, with optimality certificates; the last features are the labels in the order of the chain.

    Examples
    --------
    >>> from setwise.models import ClassifierChain
    >>> model = ClassifierChain(strength=0.1).fit([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [["a"], ["b"], ["a", "b"]])
    >>> model.posterior([[1.0, 0.0]]).log_prob([["a"], ["a", "b"]]).shape
    (1, 2)
    """

    abilities: ClassVar = ChainPosterior.abilities
    _parameter_constraints: ClassVar = {
        **PENALTY_CONSTRAINTS,
        **SOLVER_CONSTRAINTS,
        **LOSS_CONSTRAINTS,
        "n_orders": Interval("integer", 1, None),
        "random_state": RandomState(),
        "beam_width": Interval("integer", 1, None),
    }
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
        loss: LossName = "logistic",
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
        self.loss = loss

    def fit(self, X: Any, y: Any, sample_weight: Any = None, callback: Callback | None = None) -> ClassifierChain:
        """Fit every chain; ``callback`` is called after each Newton iteration of all labels."""
        self._check_parameters()
        problems = (problem for problem in self._problems(X, y, sample_weight) if problem is not None)
        if callback is None:
            options = self.l1_ratio, self.tol, self.max_iter
            self._set_fits([problem.fit([self.strength], *options)[0] for problem in problems])
        elif self._fit_stepwise(list(problems), callback):
            return self
        for fits in self.fits_:
            warn_unless_converged(fits)
        return self

    def fit_path(
        self,
        X: Any,
        y: Any,
        strengths: Iterable[float],
        sample_weight: Any = None,
        start: ClassifierChain | None = None,
        block: LabelBlock | None = None,
    ) -> Iterator[ClassifierChain]:
        """Yield a fitted copy for each strength, the strongest first, each warm-started from the one before."""
        self._check_parameters()
        falling = falling_strengths(strengths)
        first = clone(self)
        options = self.l1_ratio, self.tol, self.max_iter
        problems = list(first._problems(X, y, sample_weight, block))
        begins = [None] * len(problems) if start is None else start._starts()
        n_labels = len(first.classes_)
        unfitted = [LabelFits.unfitted(n_labels, first.n_features_in_ + n_labels)] * len(falling)
        paths = [
            unfitted if problem is None else problem.path(falling, *options, begin)
            for problem, begin in zip(problems, begins, strict=True)
        ]
        for strength, *fits in zip(falling, *paths, strict=True):
            model = clone(self).set_params(strength=strength)
            model.classes_, model.n_features_in_, model.order_ = first.classes_, first.n_features_in_, first.order_
            model._set_fits(fits)
            yield model

    def unit_costs(self, y: LabelMatrix) -> NDArray[np.float64]:
        n_chains = self.n_orders if self.order == "random" else 1
        return np.tile(document_costs(y.counts, y.n_samples, self.l1_ratio), n_chains)

    def rows_of_block(self, block: LabelBlock) -> dict[str, slice]:
        return dict.fromkeys(("coef_", "feedback_", "intercept_"), block.rows)

    def _problems(
        self, X: Any, y: Any, sample_weight: Any, block: LabelBlock | None = None
    ) -> Iterator[BinaryProblem | None]:
        """Set the labels and the orders, and lay out the problem of each chain; None for one outside the block."""
        matrix, labels = FeatureColumns.matrix_of(X), LabelMatrix.of(y)
        labels.check_rows(matrix.shape[0])
        orders = _chain_orders(self.order, self.n_orders, self.random_state, labels)
        self.classes_, self.n_features_in_, self.order_ = labels.names, int(matrix.shape[1]), orders
        blocks = [_part_of_chain(block, chain, labels.n_labels) for chain in range(len(orders))]
        # The blocks of a chain share its layout; it takes as much memory as the features, and goes with them.
        derived = X.derived if block is not None and isinstance(X, FeatureColumns) else None

        def problem(order: NDArray[np.int32], labels_of_block: slice | None) -> BinaryProblem | None:
            if labels_of_block is None:
                return None
            key = (_chain_features, labels, order.tobytes())
            features = None if derived is None else derived.get(key)
            if features is None:
                features = _chain_features(matrix, labels, order)
            if derived is not None:
                derived[key] = features
            limits = matrix.shape[1] + np.argsort(order)
            options = sample_weight, None, False, self.n_jobs, limits, self.loss
            return BinaryProblem.of(features, labels, *options, block=labels_of_block)

        return map(problem, orders, blocks)

    def _starts(self) -> list[Start]:
        """Return the weights of each chain as its problem has them: those of features, then those of earlier labels."""
        n_labels, starts = len(self.classes_), []
        for m, order in enumerate(self.order_):
            rows = slice(m * n_labels, (m + 1) * n_labels)
            coef = sp.hstack([self.coef_[rows], self.feedback_[rows][:, order]], format="csr")
            starts.append(Start(sp.csr_array(coef), self.intercept_[rows]))
        return starts

    def _fit_stepwise(self, problems: list[BinaryProblem], callback: Callback) -> bool:
        """Take one iteration of all chains at a time; return True where the callback ended the fit."""
        strength, l1_ratio, tol = self.strength, self.l1_ratio, self.tol
        fits = [problem.fit([strength], l1_ratio, tol, 0)[0] for problem in problems]
        self._set_fits(fits)
        for iteration in range(1, self.max_iter + 1):
            if all(one.converged.all() for one in fits):
                break
            fits = [
                one if one.converged.all() else advanced(problem, strength, l1_ratio, tol, one, iteration)
                for problem, one in zip(problems, fits, strict=True)
            ]
            self._set_fits(fits)
            if callback(iteration, self):
                return True
        return False

    def _set_fits(self, fits: list[LabelFits]) -> None:
        """Split the weights into those of features and those of labels.

        Sets: fits_, coef_, feedback_, intercept_, objective_; drops the chains in the core's layout.
        """
        n_features = self.n_features_in_
        position = np.argsort(self.order_, axis=1)  # of each label in each chain
        self.fits_ = fits
        self.coef_ = sp.csr_array(sp.vstack([one.coef[:, :n_features] for one in fits], format="csr"))
        self.feedback_ = sp.csr_array(
            sp.vstack([one.coef[:, n_features + at] for one, at in zip(fits, position, strict=True)], format="csr")
        )
        self.feedback_.sort_indices()
        self.intercept_ = np.concatenate([one.intercept for one in fits])
        self.objective_ = float(sum(one.objective.sum() for one in fits))
        self.__dict__.pop("_chains", None)

    def rescale_logits(self, scale: Any, shift: Any) -> ClassifierChain:
        """Return a copy whose logits are ``scale * z + shift``, where z are those of this model, in every chain.

        The weights of earlier labels are part of z, and are scaled with it.

        Parameters
        ----------
        scale, shift : float, or array of shape (n_labels,)
            One number for all labels, or one per label.

        Returns
        -------
        model : ClassifierChain
            With the weights and intercepts alone: ``fits_`` and ``objective_`` are those of the training.
        """
        check_is_fitted(self)
        scales, shifts = (np.tile(one, len(self.order_)) for one in checked_scaling(scale, shift, len(self.classes_)))
        model = copy(self)
        model.coef_, model.feedback_ = scaled_rows(self.coef_, scales), scaled_rows(self.feedback_, scales)
        model.intercept_ = scales * self.intercept_ + shifts
        return model

    @property
    def _label_intercept(self) -> NDArray[np.float64]:
        return np.asarray(self.intercept_.reshape(-1, len(self.classes_)).mean(axis=0))

    def label_terms(self, X: Any, sets: sp.csr_array) -> Iterator[LabelTerms]:
        """Yield the terms of the mean of all chains; of the other labels, those before a label in the chain count."""
        n_labels = len(self.classes_)
        rows = np.arange(self.feedback_.shape[0]) % n_labels
        feedback = self._mean_per_label(self.feedback_, rows)
        added = np.asarray((sets @ feedback.T).todense())
        for one, other_labels in zip(super().label_terms(X, sets), added, strict=True):
            yield replace(one, other_labels=other_labels)

    def _check_state(self) -> None:
        super()._check_state()
        n_labels, n_chains = len(self.classes_), np.shape(self.order_)[0] if np.ndim(self.order_) else 0
        check_array(self.order_, "order_", (n_chains, n_labels), np.int32)
        if n_chains == 0 or not (np.sort(self.order_, axis=1) == np.arange(n_labels)).all():
            raise InvalidData("order_ must list every label once in each of at least one chain.")
        n_rows = n_chains * n_labels
        check_sparse(self.coef_, "coef_", (n_rows, self.n_features_in_))
        check_array(self.intercept_, "intercept_", (n_rows,))
        check_sparse(self.feedback_, "feedback_", (n_rows, n_labels))
        position = np.argsort(self.order_, axis=1)  # of each label in each chain
        row = np.repeat(np.arange(n_rows), np.diff(self.feedback_.indptr))
        if not (position[row // n_labels, self.feedback_.indices] < position.ravel()[row]).all():
            raise InvalidData("feedback_ must come from earlier labels of the chain only.")
        if largest_beam(self.beam_width, n_labels) > MAX_BEAM:
            widest = MAX_BEAM // n_labels
            raise InvalidData(f"beam_width must be at most {widest} for {n_labels} labels; got {self.beam_width}.")

    @property
    def _n_scores(self) -> int:
        return int(self.intercept_.size)

    def _posterior(self, X: Any) -> ChainPosterior:
        scores = self._linear_scores(X)
        n_labels = len(self.classes_)
        by_chain = [
            np.ascontiguousarray(scores[:, m * n_labels : (m + 1) * n_labels][:, order])
            for m, order in enumerate(self.order_)
        ]
        return ChainPosterior(
            self.classes_, self.order_, self._chains, by_chain, int(self.beam_width), effective_n_jobs(self.n_jobs)
        )

    @cached_property
    def _chains(self) -> list[PlannedChain]:
        """The feedback of each chain in the core's layout, built once per fit."""
        n_labels = len(self.classes_)
        chains = []
        for m, order in enumerate(self.order_):
            by_source = sp.csc_array(self.feedback_[m * n_labels : (m + 1) * n_labels][order][:, order])
            by_source.sort_indices()
            feedback = _core.Chain(
                by_source.indptr.astype(np.int64),
                by_source.indices.astype(np.int32),
                by_source.data.astype(np.float64),
            )
            chains.append(PlannedChain(feedback))
        return chains

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the chains in the core's layout: they are built again when needed."""
        return {name: value for name, value in super().__getstate__().items() if name != "_chains"}


def _part_of_chain(block: LabelBlock | None, chain: int, n_labels: int) -> slice | None:
    """Return the labels of a chain that a block has; None where it has none."""
    if block is None:
        return slice(0, n_labels)
    first, end = (min(max(0, bound - chain * n_labels), n_labels) for bound in block)
    return slice(first, end) if first < end else None


def _chain_orders(order: Any, n_orders: int, random_state: Any, labels: LabelMatrix) -> NDArray[np.int32]:
    """Return the label indices in the order of each chain, chains by labels."""
    if isinstance(order, str) and order == "random":
        # One generator per chain, so that more chains leave the first ones unchanged.
        generators = (numbered_generator(random_state, chain) for chain in range(n_orders))
        return np.array([random.permutation(labels.n_labels) for random in generators], dtype=np.int32)
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
            raise InvalidParameter(f"order must list labels of y; got {name!r}.")
        if name in seen:
            raise InvalidParameter(f"order must list each label once; got {name!r} twice.")
        seen.add(name)
    if len(names) != labels.n_labels:
        missing = next(name for name in labels.names if name not in seen)
        raise InvalidParameter(f"order must list all {labels.n_labels} labels; {missing!r} is missing.")
    return np.array([index[name] for name in names], dtype=np.int32)


def _chain_features(matrix: Any, labels: LabelMatrix, order: NDArray[np.int32]) -> FeatureColumns:
    """Lay out features and labels as one matrix, the labels last and in the order of the chain.

    Each label may then use a number of the first columns: all features, and the labels before it.
    """
    dtype = matrix.dtype if matrix.dtype.kind == "f" else np.float64
    label_columns = labels.indicator[:, order].astype(dtype)
    return FeatureColumns.of(sp.hstack([sp.csc_array(matrix), label_columns], format="csc", dtype=dtype))
