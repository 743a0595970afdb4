"""Rules that turn pairs into words."""

from __future__ import annotations

import pytest

from setwise.experiments.differences import Comparison, Difference
from setwise.experiments.results import Found
from setwise.experiments.verdicts import (
    Judged,
    Pair,
    Pairs,
    Word,
    above_everywhere,
    all_together,
    details,
    gains_by_model,
    helps_most,
    in_words,
    pair,
    pairs_of,
    share_word,
    within_margin,
)
from tests.experiments.examples import score, scores

SURELY_ABOVE, PERHAPS_ABOVE = (1.0, 0.5, 1.5), (0.2, -0.3, 0.7)
PERHAPS_BELOW, SURELY_BELOW = (-0.2, -0.7, 0.3), (-1.0, -1.5, -0.6)


def made(*differences: tuple[float, float, float], model: str = "BR") -> Pairs:
    return Pairs(
        tuple(
            Pair(f"set_{place}", model, Comparison(Difference(*each), 3, 2, 1, 0.5))
            for place, each in enumerate(differences)
        )
    )


@pytest.mark.parametrize(
    ("differences", "word"),
    [
        ([SURELY_ABOVE, PERHAPS_ABOVE], "holds"),
        ([SURELY_ABOVE, PERHAPS_BELOW], "mixed"),
        ([SURELY_ABOVE, SURELY_BELOW], "mixed"),
        ([PERHAPS_BELOW, PERHAPS_BELOW], "mixed"),
        ([SURELY_BELOW, SURELY_BELOW, SURELY_ABOVE], "fails"),
        ([(0.0, 0.0, 0.0)], "mixed"),
        ([], "cannot be told"),
    ],
)
def test_above_everywhere(differences: list[tuple[float, float, float]], word: Word) -> None:
    assert above_everywhere(made(*differences)).word == word


def test_what_is_significant_is_told_apart_from_what_is_not() -> None:
    pairs = made(SURELY_ABOVE, PERHAPS_ABOVE, PERHAPS_ABOVE, PERHAPS_BELOW, SURELY_BELOW)
    assert in_words(pairs) == "Above in 3 of 5 pairs (significantly in 1), below in 2 (significantly in 1)."


@pytest.mark.parametrize(
    ("differences", "word"),
    [
        ([PERHAPS_ABOVE, (0.1, -0.1, 0.3)], "holds"),
        ([PERHAPS_ABOVE, SURELY_ABOVE], "mixed"),
        ([SURELY_BELOW, (2.0, 1.0, 3.0), PERHAPS_ABOVE], "fails"),
        ([], "cannot be told"),
    ],
)
def test_within_margin(differences: list[tuple[float, float, float]], word: Word) -> None:
    assert within_margin(made(*differences)).word == word


@pytest.mark.parametrize(
    ("br", "cbm", "word"),
    [
        ([1.0, 1.0], [2.0, 1.5], "holds"),
        ([1.0, 1.0, 1.0], [9.0, 0.5, 0.5], "mixed"),
        ([1.0, 1.0, -9.0], [0.5, 0.5, 0.5], "mixed"),
        ([1.0, 1.0], [0.5, 0.5], "fails"),
        ([-2.0, -2.0, 3.0], [-1.0, -3.0, 0.0], "fails"),
        ([-2.0, -2.0], [-1.0, -1.0], "mixed"),
    ],
)
def test_helps_most(br: list[float], cbm: list[float], word: Word) -> None:
    pairs = [made(*[(gain, gain, gain) for gain in gains], model=name) for name, gains in (("BR", br), ("CBM", cbm))]
    assert helps_most(Pairs(pairs[0].there + pairs[1].there), "CBM").word == word


def test_helping_most_needs_others() -> None:
    assert helps_most(made(SURELY_ABOVE), "BR").word == "cannot be told"
    assert helps_most(made(SURELY_ABOVE), "CBM").word == "cannot be told"


def test_means_are_of_the_datasets_that_all_models_have() -> None:
    both = Pairs(made((1, 1, 1), (2, 2, 2), (3, 3, 3)).there + made((4, 4, 4), (5, 5, 5), model="CBM").there)
    assert gains_by_model(both) == {"BR": [1, 2], "CBM": [4, 5]}
    assert gains_by_model(Pairs(())) == {}


@pytest.mark.parametrize(
    ("n_true", "n", "word"),
    [(4, 4, "holds"), (3, 4, "mixed"), (2, 4, "mixed"), (1, 4, "fails"), (0, 0, "cannot be told")],
)
def test_share_word(n_true: int, n: int, word: Word) -> None:
    assert share_word(n_true, n) == word


@pytest.mark.parametrize(
    ("words", "together"),
    [
        (["holds", "holds"], "holds"),
        (["holds", "cannot be told"], "holds"),
        (["fails", "fails"], "fails"),
        (["holds", "fails"], "mixed"),
        (["mixed", "holds"], "mixed"),
        (["cannot be told"], "cannot be told"),
    ],
)
def test_parts_make_one_word(words: list[Word], together: Word) -> None:
    assert all_together([Judged(word, "") for word in words]) == together


def test_pairs_are_compared_document_by_document_over_the_mean_of_repeats() -> None:
    rows = [
        score("bibtex", "CBM", "All4", [60, 40, 30, 30], 0),
        score("bibtex", "CBM", "All4", [40, 40, 50, 30], 1),
        score("bibtex", "CBM", "L+E", [40, 40, 30, 40]),
    ]
    found = pair(Found.of(rows), "bibtex", "CBM", ("CBM", "All4"), ("CBM", "L+E"))
    assert found is not None
    assert found.gain == pytest.approx(2.5)
    assert (found.comparison.wins, found.comparison.losses, found.comparison.ties) == (2, 1, 1)


def test_what_was_not_run_is_counted_and_what_does_not_apply_is_not() -> None:
    rows = scores({("bibtex", "BR", "All4"): 45, ("bibtex", "BR", "L+E"): 40, ("enron", "BR", "L+E"): 60})
    pairs = pairs_of(Found.of(rows), ("BR", "PCC", "LSF"), "All4", "L+E")
    assert [(each.dataset, each.model) for each in pairs.there] == [("bibtex", "BR")]
    assert pairs.not_run == 3
    assert in_words(pairs) == (
        "Above in 1 of 1 pairs (significantly in 1), below in 0 (significantly in 0). 3 pairs were not run."
    )


def test_details_have_a_row_a_pair() -> None:
    table = details("name", "Title", made(SURELY_ABOVE).there)
    assert [entry.text for entry in table.rows[0]] == ["set_0", "BR", "+1.00", "+0.50 to +1.50", "3 / 2 / 1", "0.500"]
    tiny = Pair("set", "BR", Comparison(Difference(*SURELY_ABOVE), 99, 0, 0, 1e-20))
    assert details("name", "Title", [tiny]).rows[0][-1].text == "< 0.001"
