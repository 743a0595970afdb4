"""``setwise explain``: on a terminal, as JSON, and as a page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from setwise import SetClassifier, load
from setwise.models import BernoulliMixture, ClassifierChain
from tests.cli.corpus import news, write_jsonl
from tests.cli.process import call

TEXT = "the striker said a goal after the match and the minister in parliament"


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    documents, path = news(160), tmp_path_factory.mktemp("explain") / "m.setwise"
    labels = [[f"<b>{name}</b>" for name in one["labels"]] for one in documents]
    SetClassifier("br", budget="quick", n_jobs=1).fit([one["text"] for one in documents], labels).save(path)
    return path


def test_a_text_on_the_terminal(model: Path) -> None:
    result = call("explain", model, TEXT)
    assert result.returncode == 0, result.stderr
    assert "predicted: <b>politics</b>, <b>sport</b>\n" in result.stdout
    assert "striker +" in result.stdout
    assert "without 'minister' the set becomes: <b>sport</b>" in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 80


def test_json_is_the_explanation(model: Path, tmp_path: Path) -> None:
    file = write_jsonl(tmp_path / "d.jsonl", news(3, random_state=4))
    rows = [json.loads(line) for line in call("explain", model, file, "--json", "--max", "2").stdout.splitlines()]
    texts = [str(one["text"]) for one in news(3, random_state=4)][:2]
    expected = [
        json.loads(json.dumps({"text": text, **one.as_dict()}))
        for text, one in zip(texts, load(model).explain(texts), strict=True)
    ]
    assert rows == expected


def test_the_page_shows_names_and_texts_as_text(model: Path, tmp_path: Path) -> None:
    result = call("explain", model, f"{TEXT} <script>alert(1)</script>", "-o", tmp_path / "p.html")
    assert result.returncode == 0, result.stderr
    page = (tmp_path / "p.html").read_text(encoding="utf-8")
    assert "<script" not in page
    assert "<b>sport</b>" not in page
    assert "&lt;b&gt;sport&lt;/b&gt;" in page
    assert '<mark class="for"' in page
    assert "http" not in page


def test_a_text_that_is_too_long_for_a_path(model: Path) -> None:
    result = call("explain", model, " ".join([TEXT] * 100), "--no-words", "--json")
    assert (result.returncode, result.stderr) == (0, "")


@pytest.mark.parametrize("name", ["missing.jsonl", "missing.csv.gz"])
def test_a_file_that_is_missing_is_no_text(model: Path, name: str) -> None:
    result = call("explain", model, name)
    assert result.returncode != 0
    assert result.stderr.startswith("error: ")
    assert name in result.stderr
    assert result.stdout == ""


def test_an_empty_file_and_the_model_as_output_are_refused(model: Path, tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").write_text("", encoding="utf-8")
    assert "contains no documents" in call("explain", model, tmp_path / "empty.jsonl").stderr
    before = model.read_bytes()
    assert call("explain", model, TEXT, "-o", model).returncode == 2
    assert model.read_bytes() == before


def test_labels_and_words_in_brackets_are_no_markup(tmp_path: Path) -> None:
    texts, labels = ["red fox", "blue hen"] * 40, [["[/]"], ["[bold]hen"]] * 40
    SetClassifier("br", budget="quick", n_jobs=1).fit(texts, labels).save(tmp_path / "m.setwise")
    result = call("explain", tmp_path / "m.setwise", "a red fox [/] [red]")
    assert result.returncode == 0, result.stderr
    assert "predicted: [/]" in result.stdout
    assert "a red fox [/] [red]" in result.stdout


def test_without_words_nothing_is_left_out(model: Path) -> None:
    (row,) = map(json.loads, call("explain", model, TEXT, "--json", "--no-words").stdout.splitlines())
    assert row["without_words"] == []


def test_a_text_for_a_model_of_vectors_is_refused(tmp_path: Path) -> None:
    X, y = [[1.0, 0.0], [0.0, 1.0]] * 30, [["a"], ["b"]] * 30
    SetClassifier("br", budget="quick", n_jobs=1).fit(X, y).save(tmp_path / "m.setwise")
    result = call("explain", tmp_path / "m.setwise", "some words")
    assert result.returncode == 1
    assert result.stderr.startswith("error: The model was trained on vectors, and 'some words' is no file of them.")
    (tmp_path / "d.svm").write_text("0 1:1\n", encoding="utf-8")
    assert call("explain", tmp_path / "m.setwise", tmp_path / "d.svm").returncode == 0


@pytest.mark.parametrize(
    ("model", "shown", "hidden"),
    [
        (BernoulliMixture(n_components=2, max_iter=3), "responsible components: ", "(other labels)"),
        (ClassifierChain(strength=0.01), "(other labels) ", "responsible components"),
    ],
)
@pytest.mark.filterwarnings("ignore::setwise.exceptions.NotConverged")
def test_what_a_model_knows_is_printed(model: Any, shown: str, hidden: str, tmp_path: Path) -> None:
    documents, file = news(60), tmp_path / "m.setwise"
    classifier = SetClassifier(model, "support", "gfm", calibration=None, n_jobs=1)
    classifier.fit([one["text"] for one in documents], [one["labels"] for one in documents]).save(file)
    result = call("explain", file, TEXT, "--no-words")
    assert result.returncode == 0, result.stderr
    assert shown in result.stdout
    assert hidden not in result.stdout
    assert "exactly right" not in result.stdout  # confidence is fitted on held-out documents, and there were none
