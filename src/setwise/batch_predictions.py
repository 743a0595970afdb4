"""Predictions of a batch of documents as plain lists: what ``setwise predict`` writes and the service answers."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from setwise.classifier import SetClassifier

__all__ = ["BatchPredictions", "RankedPredictions", "label_probabilities"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class BatchPredictions:
    """Predicted label sets of a batch of documents, and how sure each of them is."""

    labels: list[list[str]]
    confidence: list[float | None]
    """Probability that each predicted set is exactly right; None if the model has no confidence."""
    expected_f1: list[float | None]
    """Expected F1 of each predicted set; None if the inference cannot compute it."""
    coverage: list[float | None]
    """Share of the words that the vocabulary contains; None for vectors."""
    actions: list[str] | None = None
    """``accept`` or ``review`` for each document; None if the model has no automation threshold."""

    @classmethod
    def compute(cls, classifier: SetClassifier, X: Any, coverage: Array | None) -> BatchPredictions:
        """Predict the documents of a feature matrix, of which the vocabulary contains a share of the words."""
        sets, actions, confidence, expected_f1 = _decided(classifier, X, coverage)
        names = replace(classifier.labels_, indicator=sets).name_lists()  # a decision needs no checks
        return cls(names, confidence, expected_f1, _coverage(coverage, len(names)), actions)

    @classmethod
    def above(cls, classifier: SetClassifier, X: Any, coverage: Array | None, threshold: float) -> BatchPredictions:
        """Predict all labels of at least this probability, in place of the classifier's own decision.

        Nothing was learned about how good such sets are, so that there is neither confidence nor expected F1.
        """
        labels = [list(likely) for likely in label_probabilities(classifier, X, threshold)]
        unknown: list[float | None] = [None] * len(labels)
        return cls(labels, unknown, unknown, _coverage(coverage, len(labels)))


@dataclass(frozen=True)
class RankedPredictions:
    """Predictions of a batch, with the most probable sets and labels of each document."""

    batch: BatchPredictions
    sets: list[list[tuple[tuple[str, ...], float]]]
    """Most probable training sets with their probabilities; empty lists if not requested."""
    marginals: list[dict[str, float]] | None
    """Label probabilities; None if not requested."""

    @classmethod
    def compute(
        cls,
        classifier: SetClassifier,
        X: Any,
        coverage: Array | None,
        top: int,
        min_probability: float | None,
        threshold: float | None = None,
    ) -> RankedPredictions:
        """Predict the documents of a feature matrix; with ``threshold``, all labels of at least this probability."""
        ranked = classifier.predict_sets(X, top) if top else [[] for _ in range(X.shape[0])]
        if threshold is None:
            batch = BatchPredictions.compute(classifier, X, coverage)
        else:
            batch = BatchPredictions.above(classifier, X, coverage, threshold)
        return cls(
            batch,
            [[(tuple(map(str, scored.labels)), scored.probability) for scored in sets] for sets in ranked],
            None if min_probability is None else label_probabilities(classifier, X, min_probability),
        )


def label_probabilities(classifier: SetClassifier, X: Any, least: float) -> list[dict[str, float]]:
    """Return the labels of each document with a probability of at least ``least``, the most probable first."""
    names = [str(name) for name in classifier.classes_]
    found = []
    for probabilities in classifier.predict_proba(X):
        likely = np.flatnonzero(probabilities >= least)
        order = likely[np.argsort(-probabilities[likely], kind="stable")]
        found.append({names[label]: float(probabilities[label]) for label in order})
    return found


def _coverage(coverage: Array | None, n: int) -> list[float | None]:
    return [None] * n if coverage is None else coverage.tolist()


def _decided(
    classifier: SetClassifier, X: Any, coverage: Array | None
) -> tuple[sp.csr_array, list[str] | None, list[float | None], list[float | None]]:
    """Return the predicted sets, what to do with each, how likely it is exactly right, and its expected F1."""
    if classifier.confidence_ is None:
        decision = classifier.predict_with_value(X)
        return decision.sets, None, [None] * decision.sets.shape[0], _none_for_nan(decision.value)
    found = classifier.confidence(X, coverage)
    actions = None
    if classifier.automation_ is not None:
        actions = np.where(classifier.accepts(found), "accept", "review").tolist()
    return found.sets, actions, found.probability.tolist(), found.expected_f1.tolist()


def _none_for_nan(values: Array) -> list[float | None]:
    if np.isnan(values).any():
        return [None if math.isnan(value) else value for value in values.tolist()]
    numbers: list[float | None] = values.tolist()
    return numbers
