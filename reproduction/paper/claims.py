"""The paper's claims in our words, and the rules that test them, which were fixed before any result was seen."""

from __future__ import annotations

from dataclasses import dataclass

from reproduction.paper.recipes import ALL_FOUR, NO_REG
from reproduction.paper.verdicts import EQUIVALENCE_MARGIN

__all__ = [
    "ALL_FOUR_COLUMNS",
    "CLAIMS",
    "CLOSE",
    "JOINT_MODELS",
    "LARGEST_SHARE",
    "SHRUNK_MODELS",
    "TABLE_2_MODELS",
    "Claim",
]

JOINT_MODELS = ("BR", "PCC", "CRF", "CBM")
TABLE_2_MODELS = ("BR", "LSF", "PCC", "CBM")
SHRUNK_MODELS = ("BR", "LSF", "CBM")
"""The models of claim 3."""
ALL_FOUR_COLUMNS = ("S+G", "L+S+G", "E+S+G", ALL_FOUR)
"""The columns of Table 2 that claim 9 compares."""
LARGEST_SHARE = 10.0
"""Largest share of its size, in percent, that L1 leaves of a model, according to claim 3."""
CLOSE = 2.0
"""Points of F1 within which claim 10 calls two models close."""

_EVERYWHERE = (
    "holds if the difference is above zero in every pair, fails if it is significantly below zero (its 95 % interval "
    "does not contain zero) in most pairs, and is mixed otherwise"
)
_MOST = (
    "holds if the mean gain is positive and the largest, and the gain is the largest on at least half of the datasets, "
    "fails if neither is true, and is mixed otherwise"
)
_COMBINED = (
    "the claim holds if both parts hold, fails if both fail, and is mixed otherwise; an undecided part is left out"
)


@dataclass(frozen=True)
class Claim:
    """A claim in our words, where the paper makes it, and the rule that tests it."""

    number: int
    text: str
    where: str
    rule: str


CLAIMS = (
    Claim(
        1,
        "Support inference with GFM predicts better than the most probable set, for every model on every dataset.",
        "Section 4.3, Table 4",
        f"{ALL_FOUR} against L+E, for BR, PCC, CRF and CBM: it {_EVERYWHERE}.",
    ),
    Claim(
        2,
        "Support inference alone improves consistently, and BR most of all.",
        "Section 4.3, Table 4",
        "L+E+S against L+E, for BR, PCC and CBM, because for a CRF the two are the same. "
        f"Consistently: it {_EVERYWHERE}. BR most: it {_MOST}. Combined: {_COMBINED}.",
    ),
    Claim(
        3,
        f"L1 leaves at most {LARGEST_SHARE:g} % of a model's size, and features shrink less than sizes.",
        "Section 4.2, Table 3",
        "L+S+G against S+G, for BR, LSF and CBM. Each part holds if it is true of every model, fails if it is true of "
        f"fewer than half, and is mixed otherwise. Combined: {_COMBINED}.",
    ),
    Claim(
        4,
        "Label pairs hardly matter in a CRF once it sums over the support.",
        "Section 4.3, Table 5",
        "The recipes of Table 5, with and without GFM: it holds if every mean difference is within "
        f"{EQUIVALENCE_MARGIN} points, fails if most intervals are entirely outside this margin, and is mixed "
        "otherwise.",
    ),
    Claim(
        5,
        "Early stopping helps CBM most.",
        "Section 4.2, Table 2",
        f"E+S+G against S+G, for BR, LSF, PCC and CBM: it {_MOST}.",
    ),
    Claim(
        6,
        "Estimating labels and sizes directly, as LSF does, is worse than a joint model with support inference and "
        "GFM.",
        "Section 3.2, Table 2",
        f"BR, PCC and CBM against LSF, all with {ALL_FOUR}: it {_EVERYWHERE}. The best joint model by test F1 is shown "
        "too.",
    ),
    Claim(
        7,
        "GFM on samples always helps BR and PCC, and helps CBM less.",
        "Section 4.3, Table 4",
        f"L+E+G against L+E. Always: for BR and PCC it {_EVERYWHERE}. Less: it holds if the mean gain of CBM is below "
        f"those of both, and fails otherwise. Combined: {_COMBINED}.",
    ),
    Claim(
        8,
        "Whether L1 helps depends on the dataset more than on the model.",
        "Section 4.2, Table 2",
        "L+S+G against S+G, for BR, LSF, PCC and CBM on the datasets that all of them have: it holds if datasets "
        "explain more variance of the gains than models do (two-way analysis, residual variance subtracted), and fails "
        "otherwise; it is undecided if neither variance is positive.",
    ),
    Claim(
        9,
        "The best result typically needs both L1 and early stopping.",
        "Section 4.2, Table 2",
        f"Rows of Table 2 in which {ALL_FOUR} is the best of the last four columns, to the digit shown: it holds if "
        "these are more than half, fails if they are at most the quarter expected by chance, and is mixed otherwise.",
    ),
    Claim(
        10,
        "With support inference and GFM, BR comes close to the most sophisticated models.",
        "Section 1, Tables 2 and 4",
        f"The best of PCC, CRF and CBM, by test F1, minus BR, with {ALL_FOUR} and with {NO_REG}, which CRF does not "
        f"have. Close: within {CLOSE:g} points on most datasets. Closer: the gap is smaller than with {NO_REG} on "
        "most. It holds if both are true, fails if neither is, and is mixed otherwise.",
    ),
)
