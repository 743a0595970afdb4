"""A few sentences that say what a model is good at, from its numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from setwise.reports.report import Figure
from setwise.reports.scoring import Scores
from setwise.reports.svg import shortened
from setwise.reports.tables import Table

__all__ = ["figures_of", "list_of", "summary_of", "whole_percent"]

N_NAMED = 3
"""Labels that are named as good, and as weak."""

PRIOR = 10
"""Documents with a mean F1 that each label is taken to have besides its own, so that no rare one is best or worst by
chance."""

LEAST_TRUE = 5
"""Labels that fewer documents have are not named."""

TRUSTED = 0.05
"""A calibration error up to this is one that can be lived with."""

MANY_UNSEEN = 0.05
"""The share of true sets that no training document has, from which it is worth a sentence."""

RARE, FREQUENT = "1 to 9", ("100 to 999", "1,000 or more")


def summary_of(scores: Scores, tables: dict[str, Table]) -> list[str]:
    """Return the sentences: quality, strengths, trust, automation."""
    return [
        _quality(scores, tables["baselines"]),
        _strengths(scores, tables["labels"], tables["labels_by_frequency"]),
        _weak_pair(tables["confusions"]),
        _trust(scores),
        _automation(scores, tables["automation_targets"]),
        _unseen(scores),
    ]


def figures_of(scores: Scores, targets: Table) -> list[Figure]:
    """Return the numbers that are shown large."""
    figures = [
        Figure("mean F1", _share(scores.metrics["instance_f1"]), "of predicted and true set"),
        Figure("exactly right", _share(scores.metrics["set_accuracy"]), "of all predicted sets"),
    ]
    if scores.confidence_error is not None:
        figures.append(Figure("trust", f"± {100 * scores.confidence_error:.1f}", "points from stated to measured"))
        accepted = _share_accepted(targets, 0.95)
        figures.append(Figure("without review", whole_percent(accepted or 0.0), "accepted at 95 % accuracy"))
    return figures


def list_of(items: Sequence[str]) -> str:
    """Return items as a list within a sentence."""
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"


def whole_percent(value: float) -> str:
    """Return a share as a whole percentage."""
    return f"{100 * value:.0f} %"


def _quality(scores: Scores, baselines: Table) -> str:
    f1, right = scores.metrics["instance_f1"], scores.metrics["set_accuracy"]
    sentence = (
        f"On {scores.n_documents:,} documents, {_share(right)} of the predicted sets are exactly right, "
        f"and the mean F1 is {_share(f1)}."
    )
    others = {row[0]: row[1] for row in baselines.rows}
    if "cut at one half" in others:
        tuned = (
            f", and {_share(others['tuned threshold'])} with a tuned threshold" if "tuned threshold" in others else ""
        )
        sentence += f" Cut at one half, its probabilities reach {_share(others['cut at one half'])}{tuned}."
    frequent = _share(others["most frequent set"])
    return f"{sentence} Predicting the most frequent set for every document would reach {frequent}."


def _strengths(scores: Scores, labels: Table, groups: Table) -> str:
    middle = scores.metrics["micro_f1"]
    ranked = sorted(
        (
            ((2 * row["n_shared"] + PRIOR * middle) / (row["n_true"] + row["n_predicted"] + PRIOR), row)
            for row in labels.records()
            if row["n_true"] >= LEAST_TRUE
        ),
        key=lambda pair: -pair[0],
    )
    good = [row for value, row in ranked if value > middle][:N_NAMED]
    weak = [row for value, row in reversed(ranked) if value < middle][:N_NAMED]
    parts = [
        f"{name} {list_of([_with_f1(row) for row in rows])}"
        for name, rows in (("Good at", good), ("weak at", weak))
        if rows
    ]
    sentence = "; ".join(parts)
    sentence = f"{sentence[:1].upper()}{sentence[1:]}. " if sentence else ""
    mean = {row["n_training"]: row["macro_f1"] for row in groups.records()}
    frequent = next((mean[name] for name in reversed(FREQUENT) if name in mean), None)
    if RARE in mean and frequent is not None:
        sentence += (
            f"Labels with fewer than ten training documents have a mean F1 of {_share(mean[RARE])}, "
            f"the most frequent ones {_share(frequent)}."
        )
    return sentence.strip()


def _weak_pair(confusions: Table) -> str:
    if not confusions.rows:
        return ""
    true, predicted, n, _ = confusions.rows[0]
    return f"Its most frequent confusion: {_name(predicted)} in place of {_name(true)}, in {_documents(n)}."


def _trust(scores: Scores) -> str:
    if scores.confidence_error is None or scores.confidence is None:
        return "It has not learned how sure it is, so that it does not say which predictions need review."
    stated, measured = _share(scores.confidence), _share(scores.metrics["set_accuracy"])
    told = f"it expects {stated} of its sets to be exactly right, and {measured} are"
    points = f"{100 * scores.confidence_error:.1f} points"
    is_trusted = scores.confidence_error <= TRUSTED
    sentence = (
        f"Its stated confidence {'can be trusted within' if is_trusted else 'is off by'} {points} on average: {told}"
    )
    if scores.expected_f1 is None or scores.expected_f1_error is None:
        return f"{sentence}."
    means = f"{_share(scores.expected_f1)} against {_share(scores.metrics['instance_f1'])}"
    return f"{sentence}. Its expected F1 is {100 * scores.expected_f1_error:.1f} points from the measured one: {means}."


def _automation(scores: Scores, targets: Table) -> str:
    if scores.confidence is None:
        return ""
    for metric, target, of in (
        ("accuracy", 0.95, "95 % accuracy"),
        ("accuracy", 0.9, "90 % accuracy"),
        ("f1", 0.95, "a mean F1 of 95 %"),
        ("f1", 0.9, "a mean F1 of 90 %"),
    ):
        share = _share_accepted(targets, target, metric)
        if share:
            return f"{whole_percent(share)} of the documents could be accepted without review at {of}."
    return "No share of the documents can be promised to need no review, at 90 % accuracy or at a mean F1 of 90 %."


def _unseen(scores: Scores) -> str:
    share = scores.n_true_unseen / scores.n_documents
    return f"{_share(share)} of the true sets never occur in its training data." if share >= MANY_UNSEEN else ""


def _share_accepted(targets: Table, target: float, metric: str = "accuracy") -> float | None:
    for row in targets.records():
        if row["metric"] == metric and row["target"] == target and row["found_on"] == "these documents":
            return float(row["share"]) if row["threshold"] is not None else None
    return None


def _with_f1(row: dict[str, Any]) -> str:
    return f"{_name(row['label'])} (F1 {whole_percent(row['f1'])})"


def _name(label: str) -> str:
    return f"“{shortened(label, 60)}”"


def _documents(n: int) -> str:
    return f"{n:,} document{'' if n == 1 else 's'}"


def _share(value: float) -> str:
    return f"{100 * value:.1f} %"
