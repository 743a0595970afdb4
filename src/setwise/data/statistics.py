"""What a file of documents holds: the columns of the paper's Table 1, and what may be missing in it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from setwise.data.documents import Document, Names, TextDocument

__all__ = ["CorpusStatistics", "statistics"]


@dataclass(frozen=True)
class CorpusStatistics:
    """Table 1 for one file; what does not apply is None."""

    labels: int | None
    """How many labels there are: those the file names, or where it names none, those that occur."""
    label_sets: int | None
    """How many distinct sets of labels occur, the empty one among them."""
    features: int | None
    """How many features there are: those the file names, or the largest number that occurs; texts have none yet."""
    instances: int
    cardinality: float | None
    """Labels a document, on average."""
    instances_per_label: float | None
    """Documents a label, on average."""
    unseen_labels: int | None
    """Labels that the file names and no document has."""
    without_labels: int
    """Documents known to have no label."""
    unlabelled: int
    """Documents of which no labels are given."""
    empty: int
    """Documents without text, or without any feature that is not zero."""


def statistics(documents: Iterable[Document], names: Names | None = None) -> CorpusStatistics:
    """Count over documents, one at a time; labels and their distinct sets alone are kept."""
    names = names or Names()
    seen: set[str] = set()
    sets: set[frozenset[str]] = set()
    instances = n_labels_given = without = unlabelled = empty = 0
    n_features: int | None = None
    for document in documents:
        instances += 1
        if isinstance(document, TextDocument):
            empty += not document.text.strip()
        else:
            empty += not len(document.columns)
            n_features = max(n_features or 0, int(document.columns.max(initial=-1)) + 1)
        if document.labels is None:
            unlabelled += 1
            continue
        seen.update(document.labels)
        sets.add(frozenset(document.labels))
        n_labels_given += len(document.labels)
        without += not document.labels
    n_labelled = instances - unlabelled
    n_labels = len(seen) if names.labels is None else len(names.labels)
    return CorpusStatistics(
        labels=n_labels if n_labelled else None,
        label_sets=len(sets) if n_labelled else None,
        features=n_features if names.features is None else len(names.features),
        instances=instances,
        cardinality=n_labels_given / n_labelled if n_labelled else None,
        instances_per_label=n_labels_given / n_labels if n_labelled and n_labels else None,
        unseen_labels=n_labels - len(seen) if n_labelled else None,
        without_labels=without,
        unlabelled=unlabelled,
        empty=empty,
    )
