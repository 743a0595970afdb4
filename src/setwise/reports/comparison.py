"""Two models side by side on the same documents, with intervals of their differences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from setwise.classifier import SetClassifier
from setwise.labels import LabelMatrix
from setwise.metrics import Overlap, calibration_error, label_table, macro_f1, micro_f1, paired_difference
from setwise.reports.builder import JudgedBatches, document_batches
from setwise.reports.outcome_tables import training_counts
from setwise.reports.report import Card, CardGroup, Figure, Report, Section
from setwise.reports.scoring import Evaluation
from setwise.reports.shown_documents import Judged, Shortlist, documents_table, explained
from setwise.reports.summary import list_of
from setwise.reports.svg import COLORS, MUTED, Linear, Picture, shortened
from setwise.reports.tables import Column, Table
from setwise.reports.trust_tables import NO_CONFIDENCE, TARGETS, automation_targets

__all__ = ["ComparisonBuilder", "compare_report"]

Array = NDArray[np.float64]

N_DOCUMENTS = 5
"""Documents per group on the page."""

N_NAMED = 3
"""Labels that the summary names for each model."""

LEAST_TRUE = 5
"""Labels that fewer documents have are not named in the summary."""

LEAST_POINT = 0.01
"""Nor labels whose F1 differs by less."""

N_RESAMPLES = 1000
"""Of micro and macro F1, which are computed anew for each; means of documents have ten times as many."""

BLOCK = 50
"""Resamples that are computed together."""

MAX_DOTS = 1000
"""Labels in the picture and in the table of the page."""


class ComparisonBuilder:
    """Collects what a comparison of two models needs; of texts, only those that the page will show.

    Parameters
    ----------
    classifiers : pair of SetClassifier
    names : pair of str
        How the page calls them.
    title : str
    facts : dict, optional
        More about what is evaluated.
    """

    def __init__(
        self,
        classifiers: tuple[SetClassifier, SetClassifier],
        names: tuple[str, str] = ("A", "B"),
        title: str = "Comparison",
        facts: dict[str, Any] | None = None,
    ) -> None:
        self._classifiers, self._names, self._title, self._facts = classifiers, names, title, facts or {}
        self._batches = JudgedBatches(classifiers[0]), JudgedBatches(classifiers[1])
        self._lists = Shortlist(N_DOCUMENTS), Shortlist(N_DOCUMENTS)

    def add(
        self,
        X: Sequence[Any],
        y: list[list[str]],
        coverage: Sequence[NDArray[np.float64] | None] = (None, None),
        texts: Sequence[str] | None = None,
        ids: Sequence[str | None] | None = None,
    ) -> None:
        """Add a batch of documents: the features and the coverage for each of the two models."""
        first, second = (
            batches.add(features, y, known, texts, ids)
            for batches, features, known in zip(self._batches, X, coverage, strict=True)
        )
        for pair in zip(first, second, strict=True):
            one, other = pair
            if one.f1 != other.f1:
                self._lists[int(other.f1 > one.f1)].offer((abs(one.f1 - other.f1), one.n_wrong + other.n_wrong), pair)

    def report(self) -> Report:
        """Return the comparison on all documents that were added."""
        first, second = (batches.scorer.evaluation() for batches in self._batches)
        metrics, labels = _metric_table(first, second, self._names), _label_table(first, second, self._names)
        wins = _win_table(first, second, self._names)
        groups = [self._group(number) for number in (0, 1)]
        shown = [(group.title, [one for card in group.cards for one in card.judged]) for group in groups]
        sections = [
            Section("metrics", "Side by side", METRICS_LEAD, [metrics, wins]),
            Section("labels", "Labels", LABELS_LEAD, [labels]),
            Section("trust", "Trust and automation", TRUST_LEAD, [_trust_table(first, second, self._names)]),
            Section("documents", "Where they differ", DOCUMENTS_LEAD, [documents_table(shown)], groups),
        ]
        facts = {"documents": len(first.f1), **self._facts}
        return Report(
            self._title, facts, _summary(metrics, wins, labels, self._names), _figures(metrics, self._names), sections
        )

    def _group(self, better: int) -> CardGroup:
        decisions = [one.recipe_.decision for one in self._classifiers]
        pairs: list[tuple[Judged, Judged]] = self._lists[better].items()
        sides = [explained([pair[side] for pair in pairs], self._classifiers[side]) for side in (0, 1)]
        return CardGroup(
            f"{self._names[better]} is better",
            "The largest differences in F1.",
            [Card(pair, decisions, self._names) for pair in zip(*sides, strict=True)],
            f"{self._names[better]} is better on no document.",
        )


def compare_report(
    first: SetClassifier,
    second: SetClassifier,
    X: Any,
    y: Any,
    *,
    names: tuple[str, str] = ("A", "B"),
    title: str = "Comparison",
) -> Report:
    """Return the comparison of two classifiers on labeled documents that neither was trained on.

    Parameters
    ----------
    first, second : SetClassifier
        Fitted, both to texts or both to the same features.
    X : list of str, or array or sparse matrix of shape (n_samples, n_features)
        As for ``predict`` of both.
    y : label sets
        The true ones, in any form that ``fit`` takes.
    names : pair of str
        How the page calls the two.
    title : str

    Returns
    -------
    report : Report
    """
    builder = ComparisonBuilder((first, second), names, title)
    batches = (document_batches(X, y, classifier) for classifier in (first, second))
    for one, other in zip(*batches, strict=True):
        builder.add((one[0], other[0]), one[1], (one[2], other[2]), one[3] or other[3])
    return builder.report()


def _metric_table(first: Evaluation, second: Evaluation, names: tuple[str, str]) -> Table:
    pairs = first, second
    by_document: list[tuple[str, Array, Array]] = [
        ("mean F1", first.f1, second.f1),
        ("exactly right", first.right, second.right),
    ]
    rows: list[tuple[Any, ...]] = []
    for name, one, other in by_document:
        difference = paired_difference(other, one)
        rows.append((name, float(one.mean()), float(other.mean()), difference.mean, difference.low, difference.high))
    for name, metric in (("micro F1", micro_f1), ("macro F1", macro_f1)):
        values = [metric(pair.y_true, pair.y_pred) for pair in pairs]
        low, high = _label_interval(pairs, is_macro=metric is macro_f1)
        rows.append((name, *values, values[1] - values[0], low, high))
    return Table(
        "metrics",
        "Side by side",
        (
            Column("metric", "metric"),
            Column("first", names[0], "share"),
            Column("second", names[1], "share"),
            Column("difference", "difference", "points"),
            Column("low", "at least", "points"),
            Column("high", "at most", "points"),
        ),
        rows,
        f"The difference is {names[1]} minus {names[0]}, in points, with a 95 % interval by a bootstrap over the "
        "documents, drawn in pairs. Where the interval does not contain zero, the difference is more than chance.",
    )


def _label_interval(pairs: Sequence[Evaluation], *, is_macro: bool) -> tuple[float, float]:
    """Return the 95 % interval of the difference in micro or macro F1, by drawing documents in pairs."""
    n = pairs[0].y_true.n_samples
    counts = [_counts_by_document(one) for one in pairs]
    random = np.random.default_rng(0)
    differences: list[Array] = []
    for start in range(0, N_RESAMPLES, BLOCK):
        drawn = random.multinomial(n, np.full(n, 1.0 / n), size=min(BLOCK, N_RESAMPLES - start)).astype(np.float64)
        values = []
        for shared, sizes in counts:
            overlap, size = np.asarray(drawn @ shared), np.asarray(drawn @ sizes)
            if is_macro:
                f1 = np.divide(2 * overlap, size, out=np.full_like(size, np.nan), where=size > 0)
                with np.errstate(invalid="ignore", divide="ignore"):
                    mean = np.nansum(f1, axis=1) / (size > 0).sum(axis=1)
                values.append(np.nan_to_num(mean, nan=1.0))
            else:
                both = size.sum(axis=1)
                values.append(np.where(both > 0, 2 * overlap.sum(axis=1) / np.maximum(both, 1), 1.0))
        differences.append(values[1] - values[0])
    low, high = np.quantile(np.concatenate(differences), [0.025, 0.975])
    return float(low), float(high)


def _counts_by_document(one: Evaluation) -> tuple[Any, Any]:
    """Return, documents by labels, where both sets have the label, and in how many of the two it is."""
    true, predicted = one.y_true.indicator.astype(np.float64), one.y_pred.indicator.astype(np.float64)
    return true.multiply(predicted).tocsr(), (true + predicted).tocsr()


def _win_table(first: Evaluation, second: Evaluation, names: tuple[str, str]) -> Table:
    difference, same = second.f1 - first.f1, _equal_sets(first, second)
    rows = [
        (f"{names[0]} has the better F1", int((difference < 0).sum())),
        (f"{names[1]} has the better F1", int((difference > 0).sum())),
        ("equal F1, other labels", int(((difference == 0) & ~same).sum())),
        ("the same set", int(same.sum())),
    ]
    return Table(
        "wins",
        "Document by document",
        (Column("outcome", "outcome"), Column("n_documents", "documents", "count"), Column("share", "share", "share")),
        [(name, n, n / len(difference)) for name, n in rows],
    )


def _equal_sets(first: Evaluation, second: Evaluation) -> NDArray[np.bool_]:
    """Return for which documents both models predict the same labels, whatever labels they know."""
    names = sorted({*first.y_pred.names, *second.y_pred.names})
    one, other = (LabelMatrix.of(pair.y_pred.name_lists(), names) for pair in (first, second))
    overlap = Overlap.by_document(one, other)
    return np.asarray((overlap.shared == overlap.true) & (overlap.shared == overlap.predicted))


def _label_table(first: Evaluation, second: Evaluation, names: tuple[str, str]) -> Table:
    scores = [{one.name: one for one in label_table(pair.y_true, pair.y_pred)} for pair in (first, second)]
    trained = [training_counts(pair.support, pair.y_true.names) for pair in (first, second)]
    rows = []
    for name in sorted({*scores[0], *scores[1]}):
        known = [one.get(name) for one in scores]
        n_true = max(one.n_true for one in known if one is not None)
        if n_true or any(one.n_predicted for one in known if one is not None):
            f1 = [0.0 if one is None else one.f1 for one in known]
            rows.append((name, max(one.get(name, 0) for one in trained), n_true, *f1, f1[1] - f1[0]))
    return Table(
        "labels",
        "F1 per label",
        (
            Column("label", "label"),
            Column("n_training", "in training", "count"),
            Column("n_true", "true", "count"),
            Column("first", names[0], "share"),
            Column("second", names[1], "share"),
            Column("difference", "difference", "points"),
        ),
        sorted(rows, key=lambda row: (-row[2], row[0])),
        f"Dots above the diagonal are labels that {names[1]} predicts better; large dots are frequent labels.",
        "No document has a label, and none is predicted.",
        lambda table: _draw_labels(table, names),
        MAX_DOTS,
        is_sortable=True,
        is_folded=False,
    )


def _draw_labels(table: Table, names: tuple[str, str]) -> list[str]:
    shown = [shortened(name, 30) for name in names]
    picture = Picture(
        f"F1 of each label by {names[1]} against that by {names[0]}",
        Linear(0, 1),
        Linear(0, 1),
        f"F1 of {shown[0]}",
        f"F1 of {shown[1]}",
    )
    picture.line([(0, 0), (1, 1)], MUTED, dashed=True, width=1.5)
    rows = table.rows[:MAX_DOTS]
    most = max((row[2] for row in rows), default=1) or 1
    for name, _, n_true, first, second, difference in rows:
        color = COLORS[int(difference > 0)] if difference else MUTED
        says = f"{name}: {names[0]} {first:.2f}, {names[1]} {second:.2f}, {n_true:,} documents"
        picture.dot(first, second, color, says=says, radius=round(3 + 7 * (n_true / most) ** 0.5, 1), opacity=0.65)
    return [picture.svg()]


def _trust_table(first: Evaluation, second: Evaluation, names: tuple[str, str]) -> Table:
    numbers = [_trust_numbers(one) for one in (first, second)]
    rows = [
        (name, numbers[0][name], numbers[1][name])
        for name in numbers[0]
        if any(one[name] is not None for one in numbers)
    ]
    return Table(
        "trust",
        "Trust and automation",
        (Column("number", "number"), Column("first", names[0], "number"), Column("second", names[1], "number")),
        rows,
        "A calibration error is the mean distance of what was stated from what was measured, in ten bins.",
        NO_CONFIDENCE,
    )


def _trust_numbers(one: Evaluation) -> dict[str, float | None]:
    numbers: dict[str, float | None] = {
        "calibration error of confidence": None
        if one.probability is None
        else calibration_error(one.probability, one.right),
        "Brier score of confidence": None
        if one.probability is None
        else float(((one.probability - one.right) ** 2).mean()),
        "calibration error of expected F1": None
        if one.expected_f1 is None
        else calibration_error(one.expected_f1, one.f1),
    }
    accepted = {
        row["target"]: row["share"] for row in automation_targets(one, None).records() if row["metric"] == "accuracy"
    }
    for target in TARGETS:
        numbers[f"accepted without review at {target:.0%} accuracy"] = accepted.get(target)
    return numbers


def _figures(metrics: Table, names: tuple[str, str]) -> list[Figure]:
    figures = []
    for metric, first, second, difference, low, high in metrics.rows[:2]:
        figures += [
            Figure(metric, f"{100 * first:.1f} → {100 * second:.1f}", f"{names[0]} → {names[1]}, in percent"),
            Figure(
                "difference", f"{100 * difference:+.1f}", f"points; 95 % interval {100 * low:+.1f} to {100 * high:+.1f}"
            ),
        ]
    return figures


def _summary(metrics: Table, wins: Table, labels: Table, names: tuple[str, str]) -> list[str]:
    _, first, second, difference, low, high = metrics.rows[0]
    low, high = (low, high) if difference > 0 else (-high, -low)
    gain = f"a difference of {100 * abs(difference):.1f} points, 95 % interval {100 * low:+.1f} to {100 * high:+.1f}"
    if low <= 0.0 <= high:
        means = f"{100 * first:.1f} % ({names[0]}) and {100 * second:.1f} % ({names[1]})"
        sentences = [f"No difference that is more than chance: the mean F1 is {means}; {gain}."]
    else:
        (more, better), (less, other) = sorted(zip((first, second), names, strict=True), reverse=True)
        means = f"its mean F1 is {100 * more:.1f} %, that of {other} {100 * less:.1f} %"
        sentences = [f"{better} is better: {means}; {gain}."]
    counts = wins.column("n_documents")
    sentences.append(
        f"Of {sum(counts):,} documents, {names[0]} has the better set in {counts[0]:,}, {names[1]} in {counts[1]:,}, "
        f"and in {counts[3]:,} both predict the same."
    )
    rows = [row for row in labels.rows if row[2] >= LEAST_TRUE]
    for number, sign in ((0, 1), (1, -1)):
        ordered = sorted(rows, key=lambda row: sign * row[5] * row[2])
        best = [row for row in ordered if sign * row[5] <= -LEAST_POINT][:N_NAMED]
        if best:
            named = list_of([f"“{shortened(row[0], 60)}” ({-sign * 100 * row[5]:+.0f})" for row in best])
            sentences.append(f"{names[number]} is ahead most on {named}, in points of F1.")
    return sentences


METRICS_LEAD = "Both models on the same documents."
LABELS_LEAD = "Which labels each of the two predicts better."
TRUST_LEAD = "Whether what each model states is right, and how much it would automate."
DOCUMENTS_LEAD = (
    "✓ predicted and true, ✗ predicted and not true, ○ true and not predicted. Highlighted words speak for the labels "
    "that the model predicted, underlined ones against them."
)
