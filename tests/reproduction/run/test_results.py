"""Rows, sorted."""

from __future__ import annotations

import pytest

from reproduction.run import Results, Row
from tests.reproduction.examples import corpus, heat, score


def test_datasets_are_in_the_order_of_the_paper_then_by_name() -> None:
    rows: list[Row] = [
        corpus("zoo"),
        score("bibtex", "BR", "All4", 40),
        corpus("apes"),
        heat("medical_raw"),
        corpus("goemotions"),
    ]
    assert Results.of(rows).datasets == ("medical_raw", "bibtex", "goemotions", "apes", "zoo")


def test_repeats_are_collected_in_their_order() -> None:
    results = Results.of([score("bibtex", "CBM", "All4", 40 + repeat, repeat) for repeat in (2, 0, 1)])
    assert [row.repeat for row in results.repeats("bibtex", "CBM", "All4")] == [0, 1, 2]
    assert results.percent("bibtex", "CBM", "All4") == 41
    assert results.percent("bibtex", "CBM", "L+E") is None


def test_a_missing_result_has_a_reason() -> None:
    results = Results.of([score("bibtex", "BR", "All4", 40)])
    assert results.why_missing("bibtex", "BR", "All4") is None
    assert results.why_missing("bibtex", "PCC", "All4") == "not run"
    assert "support" in str(results.why_missing("bibtex", "CRF", "No REG"))


def test_networks_and_predictors_are_no_results_of_the_papers_models() -> None:
    results = Results.of([score("bibtex", "MLP", "S+G", 43), score("enron", "br", "half", 50), corpus("bibtex")])
    assert results.scores == {}
    assert results.datasets == ("bibtex", "enron")
    assert results.percents("bibtex", "MLP", "S+G") == pytest.approx([43])
