"""Claims judged by rows that are made to hold, to fail and to be mixed; first of all by the paper's own figures."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

import pytest

from setwise.experiments.claims import CLAIMS
from setwise.experiments.rows import Row
from setwise.experiments.verdicts import Verdict, Word
from tests.experiments.examples import as_the_paper, every_kind, score, scores

SETS = ("bibtex", "enron", "medical")
Levels = Mapping[tuple[str, str], float]


def judged(number: int, rows: list[Row]) -> Verdict:
    (claim,) = [claim for claim in CLAIMS if claim.number == number]
    return claim.verdict(rows)


def on(levels: Mapping[str, Levels]) -> list[Row]:
    """Rows of each dataset's levels by model and recipe."""
    return scores({(name, *key): level for name, of_set in levels.items() for key, level in of_set.items()})


def gaining(recipe: str, against: str, gains: Mapping[str, list[float]]) -> list[Row]:
    """Rows in which each model gains so much, dataset by dataset."""
    levels: dict[tuple[str, str, str], float] = {}
    for model, values in gains.items():
        for name, value in zip(SETS, values, strict=False):
            levels |= {(name, model, against): 50.0, (name, model, recipe): 50.0 + value}
    return scores(levels)


@pytest.mark.parametrize(
    ("number", "word", "told"),
    [
        (1, "holds", "Above in 36 of 36 pairs"),
        (2, "mixed", "BR +2.93, PCC +1.44, CBM +1.26; BR gains most on 5 of 9"),
        (3, "mixed", "At 10 % or less in 19 of 27 models. Features fall less than size in 27 of 27."),
        (4, "mixed", "Within 0.5 points in 13 of 18 pairs"),
        (5, "holds", "BR +0.33, LSF +0.20, PCC -0.08, CBM +0.76; CBM gains most on 5 of 9"),
        (6, "mixed", "below in 2 (significantly in 2)"),
        (7, "holds", "BR +0.71, PCC +1.18, CBM -1.43"),
        (8, "holds", "Variance of gains by dataset"),
        (9, "holds", "in 25 of 36 rows"),
        (10, "mixed", "on 4 of 9 datasets. The gap is smaller than with No REG on 6 of 9"),
    ],
)
def test_the_papers_own_figures(number: int, word: Word, told: str) -> None:
    found = judged(number, as_the_paper())
    assert told in found.figures
    assert found.word == word


@pytest.mark.parametrize(
    ("number", "rows", "word"),
    [
        (1, gaining("All4", "L+E", {"BR": [-1, -1], "CRF": [-1, 1]}), "fails"),
        (1, gaining("All4", "L+E", {"BR": [1, -1], "CRF": [1, 1]}), "mixed"),
        (2, gaining("L+E+S", "L+E", {"BR": [2, 2], "PCC": [1, 1], "CBM": [1, 1]}), "holds"),
        (2, gaining("L+E+S", "L+E", {"BR": [-2, -2], "PCC": [-1, -1], "CBM": [-1, 1]}), "fails"),
        (2, gaining("L+E+S", "L+E", {"BR": [1, 1], "PCC": [2, 2], "CBM": [2, 2]}), "mixed"),
        (4, gaining("E+S", "", {}), "cannot be told"),
        (5, gaining("E+S+G", "S+G", {"BR": [2, 2], "CBM": [1, 1]}), "fails"),
        (5, gaining("E+S+G", "S+G", {"BR": [1, 1, 1], "CBM": [9, 0, 0]}), "mixed"),
        (7, gaining("L+E+G", "L+E", {"BR": [2, 2], "PCC": [1, 1], "CBM": [3, 3]}), "mixed"),
        (7, gaining("L+E+G", "L+E", {"BR": [-2, -2], "PCC": [-1, -1], "CBM": [0, 0]}), "fails"),
        (8, gaining("L+S+G", "S+G", {"BR": [1, 2, 3], "PCC": [1.1, 2, 3.1], "CBM": [0.9, 2.1, 3]}), "holds"),
        (8, gaining("L+S+G", "S+G", {"BR": [1, 1.1, 1], "PCC": [2, 2.1, 2.1], "CBM": [3, 3, 3.1]}), "fails"),
        (8, gaining("L+S+G", "S+G", {"BR": [1, -1], "PCC": [-1, 1]}), "cannot be told"),
        (8, gaining("L+S+G", "S+G", {"BR": [1, -1]}), "cannot be told"),
    ],
)
def test_gains_that_hold_fail_and_are_mixed(number: int, rows: list[Row], word: Word) -> None:
    assert judged(number, rows).word == word


@pytest.mark.parametrize(
    ("sizes", "word"),
    [([(900, 90), (500, 50)], "holds"), ([(900, 90), (500, 150)], "mixed"), ([(90, 900), (100, 150)], "fails")],
)
def test_sizes_in_thousandths(sizes: list[tuple[int, int]], word: Word) -> None:
    rows: list[Row] = []
    for name, (features, size) in zip(SETS, sizes, strict=False):
        rows += [
            score(name, "BR", "S+G", 50, n_features_used=1000, n_bytes=1000),
            score(name, "BR", "L+S+G", 50, n_features_used=features, n_bytes=size),
        ]
    found = judged(3, rows)
    assert found.word == word
    assert "4 were not run" in found.figures
    assert len(found.details.rows) == 2


@pytest.mark.parametrize(("apart", "word"), [([0.4, -0.4], "holds"), ([0.4, 2.0], "mixed"), ([2.0, -2.0], "fails")])
def test_pairs_of_a_crf(apart: list[float], word: Word) -> None:
    levels = {
        name: {("CRF", "E+S+G"): 50 + value, ("CRF without pairs", "E+S+G"): 50.0}
        for name, value in zip(SETS, apart, strict=False)
    }
    found = judged(4, on(levels))
    assert found.word == word
    assert "2 pairs were not run" in found.figures


@pytest.mark.parametrize(("lsf", "word"), [(40.0, "holds"), (50.5, "mixed"), (60.0, "fails")])
def test_lsf_beside_joints(lsf: float, word: Word) -> None:
    levels = {("BR", "All4"): 50.0, ("PCC", "All4"): 51.0, ("CBM", "All4"): 52.0, ("CRF", "All4"): 53.0}
    found = judged(6, on({"bibtex": levels | {("LSF", "All4"): lsf}}))
    assert found.word == word
    assert [entry.text for entry in found.details.rows[-1]][:3] == ["bibtex", "best: CRF", f"{53 - lsf:+.2f}"]


@pytest.mark.parametrize(("n_best", "word"), [(3, "holds"), (2, "mixed"), (1, "fails")])
def test_rows_in_which_all_four_are_best(n_best: int, word: Word) -> None:
    """Of four rows; a tie to the digit shown counts."""
    rows: list[Row] = []
    for place, (name, model) in enumerate(product(("bibtex", "enron"), ("BR", "PCC"))):
        levels = {"S+G": 50.0, "L+S+G": 51.0, "E+S+G": 52.0, "All4": 51.98 if place < n_best else 49.0}
        rows += scores({(name, model, recipe): level for recipe, level in levels.items()})
    found = judged(9, rows)
    assert found.word == word
    assert found.details.rows[0][1].text == "BR, less E+S+G"
    assert "4 pairs were not run" in found.figures


@pytest.mark.parametrize(
    ("before", "now", "word"),
    [(40.0, 49.0, "holds"), (40.0, 45.0, "mixed"), (49.5, 49.0, "mixed"), (45.0, 40.0, "fails")],
)
def test_br_beside_the_best(before: float, now: float, word: Word) -> None:
    levels = {("BR", "No REG"): before, ("PCC", "No REG"): 50.0, ("BR", "All4"): now, ("CRF", "All4"): 50.0}
    found = judged(10, on({"bibtex": levels, "enron": {("BR", "All4"): 60.0}}))
    assert found.word == word
    assert found.figures.endswith("1 datasets were not run with both.")


def test_variance_is_parted_between_datasets_models_and_the_rest() -> None:
    """Means by dataset 0.5, 2.5, 4.5 and by model 2, 3; what neither tells is 0, 1, -1 and the negative of these."""
    found = judged(8, gaining("L+S+G", "S+G", {"BR": [0, 3, 3], "PCC": [1, 2, 6]}))
    assert found.figures.startswith("Variance of gains by dataset 3.00, by model -0.17, else 2.00.")


def test_nothing_run_is_nothing_told() -> None:
    assert {claim.verdict([]).word for claim in CLAIMS} == {"cannot be told"}


def test_every_claim_says_what_it_is_and_has_details() -> None:
    assert [claim.number for claim in CLAIMS] == list(range(1, len(CLAIMS) + 1))
    rows = [*every_kind("bibtex"), *every_kind("enron")]
    for claim in CLAIMS:
        found = claim.verdict(rows)
        assert all([claim.text, claim.rule, claim.where])
        assert found.details.name == f"claim_{claim.number}"
        assert found.details.rows
