"""What careful users of scikit-learn do to predict label sets: the baseline, and a rival that tries more.

The baseline has one logistic regression per label (LIBLINEAR), on words where documents are texts. The rival also tries
linear support vector machines, and pairs of words. C, the penalty, the thresholds and whether every document gets at
least one label (the one of the highest score, where none reaches its threshold) are tuned for instance F1 on a held-out
fifth of the training documents. The best combination is then fitted to all training documents.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import scipy.sparse as sp
import sklearn
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.svm import LinearSVC

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
PATIENCE = 2  # values of C, one decade, that may be worse than a smaller one before larger ones are left out
NEIGHBORS = (-2, 2, -1, 1)  # steps from the best: beyond it, where it is at an edge, and closer to it


@dataclass(frozen=True)
class Rival:
    """The losses and features that a user tries."""

    # Section of its rows.
    section: str
    # Name in the tables.
    entry: str
    losses: tuple[str, ...]
    # Most words of a feature: 1 for words, 2 for words and pairs of words. Only texts have a choice.
    n_words: tuple[int, ...]


BASELINE = Rival("baseline", "careful scikit-learn", ("logistic",), (1,))
RIVAL = Rival("rival", "more careful scikit-learn", ("logistic", "squared hinge"), (1, 2))


@dataclass(frozen=True)
class Setting:
    """The features, loss, penalty and C of a linear model. C is a number of steps, four per decade."""

    n_words: int
    loss: str
    penalty: str
    c_step: int

    @property
    def C(self) -> float:
        return float(10 ** (self.c_step / 4))


class MarginClassifier(LinearSVC):  # type: ignore[misc]
    """``LinearSVC`` whose margins take the place of probabilities.

    Thresholds are fitted between 0 and 1, so margins are mapped there; the map is increasing, so the same sets can be
    reached. Of a label that is constant in training, ``OneVsRestClassifier`` gives the probability 0 or 1, but also the
    margin 0 or 1, which is not below or above all others: one more reason to ask it for probabilities.
    """

    def predict_proba(self, X: Any) -> Array:
        """Return the logistic function of the negative and of the positive margin."""
        margins = self.decision_function(X)
        return np.column_stack([expit(-margins), expit(margins)])


@dataclass(frozen=True)
class Candidate:
    """A setting, a rule that turns its scores into sets, and their instance F1 on held-out documents.

    Scores are probabilities, or margins mapped to values between 0 and 1.
    """

    setting: Setting
    # One threshold for all labels, or one per label.
    thresholds: float | Array
    at_least_one: bool
    f1: float

    @property
    def per_label(self) -> bool:
        return np.ndim(self.thresholds) > 0

    def sets(self, scores: Array) -> sp.csr_array:
        """Return the label sets of these scores."""
        return threshold(scores, self.thresholds, at_least_one=self.at_least_one)


def tune(train: Part, rival: Rival, start: tuple[int, ...] = START) -> list[Candidate]:
    """Score all candidates on held-out documents and return them, best first.

    Features, loss and penalty each have a path of increasing C, which ends after its best: the largest C take longest.
    Then the neighbors of the best setting are added until all of them have been tried.
    """
    rest, held = hold_out(train.y, HELD_OUT, RANDOM_STATE)
    y_rest, y_held = train.y[rest], train.y[held]

    @cache
    def features(n_words: int) -> tuple[sp.csr_array, sp.csr_array]:
        """Return the features of both parts, learnt from the rest: held-out documents are new ones here."""
        transformer = transformer_for(train, n_words)
        return transformer.fit_transform(train.X[rest]), transformer.transform(train.X[held])

    tried: dict[Setting, list[Candidate]] = {}

    def try_setting(setting: Setting) -> float:
        """Return the best F1 of a setting's rules."""
        X_rest, X_held = features(setting.n_words)
        scores = one_vs_rest(X_rest, y_rest, setting).predict_proba(X_held)
        tried[setting] = list(candidates(setting, scores, y_held))
        return max(candidate.f1 for candidate in tried[setting])

    for n_words, loss, penalty in product(rival.n_words if has_texts(train) else (1,), rival.losses, PENALTIES):
        path: list[float] = []
        for c_step in start:
            path.append(try_setting(Setting(n_words, loss, penalty, c_step)))
            if max(path) > max(path[-PATIENCE:]):
                break
    while True:
        best = best_first(tried)[0].setting
        neighbors = [replace(best, c_step=best.c_step + step) for step in NEIGHBORS]
        untried = [setting for setting in neighbors if setting not in tried]
        if not untried:
            return best_first(tried)
        for setting in untried:
            try_setting(setting)


def best_first(tried: dict[Setting, list[Candidate]]) -> list[Candidate]:
    """Return all candidates by decreasing F1."""
    return sorted((each for some in tried.values() for each in some), key=lambda candidate: -candidate.f1)


def candidates(setting: Setting, scores: Array, truth: sp.csr_array) -> Iterator[Candidate]:
    """Yield every rule that turns held-out scores into sets, with its F1.

    A single threshold hardly overfits, so it is scored on the documents that chose it. One threshold per label does
    overfit, so these are scored by cross-validation.
    """
    for at_least_one in (True, False):
        shared = shared_threshold(scores, truth, at_least_one)
        sets = threshold(scores, shared, at_least_one=at_least_one)
        yield Candidate(setting, shared, at_least_one, instance_f1(truth, sets))
        per_label = label_thresholds(scores, truth, at_least_one)
        sets = cross_validated_sets(scores, truth, at_least_one)
        yield Candidate(setting, per_label, at_least_one, instance_f1(truth, sets))


def shared_threshold(scores: Array, truth: sp.csr_array, at_least_one: bool) -> float:
    """Return the threshold of the best instance F1 for all labels together."""
    return best_threshold(scores, truth, at_least_one=at_least_one)


def label_thresholds(scores: Array, truth: sp.csr_array, at_least_one: bool) -> Array:
    """Return the threshold of each label's best F1; rare labels get the shared one."""
    frequent = np.asarray(truth.sum(axis=0)) >= MIN_POSITIVES
    shared = shared_threshold(scores, truth, at_least_one)
    return np.where(frequent, best_thresholds(scores, truth), shared)


def cross_validated_sets(scores: Array, truth: sp.csr_array, at_least_one: bool) -> sp.csr_array:
    """Return the sets of each fold by the thresholds per label of the other folds."""
    sets = np.zeros(scores.shape, dtype=np.int64)
    for others, fold in folds(truth, N_FOLDS, RANDOM_STATE):
        thresholds = label_thresholds(scores[others], truth[others], at_least_one)
        sets[fold] = threshold(scores[fold], thresholds, at_least_one=at_least_one).toarray()
    return sp.csr_array(sets)


def fit(train: Part, setting: Setting) -> Pipeline:
    """Fit the features and one model per label to all training documents."""
    transformer = transformer_for(train, setting.n_words)
    model = one_vs_rest(transformer.fit_transform(train.X), train.y, setting)
    return make_pipeline(transformer, model)


def transformer_for(train: Part, n_words: int) -> TfidfVectorizer | FunctionTransformer:
    """Return what makes features of documents; it leaves alone those that have features."""
    if not has_texts(train):
        return FunctionTransformer()
    return TfidfVectorizer(sublinear_tf=True, min_df=2, ngram_range=(1, n_words))


def has_texts(part: Part) -> bool:
    """Return whether the documents are texts."""
    return bool(part.X.dtype == object)


def one_vs_rest(X: sp.csr_array, y: sp.csr_array, setting: Setting) -> OneVsRestClassifier:
    """Fit one model per label."""
    with warnings.catch_warnings():
        # scikit-learn predicts the constant of a label that is constant in training, which is all one can do.
        warnings.filterwarnings("ignore", "Label .* is present in all training examples", UserWarning)
        # A fit that reaches the limit of iterations is a candidate like any other: the held-out documents decide.
        warnings.simplefilter("ignore", ConvergenceWarning)
        return OneVsRestClassifier(linear_model(setting)).fit(X, y.toarray())


def linear_model(setting: Setting) -> LogisticRegression | MarginClassifier:
    """Return the model of one label, by LIBLINEAR."""
    options = {"C": setting.C, "max_iter": MAX_ITER, "random_state": RANDOM_STATE}
    if setting.loss == "squared hinge":
        # "auto" solves the dual where there are more features than documents: several times faster for large C.
        return MarginClassifier(penalty=setting.penalty, dual="auto", **options)
    return LogisticRegression(**penalty_options(setting.penalty), solver="liblinear", **options)


def penalty_options(penalty: str) -> dict[str, Any]:
    """Return the penalty as options of the installed scikit-learn: from 1.8 on by ``l1_ratio``."""
    major, minor = map(int, sklearn.__version__.split(".")[:2])
    return {"l1_ratio": float(penalty == "l1")} if (major, minor) >= (1, 8) else {"penalty": penalty}
