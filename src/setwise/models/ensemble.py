"""The ensemble: a pool of models, each with its own calibration and its own weight."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Literal, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from setwise._estimator import check_is_fitted, clone
from setwise._validation import N_JOBS, InstanceOf, ListOf, OneOf, check_parameters, effective_n_jobs
from setwise.exceptions import InvalidData, InvalidParameter
from setwise.labels import IDENTITY, LabelMatrix, SetCalibration, Support, require_room
from setwise.learners import FeatureColumns
from setwise.models.base import Callback, LabelModel, ModelSize, ModelState, fit_for
from setwise.models.ensemble_posterior import MixedPosterior, SupportPool, pool_posteriors
from setwise.models.label_terms import LabelTerms, mixed_terms
from setwise.models.state_checks import check_array, check_range, check_sparse
from setwise.posterior import Posterior

__all__ = ["Ensemble", "Member"]

_CALIBRATION_NUMBERS = 3
"""Scale, prior and size."""

_TO_CONVERGENCE = -1
"""Stands for ``n_iterations=None`` in an array."""


@dataclass(frozen=True, eq=False)
class Member:
    """A model of an ensemble.

    Parameters
    ----------
    model : LabelModel
        With its parameters; :meth:`Ensemble.fit` fits a copy.
    weight : float
        Its share in the pool, relative to the other members.
    calibration : SetCalibration
        Of its distribution over the support; or without a support, the scale and shift (``size``) of its logits.
    n_iterations : int, optional
        Iterations to train for; None trains to convergence.
    """

    model: LabelModel
    weight: float = 1.0
    calibration: SetCalibration = IDENTITY
    n_iterations: int | None = None


class Ensemble(LabelModel):
    """A pool of models: p(set | x) = sum_m w_m p_m(set | x), where each p_m has a calibration of its own.

    Parameters
    ----------
    members : sequence of Member
        Models with their weights and calibrations.
    over : {"support", "all"}
        "support": each p_m is restricted to the label sets of the training documents, calibrated and normalized there
        before they are mixed; other sets have probability 0. "all": the models' own distributions over all sets are
        mixed, after their logits are rescaled.
    pool : {"linear", "geometric"}
        Whether probabilities or their logarithms are averaged; the latter are normalized afterwards, so they need
        ``over="support"``.
    n_jobs : int, optional
        Number of threads; None uses every core. No result depends on it.

    Attributes
    ----------
    classes_ : tuple of str
        The label names.
    n_features_in_ : int
        Number of features seen in ``fit``.
    models_ : tuple of LabelModel
        The fitted models.
    weights_ : array of shape (n_members,)
        They sum to one.
    calibrations_ : array of shape (n_members, 3)
        Scale, prior and size of each member's calibration.
    iterations_ : array of shape (n_members,)
        Iterations that each member was trained for; -1 where it was trained to convergence.
    sets_ : sparse array of shape (n_sets, n_labels)
        The label sets of the training documents.
    counts_ : array of shape (n_sets,)
        How many training documents have each set.

    Examples
    --------
    >>> from setwise.models import BinaryRelevance, Ensemble, Member, PairwiseCRF
    >>> X, y = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [["a"], ["b"], ["a", "b"]]
    >>> pool = Ensemble([Member(BinaryRelevance(0.1)), Member(PairwiseCRF(0.1), weight=2.0)]).fit(X, y)
    >>> pool.posterior([[1.0, 0.0]]).log_prob([["a"], ["a", "b"]]).shape
    (1, 2)
    """

    _parameter_constraints: ClassVar = {
        "members": ListOf(InstanceOf(Member, "members, such as Member(BinaryRelevance())")),
        "over": OneOf(["support", "all"]),
        "pool": OneOf(["linear", "geometric"]),
        "n_jobs": N_JOBS,
    }
    _fitted: ClassVar[tuple[str, ...]] = ("weights_", "calibrations_", "iterations_", "sets_", "counts_")

    models_: tuple[LabelModel, ...]
    weights_: NDArray[np.float64]
    calibrations_: NDArray[np.float64]
    iterations_: NDArray[np.int64]
    sets_: sp.csr_array
    counts_: NDArray[np.int64]

    def __init__(
        self,
        members: Sequence[Member] = (),
        over: Literal["support", "all"] = "support",
        pool: Literal["linear", "geometric"] = "linear",
        n_jobs: int | None = None,
    ) -> None:
        self.members = members
        self.over = over
        self.pool = pool
        self.n_jobs = n_jobs

    @property
    def abilities(self) -> frozenset[str]:  # type: ignore[override]
        """What the pool can answer: without a support, all that every member can."""
        if self.over == "support":
            return SupportPool.abilities
        return MixedPosterior.abilities_of([member.model for member in self.members])

    def fit(self, X: Any, y: Any, sample_weight: Any = None, callback: Callback | None = None) -> Ensemble:
        """Fit every member; ``callback`` is called after each, and training ends where it returns True."""
        self._check_parameters()
        features, labels = FeatureColumns.of(X), LabelMatrix.of(y)
        labels.check_rows(features.n_samples)
        support = Support.of(labels)
        fitted: list[Member] = []
        for number, member in enumerate(self.members, start=1):
            model = fit_for(member.model, features, labels, member.n_iterations, sample_weight)
            fitted.append(replace(member, model=model))
            self._set_fitted(fitted, support)
            if callback is not None and callback(number, self):
                break
        return self

    @classmethod
    def of_fitted(cls, members: Sequence[Member], support: Support, **parameters: Any) -> Self:
        """Return an ensemble of models that are fitted already, over the label sets of the training documents."""
        ensemble = cls(list(members), **parameters)
        ensemble._check_parameters()
        ensemble._set_fitted(members, support)
        return ensemble

    def with_fitted(self, models: Sequence[LabelModel], y: LabelMatrix) -> Ensemble:
        """Return a copy whose members are these fitted models: what ``fit`` returns, if it had fitted them."""
        members = [replace(member, model=model) for member, model in zip(self.members, models, strict=True)]
        fitted: Ensemble = clone(self)
        fitted._set_fitted(members, Support.of(y))
        return fitted

    def _set_fitted(self, members: Sequence[Member], support: Support) -> None:
        """Set every fitted attribute."""
        self.__dict__.pop("_support", None)
        weights = np.array([member.weight for member in members], dtype=np.float64)
        stops = [_TO_CONVERGENCE if one.n_iterations is None else one.n_iterations for one in members]
        self.models_ = tuple(member.model for member in members)
        self.weights_ = weights / weights.sum() if weights.any() else np.full(len(members), 1.0 / len(members))
        self.calibrations_ = np.array([astuple(member.calibration) for member in members], dtype=np.float64)
        self.iterations_ = np.array(stops, dtype=np.int64)
        self.classes_ = self.models_[0].classes_
        self.n_features_in_ = self.models_[0].n_features_in_
        self.sets_ = support.sets.indicator
        self.counts_ = support.counts

    def _check_parameters(self) -> None:
        check_parameters(self._parameter_constraints, vars(self))
        weights = [member.weight for member in self.members]
        if not (np.isfinite(weights).all() and min(weights) >= 0.0 and sum(weights) > 0.0):
            raise InvalidParameter(f"The weights of members must not be negative, nor all 0; got {weights}.")
        if self.pool == "geometric" and self.over == "all":
            raise InvalidParameter("pool='geometric' needs over='support': its sum over all sets is unknown.")
        if self.over == "support":
            for member in self.members:
                _require_log_prob(member.model)

    @cached_property
    def _support(self) -> Support:
        """The training label sets in the core's layout, with their positions, built once per fit."""
        return Support(LabelMatrix(self.classes_, self.sets_), self.counts_, np.zeros(0, dtype=np.int64))

    def __sklearn_clone__(self) -> Self:
        """Return a copy that is not fitted, nor are its members."""
        parameters = self.get_params(deep=False)
        members = [replace(member, model=clone(member.model)) for member in self.members]
        return type(self)(**{**parameters, "members": members})

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the compiled support: it is built again when needed."""
        return {name: value for name, value in super().__getstate__().items() if name != "_support"}

    @property
    def _n_scores(self) -> int:
        return sum(model._n_scores for model in self.models_)

    def _posterior(self, X: Any) -> Posterior:
        return pool_posteriors(
            [model.posterior(X) for model in self.models_],
            self.weights_,
            [SetCalibration(*map(float, numbers)) for numbers in self.calibrations_],
            self._support if self.over == "support" else None,
            geometric=self.pool == "geometric",
            n_jobs=effective_n_jobs(self.n_jobs),
        )

    def label_weights(self) -> sp.csr_array:
        """Return the weights of the members' features, labels by features, averaged by the members' weights."""
        check_is_fitted(self)
        weighted = [weight * model.label_weights() for weight, model in zip(self.weights_, self.models_, strict=True)]
        return sp.csr_array(sum(weighted[1:], start=weighted[0]))

    def label_terms(self, X: Any, sets: sp.csr_array) -> Iterator[LabelTerms]:
        """Yield the sum of the members' terms, weighted by the members' weights."""
        check_is_fitted(self)
        for terms in zip(*(model.label_terms(X, sets) for model in self.models_), strict=True):
            yield mixed_terms(list(terms), self.weights_)

    def size(self) -> ModelSize:
        """Return how many weights, features and bytes all members have together."""
        sizes = [model.size() for model in self.models_]
        own = sum(array.nbytes for array in self.state().arrays.values())
        used = np.unique(self.label_weights().indices).size
        return ModelSize(sum(one.n_nonzero for one in sizes), used, own + sum(one.n_bytes for one in sizes))

    def round_weights(self) -> None:
        """Round the weights of all members."""
        for model in self.models_:
            model.round_weights()

    def check_support(self, support: Support) -> None:
        """Raise ``InvalidData`` where the ensemble, or a member of it, has no label set of the support."""
        if self.over == "support" and not (support.index_of(self._support.sets) >= 0).any():
            raise InvalidData("The support has no label set in common with the ensemble's own.")
        for model in self.models_:
            model.check_support(support)

    def state(self) -> ModelState:
        """Return everything a prediction reads; the members' own states are theirs to tell."""
        state = super().state()
        parameters = {name: value for name, value in state.parameters.items() if name != "members"}
        return replace(state, parameters=parameters, members=self.models_)

    @classmethod
    def from_state(cls, state: ModelState) -> Self:
        """Build a fitted ensemble from what :meth:`state` returned, after checking every part of it."""
        # The models are known at once, so that all checks see them; the rest of each member is in arrays.
        members = [Member(model) for model in state.members]
        ensemble = super().from_state(replace(state, parameters={**state.parameters, "members": members}))
        ensemble.models_ = state.members
        ensemble.members = [
            Member(model, float(weight), SetCalibration(*map(float, numbers)), None if stop < 0 else int(stop))
            for model, weight, numbers, stop in zip(
                state.members, ensemble.weights_, ensemble.calibrations_, ensemble.iterations_, strict=True
            )
        ]
        ensemble._check_parameters()
        return ensemble

    def _check_state(self) -> None:
        super()._check_state()
        n_labels, n_sets = len(self.classes_), self.sets_.shape[0] if sp.issparse(self.sets_) else 0
        n_members = len(self.members)
        check_array(self.weights_, "weights_", (n_members,))
        check_array(self.calibrations_, "calibrations_", (n_members, _CALIBRATION_NUMBERS))
        check_array(self.iterations_, "iterations_", (n_members,), np.int64)
        check_sparse(self.sets_, "sets_", (n_sets, n_labels), np.int64)
        check_range(self.sets_.data, "sets_", 1, 1)
        check_array(self.counts_, "counts_", (n_sets,), np.int64)
        self._support.check()
        require_room(n_labels, int(np.diff(self.sets_.indptr).max()))
        for member in self.members:
            if (member.model.classes_, member.model.n_features_in_) != (self.classes_, self.n_features_in_):
                raise InvalidData("The members of an ensemble must have its labels and features; one has others.")


def _require_log_prob(model: LabelModel) -> None:
    if "log_prob" not in model.abilities:
        raise InvalidParameter(
            f"{type(model).__name__} has no `log_prob`, so it cannot be pooled over the support. Hint: use over='all'."
        )
