"""From a classifier and labeled documents to a report, batch by batch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from setwise.classifier import SetClassifier
from setwise.exceptions import InvalidData
from setwise.labels import LabelMatrix, lists_of_names
from setwise.metrics import Overlap
from setwise.reports.baselines import Baselines
from setwise.reports.outcome_tables import confusion_table, frequency_table, label_scores, size_table
from setwise.reports.report import Card, CardGroup, Report, Section
from setwise.reports.scoring import BatchScorer, paired_labels
from setwise.reports.shown_documents import Judged, Shortlist, documents_table, explained
from setwise.reports.summary import figures_of, summary_of
from setwise.reports.trust_tables import automation_curve, automation_targets, reliability_tables
from setwise.reports.tuning_tables import tuning_tables
from setwise.text import texts_of, transform_with_coverage

__all__ = ["JudgedBatches", "ReportBuilder", "document_batches", "make_report"]

BATCH = 1000
"""Documents per batch."""

N_DOCUMENTS = 5
"""Documents per group on the page."""

WORST, CONFIDENT, UNSURE = "Worst", "Confident and wrong", "Unsure and right"


class JudgedBatches:
    """Predicts batches of labeled documents; returns each document with its prediction, and keeps the label sets."""

    def __init__(self, classifier: SetClassifier) -> None:
        self.classifier = classifier
        self.scorer = BatchScorer(classifier)
        self._n = 0

    def add(
        self,
        X: Any,
        y: list[list[str]],
        coverage: NDArray[np.float64] | None = None,
        texts: Sequence[str] | None = None,
        ids: Sequence[str | None] | None = None,
    ) -> list[Judged]:
        """Predict a batch.

        Parameters
        ----------
        X : matrix of shape (n_samples, n_features)
            Features of the documents.
        y : list of lists of str
            Their true labels.
        coverage : array of shape (n_samples,), optional
            The share of the words of each text that the vocabulary contains.
        texts, ids : sequence of str, optional
        """
        found = self.scorer.add(X, y, coverage)
        y_true, y_pred = paired_labels(self.classifier, y, found.sets)
        predicted, f1 = y_pred.name_lists(), Overlap.by_document(y_true, y_pred).f1.tolist()
        judged = []
        for i, (true, names) in enumerate(zip(y, predicted, strict=True)):
            probability = None if found.probability is None else float(found.probability[i])
            expected_f1 = None if np.isnan(found.expected_f1[i]) else float(found.expected_f1[i])
            text, id = None if texts is None else texts[i], None if ids is None else ids[i]
            row = self._n + i + 1
            features = X[i : i + 1]
            judged.append(Judged(row, id, text, features, tuple(true), tuple(names), f1[i], probability, expected_f1))
        self._n += len(y)
        return judged


class ReportBuilder:
    """Collects what a report of one model needs; of texts, only those that the page will show.

    Parameters
    ----------
    classifier : SetClassifier
    title : str
    facts : dict, optional
        More about what is evaluated, for the line below the title.
    """

    def __init__(self, classifier: SetClassifier, title: str = "Report", facts: dict[str, Any] | None = None) -> None:
        self._classifier = classifier
        self._title, self._facts = title, facts or {}
        self._batches, self._baselines = JudgedBatches(classifier), Baselines(classifier)
        self._lists = {name: Shortlist(N_DOCUMENTS) for name in (WORST, CONFIDENT, UNSURE)}

    def add(
        self,
        X: Any,
        y: list[list[str]],
        coverage: NDArray[np.float64] | None = None,
        texts: Sequence[str] | None = None,
        ids: Sequence[str | None] | None = None,
    ) -> None:
        """Add a batch of documents, as for ``JudgedBatches.add``."""
        for one in self._batches.add(X, y, coverage, texts, ids):
            sure = one.expected_f1 if one.probability is None else one.probability
            if one.f1 < 1.0:
                self._lists[WORST].offer((one.n_wrong, -one.f1), one)
            if sure is not None:
                name = CONFIDENT if one.f1 < 1.0 else UNSURE
                self._lists[name].offer(sure if one.f1 < 1.0 else -sure, one)
        self._baselines.add(X, y)

    def report(self) -> Report:
        """Return the report of all documents that were added."""
        evaluation = self._batches.scorer.evaluation()
        scores = evaluation.scores()
        targets = automation_targets(evaluation, self._classifier.automation_)
        baselines, labels = self._baselines.table(evaluation), label_scores(evaluation)
        groups, confusions = frequency_table(evaluation), confusion_table(evaluation)
        found = [(name, explained(one.items(), self._classifier)) for name, one in self._lists.items()]
        named = {table.name: table for table in (baselines, labels, groups, confusions, targets)}
        if scores.unknown_labels:
            self._facts["labels unknown to the model"] = len(scores.unknown_labels)
        sections = [
            Section("baselines", "Against simpler predictions", BASELINES, [baselines]),
            Section("automation", "Automation", AUTOMATION, [automation_curve(evaluation, targets), targets]),
            Section("reliability", "Reliability", RELIABILITY, reliability_tables(evaluation)),
            Section("labels", "Labels", LABELS, [labels, groups]),
            Section("confusions", "Confusions", CONFUSIONS, [confusions, size_table(evaluation)]),
            Section("tuning", "What tuning tried", TUNING, tuning_tables(self._classifier.tuning_)),
            Section("documents", "Documents", DOCUMENTS, [documents_table(found)], self._groups(found)),
        ]
        facts = {
            "documents": scores.n_documents,
            "labels": evaluation.support.sets.n_labels,
            "training documents": int(evaluation.support.counts.sum()),
            **self._facts,
        }
        summary = [sentence for sentence in summary_of(scores, named) if sentence]
        return Report(self._title, facts, summary, figures_of(scores, targets), sections)

    def _groups(self, found: Sequence[tuple[str, Sequence[Judged]]]) -> list[CardGroup]:
        decision = [self._classifier.recipe_.decision]
        return [CardGroup(name, NOTES[name], [Card([one], decision) for one in documents]) for name, documents in found]


def make_report(classifier: SetClassifier, X: Any, y: Any, *, title: str = "Report") -> Report:
    """Return the report of a classifier on labeled documents that it was not trained on.

    Parameters
    ----------
    classifier : SetClassifier
        Fitted.
    X : list of str, or array or sparse matrix of shape (n_samples, n_features)
        As for ``classifier.predict``.
    y : label sets
        The true ones, in any form that ``fit`` takes; labels that the classifier does not know count as missed.
    title : str

    Returns
    -------
    report : Report
    """
    builder = ReportBuilder(classifier, title)
    for batch in document_batches(X, y, classifier):
        builder.add(*batch)
    return builder.report()


def document_batches(
    X: Any, y: Any, classifier: SetClassifier
) -> Iterator[tuple[Any, list[list[str]], NDArray[np.float64] | None, list[str] | None]]:
    """Yield features, label names, coverage and texts of a few documents at a time."""
    names = lists_of_names(y)
    if names is None:
        names = LabelMatrix.of(y, None if hasattr(y, "columns") else map(str, classifier.classes_)).name_lists()
    texts = texts_of(X)
    matrix = None if texts is not None else sp.csr_array(X) if sp.issparse(X) else np.asarray(X)
    n_documents = len(names) if matrix is None else matrix.shape[0]
    if texts is not None:
        n_documents = len(texts)
    if n_documents != len(names):
        raise InvalidData(f"X has {n_documents} rows but y has {len(names)}.")
    if not n_documents:
        raise InvalidData("A report needs at least one labeled document.")
    for start in range(0, n_documents, BATCH):
        rows = slice(start, start + BATCH)
        if texts is None or classifier.vectorizer_ is None:
            yield (X[rows] if matrix is None else matrix[rows]), names[rows], None, None
        else:
            features, coverage = transform_with_coverage(classifier.vectorizer_, texts[rows])
            yield features, names[rows], coverage, texts[rows]


BASELINES = "What the model adds to its own probabilities: support, calibration and the choice of the best set."
AUTOMATION = "How many documents need no review, if only the predictions that the model is surest of are accepted."
RELIABILITY = "Whether the model is as good as it says it is."
LABELS = "Which labels the model predicts well, and how many training documents they had."
CONFUSIONS = "What is predicted in place of what, and whether sets have the right size."
TUNING = "How the model was chosen, on documents that were held out from its training data."
DOCUMENTS = (
    "✓ predicted and true, ✗ predicted and not true, ○ true and not predicted. Highlighted words speak for the "
    "predicted labels, underlined ones against them; the stronger the color, the more."
)
NOTES = {
    WORST: "The most labels wrong.",
    CONFIDENT: "Not exactly right, although the model was sure. Look for errors in the true labels here.",
    UNSURE: "Exactly right, although the model was not sure.",
}
