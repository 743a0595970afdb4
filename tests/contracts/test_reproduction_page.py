"""docs/reproduction.md is what the committed rows give."""

from __future__ import annotations

from pathlib import Path

from setwise.experiments.figures import figure_titles
from setwise.experiments.page import page
from setwise.experiments.rows import read_rows

DOCS = Path(__file__).parents[2] / "docs"


def test_the_page_is_written_from_its_rows() -> None:
    rows = read_rows(DOCS / "reproduction" / "rows")
    assert rows
    assert page(rows) == (DOCS / "reproduction.md").read_text(encoding="utf-8")
    for name in figure_titles(rows):
        assert (DOCS / "reproduction" / f"{name}.svg").is_file()
