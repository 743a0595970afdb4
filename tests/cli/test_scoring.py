"""What ``setwise evaluate`` says of labels that the documents at hand do not have, within this process."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from setwise import SetClassifier
from setwise.cli.app import app
from setwise.models import BinaryRelevance
from setwise.persistence import save
from setwise.text import TextVectoriser
from tests.cli.corpus import news, write_jsonl


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    documents = news(150)
    words = TextVectoriser()
    X = words.fit_transform([str(one["text"]) for one in documents])
    classifier = SetClassifier(BinaryRelevance(n_threads=1), "support", "gfm", calibration=None, n_threads=1)
    path = tmp_path_factory.mktemp("model") / "news.setwise"
    save(path, classifier.fit(X, [one["labels"] for one in documents]), words)
    return path


def told(*arguments: str | Path) -> str:
    result = CliRunner().invoke(app, [str(one) for one in arguments])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_macro_f1_leaves_out_absent_labels_and_says_how_many(model: Path, tmp_path: Path) -> None:
    file = write_jsonl(
        tmp_path / "t.jsonl",
        [
            {"text": "a goal for the striker in the stadium", "labels": ["sport"]},
            {"text": "a match of the league, said the coach", "labels": ["sport", "weather"]},
        ],
    )
    scores = json.loads(told("evaluate", model, file, "--json"))
    assert scores["n_labels_left_out"] == 2  # economy and politics are neither true nor predicted
    assert scores["macro_f1"] == pytest.approx((1.0 + 0.0) / 2)
    rows = [" ".join(line.split()) for line in told("evaluate", model, file).splitlines()]
    assert "macro f1 0.5000" in rows
    assert "labels left out of macro f1 2" in rows
