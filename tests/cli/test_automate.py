"""``setwise automate``: thresholds for a target, and documents marked ``accept`` or ``review``."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from setwise import SetClassifier, load
from setwise.models import BinaryRelevance
from tests.cli.corpus import news, write_jsonl
from tests.cli.process import call


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model whose confidence was learned from 160 documents, and 400 labeled documents."""
    folder = tmp_path_factory.mktemp("automate")
    documents = news(160)
    for document in documents[::5]:  # a fifth is mislabeled, so that not all is sure
        document["labels"] = ["weather"]
    classifier = SetClassifier("br", budget="quick", n_jobs=1)
    classifier.fit([one["text"] for one in documents], [one["labels"] for one in documents])
    classifier.save(folder / "m.setwise")
    write_jsonl(folder / "labeled.jsonl", news(400, random_state=7))
    return folder


@pytest.fixture(scope="module")
def automated(folder: Path) -> Path:
    result = call(
        "automate",
        folder / "m.setwise",
        folder / "labeled.jsonl",
        "--target-accuracy",
        "0.8",
        "-o",
        folder / "a.setwise",
    )
    assert result.returncode == 0, result.stderr
    return folder / "a.setwise"


def threshold_of(model: Path) -> float | None:
    automation = load(model).automation_
    assert automation is not None
    return automation.threshold


def test_the_promise_and_what_the_other_half_shows(folder: Path) -> None:
    result = call("automate", folder / "m.setwise", folder / "labeled.jsonl", "--target-accuracy", "0.8")
    assert result.returncode == 0
    assert "Accept where the confidence is" in result.stdout
    assert "with a margin" in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 80


def test_json_has_the_threshold_and_both_rules(folder: Path) -> None:
    result = call("automate", folder / "m.setwise", folder / "labeled.jsonl", "--target-f1", "0.8", "--json")
    found = json.loads(result.stdout)
    assert (found["automation"]["metric"], found["automation"]["target"]) == ("f1", 0.8)
    assert found["automation"]["bound"] >= 0.8
    assert found["automation"]["n_documents"] == 200
    careful, seen = found["rules"]
    assert careful["value_after"] >= 0.8
    assert seen["threshold"] <= careful["threshold"]


def test_nothing_is_automated_where_no_threshold_meets_the_target(folder: Path, tmp_path: Path) -> None:
    few = write_jsonl(tmp_path / "few.jsonl", news(20, random_state=3))
    result = call("automate", folder / "m.setwise", few, "--target-accuracy", "0.99", "-o", tmp_path / "none.setwise")
    assert "Nothing can be automated: no threshold promises a target of 0.99 in accuracy." in result.stdout
    assert threshold_of(tmp_path / "none.setwise") is None
    rows = call("predict", tmp_path / "none.setwise", few).stdout.splitlines()
    assert {json.loads(row)["action"] for row in rows} == {"review"}


def test_predictions_are_marked(folder: Path, automated: Path, tmp_path: Path) -> None:
    data = folder / "labeled.jsonl"
    threshold = threshold_of(automated)
    assert threshold is not None
    rows = [json.loads(line) for line in call("predict", automated, data).stdout.splitlines()]
    assert {row["action"] for row in rows} == {"accept", "review"}
    assert all((row["action"] == "accept") == (row["confidence"] >= threshold) for row in rows)
    table = list(csv.DictReader(io.StringIO(call("predict", automated, data, "--format", "csv").stdout)))
    assert [row["action"] for row in table] == [row["action"] for row in rows]
    assert call("predict", automated, data, "-o", tmp_path / "p.parquet").returncode == 0
    assert pq.read_table(tmp_path / "p.parquet")["action"].to_pylist() == [row["action"] for row in rows]
    unmarked = json.loads(call("predict", folder / "m.setwise", data).stdout.splitlines()[0])
    assert "action" not in unmarked


def test_only_the_threshold_is_added_to_the_model(folder: Path, automated: Path) -> None:
    plain, marked = (json.loads(call("inspect", path, "--json").stdout) for path in (folder / "m.setwise", automated))
    assert plain["statistics"] == marked["statistics"] if "statistics" in plain else plain.keys() == marked.keys()
    texts = [one["text"] for one in news(30, random_state=9)]
    assert load(automated).predict(texts) == load(folder / "m.setwise").predict(texts)


@pytest.mark.parametrize("options", [[], ["--target-accuracy", "0.9", "--target-f1", "0.9"]])
def test_one_target_has_to_be_named(folder: Path, options: list[str]) -> None:
    result = call("automate", folder / "m.setwise", folder / "labeled.jsonl", *options)
    assert (result.returncode, result.stderr) == (2, "error: Name one target: --target-accuracy or --target-f1.\n")


def test_a_model_without_confidence_is_refused_in_one_sentence(folder: Path, tmp_path: Path) -> None:
    documents = news(90)
    fixed = SetClassifier(BinaryRelevance(1e-3), "support", "gfm", calibration=None, n_jobs=1)
    fixed.fit([one["text"] for one in documents], [one["labels"] for one in documents]).save(tmp_path / "m.setwise")
    result = call("automate", tmp_path / "m.setwise", folder / "labeled.jsonl", "--target-accuracy", "0.9")
    assert result.returncode == 1
    assert result.stderr.startswith("error: This classifier has no confidence")


def test_the_model_itself_is_not_overwritten(folder: Path) -> None:
    before = (folder / "m.setwise").read_bytes()
    options = ["--target-accuracy", "0.8", "-o", str(folder / "m.setwise")]
    assert call("automate", folder / "m.setwise", folder / "labeled.jsonl", *options).returncode == 2
    assert (folder / "m.setwise").read_bytes() == before
