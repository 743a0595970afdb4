"""The numbers that the paper prints: complete and unchanged."""

from __future__ import annotations

import re

import pytest

from reproduction.paper import (
    Cell,
    cell,
    comparability,
    counterpart,
    domain,
    known_datasets,
    paper_datasets,
    printed,
    published,
    slips,
)
from tests.reproduction.examples import PAPER_RECIPES

NINE = ("MEDICAL", "BIBTEX", "IMDB", "OHSUMED", "ENRON", "RCV1", "TMC", "WISE", "WIPO")
MODELS = ("BR", "LSF", "PCC", "CBM", "CRF")
FACTS = ("domain", "labels", "label sets", "features", "instances", "cardinality", "inst/label")


@pytest.mark.parametrize(
    ("table", "datasets", "models", "columns", "n_dashes"),
    [
        (1, NINE, ("data",), FACTS, 0),
        (2, NINE, ("BR", "LSF", "PCC", "CBM"), ("No REG", "S+G", "L+S+G", "E+S+G", "All4"), 9),
        (3, NINE, ("BR", "LSF", "CBM"), ("features selected", "model size"), 0),
        (4, NINE, ("BR", "CRF", "PCC", "CBM"), ("No REG", "L+E", "L+E+S", "L+E+G", "All4"), 18),
        (5, NINE, ("CRF without pairs", "CRF"), ("without GFM", "with GFM"), 0),
        (6, ("MEDICAL", "BIBTEX", "OHSUMED", "ENRON", "WIPO"), ("SPEN", "CBM"), ("F1",), 0),
    ],
)
def test_every_cell_of_every_table_is_there(
    table: int, datasets: tuple[str, ...], models: tuple[str, ...], columns: tuple[str, ...], n_dashes: int
) -> None:
    assert paper_datasets(table) == datasets
    texts = [printed(table, dataset, model, column) for dataset in datasets for model in models for column in columns]
    assert texts.count("-") == n_dashes
    numbers = [text for text in texts if text != "-" and columns != FACTS]
    assert all(text is not None and re.fullmatch(r"\d+\.\d+", text) for text in numbers)
    assert None not in texts


@pytest.mark.parametrize(
    ("cell_key", "text"),
    [
        ((1, "WISE", "data", "features"), "301,561"),
        ((1, "IMDB", "data", "inst/label"), "2537"),
        ((2, "BIBTEX", "PCC", "No REG"), "37.6"),
        ((4, "BIBTEX", "PCC", "No REG"), "37.4"),
        ((3, "IMDB", "BR", "model size"), "20.5"),
        ((5, "IMDB", "CRF", "without GFM"), "63.0"),
        ((6, "WIPO", "SPEN", "F1"), "64.0"),
        ((4, "TMC", "CRF", "L+E+G"), "-"),
    ],
)
def test_numbers_are_as_printed(cell_key: tuple[int, str, str, str], text: str) -> None:
    assert printed(*cell_key) == text


def test_marks_are_as_printed() -> None:
    assert cell(2, "MEDICAL", "CBM", "All4") == Cell("82.6", bold=True, star=True)
    assert cell(2, "IMDB", "BR", "E+S+G") == Cell("63.1", bold=False, star=False)
    assert cell(2, "BIBTEX", "BR", "L+S+G") == Cell("45.5", bold=True, star=False)


@pytest.mark.parametrize(("table", "n_bold", "n_star"), [(2, 46, 11), (4, 36, 9)])
def test_there_are_as_many_marks_as_in_the_paper(table: int, n_bold: int, n_star: int) -> None:
    cells = [cell(table, name, model, recipe) for name in NINE for model in MODELS for recipe in PAPER_RECIPES]
    assert sum(one is not None and one.bold for one in cells) == n_bold
    assert sum(one is not None and one.star for one in cells) == n_star


@pytest.mark.parametrize(
    "cell_key", [(2, "BIBTEX", "CRF", "All4"), (2, "READERS", "BR", "All4"), (2, "TMC", "BR", "L+E")]
)
def test_cells_that_the_paper_does_not_have_are_none(cell_key: tuple[int, str, str, str]) -> None:
    assert printed(*cell_key) is None


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("bibtex", "BIBTEX"),
        ("medical", "MEDICAL"),
        ("medical_raw", "MEDICAL"),
        ("enron", "ENRON"),
        ("enron_raw", "ENRON"),
        ("rcv1sub1", "RCV1"),
        ("tmc2007_500", "TMC"),
        ("ohsumed_raw", "OHSUMED"),
        ("imdb", "IMDB"),
        ("reuters21578", None),
        ("goemotions", None),
        ("unknown", None),
    ],
)
def test_counterparts(ours: str, theirs: str | None) -> None:
    assert counterpart(ours) == theirs
    assert theirs is None or theirs in paper_datasets()
    assert comparability(ours).startswith("Not in the paper") == (theirs is None)


def test_known_datasets_follow_the_paper() -> None:
    order = [NINE.index(theirs) for name in known_datasets() if (theirs := counterpart(name)) is not None]
    assert order == sorted(order)
    assert all(domain(name) != "-" for name in known_datasets())
    assert domain("unknown") == "-"


def test_slips_name_numbers_that_are_in_the_tables() -> None:
    every = slips()
    assert {slip.where for slip in every} >= {"Table 1", "Table 2", "Tables 2 and 4", "Section 4.2", "Section 4.3"}
    assert all(slip.printed and slip.why for slip in every)
    differing = next(slip for slip in every if (slip.dataset, slip.model) == ("BIBTEX", "PCC"))
    assert all(str(printed(table, "BIBTEX", "PCC", "No REG")) in differing.printed for table in (2, 4))


def test_numbers_of_the_authors_of_a_model_are_no_numbers_of_the_paper() -> None:
    assert published("SPEN", "BIBTEX") == "42.2" != printed(6, "BIBTEX", "SPEN", "F1")
    assert published("SPEN", "ENRON") is published("CBM", "BIBTEX") is None
