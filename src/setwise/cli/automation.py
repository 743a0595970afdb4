"""Outcomes of predictions on labeled documents, and the thresholds that one half of them finds for the other."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from setwise.classifier import SetClassifier
from setwise.confidence import Automation, AutomationTarget, Confidence, automation_threshold, empirical_threshold
from setwise.data import random_hold_out
from setwise.exceptions import InvalidData
from setwise.metrics import Overlap
from setwise.reports import paired_labels

__all__ = ["Halves", "Outcomes"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Halves:
    """The threshold that was found on one half of the documents, and what the other half shows."""

    automation: Automation
    empirical: float | None
    """The lowest threshold at which the first half itself meets the target."""
    first: tuple[Array, Array]
    """Confidence and outcome of each document."""
    second: tuple[Array, Array]

    def rows(self) -> list[dict[str, Any]]:
        """Return one row per rule: the threshold, the share that it accepts and their mean outcome, on both halves."""
        rules = (("with a margin", self.automation.threshold), ("as seen", self.empirical))
        return [
            {
                "rule": rule,
                "threshold": threshold,
                **_accepted(threshold, *self.first, ""),
                **_accepted(threshold, *self.second, "_after"),
            }
            for rule, threshold in rules
        ]

    def as_json(self) -> dict[str, Any]:
        """Return everything as one object."""
        return {"automation": asdict(self.automation), "rules": self.rows()}


class Outcomes:
    """Predicts batches of documents, and notes how sure each set is and how good it turned out to be."""

    def __init__(self, classifier: SetClassifier) -> None:
        self._classifier = classifier
        self._parts: list[tuple[Confidence, Array]] = []

    def add(self, X: Any, y: list[list[str]], coverage: Array | None) -> None:
        """Predict a batch of documents whose true label sets are ``y``."""
        found = self._classifier.confidence(X, coverage)
        self._parts.append((found, Overlap.by_document(*paired_labels(self._classifier, y, found.sets)).f1))

    def halves(self, target: AutomationTarget, level: float, random_state: int) -> Halves:
        """Split the documents in two, and find the threshold for the target on the first half."""
        confidence = np.concatenate([found.values_for(target.metric) for found, _ in self._parts])
        outcome = target.outcome(np.concatenate([f1 for _, f1 in self._parts]))
        if len(outcome) < 2:
            raise InvalidData("At least two labeled documents are needed: one to find the threshold, one to check it.")
        rows = random_hold_out(len(outcome), 0.5, random_state)
        first, second = ((confidence[one], outcome[one]) for one in rows)
        options: dict[str, Any] = {"metric": target.metric, "level": level, "random_state": random_state}
        found = automation_threshold(*first, target.value, **options)
        return Halves(found, empirical_threshold(*first, target.value), first, second)


def _accepted(threshold: float | None, confidence: Array, outcome: Array, suffix: str) -> dict[str, float | None]:
    """Return the share of the documents that a threshold accepts, and their mean outcome."""
    accepted = np.zeros(len(confidence), dtype=bool) if threshold is None else confidence >= threshold
    value = float(outcome[accepted].mean()) if accepted.any() else None
    return {f"share{suffix}": float(accepted.mean()), f"value{suffix}": value}
