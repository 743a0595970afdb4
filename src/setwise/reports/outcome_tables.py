"""Tables of what was predicted and what was true: per label, per pair of labels, and by the size of sets."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp

from setwise.labels import Support
from setwise.metrics import Overlap, label_table
from setwise.reports.pictures import Cell, bar_list, cell_map
from setwise.reports.scoring import Evaluation
from setwise.reports.svg import ACCENT, Band, Linear, Log, Picture
from setwise.reports.tables import Column, Table

__all__ = ["confusion_table", "frequency_table", "label_scores", "size_table", "training_counts"]

MAX_LABELS = 1000
"""Labels on the page, the most frequent ones: with more, a page would be too large."""

MAX_PAIRS = 25
"""Pairs of labels on the page; pictures have ``MAX_BARS``."""

MAX_BARS = 10

MAX_SIZE = 10
"""Larger sets count as of this size."""

FREQUENCIES = (0, 1, 10, 100, 1000)
"""Training documents from which on a label belongs to a group."""


def training_counts(support: Support, names: Sequence[str]) -> dict[str, int]:
    """Return how many training documents have each label; 0 where the model does not know it."""
    counts = (support.sets.indicator.T @ support.counts).tolist()
    known = dict(zip(support.sets.names, counts, strict=True))
    return {name: int(known.get(name, 0)) for name in names}


def label_scores(evaluation: Evaluation) -> Table:
    """Return F1 per label beside its training frequency, the most frequent labels first."""
    trained = training_counts(evaluation.support, evaluation.y_true.names)
    rows = [
        (one.name, trained[one.name], one.n_true, one.n_predicted, one.n_shared, one.precision, one.recall, one.f1)
        for one in label_table(evaluation.y_true, evaluation.y_pred)
        if one.n_true or one.n_predicted
    ]
    return Table(
        "labels",
        "F1 per label",
        (
            Column("label", "label"),
            Column("n_training", "in training", "count"),
            Column("n_true", "true", "count"),
            Column("n_predicted", "predicted", "count"),
            Column("n_shared", "both", "count"),
            Column("precision", "precision", "share"),
            Column("recall", "recall", "share"),
            Column("f1", "F1", "share"),
        ),
        sorted(rows, key=lambda row: (-row[2], -row[1], row[0])),
        "Numbers of documents. Labels that are neither true nor predicted in any document are left out.",
        "No document has a label, and none is predicted.",
        _draw_labels,
        MAX_LABELS,
        is_sortable=True,
        is_folded=False,
    )


def _draw_labels(table: Table) -> list[str]:
    rows = table.rows[:MAX_LABELS]
    most = max(max(row[1] for row in rows), 10)
    picture = Picture(
        "F1 of each label against the number of training documents that have it",
        Log(0.8, 1.3 * most, "{:,.0f}".format),
        Linear(0.0, 1.0),
        "training documents with the label",
        "F1",
    )
    for name, n_training, n_true, _, _, _, _, f1 in rows:
        says = f"{name}: F1 {f1:.2f}, {n_training:,} in training, {n_true:,} here"
        picture.dot(max(n_training, 0.8), f1, ACCENT, says=says, opacity=0.6)
    return [picture.svg()]


def frequency_table(evaluation: Evaluation) -> Table:
    """Return the F1 of labels in groups of training frequency."""
    trained = np.array(list(training_counts(evaluation.support, evaluation.y_true.names).values()), dtype=np.int64)
    overlap = Overlap.by_label(evaluation.y_true, evaluation.y_pred)
    rows = []
    for low, high in zip(FREQUENCIES, (*FREQUENCIES[1:], None), strict=True):
        inside = (trained >= low) & (True if high is None else trained < high) & ~overlap.both_empty
        if inside.any():
            pooled = Overlap(overlap.shared[inside], overlap.true[inside], overlap.predicted[inside]).pooled()
            name = "none" if high == 1 else f"{low:,} or more" if high is None else f"{low:,} to {high - 1:,}"
            means = float(overlap.f1[inside].mean()), float(pooled.f1[0])
            rows.append((name, int(inside.sum()), int(overlap.true[inside].sum()), *means))
    return Table(
        "labels_by_frequency",
        "F1 by training frequency",
        (
            Column("n_training", "training documents"),
            Column("n_labels", "labels", "count"),
            Column("n_true", "true labels here", "count"),
            Column("macro_f1", "mean F1 of labels", "share"),
            Column("micro_f1", "F1 of all pairs", "share"),
        ),
        rows,
        "How much the model knows of a label depends on how many training documents have it.",
        "No document has a label, and none is predicted.",
    )


def confusion_table(evaluation: Evaluation) -> Table:
    """Return the pairs of a true label that was missed and another label that was predicted in the same document."""
    true, predicted = evaluation.y_true, evaluation.y_pred
    shared = true.indicator.multiply(predicted.indicator)
    missed, extra = sp.csr_array(true.indicator - shared), sp.csr_array(predicted.indicator - shared)
    pairs = sp.coo_array(missed.T @ extra)
    pairs.eliminate_zeros()
    counts, names = true.counts, true.names
    order = np.lexsort((pairs.col, pairs.row, -pairs.data))
    rows = [
        (names[row], names[column], n, n / int(counts[row]))
        for row, column, n in zip(
            pairs.row[order].tolist(), pairs.col[order].tolist(), pairs.data[order].astype(int).tolist(), strict=True
        )
    ]
    return Table(
        "confusions",
        "Labels that are taken for one another",
        (
            Column("true_label", "true label"),
            Column("predicted_label", "predicted instead"),
            Column("n_documents", "documents", "count"),
            Column("share", "of those with the true label", "share"),
        ),
        rows,
        "Documents where the first label is true and was missed, and the second was predicted and is not true.",
        "In no document is one label missed and another one predicted in its place.",
        _draw_confusions,
        MAX_PAIRS,
        is_sortable=True,
    )


def _draw_confusions(table: Table) -> list[str]:
    bars = [(f"{true} → {predicted}", n, f"{n:,}") for true, predicted, n, _ in table.rows[:MAX_BARS]]
    return [bar_list("The most frequent confusions: true label, predicted label, number of documents", bars)]


def size_table(evaluation: Evaluation) -> Table:
    """Return how many documents have each pair of true and predicted set size."""
    sizes = [np.minimum(one.sizes, MAX_SIZE) for one in (evaluation.y_true, evaluation.y_pred)]
    counts = np.zeros((MAX_SIZE + 1, MAX_SIZE + 1), dtype=np.int64)
    np.add.at(counts, tuple(sizes), 1)
    rows = [(int(true), int(predicted), int(counts[true, predicted])) for true, predicted in np.argwhere(counts)]
    return Table(
        "sizes",
        "Predicted against true set size",
        (
            Column("true_size", "true size", "count"),
            Column("predicted_size", "predicted size", "count"),
            Column("n_documents", "documents", "count"),
        ),
        rows,
        f"Sets of more than {MAX_SIZE} labels count as of {MAX_SIZE}. The diagonal has the right size.",
        draw=_draw_sizes,
    )


def _draw_sizes(table: Table) -> list[str]:
    low, high = _range([*table.column("true_size"), *table.column("predicted_size")])
    names = [f"{size}+" if size == MAX_SIZE else str(size) for size in range(low, high + 1)]
    of_size: dict[int, int] = {}
    for true, _, n in table.rows:
        of_size[true] = of_size.get(true, 0) + n
    cells = [
        Cell(
            (true - low - 0.5, true - low + 0.5),
            predicted - low,
            n / of_size[true],
            f"{n:,}" if n < 1000 else f"{n / 1000:.1f}k",
            f"{n:,} documents of {true} labels with {predicted} predicted",
        )
        for true, predicted, n in table.rows
    ]
    title = "Documents by true and predicted set size; the shade is the share of the documents of that true size"
    height = max(220, 62 + 30 * len(names))
    return [cell_map(title, Band(names), Band(names), "labels that are true", "labels predicted", cells, height=height)]


def _range(values: Sequence[int]) -> tuple[int, int]:
    return min(values), max(values)
