"""The rival: what a careful user of scikit-learn does about label sets.

One logistic regression a label (LIBLINEAR), its C and penalty tuned for instance F1 on a held-out fifth of the training
documents, and with them the thresholds and whether a document gets at least one label: the most probable, where none
passes. Then all training documents are fitted once more.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
import sklearn
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier

from setwise.data.splits import folds, hold_out
from setwise.decision.threshold import best_threshold, best_thresholds, threshold
from setwise.experiments.corpora import Part
from setwise.metrics import instance_f1

Array = NDArray[np.float64]

HELD_OUT, SEED = 0.2, 0  # the part that setwise holds out too
FOLDS = 5
LEAST_SEEN = 10  # documents that a label needs for a threshold of its own: with fewer it is left to chance
MAX_ITER = 1000  # LIBLINEAR's own 100 are too few for large C
PENALTIES = ("l1", "l2")
START = tuple(range(-6, 9, 2))  # C from 0.03 to 100, two to a decade
AROUND = (-2, 2, -1, 1)  # of the best: further out, where it is at an edge, and closer by


@dataclass(frozen=True)
class Cell:
    """A setting of the regression. C goes in steps, four to a decade."""

    penalty: str
    step: int

    @property
    def C(self) -> float:
        return float(10 ** (self.step / 4))


@dataclass(frozen=True)
class Choice:
    """A setting and how its probabilities become sets, with the instance F1 of both on held-out documents."""

    cell: Cell
    levels: float | Array
    """One threshold, or one a label."""
    at_least_one: bool
    f1: float

    @property
    def per_label(self) -> bool:
        return np.ndim(self.levels) > 0

    def sets(self, probabilities: Array) -> sp.csr_array:
        return threshold(probabilities, self.levels, at_least_one=self.at_least_one)


def tuned(train: Part, start: tuple[int, ...] = START) -> list[Choice]:
    """Try all settings on held-out documents; the best comes first.

    To the grid come the neighbours of the best, until all of them have been tried.
    """
    rest, held = hold_out(train.y, HELD_OUT, SEED)
    truth = train.y[held]
    tried: dict[Cell, list[Choice]] = {}

    def attempt(cell: Cell) -> None:
        model = one_vs_rest(train.X[rest], train.y[rest], cell)
        tried[cell] = list(choices(cell, model.predict_proba(train.X[held]), truth))

    wanted = [Cell(penalty, step) for penalty in PENALTIES for step in start]
    while wanted:
        for cell in wanted:
            attempt(cell)
        best = best_first(tried)[0].cell
        around = [Cell(best.penalty, best.step + apart) for apart in AROUND]
        wanted = [cell for cell in around if cell not in tried]
    return best_first(tried)


def best_first(tried: dict[Cell, list[Choice]]) -> list[Choice]:
    return sorted((choice for some in tried.values() for choice in some), key=lambda choice: -choice.f1)


def choices(cell: Cell, probabilities: Array, truth: sp.csr_array) -> Iterator[Choice]:
    """All ways to make sets of held-out probabilities.

    One threshold hardly fits to chance, so it is judged where it was found. Many do: they are judged on documents that
    had no part in finding them, a fold at a time.
    """
    for at_least_one in (True, False):
        level = one_level(probabilities, truth, at_least_one)
        sets = threshold(probabilities, level, at_least_one=at_least_one)
        yield Choice(cell, level, at_least_one, instance_f1(truth, sets))
        levels = level_per_label(probabilities, truth, at_least_one)
        sets = of_folds(probabilities, truth, at_least_one)
        yield Choice(cell, levels, at_least_one, instance_f1(truth, sets))


def one_level(probabilities: Array, truth: sp.csr_array, at_least_one: bool) -> float:
    return best_threshold(probabilities, truth, at_least_one=at_least_one)


def level_per_label(probabilities: Array, truth: sp.csr_array, at_least_one: bool) -> Array:
    """Find the threshold of each label's best F1; rare ones get the best one for all."""
    seen = np.asarray(truth.sum(axis=0)) >= LEAST_SEEN
    return np.where(seen, best_thresholds(probabilities, truth), one_level(probabilities, truth, at_least_one))


def of_folds(probabilities: Array, truth: sp.csr_array, at_least_one: bool) -> sp.csr_array:
    """Give each document the labels that pass the thresholds found on the other folds, one a label."""
    chosen = np.zeros(probabilities.shape, dtype=np.int64)
    for others, fold in folds(truth, FOLDS, SEED):
        levels = level_per_label(probabilities[others], truth[others], at_least_one)
        chosen[fold] = threshold(probabilities[fold], levels, at_least_one=at_least_one).toarray()
    return sp.csr_array(chosen)


def one_vs_rest(X: sp.csr_array, y: sp.csr_array, cell: Cell) -> OneVsRestClassifier:
    regression = LogisticRegression(
        **as_option(cell.penalty), C=cell.C, solver="liblinear", max_iter=MAX_ITER, random_state=SEED
    )
    with warnings.catch_warnings():
        # Labels that never vary get their constant, which is all one can do.
        warnings.filterwarnings("ignore", "Label .* is present in all training examples", UserWarning)
        return OneVsRestClassifier(regression).fit(X, y.toarray())


def as_option(penalty: str) -> dict[str, Any]:
    """Name the penalty as the installed scikit-learn does: from 1.8 on by its share of L1."""
    major, minor = map(int, sklearn.__version__.split(".")[:2])
    return {"l1_ratio": float(penalty == "l1")} if (major, minor) >= (1, 8) else {"penalty": penalty}
