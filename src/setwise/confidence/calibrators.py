"""From evidence to a probability: three maps, each a handful of numbers, fitted on documents held out from training."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

from setwise._validation import require_finite
from setwise.confidence.evidence import COLUMNS, MONOTONE
from setwise.exceptions import InvalidData

__all__ = ["CALIBRATORS", "Calibrator", "IsotonicCurve", "MonotoneTrees", "Stated"]

Array = NDArray[np.float64]

MAX_TREES = 80
"""Rounds of boosting at most; cross-validation chooses how many."""

STEP = 0.7
"""Share of each tree's correction that is added: large, because there are few trees."""

DEPTH = 3

LEAVES_OF = 40
"""A leaf has at least one document of so many, and ..."""

LEAST_IN_LEAF = 10
"""... at least this number of documents."""

_LEAST_RATE = 1e-3
"""The mean outcome that boosting starts from is at least this far from 0 and 1."""


class Calibrator(ABC):
    """A fitted map from the columns of the evidence to a probability, or to an expected F1."""

    name: ClassVar[str]

    @classmethod
    @abstractmethod
    def fit(cls, columns: Array, outcome: Array, stated: int, rounds: int) -> Calibrator:
        """Fit the map.

        Parameters
        ----------
        columns : array of shape (n_samples, len(COLUMNS))
        outcome : array of shape (n_samples,)
            1 or 0 for a right or wrong set, or its F1.
        stated : int
            The column in which the recipe states the outcome.
        rounds : int
            For maps that are fitted step by step.
        """

    @abstractmethod
    def predict(self, columns: Array) -> Array:
        """Return one number in [0, 1] per document."""

    @abstractmethod
    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """Return everything that was fitted, as plain numbers."""

    @classmethod
    @abstractmethod
    def from_arrays(cls, arrays: dict[str, NDArray[np.generic]]) -> Calibrator:
        """Rebuild the map; raise ``InvalidData`` where the numbers cannot be those of a fit."""


@dataclass(frozen=True, eq=False)
class Stated(Calibrator):
    """What the recipe states, unchanged."""

    column: int
    name: ClassVar = "as stated"

    @classmethod
    def fit(cls, columns: Array, outcome: Array, stated: int, rounds: int) -> Stated:
        return cls(stated)

    def predict(self, columns: Array) -> Array:
        return np.clip(columns[:, self.column], 0.0, 1.0)

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        return {"column": np.array([self.column], dtype=np.int64)}

    @classmethod
    def from_arrays(cls, arrays: dict[str, NDArray[np.generic]]) -> Stated:
        return cls(_column_of(_taken(arrays, "column")))


@dataclass(frozen=True, eq=False)
class IsotonicCurve(Calibrator):
    """The increasing curve of what the recipe states that is nearest to the outcomes."""

    column: int
    stated: Array
    """Increasing."""
    calibrated: Array
    """At the places above; straight lines between them."""
    name: ClassVar = "isotonic"

    @classmethod
    def fit(cls, columns: Array, outcome: Array, stated: int, rounds: int) -> IsotonicCurve:
        from sklearn.isotonic import IsotonicRegression  # late: a process that only predicts does without

        curve = IsotonicRegression(y_min=0.0, y_max=1.0, out_of_bounds="clip").fit(columns[:, stated], outcome)
        places, values = curve.X_thresholds_, curve.y_thresholds_
        return cls(stated, np.asarray(places, dtype=np.float64), np.asarray(values, dtype=np.float64))

    def predict(self, columns: Array) -> Array:
        return np.interp(columns[:, self.column], self.stated, self.calibrated)

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        column = np.array([self.column], dtype=np.int64)
        return {"column": column, "stated": self.stated, "calibrated": self.calibrated}

    @classmethod
    def from_arrays(cls, arrays: dict[str, NDArray[np.generic]]) -> IsotonicCurve:
        column = _column_of(_taken(arrays, "column"))
        stated, calibrated = (_numbers(_taken(arrays, name), name) for name in ("stated", "calibrated"))
        if not stated.size or stated.shape != calibrated.shape:
            raise InvalidData("An isotonic curve needs as many places as values, at least one.")
        if (np.diff(stated) < 0).any() or (np.diff(calibrated) < 0).any():
            raise InvalidData("The places and values of an isotonic curve must not fall.")
        return cls(column, stated, _in_unit_interval(calibrated, "calibrated"))


@dataclass(frozen=True, eq=False)
class MonotoneTrees(Calibrator):
    """Gradient boosting of small regression trees that never fall where more evidence should not hurt.

    The cross-entropy is minimized, which works for outcomes between 0 and 1 too: each tree is fitted to outcome minus
    probability, and ``STEP`` times its values are added to the logit. A tree that is monotone in a column leaves a sum
    monotone in it.
    """

    base: float
    """The logit that the trees start from."""
    roots: NDArray[np.int64]
    """The first node of each tree."""
    column: NDArray[np.int64]
    """The column that each node compares; -1 in a leaf."""
    threshold: Array
    left: NDArray[np.int64]
    """The node to go to where the column is at most the threshold."""
    right: NDArray[np.int64]
    value: Array
    """What a leaf adds to the logit."""
    name: ClassVar = "monotone trees"

    @classmethod
    def fit(cls, columns: Array, outcome: Array, stated: int, rounds: int) -> MonotoneTrees:
        from sklearn.tree import DecisionTreeRegressor  # late: a process that only predicts does without

        rate = float(np.clip(outcome.mean(), _LEAST_RATE, 1.0 - _LEAST_RATE))
        base = float(np.log(rate / (1.0 - rate)))
        logit = np.full(len(outcome), base)
        least = max(LEAST_IN_LEAF, len(outcome) // LEAVES_OF)
        columns = columns.astype(np.float32)  # as the trees compare them
        trees = []
        for _ in range(rounds):
            tree = DecisionTreeRegressor(
                max_depth=DEPTH, min_samples_leaf=least, monotonic_cst=list(MONOTONE.values()), random_state=0
            ).fit(columns, outcome - _expit(logit))
            logit += STEP * tree.predict(columns)
            trees.append(tree.tree_)
        return cls._of_trees(base, trees)

    @classmethod
    def _of_trees(cls, base: float, trees: list[Any]) -> MonotoneTrees:
        """Return the nodes of all trees in one row, one tree after the other."""
        roots = np.cumsum([0, *(tree.node_count for tree in trees)], dtype=np.int64)[:-1]

        def joined(one: Callable[[Any], Any], dtype: DTypeLike) -> NDArray[Any]:
            return np.concatenate([np.zeros(0, dtype), *(one(tree) for tree in trees)]).astype(dtype)

        def children(one: Callable[[Any], Any]) -> NDArray[np.int64]:
            shifted = [np.where(one(tree) < 0, -1, one(tree) + root) for tree, root in zip(trees, roots, strict=True)]
            return np.concatenate([np.zeros(0, np.int64), *shifted]).astype(np.int64)

        return cls(
            base,
            roots,
            joined(lambda tree: np.where(tree.children_left < 0, -1, tree.feature), np.int64),
            joined(lambda tree: tree.threshold, np.float64),
            children(lambda tree: tree.children_left),
            children(lambda tree: tree.children_right),
            joined(lambda tree: STEP * tree.value[:, 0, 0], np.float64),
        )

    def predict(self, columns: Array) -> Array:
        *_, last = self.staged(columns)
        return last

    def staged(self, columns: Array) -> list[Array]:
        """Return the probabilities before the first tree, and after each."""
        columns, rows = columns.astype(np.float32), np.arange(len(columns))
        logit = np.full(len(columns), self.base)
        stages = [_expit(logit)]
        for root in self.roots:
            node = np.full(len(columns), root)
            for _ in range(DEPTH):
                column = self.column[node]
                goes_left = columns[rows, column] <= self.threshold[node]
                node = np.where(column < 0, node, np.where(goes_left, self.left[node], self.right[node]))
            logit = logit + self.value[node]
            stages.append(_expit(logit))
        return stages

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        return {
            "base": np.array([self.base]),
            "roots": self.roots,
            "column": self.column,
            "threshold": self.threshold,
            "left": self.left,
            "right": self.right,
            "value": self.value,
        }

    @classmethod
    def from_arrays(cls, arrays: dict[str, NDArray[np.generic]]) -> MonotoneTrees:
        base = _numbers(_taken(arrays, "base"), "base", 1)
        roots, column, left, right = (
            _whole(_taken(arrays, name), name) for name in ("roots", "column", "left", "right")
        )
        n = column.size
        threshold, value = (_numbers(_taken(arrays, name), name, n) for name in ("threshold", "value"))
        if roots.size > MAX_TREES:
            raise InvalidData(f"A confidence must have at most {MAX_TREES} trees; got {roots.size:,}.")
        inner = column >= 0
        if left.size != n or right.size != n or (column < -1).any() or (column >= len(COLUMNS)).any():
            raise InvalidData("The nodes of the trees of a confidence must have a column and two children each.")
        for child in (left[inner], right[inner], roots):
            if child.size and (child.min() < 0 or child.max() >= n):
                raise InvalidData("A tree of a confidence leads to a node that it does not have.")
        return cls(float(base[0]), roots, column, threshold, left, right, value)


CALIBRATORS: dict[str, type[Calibrator]] = {one.name: one for one in (Stated, IsotonicCurve, MonotoneTrees)}
"""Every calibrator by name, the simplest first."""


def _expit(logit: Array) -> Array:
    """Return 1 / (1 + exp(-logit)); SciPy's takes longer to import than a prediction may wait for."""
    return np.asarray(np.exp(-np.logaddexp(0.0, -logit)))


def _taken(arrays: dict[str, NDArray[np.generic]], name: str) -> NDArray[np.generic]:
    if name not in arrays:
        raise InvalidData(f"Array 'confidence.{name}' is missing from the file.")
    return arrays.pop(name)


def _numbers(array: NDArray[np.generic], name: str, size: int | None = None) -> Array:
    if array.ndim != 1 or array.dtype != np.float64 or size not in (None, array.size):
        raise InvalidData(f"Array 'confidence.{name}' must be one list of {'' if size is None else f'{size} '}numbers.")
    require_finite(array, f"confidence.{name}")
    return array.astype(np.float64)


def _whole(array: NDArray[np.generic], name: str) -> NDArray[np.int64]:
    if array.ndim != 1 or array.dtype != np.int64:
        raise InvalidData(f"Array 'confidence.{name}' must be one list of integers.")
    return array.astype(np.int64)


def _column_of(array: NDArray[np.generic]) -> int:
    column = _whole(array, "column")
    if column.size != 1 or not 0 <= column[0] < len(COLUMNS):
        raise InvalidData(f"A confidence must be that of one of {len(COLUMNS)} columns.")
    return int(column[0])


def _in_unit_interval(values: Array, name: str) -> Array:
    if (values < 0.0).any() or (values > 1.0).any():
        raise InvalidData(f"Array 'confidence.{name}' must be probabilities.")
    return values
