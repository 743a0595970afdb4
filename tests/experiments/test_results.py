"""Rows put in order."""

from __future__ import annotations

from setwise.experiments.results import Found
from tests.experiments.examples import corpus, heat, score


def test_datasets_are_in_the_order_of_the_paper_then_by_name() -> None:
    rows = [corpus("zoo"), score("bibtex", "BR", "All4", 40), corpus("apes"), heat("medical_raw"), corpus("goemotions")]
    assert Found.of(rows).datasets == ("medical_raw", "bibtex", "goemotions", "apes", "zoo")


def test_repeats_are_gathered_in_their_order() -> None:
    found = Found.of([score("bibtex", "CBM", "All4", 40 + repeat, repeat) for repeat in (2, 0, 1)])
    assert [row.repeat for row in found.repeats("bibtex", "CBM", "All4")] == [0, 1, 2]
    assert found.percent("bibtex", "CBM", "All4") == 41
    assert found.percent("bibtex", "CBM", "L+E") is None


def test_a_dash_has_a_reason() -> None:
    found = Found.of([score("bibtex", "BR", "All4", 40)])
    assert found.why_not("bibtex", "BR", "All4") is None
    assert found.why_not("bibtex", "PCC", "All4") == "not run"
    assert "support" in str(found.why_not("bibtex", "CRF", "No REG"))
