"""What models of the training sets alone share, CRF and PowerSet: their sets, their training, and their posterior."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from setwise import _core
from setwise._validation import (
    PENALTY_CONSTRAINTS,
    SOLVER_CONSTRAINTS,
    Interval,
    NoneOr,
    effective_n_jobs,
)
from setwise.exceptions import InvalidData, NotConverged
from setwise.labels import LabelMatrix, SizeMarginals, Support, require_room
from setwise.learners import LEAST_TOL, RELATIVE_TOL, ElasticNet, Iterate, QuasiNewtonOptions, quasi_newton
from setwise.models.base import Callback, LabelModel, reads_model
from setwise.models.state_checks import check_array, check_range, check_sparse
from setwise.models.support_likelihood import SETS_AT_ONCE, SupportLikelihood
from setwise.posterior import Posterior

__all__ = ["KnownSetsModel", "KnownSetsPosterior", "most_probable_column"]

Array = NDArray[np.float64]


class KnownSetsModel(LabelModel):
    """Base class of the models that give probability to the label sets of the training documents alone."""

    abilities: ClassVar = frozenset({"log_prob", "marginals", "size_marginals", "mode"})
    _parameter_constraints: ClassVar = {
        **PENALTY_CONSTRAINTS,
        **SOLVER_CONSTRAINTS,
        "screening_strength": NoneOr(Interval("real", 0, None)),
        "memory": Interval("integer", 1, None),
    }

    tol: float | None
    max_iter: int
    memory: int
    sets_: sp.csr_array
    counts_: NDArray[np.int64]
    history_: list[dict[str, float]]

    @abstractmethod
    def _set_weights(self, problem: SupportLikelihood, iterate: Iterate) -> None:
        """Set every fitted attribute that depends on the weights, with :meth:`_set_certificate`."""

    def _set_sets(self, support: Support, n_features: int) -> None:
        """Set the attributes that depend on the labels alone."""
        self.__dict__.pop("_support", None)
        self.classes_ = support.sets.names
        self.n_features_in_ = n_features
        self.sets_ = support.sets.indicator
        self.counts_ = support.counts

    def _train(
        self, problem: SupportLikelihood, penalties: Sequence[tuple[slice, ElasticNet]], callback: Callback | None
    ) -> None:
        """Minimize the loss and the penalties; ``callback`` is called after each iteration of L-BFGS."""
        options = QuasiNewtonOptions(memory=self.memory, n_jobs=effective_n_jobs(self.n_jobs))
        iterates = quasi_newton(problem.evaluate, np.zeros(problem.size), penalties, options)
        self.history_ = []
        ended = False
        for iteration, iterate in enumerate(iterates):
            if iteration == 0:
                tol = max(RELATIVE_TOL * iterate.violation, LEAST_TOL) if self.tol is None else self.tol
            self._record(iteration, iterate)
            if iteration and callback is not None:
                if reads_model(callback, iteration):
                    self._set_weights(problem, iterate)
                ended = bool(callback(iteration, self))
            if ended or iterate.violation <= tol or iterate.stalled or iteration == self.max_iter:
                break
        self._set_weights(problem, iterate)
        if not ended and iterate.violation > tol:
            warnings.warn(
                f"The fit did not converge: after {self.n_iter_} iterations its violation is {self.violation_:.2g}, "
                f"above the tolerance {tol:.2g}. Hint: raise max_iter, tol or strength.",
                NotConverged,
                stacklevel=3,
            )

    def _record(self, iteration: int, iterate: Iterate) -> None:
        self.history_.append(
            {
                "iteration": iteration,
                "objective": iterate.objective,
                "violation": iterate.violation,
                "n_evaluations": iterate.n_evaluations,
            }
        )

    def _set_certificate(self, iterate: Iterate) -> None:
        self.violation_ = iterate.violation
        self.objective_ = iterate.objective
        self.n_iter_ = int(self.history_[-1]["iteration"])

    def _check_state(self) -> None:
        super()._check_state()
        n_labels, n_sets = len(self.classes_), self.sets_.shape[0] if sp.issparse(self.sets_) else 0
        check_sparse(self.sets_, "sets_", (n_sets, n_labels), np.int64)
        check_range(self.sets_.data, "sets_", 1, 1)
        check_array(self.counts_, "counts_", (n_sets,), np.int64)
        self._support.check()
        require_room(n_labels, int(np.diff(self.sets_.indptr).max()))

    def check_support(self, support: Support) -> None:
        if not (support.index_of(self._support.sets) >= 0).any():
            raise InvalidData(f"The support has no label set in common with that of {type(self).__name__}.")

    @cached_property
    def _support(self) -> Support:
        """The training label sets in the core's layout, with their positions, built once per fit."""
        return Support(LabelMatrix(self.classes_, self.sets_), self.counts_, np.zeros(0, dtype=np.int64))

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the compiled support: it is built again when needed."""
        return {name: value for name, value in super().__getstate__().items() if name != "_support"}


def most_probable_column(log_prob: Array, support: Support, *, non_empty: bool) -> NDArray[np.intp]:
    """Return the most probable set of the support per document, from documents by sets.

    With ``non_empty`` the empty set is left out, unless there is no other.
    """
    is_empty = np.diff(support.sets.indicator.indptr) == 0
    if non_empty and is_empty.any() and not is_empty.all():
        log_prob = np.where(is_empty, -np.inf, log_prob)
    return np.asarray(log_prob.argmax(axis=1))


class KnownSetsPosterior(Posterior):
    """Probabilities of the sets of a support; all others have probability 0."""

    abilities = KnownSetsModel.abilities
    _support: Support
    _n_jobs: int

    @abstractmethod
    def _set_scores(self, documents: slice) -> Array:
        """Return the score of every set of the support, documents by sets; probabilities are their softmax."""

    def size_marginals(self, max_size: int | None = None) -> SizeMarginals:
        sets = self._support.sets.indicator
        sizes = np.diff(sets.indptr)
        largest = int(sizes.max(initial=1)) if max_size is None else max_size
        joint = np.zeros((self.n_samples, sets.shape[1], max(largest, 1)))
        empty = np.zeros(self.n_samples)
        for start in range(0, self.n_samples, SETS_AT_ONCE):
            block = slice(start, start + SETS_AT_ONCE)
            # Divided by the sum of these very exponentials: a partition function that was added up elsewhere rounds
            # differently, and for large scores the difference is arbitrary.
            probability = np.ascontiguousarray(self._set_scores(block))
            _core.softmax_rows(probability, self._n_jobs)
            empty[block] = probability[:, sizes == 0].sum(axis=1)
            for size in range(1, largest + 1):
                chosen = sizes == size
                joint[block, :, size - 1] = (sets[chosen].T @ probability[:, chosen].T).T
        return SizeMarginals(joint, empty)
