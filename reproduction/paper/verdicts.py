"""The rules that turn paired comparisons into the outcome of a claim."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import mean
from typing import Literal

import numpy as np

from reproduction.paper.differences import Comparison

__all__ = [
    "EQUIVALENCE_MARGIN",
    "MAJORITY",
    "UNDECIDED",
    "Outcome",
    "Pair",
    "Pairs",
    "PartVerdict",
    "above_everywhere",
    "collect",
    "combined_outcome",
    "depends_on_dataset",
    "describe",
    "gains_by_model",
    "gains_most",
    "share_outcome",
    "within_margin",
]

Outcome = Literal["holds", "fails", "mixed", "undecided"]
UNDECIDED: Outcome = "undecided"

MAJORITY = 1 / 2
EQUIVALENCE_MARGIN = 0.5
"""Points of F1 below which a difference does not matter."""
TOO_FEW_MODELS = "Too few models were run on the same datasets."


@dataclass(frozen=True)
class Pair:
    """Two recipes or models on the documents of one dataset, compared in points of F1."""

    dataset: str
    model: str
    comparison: Comparison

    @property
    def gain(self) -> float:
        """The mean difference."""
        return self.comparison.difference.mean

    @property
    def is_above(self) -> bool:
        """Whether the difference is significantly above zero: its interval lies above."""
        return self.comparison.difference.low > 0

    @property
    def is_below(self) -> bool:
        """Whether the difference is significantly below zero: its interval lies below."""
        return self.comparison.difference.high < 0


@dataclass(frozen=True)
class Pairs:
    """The pairs that were run, and the number of those that were not."""

    compared: tuple[Pair, ...]
    n_not_run: int = 0


@dataclass(frozen=True)
class PartVerdict:
    """The outcome of one part of a claim, with a sentence that gives its numbers."""

    outcome: Outcome
    sentence: str


def collect(pairs: Iterable[Pair | None]) -> Pairs:
    """Collect the pairs that were run, and count the others, which are None."""
    every = list(pairs)
    compared = tuple(pair for pair in every if pair is not None)
    return Pairs(compared, len(every) - len(compared))


def above_everywhere(pairs: Pairs) -> PartVerdict:
    """Holds if every difference is above zero, fails if most are significantly below, mixed otherwise."""
    compared = pairs.compared
    if not compared:
        return PartVerdict(UNDECIDED, describe(pairs))
    if all(pair.gain > 0 for pair in compared):
        return PartVerdict("holds", describe(pairs))
    mostly_below = sum(pair.is_below for pair in compared) > MAJORITY * len(compared)
    return PartVerdict("fails" if mostly_below else "mixed", describe(pairs))


def within_margin(pairs: Pairs) -> PartVerdict:
    """Holds if every mean is within the margin, fails if most intervals are entirely outside it, mixed otherwise."""
    differences = [pair.comparison.difference for pair in pairs.compared]
    if not differences:
        return PartVerdict(UNDECIDED, "")
    margin, n = EQUIVALENCE_MARGIN, len(differences)
    n_near = sum(abs(difference.mean) <= margin for difference in differences)
    n_inside = sum(max(-difference.low, difference.high) <= margin for difference in differences)
    n_outside = sum(difference.low > margin or difference.high < -margin for difference in differences)
    outcome: Outcome = "holds" if n_near == n else "fails" if n_outside > MAJORITY * n else "mixed"
    return PartVerdict(
        outcome,
        f"The mean is within {margin} points in {n_near} of {n} pairs, the whole interval in {n_inside}; "
        f"the whole interval is outside in {n_outside}.",
    )


def gains_most(pairs: Pairs, model: str) -> PartVerdict:
    """Holds if the model's mean gain is positive and the largest, and its gain is the largest on at least half of the
    datasets; fails if neither is true, mixed otherwise."""
    gains = gains_by_model(pairs)
    if len(gains) < 2 or model not in gains:
        return PartVerdict(UNDECIDED, TOO_FEW_MODELS)
    means = {name: mean(values) for name, values in gains.items()}
    is_largest = means[model] > max(0.0, *(value for name, value in means.items() if name != model))
    by_dataset = list(zip(*gains.values(), strict=True))
    n_first = sum(values[list(gains).index(model)] == max(values) for values in by_dataset)
    is_often_first = n_first >= MAJORITY * len(by_dataset)
    listed = ", ".join(f"{name} {value:+.2f}" for name, value in means.items())
    sentence = f"Mean gains: {listed}; {model} gains most on {n_first} of {len(by_dataset)} datasets."
    if is_largest and is_often_first:
        return PartVerdict("holds", sentence)
    return PartVerdict("mixed" if is_largest or is_often_first else "fails", sentence)


def depends_on_dataset(pairs: Pairs) -> PartVerdict:
    """Holds if datasets explain more of the gains' variance than models do, in a two-way analysis without noise."""
    gains = np.array(list(gains_by_model(pairs).values()))
    if gains.ndim < 2 or min(gains.shape) < 2:
        return PartVerdict(UNDECIDED, TOO_FEW_MODELS)
    n_models, n_datasets = gains.shape
    by_model, by_dataset = gains.mean(axis=1), gains.mean(axis=0)
    residuals = gains - by_model[:, None] - by_dataset + gains.mean()
    noise = np.sum(residuals**2) / ((n_models - 1) * (n_datasets - 1))
    of_datasets = by_dataset.var(ddof=1) - noise / n_models
    of_models = by_model.var(ddof=1) - noise / n_datasets
    sentence = f"Variance of the gains: {of_datasets:.2f} by dataset, {of_models:.2f} by model, {noise:.2f} residual."
    if max(of_datasets, of_models) <= 0:
        return PartVerdict(UNDECIDED, sentence)
    return PartVerdict("holds" if of_datasets > of_models else "fails", sentence)


def gains_by_model(pairs: Pairs) -> dict[str, list[float]]:
    """Return the gains of each model on the datasets that all have, so that means are over the same documents."""
    models = list(dict.fromkeys(pair.model for pair in pairs.compared))
    gains = {(pair.dataset, pair.model): pair.gain for pair in pairs.compared}
    datasets = dict.fromkeys(pair.dataset for pair in pairs.compared)
    common = [dataset for dataset in datasets if all((dataset, model) in gains for model in models)]
    return {model: [gains[dataset, model] for dataset in common] for model in models} if common else {}


def share_outcome(n_true: int, n: int) -> Outcome:
    """Holds if true in all cases, fails if true in fewer than half, mixed otherwise."""
    if not n:
        return UNDECIDED
    return "holds" if n_true == n else "fails" if n_true < MAJORITY * n else "mixed"


def combined_outcome(parts: Sequence[PartVerdict]) -> Outcome:
    """Holds if every part holds, fails if every part fails, mixed otherwise; undecided parts are left out."""
    outcomes = {part.outcome for part in parts} - {UNDECIDED}
    if not outcomes:
        return UNDECIDED
    return outcomes.pop() if len(outcomes) == 1 else "mixed"


def describe(pairs: Pairs) -> str:
    """Count the pairs above and below zero, and the significant ones."""
    compared = pairs.compared
    above, below = (sum(sign * pair.gain > 0 for pair in compared) for sign in (1, -1))
    surely_above, surely_below = sum(pair.is_above for pair in compared), sum(pair.is_below for pair in compared)
    counts = (
        f"Above in {above} of {len(compared)} pairs (significantly in {surely_above}), below in {below} "
        f"(significantly in {surely_below})."
    )
    missing = f" {pairs.n_not_run} pairs were not run." if pairs.n_not_run else ""
    return (counts if compared else "No pair was run.") + missing
