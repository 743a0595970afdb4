"""The documents that a report shows: which ones, and all that is known about each."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from setwise.classifier import SetClassifier
from setwise.explain import Explanation, Limits
from setwise.reports.tables import Column, Table

__all__ = ["Judged", "Shortlist", "documents_table", "explained"]

LIMITS = Limits(n_labels=3, n_features=8, n_rivals=3)
"""What the explanation of a document lists."""


@dataclass(frozen=True)
class Judged:
    """A labeled document with its prediction.

    Attributes
    ----------
    row : int
        Its number in the data, from 1.
    id : str or None
    text : str or None
        None for documents of features.
    features : matrix of one row
        What the classifier scored.
    true, predicted : tuple of str
    f1 : float
    probability, expected_f1 : float or None
    explanation : Explanation or None
    """

    row: int
    id: str | None
    text: str | None
    features: Any
    true: tuple[str, ...]
    predicted: tuple[str, ...]
    f1: float
    probability: float | None
    expected_f1: float | None
    explanation: Explanation | None = None

    @property
    def n_wrong(self) -> int:
        """Return how many labels were missed, or predicted and not true."""
        return len(set(self.true) ^ set(self.predicted))

    def as_dict(self) -> dict[str, Any]:
        """Return everything except the features as plain data."""
        return {
            "row": self.row,
            "id": self.id,
            "text": self.text,
            "true": list(self.true),
            "predicted": list(self.predicted),
            "f1": self.f1,
            "confidence": self.probability,
            "expected_f1": self.expected_f1,
            "explanation": None if self.explanation is None else self.explanation.as_dict(),
        }


class Shortlist:
    """Keeps the few items of the highest score, and drops all others."""

    def __init__(self, n: int) -> None:
        self._n = n
        self._heap: list[tuple[Any, int, Any]] = []
        self._n_offered = 0

    def offer(self, score: Any, item: Any) -> None:
        """Keep the item if its score is among the highest; the first of equals stays."""
        self._n_offered += 1
        entry = (score, -self._n_offered, item)
        if len(self._heap) < self._n:
            heapq.heappush(self._heap, entry)
        elif self._heap and entry[:2] > self._heap[0][:2]:
            heapq.heapreplace(self._heap, entry)

    def items(self) -> list[Any]:
        """Return the items, the highest score first."""
        return [item for *_, item in sorted(self._heap, key=lambda entry: entry[:2], reverse=True)]


def explained(documents: Sequence[Judged], classifier: SetClassifier) -> list[Judged]:
    """Return the documents with explanations of their predictions; those of features have no words."""
    found = []
    for one in documents:
        given = [one.text] if one.text is not None and classifier.vectorizer_ is not None else one.features
        (explanation,) = classifier.explain(given, limits=LIMITS, leave_out_words=False)
        found.append(replace(one, explanation=explanation))
    return found


def documents_table(groups: Sequence[tuple[str, Sequence[Judged]]]) -> Table:
    """Return one row per document that the report shows, without texts."""
    return Table(
        "documents",
        "The documents below, as a table",
        (
            Column("group", "group"),
            Column("row", "row", "count"),
            Column("id", "id"),
            Column("true", "true", "labels"),
            Column("predicted", "predicted", "labels"),
            Column("f1", "F1", "share"),
            Column("confidence", "confidence", "share"),
            Column("expected_f1", "expected F1", "share"),
        ),
        [
            (group, one.row, one.id, one.true, one.predicted, one.f1, one.probability, one.expected_f1)
            for group, documents in groups
            for one in documents
        ],
        is_folded=True,
        why_empty="No document has a wrong or a surprising prediction.",
    )
