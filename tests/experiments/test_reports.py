"""The page, its files, and what they are made of: figures, effort, and what is below the paper."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from setwise.experiments import reasons, shortfall
from setwise.experiments.claims import CLAIMS
from setwise.experiments.cost_report import effort_table, what_was_done
from setwise.experiments.figures import figure_titles, figures
from setwise.experiments.page import page, write_reports
from setwise.experiments.paper import comparability, slips
from setwise.experiments.rows import Row
from tests.experiments.examples import as_the_paper, corpus, every_kind, heat, score, scores


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    return [*every_kind("bibtex"), *every_kind("goemotions")]


def test_page_is_the_same_whatever_the_order_of_rows(rows: list[Row]) -> None:
    shuffled = rows.copy()
    random.Random(0).shuffle(shuffled)
    assert shuffled != rows
    assert page(shuffled) == page(rows) == page(iter(rows))


def test_page_says_first_that_nobody_wrote_it(rows: list[Row]) -> None:
    first = page(rows).splitlines()[0]
    assert "not by hand" in first
    assert "setwise reproduce" in first
    assert "make reproduction-page" in first


def test_page_has_all_its_parts(rows: list[Row]) -> None:
    text = page(rows)
    headings = [line.removeprefix("## ") for line in text.splitlines() if line.startswith("## ")]
    assert headings == [
        "The claims in short",
        "What was done",
        "How a figure comes about",
        "What can be compared",
        "Tables",
        "Slips of the paper",
        "Figures",
        "Claims",
        "Below the paper",
        "Effort",
    ]
    for number in range(1, 7):
        assert f"\n### Table {number}: " in text
    for claim in CLAIMS:
        assert f"\n### Claim {claim.number}: {claim.verdict(rows).word}\n" in text
        assert f"| {claim.number} | {claim.text} | {claim.verdict(rows).word} |" in text
    assert comparability("bibtex") in text
    assert slips()[0].why in text
    assert "](reproduction/heat_bibtex.svg)" in text
    assert "](reproduction/pipeline.svg)" in text


@pytest.mark.parametrize("rows", [[], every_kind("medical_raw"), [corpus("bibtex")], [heat("bibtex")], as_the_paper()])
def test_page_of_whatever_was_run(rows: list[Row]) -> None:
    text = page(rows)
    assert text.endswith("|\n")
    assert "\n\n\n" not in text
    assert ("Nothing was run yet." in text) == (len(rows) < 2)


def test_reports_are_the_same_as_the_page_in_files(rows: list[Row], tmp_path: Path) -> None:
    folder, file = tmp_path / "deep" / "found", tmp_path / "page.md"
    write_reports(rows, folder, file)
    stems = [*(f"table_{number}" for number in range(1, 7)), *(f"claim_{claim.number}" for claim in CLAIMS)]
    stems += ["claims", "comparable", "slips", "shortfall", "splits", "features", "effort"]
    tables = {f"tables/{stem}.{ending}" for stem in stems for ending in ("md", "html", "tex", "csv")}
    svgs = {"pipeline.svg", "heat_bibtex.svg", "heat_goemotions.svg"}
    before = contents(folder)
    assert before.keys() == tables | svgs | {"index.html"}
    assert file.read_text(encoding="utf-8") == page(rows, "deep/found")
    assert (folder / "tables" / "table_4.md").read_text(encoding="utf-8").strip() in page(rows)
    html = (folder / "index.html").read_text(encoding="utf-8")
    assert all(f'<table id="{stem}">' in html for stem in stems)
    assert html.count("<svg") == 3
    write_reports(list(reversed(rows)), folder, file)
    assert contents(folder) == before


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_figures_have_the_names_that_the_page_links_to(rows: list[Row]) -> None:
    drawn = figures(rows)
    assert {figure.name: figure.title for figure in drawn} == figure_titles(rows)
    assert ">50.0<" in drawn[1].svg  # its best, in per cent


def test_effort_is_told_from_the_rows() -> None:
    rows: list[Row] = [
        score("bibtex", "CBM", "All4", 50, 0, seconds=3000.0, seed=7),
        score("bibtex", "CBM", "All4", 50, 1, seconds=4140.0, seed=8, peak_mb=1234.4),
        score("bibtex", "BR", "L+E", 40, seconds=30.0, seed=7),
        score("bibtex", "BR", "All4", 45, seconds=0.0, seed=7),
        heat("bibtex"),
    ]
    text = what_was_done(rows)
    assert text.startswith("4 results of 1 datasets (bibtex), models BR, CBM and 2 recipes (All4, L+E).")
    assert "up to 2 times" in text
    assert "2 different ones" in text
    assert "Versions: numpy 2, setwise 0.1.0." in text
    assert "7,200 seconds (2.0 hours)" in text
    assert "1,234 MB" in text
    assert [[entry.text for entry in row] for row in effort_table(rows).rows] == [
        ["bibtex", "BR", "2", "30.0", "200"],
        ["bibtex", "CBM", "2", "7,140.0", "1,234"],
        ["bibtex", "heat map", "1", "30.0", "-"],
    ]


def test_figures_below_the_paper_are_named_with_their_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reasons, "_reasons", lambda: {("bibtex", "PCC"): "Another order."})
    levels = {"BR": 45.44, "PCC": 46.0, "CBM": 49.56, "CRF": 48.0}
    rows = scores({("bibtex", model, "All4"): level for model, level in levels.items()})
    table = shortfall.shortfall([*rows, score("goemotions", "BR", "All4", 10)])
    assert [[entry.text for entry in row] for row in table.rows] == [
        ["bibtex", "CRF", "48.00", "49.4", "-1.40", "not known yet"],
        ["bibtex", "PCC", "46.00", "47.3", "-1.30", "Another order."],
    ]
    assert table.text.startswith("2 of 4 figures")


def test_reasons_are_sentences_by_dataset_and_model() -> None:
    assert reasons.reason("unheard", "BR") is None
    assert all(why.endswith(".") for why in reasons._reasons().values())
