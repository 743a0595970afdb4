"""docs/reproduction.md is what the committed rows give."""

from __future__ import annotations

import statistics
from functools import cache
from pathlib import Path

from setwise.experiments.figures import figure_titles
from setwise.experiments.page import page
from setwise.experiments.paper import printed
from setwise.experiments.rows import Row, Score, read_rows
from setwise.experiments.shortfall import UNKNOWN

DOCS = Path(__file__).parents[2] / "docs"


@cache
def stored() -> list[Row]:
    return read_rows(DOCS / "reproduction" / "rows")


def test_the_page_is_written_from_its_rows() -> None:
    rows = stored()
    assert rows
    assert page(rows) == (DOCS / "reproduction.md").read_text(encoding="utf-8")
    for name in figure_titles(rows):
        assert (DOCS / "reproduction" / f"{name}.svg").is_file()


def all_four(variant: str, model: str) -> float:
    """The mean over repeats, in per cent."""
    found = [row for row in stored() if isinstance(row, Score) and (row.dataset, row.model) == (variant, model)]
    return 100 * statistics.mean(row.f1 for row in found if row.recipe == "All4")


def printed_all_four(dataset: str, model: str) -> str:
    return printed(4 if model == "CRF" else 2, dataset, model, "All4") or ""


def test_the_figures_of_the_readme_are_those_of_the_rows() -> None:
    text = (DOCS.parent / "README.md").read_text(encoding="utf-8").replace("\n", " ")
    for model in ("BR", "PCC", "CRF", "CBM", "LSF"):
        assert f"{model} {all_four('bibtex', model):.1f} / {printed_all_four('BIBTEX', model)}" in text


def test_other_splits_of_enron_are_what_the_reasons_say() -> None:
    for model in ("BR", "PCC", "CRF", "CBM"):
        others = [all_four(f"enron_raw@split{random_state}", model) for random_state in range(1, 11)]
        theirs = float(printed_all_four("ENRON", model))
        assert statistics.mean(others) > all_four("enron_raw", model)
        slack = statistics.stdev(others) if model == "CBM" else 0.0
        assert statistics.mean(others) + slack > theirs


def test_more_features_of_tmc_are_what_the_reasons_say() -> None:
    for model in ("BR", "PCC", "CRF", "CBM"):
        few, more, most = (all_four(name, model) for name in ("tmc2007_500@125", "tmc2007_500@250", "tmc2007_500"))
        assert more - few > 1
        assert most - more > 1


def test_more_documents_of_medical_and_more_words_of_enron_are_what_the_reasons_say() -> None:
    for model in ("BR", "CBM", "LSF"):
        assert all_four("medical", model) < float(printed_all_four("MEDICAL", model)) < all_four("medical_raw", model)
    for model in ("BR", "PCC", "CRF", "CBM"):
        assert all_four("enron", model) < all_four("enron_raw", model)


def test_every_figure_below_the_paper_has_its_reason() -> None:
    assert UNKNOWN not in (DOCS / "reproduction.md").read_text(encoding="utf-8")
