"""Tables of whether stated confidence can be trusted, and of what could be accepted without review."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from setwise.confidence import (
    MIN_DOCUMENTS,
    Automation,
    AutomationMetric,
    AutomationTarget,
    automation_threshold,
    empirical_threshold,
)
from setwise.reports.scoring import Evaluation
from setwise.reports.svg import ACCENT, COLORS, MUTED, Linear, Picture, percent
from setwise.reports.tables import Column, Table

__all__ = ["TARGETS", "automation_curve", "automation_targets", "outcome_of", "reliability_tables", "stated_of"]

Array = NDArray[np.float64]

TARGETS = (0.9, 0.95)
"""Accuracy, or mean F1, that accepted predictions have to reach."""

N_BINS = 10
N_STEPS = 20
"""Points of the automation curve: the surest twentieth of the documents, and so on to all of them."""

NORMAL_95 = 1.96
"""Half the width of a 95 % interval in standard errors."""

NO_CONFIDENCE = (
    f"This model has no confidence: it is learned from held-out documents while tuning, and takes at least "
    f"{MIN_DOCUMENTS}. Train with tuning to see this section."
)
NO_EXPECTED_F1 = "The inference of this model has no probabilities to expect an F1 from."


def stated_of(evaluation: Evaluation, metric: AutomationMetric) -> Array | None:
    """Return what was stated about each document: the probability to be right, or the expected F1."""
    return evaluation.probability if metric == "accuracy" else evaluation.expected_f1


def outcome_of(evaluation: Evaluation, metric: AutomationMetric) -> Array:
    """Return what turned out: 1 where the set is right, or the F1."""
    return AutomationTarget(metric, 0.0).outcome(evaluation.f1)


def reliability_tables(evaluation: Evaluation) -> list[Table]:
    """Return stated against measured numbers in ten bins, for the probability to be right and for the expected F1."""
    learned = evaluation.probability is not None
    told = "As learned from held-out documents." if learned else "As the recipe states it; no confidence was learned."
    return [
        _reliability(
            "reliability_of_confidence",
            "Is the stated probability right?",
            "stated probability to be exactly right",
            "share exactly right",
            evaluation.probability,
            evaluation.right,
            "As learned from held-out documents.",
            NO_CONFIDENCE,
        ),
        _reliability(
            "reliability_of_expected_f1",
            "Is the expected F1 right?",
            "stated expected F1",
            "mean F1",
            evaluation.expected_f1,
            evaluation.f1,
            told,
            NO_EXPECTED_F1,
        ),
    ]


def _reliability(
    name: str, title: str, stated_title: str, measured_title: str, stated: Array | None, outcome: Array, *texts: str
) -> Table:
    told, why_empty = texts
    rows = [] if stated is None else _bins(stated, outcome)
    return Table(
        name,
        title,
        (
            Column("low", "from", "share"),
            Column("high", "to", "share"),
            Column("n_documents", "documents", "count"),
            Column("stated", stated_title, "share"),
            Column("measured", measured_title, "share"),
            Column("interval_low", "at least", "share"),
            Column("interval_high", "at most", "share"),
        ),
        rows,
        f"{told} Points on the diagonal state what is measured; bars are 95 % intervals (normal approximation), "
        f"and the columns at the foot are numbers of documents.",
        why_empty,
        _draw_reliability,
    )


def _bins(stated: Array, outcome: Array) -> list[tuple[Any, ...]]:
    place = np.clip((stated * N_BINS).astype(np.int64), 0, N_BINS - 1)
    rows = []
    for number in range(N_BINS):
        inside = place == number
        if n := int(inside.sum()):
            mean, error = float(outcome[inside].mean()), float(outcome[inside].std()) / np.sqrt(n)
            low, high = max(mean - NORMAL_95 * error, 0.0), min(mean + NORMAL_95 * error, 1.0)
            rows.append((number / N_BINS, (number + 1) / N_BINS, n, float(stated[inside].mean()), mean, low, high))
    return rows


def _draw_reliability(table: Table) -> list[str]:
    stated_title, measured_title = table.columns[3].title, table.columns[4].title
    picture = Picture(
        f"{table.title} Measured against stated, in ten bins",
        Linear(0, 1),
        Linear(0, 1),
        stated_title,
        measured_title,
    )
    most = max(table.column("n_documents"))
    for low, high, n, *_ in table.rows:
        picture.bar((low + 0.01, high - 0.01), (0, 0.18 * n / most), MUTED, 0.35, f"{n:,} documents")
    picture.line([(0, 0), (1, 1)], MUTED, dashed=True, width=1.5)
    for _, _, n, stated, measured, low, high in table.rows:
        picture.line([(stated, low), (stated, high)], ACCENT, width=1.5)
        picture.dot(stated, measured, ACCENT, says=f"stated {stated:.1%}, measured {measured:.1%}, {n:,} documents")
    return [picture.svg()]


def automation_curve(evaluation: Evaluation, targets: Table) -> Table:
    """Return what is reached when the surest documents are accepted, the surest twentieth first."""
    rows: list[tuple[Any, ...]] = []
    if evaluation.probability is not None:
        probability = evaluation.probability
        order = np.argsort(-probability, kind="stable")
        ends = np.unique(np.ceil(np.arange(1, N_STEPS + 1) * len(order) / N_STEPS).astype(np.int64))
        for threshold in np.unique(probability[order[ends - 1]])[::-1]:  # of equal confidence, all are accepted
            accepted = probability >= threshold
            n = int(accepted.sum())
            means = float(evaluation.right[accepted].mean()), float(evaluation.f1[accepted].mean())
            rows.append((n / len(order), n, float(threshold), *means))
    return Table(
        "automation_curve",
        "What accepting the surest predictions reaches",
        (
            Column("share", "accepted", "share"),
            Column("n_documents", "documents", "count"),
            Column("threshold", "confidence at least", "share"),
            Column("accuracy", "exactly right", "share"),
            Column("f1", "mean F1", "share"),
        ),
        rows,
        "Documents are accepted in the order of their confidence.",
        NO_CONFIDENCE,
        lambda table: _draw_automation(table, targets),
    )


def _draw_automation(table: Table, targets: Table) -> list[str]:
    low = min([*table.column("accuracy"), *table.column("f1"), TARGETS[0]])
    picture = Picture(
        "Accuracy and mean F1 of the accepted documents against their share, with targets",
        Linear(0, 1),
        Linear(max(0.0, np.floor(20 * low - 0.5) / 20), 1.0),
        "share of documents accepted",
        "of the accepted",
        top=34,
    )
    right, mean_f1, target = COLORS[:3]
    met = [one for one in targets.records() if one["metric"] == "accuracy" and one["value"] is not None]
    for goal in TARGETS:
        picture.line([(0, goal), (1, goal)], MUTED, dashed=True, width=1)
    for column, color, dashed in (("accuracy", right, False), ("f1", mean_f1, True)):
        points = list(zip(table.column("share"), table.column(column), strict=True))
        picture.line(points, color, dashed=dashed)
        for share, value in points:
            picture.dot(share, value, color, says=f"{share:.0%} accepted: {value:.1%}", radius=2.5)
    for one in met:
        says = f"target {percent(one['target'])}: {one['share']:.1%} accepted, {one['value']:.1%} right"
        picture.dot(one["share"], one["value"], target, says=says, radius=6)
        picture.text(one["share"] - 0.03, one["value"], f"{one['share']:.0%}", anchor="end", up=-12)
    named = [("exactly right", right), ("mean F1", mean_f1)]
    picture.legend_row([*named, ("meets the target", target)] if met else named)
    return [picture.svg()]


def automation_targets(evaluation: Evaluation, stored: Automation | None) -> Table:
    """Return, per target, the threshold that promises it, and what it accepts; the stored threshold comes first."""
    rows: list[tuple[Any, ...]] = []
    if stored is not None and evaluation.probability is not None:
        rows.append(_with_stored(evaluation, stored))
    for metric in ("accuracy", "f1"):
        stated = stated_of(evaluation, metric)
        if stated is None or evaluation.probability is None:
            continue
        outcome = outcome_of(evaluation, metric)
        for target in TARGETS:
            found = automation_threshold(stated, outcome, target, metric=metric)
            empirical = empirical_threshold(stated, outcome, target)
            seen = None if empirical is None else float((stated >= empirical).mean())
            rows.append(
                ("these documents", metric, target, found.threshold, found.share, found.value, found.bound, seen)
            )
    return Table(
        "automation_targets",
        "What could be accepted without review",
        (
            Column("found_on", "threshold from", is_shown=stored is not None),
            Column("metric", "of"),
            Column("target", "target", "share"),
            Column("threshold", "threshold", "share"),
            Column("share", "accepted", "share"),
            Column("value", "measured", "share"),
            Column("bound", "lower bound", "share", is_shown=False),
            Column("empirical_share", "without margin", "share"),
        ),
        rows,
        "Each threshold promises its target with a chance of 90 %; without a margin for chance more is accepted, "
        "and the target is often missed on other documents. See `setwise automate`.",
        NO_CONFIDENCE,
    )


def _with_stored(evaluation: Evaluation, stored: Automation) -> tuple[Any, ...]:
    stated, outcome = stated_of(evaluation, stored.metric), outcome_of(evaluation, stored.metric)
    assert stated is not None
    accepted = stored.accepts(stated)
    value = float(outcome[accepted].mean()) if accepted.any() else None
    share = float(accepted.mean())
    return ("the model file", stored.metric, stored.target, stored.threshold, share, value, None, None)
