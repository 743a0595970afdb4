"""Scores of labels that are absent from the documents, and of integer labels."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from setwise import SetClassifier
from setwise.cli.app import app
from setwise.models import BinaryRelevance
from setwise.text import TextVectorizer
from tests.cli.corpus import news, write_jsonl

DOCUMENTS = news(150)
LABELS = [document["labels"] for document in DOCUMENTS]


def saved_model(path: Path, labels: Any) -> Path:
    vectorizer = TextVectorizer()
    X = vectorizer.fit_transform([document["text"] for document in DOCUMENTS])
    classifier = SetClassifier(BinaryRelevance(n_jobs=1), "support", "gfm", calibration=None, n_jobs=1)
    classifier.fit(X, labels).save(path, vectorizer)
    return path


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return saved_model(tmp_path_factory.mktemp("model") / "news.setwise", LABELS)


def output_of(*arguments: str | Path) -> str:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_macro_f1_leaves_out_absent_labels_and_counts_them(model: Path, tmp_path: Path) -> None:
    file = write_jsonl(
        tmp_path / "t.jsonl",
        [
            {"text": "a goal for the striker in the stadium", "labels": ["sport"]},
            {"text": "a match of the league, said the coach", "labels": ["sport", "weather"]},
        ],
    )
    scores = json.loads(output_of("evaluate", model, file, "--json"))
    assert scores["n_absent_labels"] == 2  # economy and politics are neither true nor predicted
    assert scores["macro_f1"] == pytest.approx((1.0 + 0.0) / 2)
    rows = [" ".join(line.split()) for line in output_of("evaluate", model, file).splitlines()]
    assert "macro F1 0.5000" in rows
    assert "labels left out of macro F1 2" in rows


def test_integer_labels_are_written_unchanged(tmp_path: Path) -> None:
    number = {"economy": 3, "politics": 20, "sport": 100, "weather": 7}
    model = saved_model(tmp_path / "m.setwise", [[number[name] for name in names] for names in LABELS])
    file = write_jsonl(tmp_path / "t.jsonl", [{"text": "a goal for the striker in the stadium", "labels": ["100"]}])
    assert json.loads(output_of("evaluate", model, file, "--json"))["set_accuracy"] == 1.0
    header, row = output_of("predict", model, file, "--top", "1", "--format", "csv").splitlines()
    assert header.startswith("row,id,labels,confidence,expected_f1,coverage,set_1")
    assert row.split(",")[2] == row.split(",")[6] == "100"
