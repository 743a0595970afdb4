"""The notebooks run from the top, and are stored without what they print."""

from __future__ import annotations

import contextlib
import io
import json
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pytest

from tests.conftest import REPOSITORY

NOTEBOOKS = sorted((REPOSITORY / "docs" / "notebooks").glob("*.ipynb"))
PRINTED = {
    "choosing_and_explaining": ("test F1", "need no review", "predicted: ", "labels above one half"),
    "from_csv": ("cut at one half", "setwise", "confidence,expected_f1"),
    "the_paper": ("gfm: [1 1 0], value 0.60", "S + G", "PCC"),
}
"""A few of the things that each prints."""


def cells_of(notebook: Path) -> list[dict[str, Any]]:
    return json.loads(notebook.read_text(encoding="utf-8"))["cells"]  # type: ignore[no-any-return]


def run(notebook: Path) -> str:
    """Run the cells of a notebook in their order, and return what they print."""
    mpl.use("agg")
    names: dict[str, Any] = {"__name__": "__main__"}
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        for number, cell in enumerate(cells_of(notebook)):
            if cell["cell_type"] == "code":
                exec(compile("".join(cell["source"]), f"{notebook.name}, cell {number}", "exec"), names)
    if "plt" in names:
        names["plt"].close("all")
    return printed.getvalue()


def check(notebook: Path) -> None:
    printed = run(notebook)
    for words in PRINTED[notebook.stem]:
        assert words in printed


def test_there_are_three() -> None:
    assert [path.stem for path in NOTEBOOKS] == list(PRINTED)


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_outputs_are_not_stored(notebook: Path) -> None:
    cells = cells_of(notebook)
    assert len({cell["id"] for cell in cells}) == len(cells)
    for cell in cells:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == []
            assert cell["execution_count"] is None
    assert cells[0]["cell_type"] == "markdown"
    assert cells[0]["source"][0].startswith("# ")


def test_the_first_runs() -> None:
    check(REPOSITORY / "docs" / "notebooks" / "from_csv.ipynb")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::setwise.exceptions.NotConverged")
@pytest.mark.parametrize("name", ["choosing_and_explaining", "the_paper"])
def test_the_others_run(name: str) -> None:
    check(REPOSITORY / "docs" / "notebooks" / f"{name}.ipynb")
