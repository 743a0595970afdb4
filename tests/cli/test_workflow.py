"""From labeled documents to predictions: train, predict, evaluate, inspect and compare."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from setwise import SetClassifier, load
from setwise.cli.choices import model_names
from setwise.models import MODELS
from tests.cli.corpus import WORDS, news, write_jsonl
from tests.cli.process import COMMAND, call, run

TEST = news(60, random_state=1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Training and test documents, a model, and the output of its training."""
    folder = tmp_path_factory.mktemp("news")
    write_jsonl(folder / "train.jsonl", news(150))
    write_jsonl(folder / "test.jsonl", TEST)
    model = folder / "news.setwise"
    result = run("train", folder / "train.jsonl", "-o", model, "--budget", "quick", "--n-jobs", "1")
    assert result.returncode == 0, result.stderr
    (folder / "stdout.txt").write_text(result.stdout, encoding="utf-8")
    (folder / "stderr.txt").write_text(result.stderr, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def model(folder: Path) -> Path:
    return folder / "news.setwise"


class TestTrain:
    def test_chosen_settings_and_alternatives_are_printed(self, folder: Path) -> None:
        output = (folder / "stdout.txt").read_text(encoding="utf-8")
        assert "trained on 150 documents, 4 labels" in output
        assert "chosen on held-out documents: BinaryRelevance, " in output
        assert "strength" in output
        rows = [line.rstrip() for line in output.splitlines() if re.search(r"(support|exact).* 0\.\d{4}", line)]
        assert [row.endswith("chosen") for row in rows] == [True, False, False, False, False]

    def test_rows_of_the_table_differ_by_settings(self, folder: Path) -> None:
        lines = (folder / "stdout.txt").read_text(encoding="utf-8").splitlines()
        header = next(line for line in lines if line.split()[:1] == ["prediction"])
        assert header.split() == ["prediction", "l1_ratio", "strength", "instance_f1"]
        rows = [line.split() for line in lines[lines.index(header) + 1 :]]
        assert len({tuple(row[:-1]) for row in rows}) == len(rows)
        assert all(len(line) <= 80 for line in lines[1:])

    def test_suggested_commands_run_in_a_shell(self, folder: Path) -> None:
        *_, title, inspect, predict = (folder / "stderr.txt").read_text(encoding="utf-8").splitlines()
        assert title == "next:"
        for command in (inspect, predict):
            result = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
            assert result.returncode == 0, result.stderr

    def test_json_is_one_object(self, folder: Path, tmp_path: Path) -> None:
        arguments = ("train", folder / "train.jsonl", "-o", tmp_path / "m.setwise", "--budget", "quick", "--json")
        result = call(*arguments, "--inference", "support", "--decision", "gfm", "--calibration", "none")
        assert result.returncode == 0, result.stderr
        summary = json.loads(result.stdout)
        assert summary["documents"] == 150
        assert summary["tuning"]["settings"].keys() == {"strength", "l1_ratio"}
        assert summary["tuning"]["scoring"] == "instance_f1"
        assert [alternative["recipe"] for alternative in summary["tuning"]["alternatives"]] == ["uncalibrated"]

    def test_two_equal_runs_write_the_same_bytes(self, folder: Path, model: Path, tmp_path: Path) -> None:
        again = tmp_path / "again.setwise"
        result = call("train", folder / "train.jsonl", "-o", again, "--budget", "quick", "--n-jobs", "1")
        assert result.returncode == 0, result.stderr
        assert again.read_bytes() == model.read_bytes()

    def test_validation_documents_in_a_file(self, folder: Path, tmp_path: Path) -> None:
        arguments = ("train", folder / "train.jsonl", "-o", tmp_path / "m.setwise", "--budget", "quick")
        result = call(*arguments, "--valid", folder / "test.jsonl", "--json")
        assert result.returncode == 0, result.stderr
        (tmp_path / "v.svm").write_text("0 1:1\n", encoding="utf-8")
        mixed = call(*arguments, "--valid", tmp_path / "v.svm")
        assert mixed.returncode == 1
        assert mixed.stderr.endswith(
            "error: Files of texts and files of vectors cannot be mixed. Use files of one kind.\n"
        )

    def test_standard_input_is_not_named_in_the_next_commands(self, folder: Path, tmp_path: Path) -> None:
        lines = (folder / "train.jsonl").read_text(encoding="utf-8")
        arguments = ("train", "-", "-o", tmp_path / "m.setwise", "--budget", "quick")
        result = call(*arguments, stdin=lines)
        assert result.returncode == 0, result.stderr
        assert "setwise inspect" in result.stderr
        assert "setwise predict" not in result.stderr

    def test_scripts_without_spaces_are_pointed_out(self, tmp_path: Path) -> None:
        rows = [{"text": text, "labels": [label]} for text, label in (("足球比赛", "sport"), ("股票市场", "economy"))]
        file = write_jsonl(tmp_path / "d.jsonl", rows * 20)
        result = call("train", file, "-o", tmp_path / "m.setwise", "--budget", "quick")
        assert result.returncode == 0, result.stderr
        assert "100% of the letters belong to scripts without spaces between words" in result.stderr

    @pytest.mark.parametrize("name", [name for name in model_names() if name != "br"])
    def test_every_model_is_trained_and_evaluated(self, folder: Path, tmp_path: Path, name: str) -> None:
        file = tmp_path / f"{name}.setwise"
        trained = call("train", folder / "train.jsonl", "-o", file, "--model", name, "--budget", "quick")
        assert trained.returncode == 0, trained.stderr
        scores = json.loads(call("evaluate", file, folder / "test.jsonl", "--json").stdout)
        assert scores["instance_f1"] > 0.9
        shown = call("inspect", file, "--json")
        assert shown.returncode == 0, shown.stderr
        assert json.loads(shown.stdout)["labels"] == 4

    def test_vectors_are_trained_on_and_predicted(self, tmp_path: Path, folder: Path) -> None:
        lines = [f"{i % 3} {i % 3 + 1}:1.5 {4 + i % 2}:0.5" for i in range(60)]
        (tmp_path / "v.svm").write_text("\n".join(lines) + "\n", encoding="utf-8")
        trained = call("train", tmp_path / "v.svm", "-o", tmp_path / "v.setwise", "--budget", "quick")
        assert trained.returncode == 0, trained.stderr
        out = call("predict", tmp_path / "v.setwise", tmp_path / "v.svm", "-o", tmp_path / "p.svm")
        assert out.returncode == 0, out.stderr
        predicted = (tmp_path / "p.svm").read_text(encoding="utf-8").splitlines()
        assert [line.split()[0] for line in predicted[:3]] == ["0", "1", "2"]
        wide = tmp_path / "wide.svm"
        wide.write_text("0 99:1\n", encoding="utf-8")
        refused = call("predict", tmp_path / "v.setwise", wide)
        assert (refused.returncode, refused.stdout) == (1, "")
        assert refused.stderr.startswith("error: Features must lie between 1 and 5; got 99.")
        mixed = call("predict", tmp_path / "v.setwise", folder / "test.jsonl")
        assert mixed.returncode == 1
        assert "contains texts, but the model was trained on vectors." in mixed.stderr

    @pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
    def test_killed_training_resumes_and_leaves_the_old_model(self, folder: Path, tmp_path: Path) -> None:
        file = tmp_path / "m.setwise"
        file.write_bytes(b"an old model")
        checkpoint = tmp_path / "checkpoint.jsonl"
        arguments: list[str | Path] = [
            "train",
            folder / "train.jsonl",
            "-o",
            file,
            "--resume",
            checkpoint,
            "--model",
            "cbm",
        ]
        with subprocess.Popen([COMMAND, *arguments], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as process:
            for _ in range(600):
                if checkpoint.exists() and len(checkpoint.read_bytes().splitlines()) > 1:
                    break
                time.sleep(0.05)
            process.send_signal(signal.SIGKILL)
        assert file.read_bytes() == b"an old model"
        before = checkpoint.read_bytes()
        resumed = call(*arguments)
        assert resumed.returncode == 0, resumed.stderr
        assert checkpoint.read_bytes().startswith(before[: before.rfind(b"\n") + 1])
        uninterrupted = tmp_path / "uninterrupted.setwise"
        assert call("train", folder / "train.jsonl", "-o", uninterrupted, "--model", "cbm").returncode == 0
        tuning, expected = load(file).tuning_, load(uninterrupted).tuning_
        assert tuning is not None
        assert expected is not None
        assert tuning.model.get_params() == expected.model.get_params()
        assert tuning.n_iterations == expected.n_iterations
        assert (tuning.recipe_name, tuning.value) == (expected.recipe_name, expected.value)


class TestPredict:
    def test_jsonl_with_sets_and_marginals(self, folder: Path, model: Path) -> None:
        result = call("predict", model, folder / "test.jsonl", "--top", "2", "--marginals", "0.05")
        assert result.returncode == 0, result.stderr
        rows = [json.loads(line) for line in result.stdout.splitlines()]
        assert [row["id"] for row in rows] == [document["id"] for document in TEST]
        assert sum(row["labels"] == document["labels"] for row, document in zip(rows, TEST, strict=True)) > 50
        for row in rows:
            assert 0 <= row["expected_f1"] <= 1 + 1e-9
            assert len(row["sets"]) == 2
            assert row["sets"][0]["probability"] >= row["sets"][1]["probability"]
            assert all(p >= 0.05 for p in row["marginals"].values())
        assert "60 documents in " in result.stderr
        assert " per second" in result.stderr

    def test_standard_input_gives_the_same_output(self, folder: Path, model: Path) -> None:
        expected = call("predict", model, folder / "test.jsonl").stdout
        text = (folder / "test.jsonl").read_text(encoding="utf-8")
        assert call("predict", model, "-", "--from", "jsonl", stdin=text).stdout == expected

    def test_unlabeled_documents_are_predicted(self, model: Path) -> None:
        result = call("predict", model, "-", "--from", "jsonl", stdin='{"text": "a goal in the match"}\n')
        assert json.loads(result.stdout)["labels"] == ["sport"]

    def test_csv_and_parquet(self, folder: Path, model: Path, tmp_path: Path) -> None:
        expected = [json.loads(line) for line in call("predict", model, folder / "test.jsonl").stdout.splitlines()]
        table = call("predict", model, folder / "test.jsonl", "--format", "csv", "--top", "1")
        rows = list(csv.DictReader(io.StringIO(table.stdout)))
        assert [row["labels"].split(";") for row in rows] == [row["labels"] for row in expected]
        assert set(rows[0]) == {
            "row",
            "id",
            "labels",
            "confidence",
            "expected_f1",
            "coverage",
            "set_1",
            "probability_1",
        }
        call("predict", model, folder / "test.jsonl", "-o", tmp_path / "p.jsonl.gz")
        with gzip.open(tmp_path / "p.jsonl.gz", "rt", encoding="utf-8") as file:
            assert [json.loads(line) for line in file] == expected
        out = call("predict", model, folder / "test.jsonl", "-o", tmp_path / "p.parquet", "--marginals", "0.5")
        assert out.returncode == 0, out.stderr
        read = pq.read_table(tmp_path / "p.parquet").to_pylist()
        assert [row["labels"] for row in read] == [row["labels"] for row in expected]
        assert dict(read[0]["marginals"]).keys() <= set(WORDS)

    @pytest.mark.parametrize(
        ("options", "sentence"),
        [
            (("--format", "parquet"), "parquet cannot be written to standard output. Name a file with -o."),
            (("-o", "p.svm"), "Texts cannot be written as libsvm. Write jsonl, csv or parquet."),
        ],
    )
    def test_formats_that_cannot_hold_the_predictions_are_refused(
        self, folder: Path, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: Any, sentence: str
    ) -> None:
        monkeypatch.chdir(tmp_path)
        result = call("predict", model, folder / "test.jsonl", *options)
        assert result.returncode != 0
        assert result.stderr.endswith(f"error: {sentence}\n")
        assert list(tmp_path.iterdir()) == []

    def test_a_label_with_the_separator_is_refused_in_csv(self, tmp_path: Path) -> None:
        rows = [{"text": text, "labels": [label]} for text, label in (("red fox", "a;b"), ("blue hen", "c"))]
        file = write_jsonl(tmp_path / "d.jsonl", rows * 20)
        SetClassifier("br", budget="quick", n_jobs=1).fit(
            [str(row["text"]) for row in rows] * 20, [row["labels"] for row in rows] * 20
        ).save(tmp_path / "m.setwise")
        result = call("predict", tmp_path / "m.setwise", file, "-o", tmp_path / "p.csv")
        assert result.returncode == 1
        assert "A label contains ';', which separates labels in csv. Write jsonl instead." in result.stderr
        assert not (tmp_path / "p.csv").exists()

    def test_closed_pipe_is_no_error(self, folder: Path, model: Path) -> None:
        command = f'"{COMMAND}" predict "{model}" "{folder / "test.jsonl"}" | head -1'
        result = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=120, check=False)
        assert len(result.stdout.splitlines()) == 1
        assert "Traceback" not in result.stderr


class TestEvaluate:
    def test_scores_agree_with_the_predictions(self, folder: Path, model: Path) -> None:
        scores = json.loads(call("evaluate", model, folder / "test.jsonl", "--json").stdout)
        assert scores["n_documents"] == 60
        rows = [json.loads(line) for line in call("predict", model, folder / "test.jsonl").stdout.splitlines()]
        n_correct = sum(row["labels"] == document["labels"] for row, document in zip(rows, TEST, strict=True))
        assert scores["set_accuracy"] == n_correct / 60
        for name in ("instance_f1", "instance_precision", "instance_recall", "micro_f1", "macro_f1", "hamming_loss"):
            assert 0 <= scores[name] <= 1
        assert scores["expected_f1_error"] < 0.3
        assert [row["name"] for row in scores["labels"]] == sorted(WORDS)
        shown = call("evaluate", model, folder / "test.jsonl", "--show", "2")
        assert "instance F1" in shown.stdout
        assert "showing the 2 most frequent of 4 labels" in shown.stderr

    def test_unknown_labels_are_missed_and_reported(self, model: Path, tmp_path: Path) -> None:
        file = write_jsonl(tmp_path / "t.jsonl", [{"text": "a goal", "labels": ["sport", "yak"]}])
        result = call("evaluate", model, file, "--json")
        assert result.returncode == 0
        scores = json.loads(result.stdout)
        assert scores["unknown_labels"] == ["yak"]
        assert scores["instance_recall"] <= 0.5
        assert "warning: the model was not trained on 1 of the labels, such as 'yak'." in result.stderr


class TestInspectAndCompare:
    def test_top_features_are_words_of_the_label(self, model: Path) -> None:
        facts = json.loads(call("inspect", model, "--top-features", "3", "--json").stdout)
        assert facts["model"] == "BinaryRelevance"
        assert facts["bytes"] == model.stat().st_size
        for row in facts["per_label"]:
            assert len(row["top_features"]) == 3
            assert {word for word, _ in row["top_features"]} <= set(WORDS[row["label"]])
        shown = call("inspect", model)
        assert "label sets" in shown.stdout

    def test_models_are_compared(self, folder: Path) -> None:
        result = call("compare", folder / "train.jsonl", "--models", "br,lsf", "--json")
        assert result.returncode == 0, result.stderr
        rows = [json.loads(line) for line in result.stdout.splitlines()]
        assert [row["model"] for row in rows] == ["br", "lsf"]
        assert all(row["instance_f1"] > 0.8 for row in rows)
        table = call("compare", folder / "train.jsonl", "--models", "br")
        assert "trained on 120 documents, scored on 30" in table.stdout
        assert "br: instance F1" in table.stderr
        wrong = call("compare", folder / "train.jsonl", "--models", "br,svm")
        assert (wrong.returncode, wrong.stderr) == (
            2,
            f"error: models must be some of auto, {', '.join(MODELS)}; got 'br,svm'.\n",
        )


class TestErrors:
    @pytest.mark.parametrize("command", ["train", "predict", "evaluate", "compare"])
    def test_missing_file(self, command: str, model: Path, tmp_path: Path) -> None:
        gone = tmp_path / "gone.jsonl"
        arguments: dict[str, list[str | Path]] = {"train": [gone, "-o", tmp_path / "m"], "compare": [gone]}
        result = call(command, *arguments.get(command, [model, gone]))
        assert (result.returncode, result.stdout) == (1, "")
        assert result.stderr.startswith("error: ")
        assert "gone.jsonl" in result.stderr
        assert result.stderr.count("\n") == 1

    @pytest.mark.parametrize("command", ["predict", "evaluate", "inspect"])
    def test_invalid_or_missing_model_file(self, command: str, folder: Path, tmp_path: Path) -> None:
        fake = tmp_path / "fake.setwise"
        fake.write_bytes(b"not a model")
        more = [] if command == "inspect" else [folder / "test.jsonl"]
        for file in (fake, tmp_path / "none.setwise"):
            result = call(command, file, *more)
            assert (result.returncode, result.stdout) == (1, "")
            assert result.stderr.startswith("error: ")
            assert result.stderr.count("\n") == 1

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            ("", "contains no documents"),
            ('{"body": "x", "labels": []}\n', "text"),
            ('{"text": "x"}\n', "has no labels. Give the labels of every document."),
            (
                '{"text": "one two", "labels": []}\n' * 3,
                "d.jsonl has a label. Name the field of the labels with --labels.",
            ),
            ('{"text": "one two", "labels": ["a"]}\n', "At least 3 documents are needed to train on; "),
            ('{"text": "!", "labels": ["a"]}\n' * 2 + '{"text": "?", "labels": ["b"]}\n', "word"),
        ],
    )
    def test_data_that_cannot_be_trained_on(self, tmp_path: Path, content: str, message: str) -> None:
        (tmp_path / "d.jsonl").write_text(content, encoding="utf-8")
        result = call("train", tmp_path / "d.jsonl", "-o", tmp_path / "m.setwise")
        assert (result.returncode, result.stdout) == (1, "")
        assert message in result.stderr
        assert result.stderr.count("\n") == 1
        assert not re.search(r"\b[XY]\b", result.stderr)
        assert not (tmp_path / "m.setwise").exists()

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["train", "none.svm", "-o", "m.setwise"], "No document of none.svm has a feature."),
            (["compare", "none.svm"], "No document of none.svm has a feature."),
            (["compare", "one.svm"], "A split in 2 parts needs at least 2 documents; got 1."),
            (["compare", "two.svm"], "At least 3 documents are needed to train on; two.svm provides 1."),
            (["data", "split", "one.svm", "--train", "a.svm", "--test", "b.svm"], "A split in 2 parts needs"),
        ],
    )
    def test_errors_name_files_instead_of_arrays(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
    ) -> None:
        monkeypatch.chdir(tmp_path)
        for name, content in {"none": "0\n1\n" * 4, "one": "0 1:1\n", "two": "0 1:1\n1 2:1\n"}.items():
            Path(f"{name}.svm").write_text(content, encoding="utf-8")
        result = call(*arguments)
        assert (result.returncode, result.stdout) == (1, "")
        assert result.stderr.startswith(f"error: {message}")
        assert result.stderr.count("\n") == 1

    def test_unwritable_model_is_reported_and_the_old_one_stays(self, folder: Path, tmp_path: Path) -> None:
        closed = tmp_path / "closed"
        closed.mkdir()
        (closed / "m.setwise").write_bytes(b"old")
        if os.geteuid() == 0:
            target = tmp_path / "no such folder" / "m.setwise"
        else:
            closed.chmod(0o500)
            target = closed / "m.setwise"
        for output in (target, tmp_path):
            # The data are missing: the output is checked before the input.
            result = call("train", tmp_path / "gone.jsonl", "-o", output)
            assert (result.returncode, result.stdout) == (1, "")
            assert result.stderr.startswith(f"error: Cannot write {output}: ")
        assert (closed / "m.setwise").read_bytes() == b"old"

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
    def test_full_disk_is_reported_in_one_line(self, folder: Path, model: Path) -> None:
        with open("/dev/full", "w") as full:
            command = [str(COMMAND), "predict", str(model), str(folder / "test.jsonl")]
            result = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        assert result.returncode == 1
        assert result.stderr.endswith("error: standard output: No space left on device.\n")
        assert "Traceback" not in result.stderr

    def test_unreadable_documents_are_skipped_on_request(self, model: Path) -> None:
        text = '{"text": "a goal"}\nnot json\n{"text": "rain"}\n'
        stopped = call("predict", model, "-", "--from", "jsonl", stdin=text)
        assert stopped.returncode == 1
        assert "line 2" in stopped.stderr
        skipped = call("predict", model, "-", "--from", "jsonl", "--on-error", "skip", stdin=text)
        assert skipped.returncode == 0
        assert len(skipped.stdout.splitlines()) == 2
        assert "skipped 1 documents" in skipped.stderr

    @pytest.mark.parametrize(
        "arguments", [["train", "x.jsonl"], ["train", "x.jsonl", "-o", "m", "--model", "svm"], ["predict", "m"]]
    )
    def test_usage_error_is_exit_code_2(self, arguments: list[str]) -> None:
        result = call(*arguments)
        assert (result.returncode, result.stdout) == (2, "")
        assert "Traceback" not in result.stderr

    @pytest.mark.parametrize("command", ["train", "predict", "evaluate", "inspect", "compare"])
    def test_help_has_examples(self, command: str) -> None:
        result = call(command, "--help")
        assert result.returncode == 0
        assert "Examples:" in result.stdout
        assert f"setwise {command} " in result.stdout.split("Examples:")[1]
