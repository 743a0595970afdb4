"""The verdict on each of the paper's claims, from the rows of a run and the rules of :mod:`reproduction.paper`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from statistics import mean

import numpy as np

from reproduction.paper import (
    ALL_FOUR,
    ALL_FOUR_COLUMNS,
    CLOSE,
    JOINT_MODELS,
    LARGEST_SHARE,
    MAJORITY,
    NO_REG,
    SHRUNK_MODELS,
    TABLE_2_MODELS,
    UNDECIDED,
    Claim,
    Comparison,
    Outcome,
    Pair,
    Pairs,
    PartVerdict,
    above_everywhere,
    collect,
    combined_outcome,
    compare,
    depends_on_dataset,
    describe,
    gains_by_model,
    gains_most,
    not_applicable,
    share_outcome,
    within_margin,
)
from reproduction.report.paper_tables import CRF_MODELS, GFM_COLUMNS, SIZES, pair_recipe, remaining_percent
from reproduction.report.table import Table, text_rows
from reproduction.run import Results, Row, mean_by_document

__all__ = ["Verdict", "compare_pair", "compare_recipes", "details_table", "verdict_of"]

LEAST_P = 0.001
"""Smaller p-values are shown as below this one."""
CHANCE = 1 / len(ALL_FOUR_COLUMNS)


@dataclass(frozen=True)
class Verdict:
    """What the rows say about a claim."""

    outcome: Outcome
    numbers: str
    """The numbers that decide, in sentences."""
    details: Table


def verdict_of(claim: Claim, rows: Iterable[Row]) -> Verdict:
    """Test a claim by the rows; pairs that were not run are left out and counted."""
    return _TESTS[claim.number](Results.of(rows))


def compare_pair(
    results: Results, dataset: str, name: str, ours: tuple[str, str], theirs: tuple[str, str]
) -> Pair | None:
    """Compare two models with their recipes on the same documents; None where either was not run."""
    repeats = [results.repeats(dataset, *side) for side in (ours, theirs)]
    if not all(repeats):
        return None
    points = [(100 * mean_by_document(rows)).tobytes() for rows in repeats]
    return Pair(dataset, name, _cached_comparison(*points))


def compare_recipes(results: Results, models: Iterable[str], recipe: str, against: str) -> Pairs:
    """Compare two recipes, for every dataset and every model to which both apply."""
    both = [model for model in models if not (not_applicable(model, recipe) or not_applicable(model, against))]
    return collect(
        compare_pair(results, dataset, model, (model, recipe), (model, against))
        for dataset in results.datasets
        for model in both
    )


def details_table(name: str, title: str, pairs: Iterable[Pair]) -> Table:
    """Return a table with one row per pair."""
    return Table(
        name,
        title,
        ("data", "model", "difference", "95 % interval", "wins / losses / ties", "p of the sign test"),
        text_rows(map(_details, pairs)),
        n_headings=2,
    )


def _details(pair: Pair) -> tuple[str, ...]:
    comparison = pair.comparison
    difference = comparison.difference
    return (
        pair.dataset,
        pair.model,
        f"{difference.mean:+.2f}",
        f"{difference.low:+.2f} to {difference.high:+.2f}",
        f"{comparison.wins} / {comparison.losses} / {comparison.ties}",
        f"< {LEAST_P}" if comparison.p < LEAST_P else f"{comparison.p:.3f}",
    )


@cache
def _cached_comparison(ours: bytes, theirs: bytes) -> Comparison:
    """Compare once, however often a page is written from the same rows."""
    return compare(np.frombuffer(ours), np.frombuffer(theirs))


def _support_and_gfm(results: Results) -> Verdict:
    pairs = compare_recipes(results, JOINT_MODELS, ALL_FOUR, "L+E")
    return _verdict(1, f"{ALL_FOUR} minus L+E", pairs, above_everywhere(pairs))


def _support_alone(results: Results) -> Verdict:
    pairs = compare_recipes(results, ("BR", "PCC", "CBM"), "L+E+S", "L+E")
    return _verdict(2, "L+E+S minus L+E", pairs, above_everywhere(pairs), gains_most(pairs, "BR"))


def _sizes(results: Results) -> Verdict:
    percents = {
        (dataset, model): (features, size)
        for dataset in results.datasets
        for model in SHRUNK_MODELS
        if (features := remaining_percent(results, dataset, model, SIZES[0])) is not None
        if (size := remaining_percent(results, dataset, model, SIZES[1])) is not None
    }
    n = len(percents)
    n_small = sum(size <= LARGEST_SHARE for _, size in percents.values())
    n_less = sum(features > size for features, size in percents.values())
    parts = (
        PartVerdict(share_outcome(n_small, n), f"At most {LARGEST_SHARE:g} % is left of {n_small} of {n} models."),
        PartVerdict(share_outcome(n_less, n), f"Features shrink less than size in {n_less} of {n}."),
    )
    n_missing = len(results.datasets) * len(SHRUNK_MODELS) - n
    sentences = [*(part.sentence for part in parts), *([f"{n_missing} were not run."] if n_missing else [])]
    lines = [(*key, f"{features:.2f}", f"{size:.2f}") for key, (features, size) in percents.items()]
    columns = ("data", "model", *(f"{name}, %" for name in SIZES))
    table = Table("claim_3", "L+S+G in percent of S+G", columns, text_rows(lines), n_headings=2)
    return Verdict(combined_outcome(parts), " ".join(sentences), table)


def _crf_pairs(results: Results) -> Verdict:
    without, with_pairs = CRF_MODELS
    pairs = collect(
        compare_pair(results, dataset, f"CRF {column}", (with_pairs, recipe), (without, recipe)) if recipe else None
        for dataset in results.datasets
        for column in GFM_COLUMNS
        for recipe in [pair_recipe(results, dataset, column)]
    )
    return _verdict(4, "CRF with pairs minus CRF without", pairs, within_margin(pairs))


def _early_stopping(results: Results) -> Verdict:
    pairs = compare_recipes(results, TABLE_2_MODELS, "E+S+G", "S+G")
    return _verdict(5, "E+S+G minus S+G", pairs, gains_most(pairs, "CBM"))


def _lsf(results: Results) -> Verdict:
    lsf = ("LSF", ALL_FOUR)
    pairs = collect(
        compare_pair(results, dataset, model, (model, ALL_FOUR), lsf)
        for dataset in results.datasets
        for model in ("BR", "PCC", "CBM")
    )
    best = collect(
        compare_pair(results, dataset, f"best: {model}", (model, ALL_FOUR), lsf)
        for dataset in results.datasets
        for model in _best_model(results, dataset, JOINT_MODELS, ALL_FOUR)
    ).compared
    part = above_everywhere(pairs)
    mean_gain = f" The best joint model minus LSF: {mean(pair.gain for pair in best):+.2f} on average." if best else ""
    table = details_table("claim_6", f"Other models minus LSF, {ALL_FOUR}", (*pairs.compared, *best))
    return Verdict(part.outcome, part.sentence + mean_gain, table)


def _sampled_gfm(results: Results) -> Verdict:
    pairs = compare_recipes(results, ("BR", "PCC", "CBM"), "L+E+G", "L+E")
    always = above_everywhere(compare_recipes(results, ("BR", "PCC"), "L+E+G", "L+E"))
    gains = {model: mean(values) for model, values in gains_by_model(pairs).items()}
    less = PartVerdict(UNDECIDED, "")
    if len(gains) == 3:
        listed = ", ".join(f"{model} {value:+.2f}" for model, value in gains.items())
        is_less = gains["CBM"] < min(gains["BR"], gains["PCC"])
        less = PartVerdict("holds" if is_less else "fails", f" Mean gains: {listed}.")
    table = details_table("claim_7", "L+E+G minus L+E", pairs.compared)
    return Verdict(combined_outcome([always, less]), f"BR and PCC: {always.sentence}{less.sentence}", table)


def _l1_by_dataset(results: Results) -> Verdict:
    pairs = compare_recipes(results, TABLE_2_MODELS, "L+S+G", "S+G")
    return _verdict(8, "L+S+G minus S+G", pairs, depends_on_dataset(pairs))


def _both_needed(results: Results) -> Verdict:
    others = ALL_FOUR_COLUMNS[:-1]
    pairs: list[Pair | None] = []
    n_rows = n_first = 0
    for dataset in results.datasets:
        for model in TABLE_2_MODELS:
            percents = {recipe: results.percent(dataset, model, recipe) for recipe in ALL_FOUR_COLUMNS}
            shown = {recipe: round(value, 1) for recipe, value in percents.items() if value is not None}
            if len(shown) < len(ALL_FOUR_COLUMNS):
                pairs.append(None)
                continue
            n_rows += 1
            n_first += shown[ALL_FOUR] == max(shown.values())
            best = max(others, key=lambda recipe: percents[recipe] or 0.0)
            pairs.append(compare_pair(results, dataset, f"{model}, minus {best}", (model, ALL_FOUR), (model, best)))
    outcome: Outcome = "holds" if n_first > MAJORITY * n_rows else "fails" if n_first <= CHANCE * n_rows else "mixed"
    every = collect(pairs)
    sentence = f"{ALL_FOUR} is the best of the four, or as good as the best, in {n_first} of {n_rows} rows."
    table = details_table("claim_9", f"{ALL_FOUR} minus the best of {', '.join(others)}", every.compared)
    return Verdict(
        outcome if n_rows else UNDECIDED, f"{sentence} Against the best of the others: {describe(every)}", table
    )


def _br_is_close(results: Results) -> Verdict:
    pairs = {recipe: _gaps_to_br(results, recipe) for recipe in (NO_REG, ALL_FOUR)}
    now = {pair.dataset: pair.gain for pair in pairs[ALL_FOUR]}
    before = {pair.dataset: pair.gain for pair in pairs[NO_REG]}
    both = [dataset for dataset in now if dataset in before]
    n_close = sum(gap <= CLOSE for gap in now.values())
    n_closer = sum(now[dataset] < before[dataset] for dataset in both)
    is_close, is_closer = n_close > MAJORITY * len(now), n_closer > MAJORITY * len(both)
    outcome: Outcome = "holds" if is_close and is_closer else "mixed" if is_close or is_closer else "fails"
    sentence = f"Within {CLOSE:g} points of the best, or above it, on {n_close} of {len(now)} datasets."
    if both:
        means = [mean(gaps[dataset] for dataset in both) for gaps in (before, now)]
        sentence += (
            f" The gap is smaller than with {NO_REG} on {n_closer} of {len(both)}; "
            f"the mean gap is {means[0]:.2f} with {NO_REG} and {means[1]:.2f} with {ALL_FOUR}."
        )
    if n_missing := len(results.datasets) - len(both):
        sentence += f" {n_missing} datasets were not run with both."
    table = details_table("claim_10", "The best other model minus BR", (*pairs[NO_REG], *pairs[ALL_FOUR]))
    return Verdict(outcome if both else UNDECIDED, sentence, table)


def _verdict(number: int, title: str, pairs: Pairs, *parts: PartVerdict) -> Verdict:
    sentences = dict.fromkeys([*(part.sentence for part in parts if part.sentence), describe(pairs)])
    details = details_table(f"claim_{number}", title, pairs.compared)
    return Verdict(combined_outcome(parts), " ".join(sentences), details)


def _best_model(results: Results, dataset: str, models: Iterable[str], recipe: str) -> list[str]:
    """Return the best of the models that were run, or nothing."""
    scores = {model: score for model in models if (score := results.percent(dataset, model, recipe)) is not None}
    return [max(scores, key=lambda model: scores[model])] if scores else []


def _gaps_to_br(results: Results, recipe: str) -> tuple[Pair, ...]:
    """Compare the best of the other joint models with BR, for every dataset."""
    others = [model for model in JOINT_MODELS if model != "BR"]
    return collect(
        compare_pair(results, dataset, f"{model} minus BR, {recipe}", (model, recipe), ("BR", recipe))
        for dataset in results.datasets
        for model in _best_model(results, dataset, others, recipe)
    ).compared


_TESTS: dict[int, Callable[[Results], Verdict]] = {
    1: _support_and_gfm,
    2: _support_alone,
    3: _sizes,
    4: _crf_pairs,
    5: _early_stopping,
    6: _lsf,
    7: _sampled_gfm,
    8: _l1_by_dataset,
    9: _both_needed,
    10: _br_is_close,
}
"""The test of each claim, by its number."""
