"""``setwise report``: one model, two models, JSON, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from setwise import SetClassifier, load
from setwise.models import BinaryRelevance
from setwise.reports import make_report
from tests.cli.corpus import news, write_jsonl
from tests.cli.process import call

DOCUMENTS = news(60, random_state=4)


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("models")
    texts, labels = zip(*((one["text"], one["labels"]) for one in news(160)), strict=True)
    tuned = SetClassifier("br", budget="quick", n_jobs=1).fit(list(texts), list(labels))
    weak = SetClassifier(BinaryRelevance(0.1, n_jobs=1), "support", "gfm", calibration=None, n_jobs=1)
    tuned.save(folder / "tuned.setwise")
    weak.fit(list(texts), list(labels)).save(folder / "weak.setwise")
    return folder / "tuned.setwise", folder / "weak.setwise"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return write_jsonl(tmp_path / "test.jsonl", DOCUMENTS)


def test_the_page_of_one_model(
    models: tuple[Path, Path], data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("setwise.cli.report.BATCH", 7)
    result = call("report", models[0], data, "-o", tmp_path / "r.html")
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("On 60 documents, ")
    assert result.stderr.endswith(f"wrote {tmp_path / 'r.html'}\n")
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "<title>Report of tuned</title>" in page
    assert "test.jsonl" in page
    assert "(d" in page  # ids


def test_the_numbers_are_those_of_python(models: tuple[Path, Path], data: Path, tmp_path: Path) -> None:
    result = call("report", models[0], data, "--json", "-o", tmp_path / "r.html")
    assert result.returncode == 0, result.stderr
    texts, labels = [str(one["text"]) for one in DOCUMENTS], [one["labels"] for one in DOCUMENTS]
    expected = make_report(load(models[0]), texts, labels)
    found = json.loads(result.stdout)
    assert found["summary"] == list(expected.summary)
    assert found["tables"]["labels"]["rows"] == expected.table("labels").records()
    assert (tmp_path / "r.html").exists()


def test_two_models(models: tuple[Path, Path], data: Path, tmp_path: Path) -> None:
    result = call("report", *models, data, "-o", tmp_path / "r.html")
    assert result.returncode == 0, result.stderr
    assert "tuned is better: its mean F1 is" in result.stdout
    assert "<title>tuned and weak</title>" in (tmp_path / "r.html").read_text(encoding="utf-8")
    same = call("report", models[0], models[0], data, "--json")
    assert json.loads(same.stdout)["tables"]["wins"]["rows"][3]["n_documents"] == 60


def test_nothing_to_write_is_refused(models: tuple[Path, Path], data: Path) -> None:
    result = call("report", models[0], data)
    assert result.returncode == 2
    assert result.stderr == "error: Name the page, such as -o report.html, or print the numbers with --json.\n"


@pytest.mark.parametrize("place", [0, 1, 2])
def test_no_input_is_overwritten(models: tuple[Path, Path], data: Path, place: int) -> None:
    file = (*models, data)[place]
    before = file.read_bytes()
    assert call("report", *models, data, "-o", file).returncode == 2
    assert file.read_bytes() == before


def test_documents_without_labels_leave_the_old_page(models: tuple[Path, Path], tmp_path: Path) -> None:
    page, file = tmp_path / "r.html", tmp_path / "d.jsonl"
    page.write_text("old", encoding="utf-8")
    file.write_text('{"text": "a goal"}\n', encoding="utf-8")
    result = call("report", models[0], file, "-o", page)
    assert result.returncode == 1
    assert "have no labels" in result.stderr
    assert page.read_text(encoding="utf-8") == "old"


def test_the_training_data_are_noticed(tmp_path: Path) -> None:
    file = write_jsonl(tmp_path / "train.jsonl", news(80))
    trained = call("train", file, "-o", tmp_path / "m.setwise", "--model", "br", "--budget", "quick")
    assert trained.returncode == 0, trained.stderr
    result = call("report", tmp_path / "m.setwise", file, "-o", tmp_path / "r.html")
    assert "scores on them are too optimistic" in result.stderr


def test_vectors(tmp_path: Path) -> None:
    train = tmp_path / "train.svm"
    train.write_text("".join(f"{i % 2} {1 + i % 2}:1 3:{i % 5}\n" for i in range(120)), encoding="utf-8")
    trained = call("train", train, "-o", tmp_path / "m.setwise", "--model", "br", "--budget", "quick")
    assert trained.returncode == 0, trained.stderr
    result = call("report", tmp_path / "m.setwise", train, "-o", tmp_path / "r.html")
    assert result.returncode == 0, result.stderr
    assert "<mark" not in (tmp_path / "r.html").read_text(encoding="utf-8")
