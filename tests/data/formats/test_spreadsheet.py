"""Labels and ids that a spreadsheet would run as formulas: escaped in tables, and read back as they were."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from setwise.data import TextDocument, WriteOptions, open_writer
from setwise.data.formats.spreadsheet import escape_formula, unescape_formula
from tests.data.examples import put, read_all

FORMULAS = ["=1+1", "+a", "-a", "@a", "\ta", "\ra"]


@pytest.mark.parametrize("cell", FORMULAS)
def test_a_cell_that_begins_like_a_formula_gets_an_apostrophe(cell: str) -> None:
    assert escape_formula(cell) == "'" + cell
    assert escape_formula("''" + cell) == "'''" + cell


@pytest.mark.parametrize("cell", ["", "a=1", "'tis", "''", "a-b", " =1"])
def test_other_cells_stay_as_they_are(cell: str) -> None:
    assert escape_formula(cell) == unescape_formula(cell) == cell


@given(st.text(st.sampled_from("'=+-@\t\ra "), max_size=8))
def test_unescaping_undoes_escaping(cell: str) -> None:
    assert unescape_formula(escape_formula(cell)) == cell


@pytest.mark.parametrize("ending", ["csv", "tsv"])
def test_labels_are_escaped_one_by_one_and_texts_not_at_all(tmp_path: Path, ending: str) -> None:
    documents = [TextDocument("=text", ("=cmd()", "plain", "-x", "'=y"), "@1")]
    path = tmp_path / f"docs.{ending}"
    with open_writer(path) as write:
        write(documents[0])
    gap = {"csv": ",", "tsv": "\t"}[ending]
    assert path.read_text(encoding="utf-8").splitlines()[1] == gap.join(["'@1", "=text", "'=cmd();plain;'-x;''=y"])
    assert read_all(path) == documents


def test_escaping_can_be_switched_off(tmp_path: Path) -> None:
    with open_writer(tmp_path / "docs.csv", options=WriteOptions(escape_formulas=False)) as write:
        write(TextDocument("a", ("=x",), "-1"))
    assert (tmp_path / "docs.csv").read_text(encoding="utf-8") == "id,text,labels\n-1,a,=x\n"
    assert read_all(tmp_path / "docs.csv") == [TextDocument("a", ("=x",), "-1")]


def test_blanks_around_an_escaped_label_do_not_count(tmp_path: Path) -> None:
    assert read_all(put(tmp_path / "docs.csv", "text,labels\na,'=x; '-y ;'z'\n")) == [
        TextDocument("a", ("=x", "-y", "'z'"))
    ]
