"""The rules that turn pairs into outcomes."""

from __future__ import annotations

import pytest

from reproduction.paper import (
    Comparison,
    Outcome,
    Pair,
    Pairs,
    PartVerdict,
    above_everywhere,
    collect,
    combined_outcome,
    depends_on_dataset,
    describe,
    gains_by_model,
    gains_most,
    share_outcome,
    within_margin,
)
from setwise.metrics import Difference

Interval = tuple[float, float, float]
SURELY_ABOVE, PERHAPS_ABOVE = (1.0, 0.5, 1.5), (0.2, -0.3, 0.7)
PERHAPS_BELOW, SURELY_BELOW = (-0.2, -0.7, 0.3), (-1.0, -1.5, -0.6)


def pairs_with(*differences: Interval, model: str = "BR") -> Pairs:
    """Return one pair per difference, which is a mean and its interval."""
    return Pairs(
        tuple(
            Pair(f"set_{place}", model, Comparison(Difference(*interval), 3, 2, 1, 0.5))
            for place, interval in enumerate(differences)
        )
    )


def gains(**values: list[float]) -> Pairs:
    """Return the pairs in which each model gains so much on each dataset."""
    models = [pairs_with(*[(gain, gain, gain) for gain in each], model=name) for name, each in values.items()]
    return Pairs(tuple(pair for pairs in models for pair in pairs.compared))


@pytest.mark.parametrize(
    ("differences", "outcome"),
    [
        ([SURELY_ABOVE, PERHAPS_ABOVE], "holds"),
        ([SURELY_ABOVE, PERHAPS_BELOW], "mixed"),
        ([SURELY_ABOVE, SURELY_BELOW], "mixed"),
        ([PERHAPS_BELOW, PERHAPS_BELOW], "mixed"),
        ([SURELY_BELOW, SURELY_BELOW, SURELY_ABOVE], "fails"),
        ([(0.0, 0.0, 0.0)], "mixed"),
        ([], "undecided"),
    ],
)
def test_above_everywhere(differences: list[Interval], outcome: Outcome) -> None:
    assert above_everywhere(pairs_with(*differences)).outcome == outcome


def test_significant_pairs_are_counted_separately() -> None:
    pairs = pairs_with(SURELY_ABOVE, PERHAPS_ABOVE, PERHAPS_ABOVE, PERHAPS_BELOW, SURELY_BELOW)
    assert describe(pairs) == "Above in 3 of 5 pairs (significantly in 1), below in 2 (significantly in 1)."


def test_pairs_that_were_not_run_are_counted() -> None:
    (pair,) = pairs_with(SURELY_ABOVE).compared
    assert collect([None, pair, None]) == Pairs((pair,), 2)
    assert describe(collect([None, pair, None])).endswith(" 2 pairs were not run.")
    assert describe(collect([None])) == "No pair was run. 1 pairs were not run."


@pytest.mark.parametrize(
    ("differences", "outcome"),
    [
        ([PERHAPS_ABOVE, (0.1, -0.1, 0.3)], "holds"),
        ([PERHAPS_ABOVE, SURELY_ABOVE], "mixed"),
        ([SURELY_BELOW, (2.0, 1.0, 3.0), PERHAPS_ABOVE], "fails"),
        ([], "undecided"),
    ],
)
def test_within_margin(differences: list[Interval], outcome: Outcome) -> None:
    assert within_margin(pairs_with(*differences)).outcome == outcome


@pytest.mark.parametrize(
    ("br", "cbm", "outcome"),
    [
        ([1.0, 1.0], [2.0, 1.5], "holds"),
        ([1.0, 1.0, 1.0], [9.0, 0.5, 0.5], "mixed"),
        ([1.0, 1.0, -9.0], [0.5, 0.5, 0.5], "mixed"),
        ([1.0, 1.0], [0.5, 0.5], "fails"),
        ([-2.0, -2.0, 3.0], [-1.0, -3.0, 0.0], "fails"),
        ([-2.0, -2.0], [-1.0, -1.0], "mixed"),
    ],
)
def test_gains_most(br: list[float], cbm: list[float], outcome: Outcome) -> None:
    assert gains_most(gains(BR=br, CBM=cbm), "CBM").outcome == outcome


def test_gaining_most_needs_other_models() -> None:
    assert gains_most(pairs_with(SURELY_ABOVE), "BR").outcome == "undecided"
    assert gains_most(pairs_with(SURELY_ABOVE), "CBM").outcome == "undecided"


def test_means_are_over_the_datasets_that_all_models_have() -> None:
    assert gains_by_model(gains(BR=[1, 2, 3], CBM=[4, 5])) == {"BR": [1, 2], "CBM": [4, 5]}
    assert gains_by_model(Pairs(())) == {}


def test_the_variance_is_divided_between_datasets_models_and_the_rest() -> None:
    """Means by dataset 0.5, 2.5, 4.5 and by model 2, 3; the residuals are 0, 1, -1 and their negatives."""
    part = depends_on_dataset(gains(BR=[0, 3, 3], PCC=[1, 2, 6]))
    assert part == PartVerdict("holds", "Variance of the gains: 3.00 by dataset, -0.17 by model, 2.00 residual.")


@pytest.mark.parametrize(
    ("n_true", "n", "outcome"),
    [(4, 4, "holds"), (3, 4, "mixed"), (2, 4, "mixed"), (1, 4, "fails"), (0, 0, "undecided")],
)
def test_share_outcome(n_true: int, n: int, outcome: Outcome) -> None:
    assert share_outcome(n_true, n) == outcome


@pytest.mark.parametrize(
    ("outcomes", "combined"),
    [
        (["holds", "holds"], "holds"),
        (["holds", "undecided"], "holds"),
        (["fails", "fails"], "fails"),
        (["holds", "fails"], "mixed"),
        (["mixed", "holds"], "mixed"),
        (["undecided"], "undecided"),
    ],
)
def test_combined_outcome(outcomes: list[Outcome], combined: Outcome) -> None:
    assert combined_outcome([PartVerdict(outcome, "") for outcome in outcomes]) == combined
