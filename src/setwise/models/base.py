"""What all models share: labels by name, a watcher of the iterations, and their state as plain data."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from setwise.exceptions import InvalidData, InvalidParameter
from setwise.labels import LabelMatrix
from setwise.labels.matrix import checked_names
from setwise.learners.checks import checked_n_jobs
from setwise.learners.path import checked_strengths
from setwise.models.state_checks import check_count, csr_of_parts

__all__ = [
    "Callback",
    "LabelModel",
    "ModelState",
    "checked_count",
    "checked_random_state",
    "document_generators",
    "falling_strengths",
    "numbered_generator",
]

_SPARSE_PARTS = ("data", "indices", "indptr", "shape")
"""A sparse array as arrays."""

Callback = Callable[[int, Any], bool | None]
"""``callback(iteration, model)`` is called after each iteration; where it returns True, training ends there."""


@dataclass(frozen=True, eq=False)
class ModelState:
    """A fitted model as data: nothing here runs when it is read."""

    model: str
    """Name of the model's class."""
    parameters: dict[str, Any]
    values: dict[str, Any]
    """Fitted numbers and names, ready for JSON."""
    arrays: dict[str, NDArray[Any]]


class LabelModel(BaseEstimator):  # type: ignore[misc]
    """The parent of all models: ``fit`` is theirs, the rest of their common manners is here.

    After ``fit``, ``classes_`` has the label names and ``n_features_in_`` the number of features.
    """

    _fitted: ClassVar[tuple[str, ...]] = ()
    """Attributes that a prediction reads: arrays, sparse arrays, numbers, or tuples of names."""

    classes_: tuple[str, ...]
    n_features_in_: int
    n_jobs: int | None

    def state(self) -> ModelState:
        """Give what a prediction reads as plain data; what training alone leaves behind is not part of it."""
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

    def fit_path(self, X: Any, y: Any, strengths: Iterable[float]) -> Iterator[Self]:
        """Give a fitted copy for each strength, the strongest first.

        Models whose learners can start each fit where the stronger one ended do so.
        """
        for strength in falling_strengths(strengths):
            yield clone(self).set_params(strength=strength).fit(X, y)

    @classmethod
    def from_state(cls, state: ModelState) -> Self:
        """Make a fitted model of what :meth:`state` gave, after a look at every part of it."""
        if state.model != cls.__name__:
            raise InvalidData(f"state must be one of {cls.__name__}; got one of {state.model}.")
        if sorted(state.parameters) != (known := sorted(cls._get_param_names())):
            raise InvalidData(f"parameters of {cls.__name__} must be {known}; got {sorted(state.parameters)}.")
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
                raise InvalidData(f"state must hold {name!r}; got {sorted({*state.values, *state.arrays})}.")
        model._check_state()
        return model

    def _check_state(self) -> None:
        """Raise ``InvalidData`` unless all fitted values go together; each model adds what it knows of its own."""
        checked_n_jobs(self.n_jobs)
        if not isinstance(self.classes_, tuple) or not checked_names(self.classes_):
            raise InvalidData("classes_ must be a list of at least one label; it is none.")
        check_count(self.n_features_in_, "n_features_in_", 1)

    def round_weights(self) -> None:
        """Round the weights of features to numbers that single precision holds, as a file stores them.

        They stay as they are in the odd case that single precision cannot hold them at all: one would be infinite, or
        all would be zero.
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

    def _read_sets(self, sets: Any) -> sp.csr_array:
        """Check label sets against the names of the labels: 0 and 1, or lists of names."""
        check_is_fitted(self)
        return LabelMatrix.of(sets, self.classes_, called="sets").indicator


def falling_strengths(strengths: Iterable[float]) -> list[float]:
    """Give the strengths once each, the strongest first."""
    return sorted(set(checked_strengths(strengths)), reverse=True)


def document_generators(n_documents: int, random_state: Any) -> Iterator[np.random.Generator]:
    """Yield a generator per document, all in the same state.

    The draws of a document then depend on the random_state and on the document alone: not on its place, on the
    documents that come with it, or on the batch.
    """
    for _ in range(n_documents):
        yield numbered_generator(random_state, 0)


def numbered_generator(random_state: Any, number: int) -> np.random.Generator:
    """Return the generator of this number: one random_state has many, whose draws are independent."""
    return np.random.Generator(np.random.Philox(key=[checked_random_state(random_state), number]))


def checked_random_state(value: Any) -> int:
    """Return ``value`` as an int where it can be a random_state."""
    if not isinstance(value, numbers.Integral) or isinstance(value, bool) or not 0 <= int(value) < 2**64:
        raise InvalidParameter(f"random_state must be a whole number from 0 to 2^64 - 1; got {value!r}.")
    return int(value)


def checked_count(value: Any, name: str, least: int = 1) -> int:
    """Return ``value`` as an int where it is a whole number from ``least`` up."""
    if not isinstance(value, numbers.Integral) or isinstance(value, bool) or value < least:
        raise InvalidParameter(f"{name} must be a whole number from {least} up; got {value!r}.")
    return int(value)
