"""docs/reproduction.md is generated from the committed rows, and the sentences written by hand agree with them."""

from __future__ import annotations

import json
import shutil
import statistics
from functools import cache
from pathlib import Path

import pytest

from reproduction.paper import MODELS, printed
from reproduction.plan import DATASETS, FULL, PARTS, TABLES, plan_tasks
from reproduction.report import UNEXPLAINED, figure_titles, page
from reproduction.run import Row, ScoreRow, read_rows
from setwise.tuning import Checkpoint

DOCS = Path(__file__).parents[2] / "docs"


@cache
def stored_rows() -> list[Row]:
    return read_rows(DOCS / "reproduction" / "rows")


@pytest.mark.slow
def test_the_page_is_generated_from_its_rows() -> None:
    rows = stored_rows()
    assert rows
    assert page(rows) == (DOCS / "reproduction.md").read_text(encoding="utf-8")
    for name in figure_titles(rows):
        assert (DOCS / "reproduction" / f"{name}.svg").is_file()


def test_every_row_is_planned() -> None:
    planned = {key for task in plan_tasks(DATASETS, MODELS, list(TABLES), FULL) for key in task.keys}
    assert {row.key for row in stored_rows()} <= planned


@pytest.mark.xfail(strict=True, reason="`make reproduction` has not been run since tables and datasets were added")
def test_every_planned_row_is_there() -> None:
    done = [row.key for row in stored_rows()]
    assert plan_tasks(DATASETS, MODELS, list(TABLES), FULL, done) == []


def test_the_next_run_accepts_the_stored_rows(tmp_path: Path) -> None:
    """It would refuse all of them if the full effort or the format of the files had changed."""
    for path in sorted((DOCS / "reproduction" / "rows").glob("*.jsonl")):
        part = next((part for part in PARTS if path.stem.endswith(f"-{part}")), "")
        copy = Path(shutil.copy(path, tmp_path))
        first, *rows = copy.read_text(encoding="utf-8").splitlines()
        with Checkpoint(copy, {**json.loads(first)["run"], "effort": FULL.identity(part)}) as stored:
            assert len(stored.rows) == len(rows)


def all_four(dataset: str, model: str) -> float:
    """Return the mean F1 over repeats with all four regularizations, in percent."""
    rows = [row for row in stored_rows() if isinstance(row, ScoreRow)]
    key = (dataset, model, "All4")
    return 100 * statistics.mean(row.f1 for row in rows if (row.dataset, row.model, row.recipe) == key)


def printed_all_four(dataset: str, model: str) -> str:
    return printed(4 if model == "CRF" else 2, dataset, model, "All4") or ""


def test_the_numbers_of_the_readme_are_those_of_the_rows() -> None:
    text = (DOCS.parent / "README.md").read_text(encoding="utf-8").replace("\n", " ")
    for model in ("BR", "PCC", "CRF", "CBM", "LSF"):
        assert f"{model} {all_four('bibtex', model):.1f} / {printed_all_four('BIBTEX', model)}" in text


def test_other_splits_of_enron_support_the_reasons() -> None:
    for model in ("BR", "PCC", "CRF", "CBM"):
        others = [all_four(f"enron_raw@split{seed}", model) for seed in range(1, 11)]
        theirs = float(printed_all_four("ENRON", model))
        assert statistics.mean(others) > all_four("enron_raw", model)
        margin = statistics.stdev(others) if model == "CBM" else 0.0
        assert statistics.mean(others) + margin > theirs


def test_more_features_of_tmc_support_the_reasons() -> None:
    for model in ("BR", "PCC", "CRF", "CBM"):
        few, more, most = (all_four(name, model) for name in ("tmc2007_500@125", "tmc2007_500@250", "tmc2007_500"))
        assert more - few > 1
        assert most - more > 1


def test_more_documents_of_medical_and_more_words_of_enron_support_the_reasons() -> None:
    for model in ("BR", "CBM", "LSF"):
        assert all_four("medical", model) < float(printed_all_four("MEDICAL", model)) < all_four("medical_raw", model)
    for model in ("BR", "PCC", "CRF", "CBM"):
        assert all_four("enron", model) < all_four("enron_raw", model)


def test_every_result_below_the_paper_has_a_reason() -> None:
    assert UNEXPLAINED not in (DOCS / "reproduction.md").read_text(encoding="utf-8")
