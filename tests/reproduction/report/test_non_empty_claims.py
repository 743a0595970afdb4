"""The claims about CBM with the empty set excluded."""

from __future__ import annotations

from reproduction.paper import CBM_NON_EMPTY, CLAIMS
from reproduction.report import NON_EMPTY_CLAIMS, non_empty_claims_table, verdict_of, with_non_empty_cbm
from reproduction.run import Results, Row
from tests.reproduction.examples import every_kind, score


def rows(level: float) -> list[Row]:
    """Return a dataset with CBM without the empty set, and one that lacks it."""
    non_empty: list[Row] = [score("bibtex", CBM_NON_EMPTY, recipe, level) for recipe in ("No REG", "L+E")]
    return [*every_kind("bibtex"), *every_kind("enron"), *non_empty, score("enron", CBM_NON_EMPTY, "L+E", level)]


def test_only_the_most_probable_sets_are_exchanged() -> None:
    before, after = Results.of(rows(70)), Results.of(with_non_empty_cbm(rows(70)))
    assert after.datasets == ("bibtex",)
    for recipe in ("No REG", "L+E"):
        assert after.percents("bibtex", "CBM", recipe) == [70]
    assert after.percents("bibtex", "CBM", "All4") == before.percents("bibtex", "CBM", "All4")
    assert after.percents("bibtex", "BR", "L+E") == before.percents("bibtex", "BR", "L+E")


def test_the_claims_are_judged_by_the_same_rules() -> None:
    for level in (10.0, 90.0):
        table = non_empty_claims_table(rows(level))
        assert [row[0].text for row in table.rows] == [str(number) for number in NON_EMPTY_CLAIMS]
        for claim, row in zip([CLAIMS[number - 1] for number in NON_EMPTY_CLAIMS], table.rows, strict=True):
            now = verdict_of(claim, with_non_empty_cbm(rows(level)))
            assert [entry.text for entry in row[1:]] == [
                claim.text,
                verdict_of(claim, rows(level)).outcome,
                now.outcome,
                now.numbers,
            ]
    assert "(bibtex)" in non_empty_claims_table(rows(10)).text


def test_without_such_rows_nothing_is_decided() -> None:
    table = non_empty_claims_table(every_kind("bibtex"))
    assert {row[3].text for row in table.rows} == {"undecided"}
    assert "(none yet)" in table.text
