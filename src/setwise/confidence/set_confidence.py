"""How sure a predicted set is: the probability that it is exactly right and its expected F1, fitted to outcomes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from setwise.confidence.automation import AutomationMetric
from setwise.confidence.calibrators import CALIBRATORS, MAX_TREES, Calibrator, MonotoneTrees
from setwise.confidence.evidence import COLUMNS, Evidence
from setwise.labels import LabelMatrix
from setwise.metrics import Overlap

__all__ = ["MIN_DOCUMENTS", "Confidence", "SetConfidence"]

Array = NDArray[np.float64]

MIN_DOCUMENTS = 50
"""Fewer held-out documents say too little about how often a prediction is right."""

N_FOLDS = 5
"""Folds of the held-out documents in which calibrators are compared."""

LOW_COVERAGE = 0.01
"""Share of the held-out documents that knew fewer of their words than ``least_coverage``."""

_PROBABILITY, _EXPECTED_F1, _COVERAGE = map(COLUMNS.index, ("set_probability", "expected_f1", "coverage"))


@dataclass(frozen=True, eq=False)
class Confidence:
    """How sure each prediction is."""

    sets: sp.csr_array
    """The predicted sets, documents by labels, 0 and 1."""
    probability: Array
    """That the predicted set is exactly right, per document."""
    expected_f1: Array
    """Expected F1 of the predicted set, per document."""

    def values_for(self, metric: AutomationMetric) -> Array:
        """Return the number that a threshold for this metric cuts."""
        return self.probability if metric == "accuracy" else self.expected_f1


@dataclass(frozen=True, eq=False)
class SetConfidence:
    """The fitted maps from evidence to confidence.

    What chooses the set is left alone: a calibration that was tuned for F1 may choose better sets than honest
    probabilities do, but the numbers that it states are no probabilities. These maps learn from held-out documents
    what the stated numbers have been worth.

    Attributes
    ----------
    correct : Calibrator
        To the probability that the set is exactly right.
    f1 : Calibrator
        To the expected F1.
    least_coverage : float
        Share of known words that nearly all held-out documents had. Below it, where nothing was learned, both numbers
        are multiplied by the coverage and divided by this. 0 where the held-out documents were no texts.
    brier : tuple of two floats
        Mean squared error of both numbers on held-out documents that they were not fitted to.
    n_documents : int
        Held-out documents that the maps were fitted to.
    """

    correct: Calibrator
    f1: Calibrator
    least_coverage: float
    brier: tuple[float, float]
    n_documents: int

    @classmethod
    def fit(
        cls, evidence: Sequence[Evidence], truth: Sequence[LabelMatrix], random_state: int = 0
    ) -> SetConfidence | None:
        """Fit both maps to held-out documents; return None where these are too few.

        Parameters
        ----------
        evidence : sequence of Evidence
            Of the held-out documents of each part, predicted by models that were not trained on them.
        truth : sequence of LabelMatrix
            Their label sets.
        random_state : int
            Seed of the folds in which calibrators are compared.
        """
        columns = np.concatenate([one.columns for one in evidence])
        if len(columns) < MIN_DOCUMENTS:
            return None
        outcomes = [np.concatenate(one) for one in zip(*map(_outcomes, evidence, truth), strict=True)]
        correct, brier = _best_calibrator(columns, outcomes[0], _PROBABILITY, random_state)
        f1, error = _best_calibrator(columns, outcomes[1], _EXPECTED_F1, random_state)
        known = all(one.knows_coverage for one in evidence)
        least = float(np.quantile(columns[:, _COVERAGE], LOW_COVERAGE)) if known else 0.0
        return cls(correct, f1, least, (brier, error), len(columns))

    def of(self, evidence: Evidence) -> Confidence:
        """Return the confidence of each prediction."""
        columns, share = evidence.columns, np.ones(len(evidence.columns))
        if self.least_coverage > 0.0:
            share = np.minimum(columns[:, _COVERAGE] / self.least_coverage, 1.0)
        return Confidence(
            evidence.decision.sets, share * self.correct.predict(columns), share * self.f1.predict(columns)
        )


def _outcomes(evidence: Evidence, truth: LabelMatrix) -> tuple[Array, Array]:
    """Return whether each set is exactly right, and its F1."""
    sets = evidence.decision.sets
    f1 = Overlap.by_document(truth, truth.with_indicator(sp.csr_array(sets))).f1
    return (f1 == 1.0).astype(np.float64), np.asarray(f1, dtype=np.float64)


def _best_calibrator(columns: Array, outcome: Array, stated: int, random_state: int) -> tuple[Calibrator, float]:
    """Return the calibrator of the smallest cross-validated Brier score, fitted to all documents, and that score."""
    errors: dict[tuple[str, int], float] = {}
    for train, held in _folds(len(columns), random_state):
        for name, calibrator in CALIBRATORS.items():
            fitted = calibrator.fit(columns[train], outcome[train], stated, MAX_TREES)
            if isinstance(fitted, MonotoneTrees):
                predicted = dict(enumerate(fitted.staged(columns[held])))
            else:
                predicted = {0: fitted.predict(columns[held])}
            for rounds, one in predicted.items():
                squares = float(((one - outcome[held]) ** 2).sum())
                errors[name, rounds] = errors.get((name, rounds), 0.0) + squares / len(columns)
    (name, rounds), least = min(errors.items(), key=lambda item: item[1])  # the simplest of equals comes first
    return CALIBRATORS[name].fit(columns, outcome, stated, rounds), least


def _folds(n: int, random_state: int) -> Iterator[tuple[Any, Any]]:
    """Yield the documents to fit to and those to compare on."""
    fold = np.random.default_rng(random_state).permutation(n) % N_FOLDS
    for number in range(N_FOLDS):
        yield np.flatnonzero(fold != number), np.flatnonzero(fold == number)
