"""What a claim is judged by: pairs of recipes on the same documents, and rules that turn pairs into a word."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from statistics import mean
from typing import Literal

import numpy as np

from setwise.experiments.differences import Comparison, compared
from setwise.experiments.recipes import not_applicable
from setwise.experiments.results import Found
from setwise.experiments.rows import mean_by_document
from setwise.reports.table import Entry, Table

__all__ = [
    "EQUIVALENT",
    "MAJORITY",
    "Judged",
    "Pair",
    "Pairs",
    "Verdict",
    "Word",
    "above_everywhere",
    "all_together",
    "counts",
    "details",
    "gains_by_model",
    "helps_most",
    "in_words",
    "pair",
    "pairs_of",
    "share_word",
    "within_margin",
]

Word = Literal["holds", "fails", "mixed", "cannot be told"]

MAJORITY = 1 / 2
EQUIVALENT = 0.5
"""Points of F1 below which a difference does not matter."""
LEAST_P = 0.001
"""Below it, a p is not told to the digit."""


@dataclass(frozen=True)
class Verdict:
    """What our rows say to a claim."""

    word: Word
    figures: str
    details: Table


@dataclass(frozen=True)
class Pair:
    """Two recipes or models on the documents of one dataset, in points of F1."""

    dataset: str
    model: str
    comparison: Comparison

    @property
    def gain(self) -> float:
        """The mean difference."""
        return self.comparison.difference.mean

    @property
    def is_above(self) -> bool:
        """Whether it is significantly above zero: by its interval."""
        return self.comparison.difference.low > 0

    @property
    def is_below(self) -> bool:
        """Whether it is significantly below zero: by its interval."""
        return self.comparison.difference.high < 0


@dataclass(frozen=True)
class Pairs:
    """Those that were run, and how many were not."""

    there: tuple[Pair, ...]
    not_run: int = 0


@dataclass(frozen=True)
class Judged:
    """A word, and the sentence that tells what it rests on."""

    word: Word
    sentence: str


def pair(found: Found, dataset: str, name: str, ours: tuple[str, str], theirs: tuple[str, str]) -> Pair | None:
    """Compare a model and recipe with another on the same documents; None where either was not run."""
    repeats = [found.repeats(dataset, *side) for side in (ours, theirs)]
    if not all(repeats):
        return None
    points = [(100 * mean_by_document(rows)).tobytes() for rows in repeats]
    return Pair(dataset, name, _compared(*points))


def pairs_of(found: Found, models: Iterable[str], recipe: str, against: str) -> Pairs:
    """Compare two recipes, for every dataset and every model to which both apply."""
    both = [model for model in models if not (not_applicable(model, recipe) or not_applicable(model, against))]
    return counts(
        pair(found, dataset, model, (model, recipe), (model, against)) for dataset in found.datasets for model in both
    )


def counts(pairs: Iterable[Pair | None]) -> Pairs:
    """Leave out what was not run, and count it."""
    every = list(pairs)
    there = tuple(each for each in every if each is not None)
    return Pairs(there, len(every) - len(there))


def above_everywhere(pairs: Pairs) -> Judged:
    """Holds if above zero in every pair, fails if significantly below in most, mixed otherwise."""
    there = pairs.there
    if not there:
        return Judged("cannot be told", in_words(pairs))
    if all(each.gain > 0 for each in there):
        return Judged("holds", in_words(pairs))
    is_lost = sum(each.is_below for each in there) > MAJORITY * len(there)
    return Judged("fails" if is_lost else "mixed", in_words(pairs))


def within_margin(pairs: Pairs) -> Judged:
    """Holds if every mean is within the margin, fails if most intervals are wholly outside of it, mixed otherwise."""
    differences = [each.comparison.difference for each in pairs.there]
    if not differences:
        return Judged("cannot be told", "")
    near = sum(abs(each.mean) <= EQUIVALENT for each in differences)
    sure = sum(max(-each.low, each.high) <= EQUIVALENT for each in differences)
    apart = sum(each.low > EQUIVALENT or each.high < -EQUIVALENT for each in differences)
    n = len(differences)
    word: Word = "holds" if near == n else "fails" if apart > MAJORITY * n else "mixed"
    sentence = f"Within {EQUIVALENT} points in {near} of {n} pairs, with the whole interval in {sure}"
    return Judged(word, f"{sentence}; the whole interval is outside in {apart}.")


def helps_most(pairs: Pairs, model: str) -> Judged:
    """Holds if the model's mean gain is above zero and the largest, and its gain the largest on at least half of the
    datasets; fails if neither, mixed otherwise."""
    gains = gains_by_model(pairs)
    if len(gains) < 2 or model not in gains:
        return Judged("cannot be told", "Too few models were run on the same datasets.")
    means = {name: mean(values) for name, values in gains.items()}
    is_largest = means[model] > max(0.0, *(value for name, value in means.items() if name != model))
    by_dataset = list(zip(*gains.values(), strict=True))
    first = sum(values[list(gains).index(model)] == max(values) for values in by_dataset)
    is_often = first >= MAJORITY * len(by_dataset)
    told = ", ".join(f"{name} {value:+.2f}" for name, value in means.items())
    sentence = f"Mean gains: {told}; {model} gains most on {first} of {len(by_dataset)} datasets."
    return Judged("holds" if is_largest and is_often else "mixed" if is_largest or is_often else "fails", sentence)


def gains_by_model(pairs: Pairs) -> dict[str, list[float]]:
    """Give the gains of each model on the datasets that all of them have, so that means are of the same documents."""
    models = list(dict.fromkeys(each.model for each in pairs.there))
    gains = {(each.dataset, each.model): each.gain for each in pairs.there}
    datasets = dict.fromkeys(each.dataset for each in pairs.there)
    common = [dataset for dataset in datasets if all((dataset, model) in gains for model in models)]
    return {model: [gains[dataset, model] for dataset in common] for model in models} if common else {}


def share_word(n_true: int, n: int) -> Word:
    """Holds if true of all, fails if true of fewer than half, mixed otherwise."""
    if not n:
        return "cannot be told"
    return "holds" if n_true == n else "fails" if n_true < MAJORITY * n else "mixed"


def all_together(parts: Sequence[Judged]) -> Word:
    """Holds if every part holds, fails if every part fails, mixed otherwise; parts that cannot be told are left out."""
    words = {part.word for part in parts} - {"cannot be told"}
    if not words:
        return "cannot be told"
    return words.pop() if len(words) == 1 else "mixed"


def in_words(pairs: Pairs) -> str:
    """Count the pairs above and below, and the significant ones."""
    there = pairs.there
    above, below = (sum(sign * each.gain > 0 for each in there) for sign in (1, -1))
    sure_above, sure_below = sum(each.is_above for each in there), sum(each.is_below for each in there)
    told = (
        f"Above in {above} of {len(there)} pairs (significantly in {sure_above}), below in {below} "
        f"(significantly in {sure_below})."
    )
    missing = f" {pairs.not_run} pairs were not run." if pairs.not_run else ""
    return (told if there else "No pair was run.") + missing


def details(name: str, title: str, pairs: Iterable[Pair]) -> Table:
    """Lay the pairs out, a row each."""
    return Table(
        name,
        title,
        ("data", "model", "difference", "95 % interval", "wins / losses / ties", "p of the sign test"),
        tuple(_line(each) for each in pairs),
        n_headings=2,
    )


def _line(each: Pair) -> tuple[Entry, ...]:
    comparison = each.comparison
    difference = comparison.difference
    p = f"< {LEAST_P}" if comparison.p < LEAST_P else f"{comparison.p:.3f}"
    texts = (
        each.dataset,
        each.model,
        f"{difference.mean:+.2f}",
        f"{difference.low:+.2f} to {difference.high:+.2f}",
        f"{comparison.wins} / {comparison.losses} / {comparison.ties}",
        p,
    )
    return tuple(map(Entry, texts))


@cache
def _compared(ours: bytes, theirs: bytes) -> Comparison:
    """Compare once, however often a page is written from the same rows."""
    return compared(np.frombuffer(ours), np.frombuffer(theirs))
