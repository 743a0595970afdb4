"""What the paper claims, and what our rows say to it, by rules that were set before any row was looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from statistics import mean

import numpy as np

from setwise.experiments.recipes import ALL_FOUR, NOTHING
from setwise.experiments.results import Found
from setwise.experiments.rows import Row
from setwise.experiments.tables import CRF_MODELS, GFM_COLUMNS, SIZES, pair_recipe, shrunk
from setwise.experiments.verdicts import (
    EQUIVALENT,
    MAJORITY,
    Judged,
    Pair,
    Pairs,
    Verdict,
    Word,
    above_everywhere,
    all_together,
    counts,
    details,
    gains_by_model,
    helps_most,
    in_words,
    pair,
    pairs_of,
    share_word,
    within_margin,
)
from setwise.reports.table import Entry, Table

__all__ = ["CLAIMS", "Claim"]

JOINT_MODELS = ("BR", "PCC", "CRF", "CBM")
TABLE_2_MODELS = ("BR", "LSF", "PCC", "CBM")
SIZE_MODELS = ("BR", "LSF", "CBM")
LAST_RECIPES = ("S+G", "L+S+G", "E+S+G", ALL_FOUR)
CHANCE = 1 / len(LAST_RECIPES)
SMALL_SHARE = 10.0
"""Per cent of its size that a model keeps at most, as the paper says."""
NEAR = 2.0
"""Points of F1 that are near."""

EVERYWHERE = (
    "holds if the difference is above zero in every pair, fails if it is significantly below (its 95 % interval leaves "
    "zero out) in most pairs, is mixed otherwise"
)
MOST = (
    "holds if the mean gain is above zero and the largest, and the gain is the largest on at least half of the "
    "datasets, fails if neither, is mixed otherwise"
)
TOGETHER = (
    "the claim holds if both hold, fails if both fail, is mixed otherwise, and a part that cannot be told is left out"
)


@dataclass(frozen=True)
class Claim:
    """A claim in our words, where the paper makes it, and by what rule it is judged."""

    number: int
    text: str
    where: str
    rule: str
    judge: Callable[[Found], Verdict]

    def verdict(self, rows: Iterable[Row]) -> Verdict:
        """Judge it by the rows; what was not run is left out and counted."""
        return self.judge(Found.of(rows))


def _support_and_gfm(found: Found) -> Verdict:
    pairs = pairs_of(found, JOINT_MODELS, ALL_FOUR, "L+E")
    return _verdict(1, f"{ALL_FOUR} less L+E", pairs, above_everywhere(pairs))


def _support_alone(found: Found) -> Verdict:
    pairs = pairs_of(found, ("BR", "PCC", "CBM"), "L+E+S", "L+E")
    return _verdict(2, "L+E+S less L+E", pairs, above_everywhere(pairs), helps_most(pairs, "BR"))


def _sizes(found: Found) -> Verdict:
    left = {
        (dataset, model): (features, size)
        for dataset in found.datasets
        for model in SIZE_MODELS
        if (features := shrunk(found, dataset, model, SIZES[0])) is not None
        if (size := shrunk(found, dataset, model, SIZES[1])) is not None
    }
    n = len(left)
    small = sum(size <= SMALL_SHARE for _, size in left.values())
    less = sum(features > size for features, size in left.values())
    parts = (
        Judged(share_word(small, n), f"At {SMALL_SHARE:g} % or less in {small} of {n} models."),
        Judged(share_word(less, n), f"Features fall less than size in {less} of {n}."),
    )
    missing = len(found.datasets) * len(SIZE_MODELS) - n
    figures = " ".join([*(part.sentence for part in parts), *([f"{missing} were not run."] if missing else [])])
    lines = tuple(tuple(map(Entry, (*key, f"{features:.2f}", f"{size:.2f}"))) for key, (features, size) in left.items())
    columns = ("data", "model", *(f"{name}, %" for name in SIZES))
    table = Table("claim_3", "L+S+G in per cent of S+G", columns, lines, n_headings=2)
    return Verdict(all_together(parts), figures, table)


def _crf_pairs(found: Found) -> Verdict:
    without, with_pairs = CRF_MODELS
    pairs = counts(
        pair(found, dataset, f"CRF {column}", (with_pairs, recipe), (without, recipe)) if recipe else None
        for dataset in found.datasets
        for column in GFM_COLUMNS
        for recipe in [pair_recipe(found, dataset, column)]
    )
    return _verdict(4, "CRF with pairs less CRF without", pairs, within_margin(pairs))


def _early_stopping(found: Found) -> Verdict:
    pairs = pairs_of(found, TABLE_2_MODELS, "E+S+G", "S+G")
    return _verdict(5, "E+S+G less S+G", pairs, helps_most(pairs, "CBM"))


def _lsf(found: Found) -> Verdict:
    lsf = ("LSF", ALL_FOUR)
    pairs = counts(
        pair(found, dataset, model, (model, ALL_FOUR), lsf)
        for dataset in found.datasets
        for model in ("BR", "PCC", "CBM")
    )
    best = counts(
        pair(found, dataset, f"best: {model}", (model, ALL_FOUR), lsf)
        for dataset in found.datasets
        for model in _best(found, dataset, JOINT_MODELS, ALL_FOUR)
    )
    judged = above_everywhere(pairs)
    told = f" The best joint less LSF: {mean(each.gain for each in best.there):+.2f} on average." if best.there else ""
    table = details("claim_6", f"Other models less LSF, {ALL_FOUR}", (*pairs.there, *best.there))
    return Verdict(judged.word, judged.sentence + told, table)


def _sampled_gfm(found: Found) -> Verdict:
    pairs = pairs_of(found, ("BR", "PCC", "CBM"), "L+E+G", "L+E")
    always = above_everywhere(pairs_of(found, ("BR", "PCC"), "L+E+G", "L+E"))
    gains = {model: mean(values) for model, values in gains_by_model(pairs).items()}
    less = Judged("cannot be told", "")
    if len(gains) == 3:
        told = ", ".join(f"{model} {value:+.2f}" for model, value in gains.items())
        less = Judged("holds" if gains["CBM"] < min(gains["BR"], gains["PCC"]) else "fails", f" Mean gains: {told}.")
    table = details("claim_7", "L+E+G less L+E", pairs.there)
    return Verdict(all_together([always, less]), f"BR and PCC: {always.sentence}{less.sentence}", table)


def _l1_by_dataset(found: Found) -> Verdict:
    pairs = pairs_of(found, TABLE_2_MODELS, "L+S+G", "S+G")
    return _verdict(8, "L+S+G less S+G", pairs, _more_by_dataset(pairs))


def _both_best(found: Found) -> Verdict:
    others = LAST_RECIPES[:-1]
    pairs: list[Pair | None] = []
    n_rows = first = 0
    for dataset in found.datasets:
        for model in TABLE_2_MODELS:
            shown = {recipe: found.percent(dataset, model, recipe) for recipe in LAST_RECIPES}
            ran = {recipe: round(value, 1) for recipe, value in shown.items() if value is not None}
            if len(ran) < len(LAST_RECIPES):
                pairs.append(None)
                continue
            n_rows += 1
            first += ran[ALL_FOUR] == max(ran.values())
            rival = max(others, key=lambda recipe: shown[recipe] or 0.0)
            pairs.append(pair(found, dataset, f"{model}, less {rival}", (model, ALL_FOUR), (model, rival)))
    word: Word = "holds" if first > MAJORITY * n_rows else "fails" if first <= CHANCE * n_rows else "mixed"
    every = counts(pairs)
    sentence = f"{ALL_FOUR} is the best of the four, or as good as it, in {first} of {n_rows} rows."
    table = details("claim_9", f"{ALL_FOUR} less the best of {', '.join(others)}", every.there)
    return Verdict(
        word if n_rows else "cannot be told", f"{sentence} Against the best of the others: {in_words(every)}", table
    )


def _br_is_near(found: Found) -> Verdict:
    gaps = {recipe: _gaps_of_br(found, recipe) for recipe in (NOTHING, ALL_FOUR)}
    now = {each.dataset: each.gain for each in gaps[ALL_FOUR]}
    before = {each.dataset: each.gain for each in gaps[NOTHING]}
    both = [dataset for dataset in now if dataset in before]
    near, closer = sum(gap <= NEAR for gap in now.values()), sum(now[dataset] < before[dataset] for dataset in both)
    is_near, is_closer = near > MAJORITY * len(now), closer > MAJORITY * len(both)
    word: Word = "holds" if is_near and is_closer else "mixed" if is_near or is_closer else "fails"
    sentence = f"Within {NEAR:g} points of the best, or above it, on {near} of {len(now)} datasets."
    if both:
        means = [mean(gap[dataset] for dataset in both) for gap in (before, now)]
        sentence += (
            f" The gap is smaller than with {NOTHING} on {closer} of {len(both)}; "
            f"on average it was {means[0]:.2f} and is {means[1]:.2f}."
        )
    if missing := len(found.datasets) - len(both):
        sentence += f" {missing} datasets were not run with both."
    table = details("claim_10", "The best other model less BR", (*gaps[NOTHING], *gaps[ALL_FOUR]))
    return Verdict(word if both else "cannot be told", sentence, table)


def _verdict(number: int, title: str, pairs: Pairs, *parts: Judged) -> Verdict:
    sentences = dict.fromkeys([*(part.sentence for part in parts if part.sentence), in_words(pairs)])
    return Verdict(all_together(parts), " ".join(sentences), details(f"claim_{number}", title, pairs.there))


def _more_by_dataset(pairs: Pairs) -> Judged:
    """Compare how much of the gains' variance is due to datasets and to models, with noise taken off."""
    gains = np.array(list(gains_by_model(pairs).values()))
    if gains.ndim < 2 or min(gains.shape) < 2:
        return Judged("cannot be told", "Too few models were run on the same datasets.")
    n_models, n_datasets = gains.shape
    by_model, by_dataset = gains.mean(axis=1), gains.mean(axis=0)
    rest = gains - by_model[:, None] - by_dataset + gains.mean()
    noise = np.sum(rest**2) / ((n_models - 1) * (n_datasets - 1))
    of_datasets = by_dataset.var(ddof=1) - noise / n_models
    of_models = by_model.var(ddof=1) - noise / n_datasets
    sentence = f"Variance of gains by dataset {of_datasets:.2f}, by model {of_models:.2f}, else {noise:.2f}."
    if max(of_datasets, of_models) <= 0:
        return Judged("cannot be told", sentence)
    return Judged("holds" if of_datasets > of_models else "fails", sentence)


def _best(found: Found, dataset: str, models: Iterable[str], recipe: str) -> list[str]:
    """Name the best of the models that were run, or none."""
    scores = {model: score for model in models if (score := found.percent(dataset, model, recipe)) is not None}
    return [max(scores, key=lambda model: scores[model])] if scores else []


def _gaps_of_br(found: Found, recipe: str) -> tuple[Pair, ...]:
    """Set the best of the other joint models beside BR, for every dataset."""
    return counts(
        pair(found, dataset, f"{model} less BR, {recipe}", (model, recipe), ("BR", recipe))
        for dataset in found.datasets
        for model in _best(found, dataset, [model for model in JOINT_MODELS if model != "BR"], recipe)
    ).there


CLAIMS = (
    Claim(
        1,
        "Support inference with GFM predicts better than the most probable set does, for every model on every dataset.",
        "Section 4.3, Table 4",
        f"{ALL_FOUR} against L+E, for BR, PCC, CRF and CBM: it {EVERYWHERE}.",
        _support_and_gfm,
    ),
    Claim(
        2,
        "Support inference alone improves consistently, and BR most of all.",
        "Section 4.3, Table 4",
        "L+E+S against L+E, for BR, PCC and CBM, since in a CRF both are the same. "
        f"Consistently: it {EVERYWHERE}. BR most: it {MOST}. Together: {TOGETHER}.",
        _support_alone,
    ),
    Claim(
        3,
        f"L1 leaves {SMALL_SHARE:g} % of a model's size at most, and features fall less than sizes do.",
        "Section 4.2, Table 3",
        "L+S+G against S+G, for BR, LSF and CBM. Each part holds if true of every model, fails if true of fewer than "
        f"half, is mixed otherwise. Together: {TOGETHER}.",
        _sizes,
    ),
    Claim(
        4,
        "Pairs of labels hardly matter in a CRF once it sums over the support.",
        "Section 4.3, Table 5",
        "The recipes of Table 5, with and without GFM: it holds if every mean difference is within "
        f"{EQUIVALENT} points, fails if most intervals are wholly outside of these, is mixed otherwise.",
        _crf_pairs,
    ),
    Claim(
        5,
        "Early stopping helps CBM most.",
        "Section 4.2, Table 2",
        f"E+S+G against S+G, for BR, LSF, PCC and CBM: it {MOST}.",
        _early_stopping,
    ),
    Claim(
        6,
        "Estimating labels with sizes directly, as LSF does, is worse than a joint with support inference and GFM.",
        "Section 3.2, Table 2",
        f"BR, PCC and CBM against LSF, all with {ALL_FOUR}: it {EVERYWHERE}. The best joint, by test F1, is told too.",
        _lsf,
    ),
    Claim(
        7,
        "GFM by samples always helps BR and PCC, and helps CBM less.",
        "Section 4.3, Table 4",
        f"L+E+G against L+E. Always: for BR and PCC it {EVERYWHERE}. Less: it holds if the mean gain of CBM is below "
        f"those of both, fails otherwise. Together: {TOGETHER}.",
        _sampled_gfm,
    ),
    Claim(
        8,
        "Whether L1 helps depends on the dataset more than on the model.",
        "Section 4.2, Table 2",
        "L+S+G against S+G, for BR, LSF, PCC and CBM on the datasets that all have: it holds if the variance of gains "
        "due to datasets (two-way analysis, what is neither's taken off) is above that due to models, fails "
        "otherwise; it cannot be told if neither is above zero.",
        _l1_by_dataset,
    ),
    Claim(
        9,
        "The best is typically had with L1 and early stopping both.",
        "Section 4.2, Table 2",
        f"Rows of Table 2 in which {ALL_FOUR} is the best of the last four columns, to the digit shown: it holds if "
        "these are more than half, fails if no more than the quarter that chance gives, is mixed otherwise.",
        _both_best,
    ),
    Claim(
        10,
        "With support inference and GFM, BR comes near the most sophisticated models.",
        "Section 1, Tables 2 and 4",
        f"The best of PCC, CRF and CBM, by test F1, less BR, with {ALL_FOUR} and with {NOTHING}, which CRF has "
        f"not. Near: within {NEAR:g} points on most datasets. Nearer: the gap is smaller than with {NOTHING} on most. "
        "It holds if both, fails if neither, is mixed otherwise.",
        _br_is_near,
    ),
)
