"""The base class of all models: what a model must implement, and its fitted state as plain data."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from setwise._estimator import BaseEstimator, check_is_fitted, clone
from setwise._validation import as_matrix, check_parameters, random_seed
from setwise.exceptions import InvalidData
from setwise.labels import LabelMatrix, Support, checked_names
from setwise.learners import LinearScorer, LossName, checked_strengths
from setwise.models.label_blocks import LabelBlock
from setwise.models.label_terms import LabelTerms, feature_terms
from setwise.models.state_checks import check_count, csr_of_parts
from setwise.posterior import LazyPosterior, Posterior

__all__ = [
    "Callback",
    "LabelModel",
    "ModelSize",
    "ModelState",
    "document_generator",
    "document_generators",
    "falling_strengths",
    "fit_for",
    "numbered_generator",
    "reads_model",
]

_SPARSE_PARTS = ("data", "indices", "indptr", "shape")
"""The arrays that a sparse array is stored as."""

_BYTES_PER_WEIGHT = 4
"""Weights are stored in single precision."""

Callback = Callable[[int, Any], bool | None]
"""``callback(iteration, model)`` is called after each iteration; where it returns True, training ends there.

It may have a method ``reads(iteration)``, which returns whether it will look at the model then: where it will not, a
model may skip what makes it ready to predict.
"""


@dataclass(frozen=True, eq=False)
class ModelState:
    """A fitted model as plain data: nothing in it is executed when it is read."""

    model: str
    """Name of the model's class."""
    parameters: dict[str, Any]
    values: dict[str, Any]
    """Fitted numbers and names, ready for JSON."""
    arrays: dict[str, NDArray[Any]]
    members: tuple[LabelModel, ...] = ()
    """Fitted models that the model consists of, each with a state of its own."""


class ModelSize(NamedTuple):
    """How large a fitted model is."""

    n_nonzero: int
    """Non-zero weights of features."""
    n_features_used: int
    """Features with at least one such weight."""
    n_bytes: int
    """Memory of everything a prediction reads, with weights in single precision."""


class LabelModel(BaseEstimator):  # type: ignore[misc]
    """Base class of the models of label sets.

    A model implements ``fit`` and ``_posterior``, and declares its parameters, its fitted attributes and its abilities.

    Attributes
    ----------
    classes_ : tuple of str
        The label names, in the order of the columns of y.
    n_features_in_ : int
        Number of features seen in ``fit``.
    """

    abilities: ClassVar[frozenset[str]] = frozenset()
    """The questions that the posterior answers: keys of :data:`setwise.posterior.ABILITIES`."""

    _parameter_constraints: ClassVar[dict[str, Any]] = {}
    """What each parameter must be, see :func:`setwise._validation.check_parameters`."""

    _fitted: ClassVar[tuple[str, ...]] = ()
    """Fitted attributes that a prediction reads: arrays, sparse arrays, numbers, or tuples of names."""

    loss: LossName = "logistic"
    """The loss of the model's learners: a parameter of some models. The critical strength depends on it."""

    classes_: tuple[str, ...]
    n_features_in_: int
    n_jobs: int | None

    @abstractmethod
    def fit(self, X: Any, y: Any, sample_weight: Any = None, callback: Callback | None = None) -> Self:
        """Fit the model to documents X and their label sets y.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features), or FeatureColumns
        y : label sets
            Zeros and ones of shape (n_samples, n_labels), sparse or dense, or one list of label names per document.
        sample_weight : array of shape (n_samples,), optional
            How much each document counts in the loss.
        callback : callable, optional
            ``callback(iteration, model)`` is called after each iteration of the optimizer, when the model already has
            its weights; where it returns True, training ends there.
        """

    @abstractmethod
    def _posterior(self, X: Any) -> Posterior:
        """Score the documents of a matrix whose scores fit in memory."""

    @property
    @abstractmethod
    def _n_scores(self) -> int:
        """Numbers that the posterior of one document stores."""

    def posterior(self, X: Any) -> Posterior:
        """Score documents once and return their posterior, which answers any number of questions.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        posterior : Posterior
        """
        check_is_fitted(self)
        self._check_parameters()  # some are read here, and may have changed since the fit
        matrix = as_matrix(X, "X")
        rows = matrix.tocsr() if sp.issparse(matrix) else matrix
        return LazyPosterior.unless_small(self._posterior, rows, self._n_scores, self.classes_, self.abilities)

    def fit_path(
        self, X: Any, y: Any, strengths: Iterable[float], sample_weight: Any = None, start: Self | None = None
    ) -> Iterator[Self]:
        """Yield a fitted copy for each strength, the strongest first.

        Models whose learners support it start each fit from the solution of the stronger one, and the first from that
        of ``start``, a model that was fitted to the same documents: a path that is continued has the same bits as one
        that is walked at once.
        """
        for strength in falling_strengths(strengths):
            yield clone(self).set_params(strength=strength).fit(X, y, sample_weight)

    def unit_costs(self, y: LabelMatrix) -> NDArray[np.float64] | None:
        """Return what each unit costs relative to the others, where units are fitted independently of one another.

        ``fit_path`` of such a model has a parameter ``block``, the units to fit; ``rows_of_block`` returns where the
        fitted attributes have them. None, the default, is the answer of a model that is fitted as a whole.
        """
        return None

    def rows_of_block(self, block: LabelBlock) -> dict[str, slice]:
        """Return the rows that belong to a block, for each fitted attribute that the units differ in."""
        raise NotImplementedError(f"{type(self).__name__} is fitted as a whole.")

    def _linear_scores(self, X: Any, coef: str = "coef_", intercept: str = "intercept_") -> NDArray[np.float64]:
        """Return the scores of linear models, documents by models, whose weights are laid out once per fit."""
        weights, shift = getattr(self, coef), getattr(self, intercept)
        scorers = self.__dict__.setdefault("_scorers", {})
        if coef not in scorers or not scorers[coef].belongs_to(weights, shift):
            scorers[coef] = LinearScorer(weights, shift)
        return np.asarray(scorers[coef].scores(X))

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the weights in the core's layout: they are built again when needed."""
        return {name: value for name, value in super().__getstate__().items() if name != "_scorers"}

    def label_weights(self) -> sp.csr_array:
        """Return one weight per label and feature, labels by features, for inspection.

        A model with several regressions per label, such as CBM with one per component, returns their mean.
        """
        check_is_fitted(self)
        return self._mean_per_label(self.coef_, np.arange(self.coef_.shape[0]) % len(self.classes_))

    def label_terms(self, X: Any, sets: sp.csr_array) -> Iterator[LabelTerms]:
        """Yield where the scores of the labels of each document come from, given the set chosen for it.

        By default they come from ``label_weights``: exactly where these are the model's own weights, approximately for
        models that have several per label, such as LSF, or none, such as networks.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
        sets : sparse array of shape (n_samples, n_labels)
            One set per document, 0 and 1.
        """
        check_is_fitted(self)
        yield from feature_terms(sp.csc_array(self.label_weights()), self._label_intercept, sp.csr_array(X))

    @property
    def _label_intercept(self) -> NDArray[np.float64]:
        """The intercept that goes with ``label_weights``; zeros where there is none per label."""
        return np.zeros(len(self.classes_))

    def _mean_per_label(self, weights: sp.csr_array, label_of_row: NDArray[Any]) -> sp.csr_array:
        """Return the mean of the rows that belong to each label."""
        n_labels = len(self.classes_)
        share = 1.0 / np.maximum(np.bincount(label_of_row, minlength=n_labels), 1)
        label = np.repeat(label_of_row, np.diff(weights.indptr))
        # A matrix product would take memory for every feature, used or not.
        mean = sp.coo_array((share[label] * weights.data, (label, weights.indices)), shape=(n_labels, weights.shape[1]))
        return sp.csr_array(mean)

    def size(self) -> ModelSize:
        """Return how many weights, features and bytes the fitted model has."""
        used = [np.zeros(0, dtype=np.int32)]
        n_nonzero = 0
        for name in self._fitted:
            weights = getattr(self, name)
            if sp.issparse(weights) and name.endswith("coef_"):
                nonzero = weights.data != 0
                n_nonzero += int(nonzero.sum())
                used.append(np.unique(weights.indices[nonzero]))
        arrays = self.state().arrays.values()
        n_bytes = sum(a.size * (_BYTES_PER_WEIGHT if a.dtype.kind == "f" else a.itemsize) for a in arrays)
        return ModelSize(n_nonzero, np.unique(np.concatenate(used)).size, int(n_bytes))

    def state(self) -> ModelState:
        """Return everything a prediction reads as plain data; what only training uses is left out."""
        check_is_fitted(self)
        values: dict[str, Any] = {}
        arrays: dict[str, NDArray[Any]] = {}
        for name in ("classes_", "n_features_in_", *self._fitted):
            value = getattr(self, name)
            if sp.issparse(value):
                parts = value.data, value.indices, value.indptr, np.asarray(value.shape, dtype=np.int64)
                arrays |= {f"{name}.{part}": array for part, array in zip(_SPARSE_PARTS, parts, strict=True)}
            elif isinstance(value, np.ndarray):
                arrays[name] = value
            else:
                values[name] = list(value) if isinstance(value, tuple) else value
        return ModelState(type(self).__name__, self.get_params(deep=False), values, arrays)

    @classmethod
    def from_state(cls, state: ModelState) -> Self:
        """Build a fitted model from what :meth:`state` returned, after checking every part of it."""
        if state.model != cls.__name__:
            raise InvalidData(f"The state belongs to {state.model}, not to {cls.__name__}.")
        if sorted(state.parameters) != (expected := sorted(cls._get_param_names())):
            raise InvalidData(f"{cls.__name__} has the parameters {expected}; got {sorted(state.parameters)}.")
        model = cls(**state.parameters)
        for name in ("classes_", "n_features_in_", *cls._fitted):
            if name in state.values:
                value = state.values[name]
                setattr(model, name, tuple(value) if isinstance(value, list) else value)
            elif name in state.arrays:
                setattr(model, name, state.arrays[name])
            elif all(f"{name}.{part}" in state.arrays for part in _SPARSE_PARTS):
                setattr(model, name, csr_of_parts(name, *(state.arrays[f"{name}.{part}"] for part in _SPARSE_PARTS)))
            else:
                raise InvalidData(f"{name!r} is missing from the state of {cls.__name__}.")
        model._check_state()
        return model

    def _check_state(self) -> None:
        """Raise ``InvalidData`` unless all fitted values agree; each model adds the checks of its own attributes."""
        self._check_parameters()
        if not isinstance(self.classes_, tuple) or not checked_names(self.classes_):
            raise InvalidData("classes_ must list at least one label.")
        check_count(self.n_features_in_, "n_features_in_", 1)

    def check_support(self, support: Support) -> None:
        """Raise ``InvalidData`` where a support cannot go with the fitted model; most models take any."""

    def _check_parameters(self) -> None:
        # Not by get_params, which inspects a signature: that takes longer than to score a document.
        check_parameters(self._parameter_constraints, vars(self))

    def round_weights(self) -> None:
        """Round the weights of features to single precision, in which a model file stores them.

        They stay as they are where single precision cannot represent them: one would be infinite, or all zero.
        """
        for name in self._fitted:
            weights = getattr(self, name)
            if name.endswith("coef_") and sp.issparse(weights):
                weights.sort_indices()
                with np.errstate(over="ignore", under="ignore"):
                    narrow = weights.data.astype(np.float32)
                if np.isfinite(narrow).all() and narrow.any():
                    parts = narrow.astype(np.float64), weights.indices, weights.indptr
                    setattr(self, name, sp.csr_array(parts, shape=weights.shape))


def fit_for(model: Any, X: Any, y: Any, n_iterations: int | None, sample_weight: Any = None) -> Any:
    """Fit a copy of the model for a number of iterations, or to convergence where that is None or comes first."""
    if n_iterations is None:
        return clone(model).fit(X, y, sample_weight)
    return clone(model).fit(X, y, sample_weight, callback=_EndAfter(n_iterations))


def reads_model(callback: Callback, iteration: int) -> bool:
    """Return whether the callback will look at the model after this iteration."""
    return bool(getattr(callback, "reads", lambda iteration: True)(iteration))


@dataclass(frozen=True)
class _EndAfter:
    """A callback that ends a training after a number of iterations."""

    n_iterations: int

    def reads(self, iteration: int) -> bool:
        return False

    def __call__(self, iteration: int, model: Any) -> bool:
        return iteration >= self.n_iterations


def falling_strengths(strengths: Iterable[float]) -> list[float]:
    """Return the distinct strengths, the strongest first."""
    return sorted(set(checked_strengths(strengths)), reverse=True)


def document_generator(random_state: Any) -> np.random.Generator:
    """Return the generator that every document draws with, from the same state.

    The draws of a document then depend on ``random_state`` and the document alone: not on its position, on the other
    documents, or on the batch.
    """
    return numbered_generator(random_state, 0)


def document_generators(n_documents: int, random_state: Any) -> Iterator[np.random.Generator]:
    """Yield the generator of each document, all in the same state."""
    for _ in range(n_documents):
        yield document_generator(random_state)


def numbered_generator(random_state: Any, number: int) -> np.random.Generator:
    """Return generator ``number`` of a random state; the draws of different generators are independent."""
    return np.random.Generator(np.random.Philox(key=[random_seed(random_state), number]))
