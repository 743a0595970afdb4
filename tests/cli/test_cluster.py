"""Commands with workers: the same output as without, and estimates before anything starts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from setwise import SetClassifier, shards
from setwise.cli import sharded
from setwise.models import BinaryRelevance
from setwise.text import TextVectorizer
from tests.cli.corpus import news, write_jsonl
from tests.cli.process import call


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder, documents = tmp_path_factory.mktemp("cluster"), news(90)
    write_jsonl(folder / "train.jsonl", documents)
    texts, labels = [one["text"] for one in documents], [one["labels"] for one in documents]
    vectorizer = TextVectorizer()
    model = BinaryRelevance(1e-3, n_jobs=1)
    classifier = SetClassifier(model, "support", "gfm", calibration=None).fit(vectorizer.fit_transform(texts), labels)
    classifier.save(folder / "m.setwise", vectorizer)
    return folder


@pytest.fixture(autouse=True)
def small_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut files into many shards; a worker, which is another process, has batches of its own size."""
    monkeypatch.setattr(sharded, "SHARD", 20)


@pytest.mark.parametrize("suffix", ["jsonl", "csv"])
def test_predictions_by_shards_are_the_same_bytes(folder: Path, suffix: str) -> None:
    options = ("--top", "2", "--marginals", "0.05", "--keep-all")
    for name, more in (("usual", ()), ("sharded", ("--cluster", "local:2"))):
        output = folder / f"{name}.{suffix}"
        result = call("predict", folder / "m.setwise", folder / "train.jsonl", "-o", output, *options, *more)
        assert result.returncode == 0, result.stderr
    assert (folder / f"sharded.{suffix}").read_bytes() == (folder / f"usual.{suffix}").read_bytes()


def test_scores_by_shards_are_the_same(folder: Path) -> None:
    usual, sharded_scores = (
        call("evaluate", folder / "m.setwise", folder / "train.jsonl", "--json", *more)
        for more in ((), ("--cluster", "local:2"))
    )
    assert usual.returncode == sharded_scores.returncode == 0, sharded_scores.stderr
    assert usual.stdout == sharded_scores.stdout


def test_a_shard_is_whole_batches() -> None:
    assert shards.SHARD % shards.BATCH == 0


def test_a_dry_run_trains_nothing(folder: Path) -> None:
    result = call("train", folder / "train.jsonl", "-o", folder / "dry.setwise", "--dry-run")
    assert result.returncode == 0, result.stderr
    assert "memory per worker: about" in result.stdout
    assert "nothing was trained" in result.stderr
    assert not (folder / "dry.setwise").exists()
    result = call("train", folder / "train.jsonl", "-o", folder / "dry.setwise", "--dry-run", "--json")
    plan = json.loads(result.stdout)
    assert plan["tasks"] == sum(stage["n_tasks"] for stage in plan["stages"]) > 0
    assert plan["cpu_seconds"] == pytest.approx(sum(stage["cpu_seconds"] for stage in plan["stages"]))


@pytest.mark.parametrize("command", ["train", "predict", "evaluate"])
def test_an_unknown_cluster_is_one_sentence(folder: Path, command: str) -> None:
    model, data = folder / "m.setwise", folder / "train.jsonl"
    arguments = (data, "-o", folder / "x.setwise") if command == "train" else (model, data)
    for cluster, expected in (
        ("cloud", "--cluster must be one of serial, processes, local:N, tcp://HOST:PORT; got 'cloud'."),
        ("local:0", "--cluster must have the form local:N; got 'local:0'. Hint: write local:4."),
        ("tcp:host", "--cluster must have the form tcp://HOST:PORT; got 'tcp:host'. Hint: write tcp://host:8786."),
    ):
        result = call(command, *arguments, "--cluster", cluster)
        assert result.returncode == 2
        assert expected in " ".join(result.stderr.split())


def test_this_process_is_no_cluster(folder: Path) -> None:
    result = call("predict", folder / "m.setwise", folder / "train.jsonl", "--cluster", "serial")
    assert result.returncode == 2
    assert "--cluster must name workers" in result.stderr
