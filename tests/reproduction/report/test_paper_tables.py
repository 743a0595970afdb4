"""The paper's tables with our numbers, entry by entry."""

from __future__ import annotations

import pytest

from reproduction.paper import CBM_NON_EMPTY, not_applicable
from reproduction.report import (
    Entry,
    Table,
    paper_tables,
    table_1,
    table_2,
    table_3,
    table_4,
    table_5,
)
from reproduction.report.paper_tables import L1_HERE_ONLY, NO_L1_IN_PAPER, NO_SIZES_IN_PAPER, NOT_IN_PAPER
from reproduction.run import Row
from tests.reproduction.examples import corpus, every_kind, score, scores


def at(table: Table, column: str, *headings: str) -> Entry:
    (row,) = [row for row in table.rows if tuple(entry.text for entry in row[: len(headings)]) == headings]
    return row[table.columns.index(column)]


def test_table_1_shows_counts_beside_the_papers() -> None:
    table = table_1([corpus("bibtex"), corpus("goemotions", labels=28)])
    assert [entry.text for entry in table.rows[0]] == [
        "bibtex (BIBTEX)",
        "bookmarks",
        "159 / 159",
        "2,058 / 2,058",
        "1,836 / 1,836",
        "7,395 / 7,395",
        "2.40 / 2.40",
        "74 / 112",
    ]
    assert at(table, "labels", "goemotions") == Entry("28 / -", note=NOT_IN_PAPER)
    assert "WISE" in table.text


def test_table_2_shows_results_beside_the_papers_with_the_best_marked() -> None:
    levels = {("BR", "No REG"): 38.14, ("BR", "S+G"): 45.04, ("BR", "All4"): 45.01, ("PCC", "All4"): 48.06}
    table = table_2(scores({("bibtex", *key): level for key, level in levels.items()}))
    name = "bibtex (BIBTEX)"
    assert at(table, "No REG", name, "BR") == Entry("38.1 / 37.8")
    assert at(table, "S+G", name, "BR") == Entry("45.0 / 44.5", bold=True)
    assert at(table, "All4", name, "BR") == Entry("45.0 / 45.4", bold=True)  # equal to the digit shown
    assert at(table, "All4", name, "PCC") == Entry("48.1* / 47.3", bold=True)


def test_random_results_have_a_standard_deviation() -> None:
    table = table_4([score("bibtex", "CBM", "All4", 49.6 + 0.2 * repeat, repeat) for repeat in range(3)])
    assert at(table, "All4", "bibtex (BIBTEX)", "CBM") == Entry("49.8 ± 0.2* / 49.5", bold=True)


def test_dashes_have_reasons() -> None:
    rows: list[Row] = [
        *scores({("bibtex", "CRF", "All4"): 50, ("bibtex", "LSF", "All4"): 44, ("goemotions", "BR", "All4"): 60})
    ]
    second, fourth, name = table_2(rows), table_4(rows), "bibtex (BIBTEX)"
    assert at(second, "All4", name, "CRF") == Entry("50.0* / -", bold=True, note=NO_L1_IN_PAPER)
    assert at(second, "No REG", name, "LSF") == Entry("-", note=not_applicable("LSF", "No REG"))
    assert at(second, "S+G", name, "LSF") == Entry("- / 42.5", note="not run")
    assert at(second, "All4", "goemotions", "BR") == Entry("60.0* / -", bold=True, note=NOT_IN_PAPER)
    assert at(second, "S+G", "goemotions", "BR") == Entry("-", note="not run")
    assert at(fourth, "All4", name, "CRF") == Entry("50.0* / 49.4", bold=True)
    assert at(fourth, "L+E+G", name, "CRF") == Entry("-", note=not_applicable("CRF", "L+E+G"))


def test_table_3_shows_what_l1_leaves_averaged_over_repeats() -> None:
    def sized(model: str, recipe: str, features: int, size: int, repeat: int = 0) -> Row:
        return score("medical", model, recipe, 80, repeat, n_features_used=features, n_bytes=size)

    table = table_3(
        [
            sized("CBM", "S+G", 600, 4000),
            sized("CBM", "L+S+G", 400, 100),
            sized("CBM", "L+S+G", 500, 300, 1),
            sized("PCC", "S+G", 100, 1000),
            sized("PCC", "L+S+G", 50, 10),
            sized("BR", "L+S+G", 50, 10),
        ]
    )
    name = "medical (MEDICAL)"
    assert at(table, "CBM features", name) == Entry("75.00 / 81.15")
    assert at(table, "CBM size", name) == Entry("5.00 / 6.67")
    assert at(table, "PCC size", name) == Entry("1.00 / -", note=NO_SIZES_IN_PAPER)
    assert at(table, "BR size", name) == Entry("- / 14.89", note="not run")


def test_table_5_shows_the_squared_penalty_where_both_models_have_it() -> None:
    def both(dataset: str, recipe: str, without: float) -> list[Row]:
        levels = {"CRF without pairs": without, "CRF": without - 1}
        return scores({(dataset, model, recipe): level for model, level in levels.items()})

    table = table_5(
        [
            *both("bibtex", "E+S", 47),
            *both("bibtex", "E+S+G", 49),
            *both("bibtex", "L+E+S", 51),
            *both("bibtex", "All4", 53),
            *both("enron", "E+S+G", 61),  # the squared penalty is incomplete, L1 is not
            *both("enron", "L+E+S", 62),
            *both("enron", "All4", 64),
            *both("imdb", "E+S+G", 66),  # both are incomplete
            score("imdb", "CRF", "E+S", 60),
        ]
    )
    bibtex, enron, imdb = "bibtex (BIBTEX)", "enron (ENRON)", "imdb (IMDB)"
    assert at(table, bibtex, "CRF without pairs", "without GFM") == Entry("47.0 / 46.9")
    assert at(table, bibtex, "CRF with pairs", "without GFM") == Entry("46.0 / 46.5")
    assert at(table, bibtex, "CRF with pairs", "with GFM") == Entry("48.0 / 49.4")
    assert at(table, enron, "CRF with pairs", "with GFM") == Entry("63.0 / 64.1", note=L1_HERE_ONLY)
    assert at(table, imdb, "CRF with pairs", "with GFM") == Entry("65.0 / 66.6")
    assert at(table, imdb, "CRF with pairs", "without GFM") == Entry("- / 63.0", note="not run")


def test_cbm_without_the_empty_set_stands_beside_the_papers_cbm() -> None:
    rows = scores({("bibtex", "CBM", "No REG"): 38, ("bibtex", CBM_NON_EMPTY, "No REG"): 43})
    second, name = table_2(rows), "bibtex (BIBTEX)"
    assert at(second, "No REG", name, "CBM") == Entry("38.0 / 44.0", bold=True)
    assert at(second, "No REG", name, CBM_NON_EMPTY) == Entry("43.0* / 44.0", bold=True)
    assert at(second, "All4", name, CBM_NON_EMPTY) == Entry("-", note=not_applicable(CBM_NON_EMPTY, "All4"))
    assert at(table_4(rows), "L+E", name, CBM_NON_EMPTY) == Entry("- / 45.3", note="not run")


@pytest.mark.parametrize("rows", [[], every_kind(), every_kind("goemotions"), [corpus("bibtex")]])
def test_all_five_are_there_whatever_was_run(rows: list[Row]) -> None:
    assert [table.name for table in paper_tables(rows)] == [f"table_{number}" for number in range(1, 6)]
