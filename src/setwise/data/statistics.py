"""Statistics of a file of documents: the columns of the paper's Table 1, and counts of what is missing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from setwise.data.documents import Document, Names, TextDocument

__all__ = ["CorpusStatistics", "statistics"]


@dataclass(frozen=True)
class CorpusStatistics:
    """Statistics of one file, with the column names of Table 1; None stands for what does not apply.

    Attributes
    ----------
    labels : int or None
        Number of labels that the file names, or that occur if it names none.
    label_sets : int or None
        Number of distinct label sets, including the empty set.
    features : int or None
        Number of features that the file names, or the largest number that occurs; None for texts.
    instances : int
        Number of documents.
    cardinality : float or None
        Mean number of labels per document.
    instances_per_label : float or None
        Mean number of documents per label.
    unseen_labels : int or None
        Number of labels that the file names but no document has.
    without_labels : int
        Number of documents whose label set is empty.
    unlabeled : int
        Number of documents whose labels are unknown.
    empty : int
        Number of documents without text, or without nonzero features.
    """

    labels: int | None
    label_sets: int | None
    features: int | None
    instances: int
    cardinality: float | None
    instances_per_label: float | None
    unseen_labels: int | None
    without_labels: int
    unlabeled: int
    empty: int


def statistics(documents: Iterable[Document], names: Names | None = None) -> CorpusStatistics:
    """Compute the statistics of documents in one pass; only labels and distinct label sets stay in memory.

    Parameters
    ----------
    documents : iterable of documents
        The documents.
    names : Names, optional
        The names of all labels and features, where the file contains them.

    Returns
    -------
    CorpusStatistics

    Examples
    --------
    >>> from setwise.data import TextDocument, statistics
    >>> statistics([TextDocument("a", ("x", "y")), TextDocument("b", ("x",))]).cardinality
    1.5
    """
    names = names or Names()
    seen: set[str] = set()
    sets: set[frozenset[str]] = set()
    instances = n_assigned = without = unlabeled = empty = 0
    n_features: int | None = None
    for document in documents:
        instances += 1
        if isinstance(document, TextDocument):
            empty += not document.text.strip()
        else:
            empty += not len(document.columns)
            n_features = max(n_features or 0, int(document.columns.max(initial=-1)) + 1)
        if document.labels is None:
            unlabeled += 1
            continue
        seen.update(document.labels)
        sets.add(frozenset(document.labels))
        n_assigned += len(document.labels)
        without += not document.labels
    n_labeled = instances - unlabeled
    n_labels = len(seen) if names.labels is None else len(names.labels)
    return CorpusStatistics(
        labels=n_labels if n_labeled else None,
        label_sets=len(sets) if n_labeled else None,
        features=n_features if names.features is None else len(names.features),
        instances=instances,
        cardinality=n_assigned / n_labeled if n_labeled else None,
        instances_per_label=n_assigned / n_labels if n_labeled and n_labels else None,
        unseen_labels=n_labels - len(seen) if n_labeled else None,
        without_labels=without,
        unlabeled=unlabeled,
        empty=empty,
    )
