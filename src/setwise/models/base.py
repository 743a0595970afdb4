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
from setwise.learners.path import checked_strengths

__all__ = [
    "Callback",
    "LabelModel",
    "ModelState",
    "checked_count",
    "checked_seed",
    "document_generators",
    "falling_strengths",
]

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

    After ``fit``, ``names_`` has the label names and ``n_features_in_`` the number of features.
    """

    _fitted: ClassVar[tuple[str, ...]] = ()
    """Attributes that a prediction reads: arrays, sparse arrays, numbers, or tuples of names."""

    names_: tuple[str, ...]
    n_features_in_: int

    def state(self) -> ModelState:
        """Give what a prediction reads as plain data; what training alone leaves behind is not part of it."""
        check_is_fitted(self)
        values: dict[str, Any] = {}
        arrays: dict[str, NDArray[Any]] = {}
        for name in ("names_", "n_features_in_", *self._fitted):
            value = getattr(self, name)
            if sp.issparse(value):
                for part in ("data", "indices", "indptr"):
                    arrays[f"{name}.{part}"] = getattr(value, part)
                arrays[f"{name}.shape"] = np.asarray(value.shape, dtype=np.int64)
            elif isinstance(value, np.ndarray):
                arrays[name] = value
            else:
                values[name] = list(value) if isinstance(value, tuple) else value
        return ModelState(type(self).__name__, self.get_params(deep=False), values, arrays)

    def fit_path(self, X: Any, Y: Any, strengths: Iterable[float]) -> Iterator[Self]:
        """Give a fitted copy for each strength, the strongest first.

        Models whose learners can start each fit where the stronger one ended do so.
        """
        for strength in falling_strengths(strengths):
            yield clone(self).set_params(strength=strength).fit(X, Y)

    @classmethod
    def from_state(cls, state: ModelState) -> Self:
        """Make a fitted model of what :meth:`state` gave."""
        if state.model != cls.__name__:
            raise InvalidData(f"state must be one of {cls.__name__}; got one of {state.model}.")
        model = cls(**state.parameters)
        for name in ("names_", "n_features_in_", *cls._fitted):
            if name in state.values:
                value = state.values[name]
                setattr(model, name, tuple(value) if isinstance(value, list) else value)
            elif name in state.arrays:
                setattr(model, name, state.arrays[name])
            elif f"{name}.data" in state.arrays:
                data, indices, indptr, shape = (
                    state.arrays[f"{name}.{part}"] for part in ("data", "indices", "indptr", "shape")
                )
                setattr(model, name, sp.csr_array((data, indices, indptr), shape=tuple(shape)))
            else:
                raise InvalidData(f"state must hold {name!r}; got {sorted({*state.values, *state.arrays})}.")
        return model

    def _read_sets(self, sets: Any) -> sp.csr_array:
        """Check label sets against the names of the labels: 0 and 1, or lists of names."""
        check_is_fitted(self)
        return LabelMatrix.of(sets, self.names_, called="sets").indicator


def falling_strengths(strengths: Iterable[float]) -> list[float]:
    """Give the strengths once each, the strongest first."""
    return sorted(set(checked_strengths(strengths)), reverse=True)


def document_generators(n_documents: int, seed: Any) -> Iterator[np.random.Generator]:
    """Give each document a generator of its own, so that its draws do not depend on how many others there are."""
    seed = checked_seed(seed)
    for document in range(n_documents):
        yield np.random.Generator(np.random.Philox(key=[seed, document]))


def checked_seed(value: Any) -> int:
    """Return ``value`` as an int where it can be a seed."""
    if not isinstance(value, numbers.Integral) or isinstance(value, bool) or not 0 <= int(value) < 2**64:
        raise InvalidParameter(f"seed must be a whole number from 0 to 2^64 - 1; got {value!r}.")
    return int(value)


def checked_count(value: Any, name: str, least: int = 1) -> int:
    """Return ``value`` as an int where it is a whole number from ``least`` up."""
    if not isinstance(value, numbers.Integral) or isinstance(value, bool) or value < least:
        raise InvalidParameter(f"{name} must be a whole number from {least} up; got {value!r}.")
    return int(value)
