"""The baseline: what a careful user of scikit-learn does to predict label sets.

One logistic regression per label (LIBLINEAR). C, the penalty, the thresholds and whether every document gets at least
one label (the most probable, where none reaches its threshold) are tuned for instance F1 on a held-out fifth of the
training documents. The best combination is then fitted to all training documents.
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

from benchmarks.harness.corpora import Part
from setwise.data import folds, hold_out
from setwise.decision import best_threshold, best_thresholds, threshold
from setwise.metrics import instance_f1

Array = NDArray[np.float64]

HELD_OUT, RANDOM_STATE = 0.2, 0  # the same part that setwise holds out
N_FOLDS = 5
MIN_POSITIVES = 10  # documents that a label needs for its own threshold: fewer would leave it to chance
MAX_ITER = 1000  # LIBLINEAR's default of 100 is too small for large C
PENALTIES = ("l1", "l2")
START = tuple(range(-6, 9, 2))  # C from 0.03 to 100, two values per decade
NEIGHBORS = (-2, 2, -1, 1)  # steps from the best: beyond it, where it is at an edge, and closer to it


@dataclass(frozen=True)
class Setting:
    """The penalty and C of a regression. C is a number of steps, four per decade."""

    penalty: str
    c_step: int

    @property
    def C(self) -> float:
        return float(10 ** (self.c_step / 4))


@dataclass(frozen=True)
class Candidate:
    """A setting, a rule that turns its probabilities into sets, and their instance F1 on held-out documents."""

    setting: Setting
    # One threshold for all labels, or one per label.
    thresholds: float | Array
    at_least_one: bool
    f1: float

    @property
    def per_label(self) -> bool:
        return np.ndim(self.thresholds) > 0

    def sets(self, probabilities: Array) -> sp.csr_array:
        """Return the label sets of these probabilities."""
        return threshold(probabilities, self.thresholds, at_least_one=self.at_least_one)


def tune(train: Part, start: tuple[int, ...] = START) -> list[Candidate]:
    """Score all candidates on held-out documents and return them, best first.

    The neighbors of the best setting are added to the grid until all of them have been tried.
    """
    rest, held = hold_out(train.y, HELD_OUT, RANDOM_STATE)
    y_held = train.y[held]
    tried: dict[Setting, list[Candidate]] = {}
    untried = [Setting(penalty, c_step) for penalty in PENALTIES for c_step in start]
    while untried:
        for setting in untried:
            model = one_vs_rest(train.X[rest], train.y[rest], setting)
            tried[setting] = list(candidates(setting, model.predict_proba(train.X[held]), y_held))
        best = best_first(tried)[0].setting
        neighbors = [Setting(best.penalty, best.c_step + step) for step in NEIGHBORS]
        untried = [setting for setting in neighbors if setting not in tried]
    return best_first(tried)


def best_first(tried: dict[Setting, list[Candidate]]) -> list[Candidate]:
    """Return all candidates by decreasing F1."""
    return sorted((each for some in tried.values() for each in some), key=lambda candidate: -candidate.f1)


def candidates(setting: Setting, probabilities: Array, truth: sp.csr_array) -> Iterator[Candidate]:
    """Yield every rule that turns held-out probabilities into sets, with its F1.

    A single threshold hardly overfits, so it is scored on the documents that chose it. One threshold per label does
    overfit, so these are scored by cross-validation.
    """
    for at_least_one in (True, False):
        shared = shared_threshold(probabilities, truth, at_least_one)
        sets = threshold(probabilities, shared, at_least_one=at_least_one)
        yield Candidate(setting, shared, at_least_one, instance_f1(truth, sets))
        per_label = label_thresholds(probabilities, truth, at_least_one)
        sets = cross_validated_sets(probabilities, truth, at_least_one)
        yield Candidate(setting, per_label, at_least_one, instance_f1(truth, sets))


def shared_threshold(probabilities: Array, truth: sp.csr_array, at_least_one: bool) -> float:
    """Return the threshold of the best instance F1 for all labels together."""
    return best_threshold(probabilities, truth, at_least_one=at_least_one)


def label_thresholds(probabilities: Array, truth: sp.csr_array, at_least_one: bool) -> Array:
    """Return the threshold of each label's best F1; rare labels get the shared one."""
    frequent = np.asarray(truth.sum(axis=0)) >= MIN_POSITIVES
    shared = shared_threshold(probabilities, truth, at_least_one)
    return np.where(frequent, best_thresholds(probabilities, truth), shared)


def cross_validated_sets(probabilities: Array, truth: sp.csr_array, at_least_one: bool) -> sp.csr_array:
    """Return the sets of each fold by the thresholds per label of the other folds."""
    sets = np.zeros(probabilities.shape, dtype=np.int64)
    for others, fold in folds(truth, N_FOLDS, RANDOM_STATE):
        thresholds = label_thresholds(probabilities[others], truth[others], at_least_one)
        sets[fold] = threshold(probabilities[fold], thresholds, at_least_one=at_least_one).toarray()
    return sp.csr_array(sets)


def one_vs_rest(X: sp.csr_array, y: sp.csr_array, setting: Setting) -> OneVsRestClassifier:
    """Fit one logistic regression per label."""
    regression = LogisticRegression(
        **penalty_options(setting.penalty),
        C=setting.C,
        solver="liblinear",
        max_iter=MAX_ITER,
        random_state=RANDOM_STATE,
    )
    with warnings.catch_warnings():
        # scikit-learn predicts the constant of a label that is constant in training, which is all one can do.
        warnings.filterwarnings("ignore", "Label .* is present in all training examples", UserWarning)
        return OneVsRestClassifier(regression).fit(X, y.toarray())


def penalty_options(penalty: str) -> dict[str, Any]:
    """Return the penalty as options of the installed scikit-learn: from 1.8 on by ``l1_ratio``."""
    major, minor = map(int, sklearn.__version__.split(".")[:2])
    return {"l1_ratio": float(penalty == "l1")} if (major, minor) >= (1, 8) else {"penalty": penalty}
