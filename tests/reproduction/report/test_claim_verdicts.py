"""Verdicts on rows that make a claim hold, fail or be mixed; first of all on the paper's own numbers."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

import pytest

from reproduction.paper import CLAIMS, Comparison, Outcome, Pair, describe
from reproduction.report import Verdict, compare_pair, compare_recipes, details_table, verdict_of
from reproduction.run import Results, Row
from setwise.metrics import Difference
from tests.reproduction.examples import every_kind, paper_rows, score, scores

DATASETS = ("bibtex", "enron", "medical")
Levels = Mapping[tuple[str, str], float]


def verdict(number: int, rows: list[Row]) -> Verdict:
    (claim,) = [claim for claim in CLAIMS if claim.number == number]
    return verdict_of(claim, rows)


def rows_of(levels: Mapping[str, Levels]) -> list[Row]:
    """Return rows with these levels by dataset, then by model and recipe."""
    return scores({(name, *key): level for name, of_dataset in levels.items() for key, level in of_dataset.items()})


def gaining(recipe: str, against: str, gains: Mapping[str, list[float]]) -> list[Row]:
    """Return rows in which each model gains so much on each dataset."""
    levels: dict[tuple[str, str, str], float] = {}
    for model, values in gains.items():
        for name, value in zip(DATASETS, values, strict=False):
            levels |= {(name, model, against): 50.0, (name, model, recipe): 50.0 + value}
    return scores(levels)


@pytest.mark.parametrize(
    ("number", "outcome", "numbers"),
    [
        (1, "holds", "Above in 36 of 36 pairs"),
        (2, "mixed", "BR +2.93, PCC +1.44, CBM +1.26; BR gains most on 5 of 9"),
        (3, "mixed", "At most 10 % is left of 19 of 27 models. Features shrink less than size in 27 of 27."),
        (4, "mixed", "within 0.5 points in 13 of 18 pairs"),
        (5, "holds", "BR +0.33, LSF +0.20, PCC -0.08, CBM +0.76; CBM gains most on 5 of 9"),
        (6, "mixed", "below in 2 (significantly in 2)"),
        (7, "holds", "BR +0.71, PCC +1.18, CBM -1.43"),
        (8, "holds", "Variance of the gains: "),
        (9, "holds", "in 25 of 36 rows"),
        (10, "mixed", "on 4 of 9 datasets. The gap is smaller than with No REG on 6 of 9"),
    ],
)
def test_the_numbers_of_the_paper(number: int, outcome: Outcome, numbers: str) -> None:
    result = verdict(number, paper_rows())
    assert numbers in result.numbers
    assert result.outcome == outcome


@pytest.mark.parametrize(
    ("number", "rows", "outcome"),
    [
        (1, gaining("All4", "L+E", {"BR": [-1, -1], "CRF": [-1, 1]}), "fails"),
        (1, gaining("All4", "L+E", {"BR": [1, -1], "CRF": [1, 1]}), "mixed"),
        (2, gaining("L+E+S", "L+E", {"BR": [2, 2], "PCC": [1, 1], "CBM": [1, 1]}), "holds"),
        (2, gaining("L+E+S", "L+E", {"BR": [-2, -2], "PCC": [-1, -1], "CBM": [-1, 1]}), "fails"),
        (2, gaining("L+E+S", "L+E", {"BR": [1, 1], "PCC": [2, 2], "CBM": [2, 2]}), "mixed"),
        (4, gaining("E+S", "", {}), "undecided"),
        (5, gaining("E+S+G", "S+G", {"BR": [2, 2], "CBM": [1, 1]}), "fails"),
        (5, gaining("E+S+G", "S+G", {"BR": [1, 1, 1], "CBM": [9, 0, 0]}), "mixed"),
        (7, gaining("L+E+G", "L+E", {"BR": [2, 2], "PCC": [1, 1], "CBM": [3, 3]}), "mixed"),
        (7, gaining("L+E+G", "L+E", {"BR": [-2, -2], "PCC": [-1, -1], "CBM": [0, 0]}), "fails"),
        (8, gaining("L+S+G", "S+G", {"BR": [1, 2, 3], "PCC": [1.1, 2, 3.1], "CBM": [0.9, 2.1, 3]}), "holds"),
        (8, gaining("L+S+G", "S+G", {"BR": [1, 1.1, 1], "PCC": [2, 2.1, 2.1], "CBM": [3, 3, 3.1]}), "fails"),
        (8, gaining("L+S+G", "S+G", {"BR": [1, -1], "PCC": [-1, 1]}), "undecided"),
        (8, gaining("L+S+G", "S+G", {"BR": [1, -1]}), "undecided"),
    ],
)
def test_gains_that_hold_fail_and_are_mixed(number: int, rows: list[Row], outcome: Outcome) -> None:
    assert verdict(number, rows).outcome == outcome


@pytest.mark.parametrize(
    ("sizes", "outcome"),
    [([(900, 90), (500, 50)], "holds"), ([(900, 90), (500, 150)], "mixed"), ([(90, 900), (100, 150)], "fails")],
)
def test_sizes_in_thousandths(sizes: list[tuple[int, int]], outcome: Outcome) -> None:
    rows: list[Row] = []
    for name, (features, size) in zip(DATASETS, sizes, strict=False):
        rows += [
            score(name, "BR", "S+G", 50, n_features_used=1000, n_bytes=1000),
            score(name, "BR", "L+S+G", 50, n_features_used=features, n_bytes=size),
        ]
    result = verdict(3, rows)
    assert result.outcome == outcome
    assert "4 were not run" in result.numbers
    assert len(result.details.rows) == 2


@pytest.mark.parametrize(
    ("differences", "outcome"), [([0.4, -0.4], "holds"), ([0.4, 2.0], "mixed"), ([2.0, -2.0], "fails")]
)
def test_pairs_of_a_crf(differences: list[float], outcome: Outcome) -> None:
    levels = {
        name: {("CRF", "E+S+G"): 50 + value, ("CRF without pairs", "E+S+G"): 50.0}
        for name, value in zip(DATASETS, differences, strict=False)
    }
    result = verdict(4, rows_of(levels))
    assert result.outcome == outcome
    assert "2 pairs were not run" in result.numbers


@pytest.mark.parametrize(("lsf", "outcome"), [(40.0, "holds"), (50.5, "mixed"), (60.0, "fails")])
def test_lsf_against_joint_models(lsf: float, outcome: Outcome) -> None:
    levels = {("BR", "All4"): 50.0, ("PCC", "All4"): 51.0, ("CBM", "All4"): 52.0, ("CRF", "All4"): 53.0}
    result = verdict(6, rows_of({"bibtex": levels | {("LSF", "All4"): lsf}}))
    assert result.outcome == outcome
    assert [entry.text for entry in result.details.rows[-1]][:3] == ["bibtex", "best: CRF", f"{53 - lsf:+.2f}"]


@pytest.mark.parametrize(("n_best", "outcome"), [(3, "holds"), (2, "mixed"), (1, "fails")])
def test_rows_in_which_all_four_are_best(n_best: int, outcome: Outcome) -> None:
    """Of four rows; a tie to the digit shown counts."""
    rows: list[Row] = []
    for place, (name, model) in enumerate(product(("bibtex", "enron"), ("BR", "PCC"))):
        levels = {"S+G": 50.0, "L+S+G": 51.0, "E+S+G": 52.0, "All4": 51.98 if place < n_best else 49.0}
        rows += scores({(name, model, recipe): level for recipe, level in levels.items()})
    result = verdict(9, rows)
    assert result.outcome == outcome
    assert result.details.rows[0][1].text == "BR, minus E+S+G"
    assert "4 pairs were not run" in result.numbers


@pytest.mark.parametrize(
    ("before", "now", "outcome"),
    [(40.0, 49.0, "holds"), (40.0, 45.0, "mixed"), (49.5, 49.0, "mixed"), (45.0, 40.0, "fails")],
)
def test_br_against_the_best(before: float, now: float, outcome: Outcome) -> None:
    levels = {("BR", "No REG"): before, ("PCC", "No REG"): 50.0, ("BR", "All4"): now, ("CRF", "All4"): 50.0}
    result = verdict(10, rows_of({"bibtex": levels, "enron": {("BR", "All4"): 60.0}}))
    assert result.outcome == outcome
    assert result.numbers.endswith("1 datasets were not run with both.")


def test_without_rows_every_claim_is_undecided() -> None:
    assert {verdict_of(claim, []).outcome for claim in CLAIMS} == {"undecided"}


def test_every_claim_has_a_text_a_rule_and_details() -> None:
    assert [claim.number for claim in CLAIMS] == list(range(1, len(CLAIMS) + 1))
    rows = [*every_kind("bibtex"), *every_kind("enron")]
    for claim in CLAIMS:
        result = verdict_of(claim, rows)
        assert all([claim.text, claim.rule, claim.where])
        assert result.details.name == f"claim_{claim.number}"
        assert result.details.rows


def test_documents_are_compared_by_their_mean_over_repeats() -> None:
    rows = [
        score("bibtex", "CBM", "All4", [60, 40, 30, 30], 0),
        score("bibtex", "CBM", "All4", [40, 40, 50, 30], 1),
        score("bibtex", "CBM", "L+E", [40, 40, 30, 40]),
    ]
    pair = compare_pair(Results.of(rows), "bibtex", "CBM", ("CBM", "All4"), ("CBM", "L+E"))
    assert pair is not None
    assert pair.gain == pytest.approx(2.5)
    assert (pair.comparison.wins, pair.comparison.losses, pair.comparison.ties) == (2, 1, 1)


def test_pairs_that_were_not_run_are_counted_and_those_that_do_not_apply_are_not() -> None:
    rows = scores({("bibtex", "BR", "All4"): 45, ("bibtex", "BR", "L+E"): 40, ("enron", "BR", "L+E"): 60})
    pairs = compare_recipes(Results.of(rows), ("BR", "PCC", "LSF"), "All4", "L+E")
    assert [(pair.dataset, pair.model) for pair in pairs.compared] == [("bibtex", "BR")]
    assert pairs.n_not_run == 3
    assert describe(pairs) == (
        "Above in 1 of 1 pairs (significantly in 1), below in 0 (significantly in 0). 3 pairs were not run."
    )


def test_details_have_one_row_per_pair() -> None:
    pairs = [Pair("set", "BR", Comparison(Difference(1.0, 0.5, 1.5), 3, 2, 1, p)) for p in (0.5, 1e-20)]
    first, second = details_table("name", "Title", pairs).rows
    assert [entry.text for entry in first] == ["set", "BR", "+1.00", "+0.50 to +1.50", "3 / 2 / 1", "0.500"]
    assert second[-1].text == "< 0.001"
