"""From a file of tagged documents to predictions; where a process matters, in a process of its own."""

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

import pyarrow.parquet as pq
import pytest

from setwise.persistence import load
from tests.cli.corpus import WORDS, news, write_jsonl
from tests.cli.in_process import call
from tests.cli.process import COMMAND, run

TEST = news(60, random_state=1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("news")
    write_jsonl(made / "train.jsonl", news(150))
    write_jsonl(made / "test.jsonl", TEST)
    trained = run("train", made / "train.jsonl", "-o", made / "news.setwise", "--budget", "quick", "--threads", "1")
    assert trained.returncode == 0, trained.stderr
    (made / "trained.txt").write_text(trained.stdout, encoding="utf-8")
    (made / "told.txt").write_text(trained.stderr, encoding="utf-8")
    return made


@pytest.fixture(scope="module")
def model(folder: Path) -> Path:
    return folder / "news.setwise"


class TestTrain:
    def test_it_says_what_was_chosen_and_what_else_was_tried(self, folder: Path) -> None:
        told = (folder / "trained.txt").read_text(encoding="utf-8")
        assert "150 documents, 4 labels" in told
        assert "chosen on documents held out: BinaryRelevance, " in told
        assert "strength" in told
        tried = [line for line in told.splitlines() if re.search(r"(support|exact).* 0\.\d{4}", line)]
        assert len(tried) == 5
        assert [line.endswith("chosen") for line in map(str.rstrip, tried)] == [True, False, False, False, False]

    def test_rows_of_the_table_differ_by_their_settings(self, folder: Path) -> None:
        told = (folder / "trained.txt").read_text(encoding="utf-8").splitlines()
        head = next(line for line in told if line.split()[:1] == ["prediction"])
        assert head.split() == ["prediction", "l1_ratio", "strength", "instance_f1"]
        rows = [line.split() for line in told[told.index(head) + 1 :]]
        assert len({tuple(row[:-1]) for row in rows}) == len(rows)
        assert all(len(line) <= 80 for line in told[1:])

    def test_what_to_do_next_works_when_pasted(self, folder: Path) -> None:
        told = (folder / "told.txt").read_text(encoding="utf-8").splitlines()
        at = told.index("next:")
        assert len(told) == at + 3
        for command in told[at + 1 :]:
            result = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
            assert result.returncode == 0, result.stderr

    def test_for_a_machine_it_is_one_object(self, folder: Path, tmp_path: Path) -> None:
        given = ("train", folder / "train.jsonl", "-o", tmp_path / "m.setwise", "--budget", "quick", "--json")
        result = call(*given, "--inference", "support", "--decision", "gfm", "--calibration", "none")
        assert result.returncode == 0, result.stderr
        told = json.loads(result.stdout)
        assert told["documents"] == 150
        assert told["tuning"]["settings"].keys() == {"strength", "l1_ratio"}
        assert [one["recipe"] for one in told["tuning"]["alternatives"]] == ["as it is"]

    def test_two_equal_runs_write_the_same_bytes(self, folder: Path, model: Path, tmp_path: Path) -> None:
        again = tmp_path / "again.setwise"
        result = call("train", folder / "train.jsonl", "-o", again, "--budget", "quick", "--threads", "1")
        assert result.returncode == 0, result.stderr
        assert again.read_bytes() == model.read_bytes()

    def test_documents_to_tune_on_can_be_given(self, folder: Path, tmp_path: Path) -> None:
        given = ("train", folder / "train.jsonl", "-o", tmp_path / "m.setwise", "--budget", "quick")
        result = call(*given, "--valid", folder / "test.jsonl", "--json")
        assert result.returncode == 0, result.stderr

    @pytest.mark.parametrize("name", ["pcc", "crf", "cbm", "lsf"])
    def test_every_model_is_trained_and_asked(self, folder: Path, tmp_path: Path, name: str) -> None:
        file = tmp_path / f"{name}.setwise"
        trained = call("train", folder / "train.jsonl", "-o", file, "--model", name, "--budget", "quick")
        assert trained.returncode == 0, trained.stderr
        scores = json.loads(call("evaluate", file, folder / "test.jsonl", "--json").stdout)
        assert scores["instance_f1"] > 0.9
        shown = call("inspect", file, "--json")
        assert shown.returncode == 0, shown.stderr
        assert json.loads(shown.stdout)["labels"] == 4

    def test_vectors_are_trained_on_too(self, tmp_path: Path, folder: Path) -> None:
        lines = [f"{i % 3} {i % 3 + 1}:1.5 {4 + i % 2}:0.5" for i in range(60)]
        (tmp_path / "v.svm").write_text("\n".join(lines) + "\n", encoding="utf-8")
        trained = call("train", tmp_path / "v.svm", "-o", tmp_path / "v.setwise", "--budget", "quick")
        assert trained.returncode == 0, trained.stderr
        out = call("predict", tmp_path / "v.setwise", tmp_path / "v.svm", "-o", tmp_path / "p.svm")
        assert out.returncode == 0, out.stderr
        wrote = (tmp_path / "p.svm").read_text(encoding="utf-8").splitlines()
        assert [line.split()[0] for line in wrote[:3]] == ["0", "1", "2"]
        wide = tmp_path / "wide.svm"
        wide.write_text("0 99:1\n", encoding="utf-8")
        refused = call("predict", tmp_path / "v.setwise", wide)
        assert (refused.returncode, refused.stdout) == (1, "")
        assert refused.stderr.startswith("error: Features must lie between 1 and 5; got 99.")
        mixed = call("predict", tmp_path / "v.setwise", folder / "test.jsonl")
        assert mixed.returncode == 1
        assert "must hold vectors, which the model was trained on; it holds texts." in mixed.stderr

    @pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
    def test_a_killed_training_goes_on_and_loses_no_old_model(self, folder: Path, tmp_path: Path) -> None:
        file = tmp_path / "m.setwise"
        file.write_bytes(b"an old model")
        cells = tmp_path / "cells.jsonl"
        given = [str(COMMAND), "train", str(folder / "train.jsonl"), "-o", str(file), "--resume", str(cells)]
        with subprocess.Popen(
            [*given, "--model", "cbm"], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL
        ) as process:
            for _ in range(600):
                if cells.exists() and len(cells.read_bytes().splitlines()) > 1:
                    break
                time.sleep(0.05)
            process.send_signal(signal.SIGKILL)
        assert file.read_bytes() == b"an old model"
        kept = cells.read_bytes()
        ended = call(*given[1:], "--model", "cbm")
        assert ended.returncode == 0, ended.stderr
        assert cells.read_bytes().startswith(kept[: kept.rfind(b"\n") + 1])
        alone = tmp_path / "alone.setwise"
        assert call("train", folder / "train.jsonl", "-o", alone, "--model", "cbm").returncode == 0
        one, other = load(file).classifier.tuning_, load(alone).classifier.tuning_
        assert (one.model.get_params(), one.iterations) == (other.model.get_params(), other.iterations)
        assert (one.recipe_name, one.value) == (other.recipe_name, other.value)


class TestPredict:
    def test_lines_of_json_with_sets_and_marginals(self, folder: Path, model: Path) -> None:
        result = call("predict", model, folder / "test.jsonl", "--top", "2", "--marginals", "0.05")
        assert result.returncode == 0, result.stderr
        rows = [json.loads(line) for line in result.stdout.splitlines()]
        assert [row["id"] for row in rows] == [one["id"] for one in TEST]
        assert sum(row["labels"] == one["labels"] for row, one in zip(rows, TEST, strict=True)) > 50
        for row in rows:
            assert 0 <= row["expected_f1"] <= 1 + 1e-9
            assert len(row["sets"]) == 2
            assert row["sets"][0]["probability"] >= row["sets"][1]["probability"]
            assert all(p >= 0.05 for p in row["marginals"].values())
        assert "60 documents in " in result.stderr
        assert " per second" in result.stderr

    def test_it_pipes(self, folder: Path, model: Path) -> None:
        whole = call("predict", model, folder / "test.jsonl").stdout
        text = (folder / "test.jsonl").read_text(encoding="utf-8")
        assert call("predict", model, "-", "--from", "jsonl", stdin=text).stdout == whole

    def test_documents_without_labels_will_do(self, model: Path) -> None:
        result = call("predict", model, "-", "--from", "jsonl", stdin='{"text": "a goal in the match"}\n')
        assert json.loads(result.stdout)["labels"] == ["sport"]

    def test_as_csv_and_parquet(self, folder: Path, model: Path, tmp_path: Path) -> None:
        expected = [json.loads(line) for line in call("predict", model, folder / "test.jsonl").stdout.splitlines()]
        table = call("predict", model, folder / "test.jsonl", "--format", "csv", "--top", "1")
        rows = list(csv.DictReader(io.StringIO(table.stdout)))
        assert [row["labels"].split(";") for row in rows] == [row["labels"] for row in expected]
        assert set(rows[0]) == {"row", "id", "labels", "expected_f1", "coverage", "set_1", "probability_1"}
        call("predict", model, folder / "test.jsonl", "-o", tmp_path / "p.jsonl.gz")
        with gzip.open(tmp_path / "p.jsonl.gz", "rt", encoding="utf-8") as file:
            assert [json.loads(line) for line in file] == expected
        out = call("predict", model, folder / "test.jsonl", "-o", tmp_path / "p.parquet", "--marginals", "0.5")
        assert out.returncode == 0, out.stderr
        read = pq.read_table(tmp_path / "p.parquet").to_pylist()
        assert [row["labels"] for row in read] == [row["labels"] for row in expected]
        assert dict(read[0]["marginals"]).keys() <= set(WORDS)

    def test_a_reader_that_goes_away_is_no_error_to_tell(self, folder: Path, model: Path) -> None:
        command = f'"{COMMAND}" predict "{model}" "{folder / "test.jsonl"}" | head -1'
        result = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=120, check=False)
        assert len(result.stdout.splitlines()) == 1
        assert "Traceback" not in result.stderr


class TestEvaluate:
    def test_all_figures_are_there_and_right(self, folder: Path, model: Path) -> None:
        told = json.loads(call("evaluate", model, folder / "test.jsonl", "--json").stdout)
        assert told["n_documents"] == 60
        rows = [json.loads(line) for line in call("predict", model, folder / "test.jsonl").stdout.splitlines()]
        right = sum(row["labels"] == one["labels"] for row, one in zip(rows, TEST, strict=True))
        assert told["set_accuracy"] == right / 60
        for name in ("instance_f1", "instance_precision", "instance_recall", "micro_f1", "macro_f1", "hamming_loss"):
            assert 0 <= told[name] <= 1
        assert told["expected_f1_error"] < 0.3
        assert [row["name"] for row in told["labels"]] == sorted(WORDS)
        shown = call("evaluate", model, folder / "test.jsonl", "--show", "2")
        assert "instance f1" in shown.stdout
        assert "the 2 most frequent of 4 labels" in shown.stderr

    def test_labels_unknown_to_the_model_are_missed_and_told(self, model: Path, tmp_path: Path) -> None:
        file = write_jsonl(tmp_path / "t.jsonl", [{"text": "a goal", "labels": ["sport", "yak"]}])
        result = call("evaluate", model, file, "--json")
        assert result.returncode == 0
        told = json.loads(result.stdout)
        assert told["unknown_labels"] == ["yak"]
        assert told["instance_recall"] <= 0.5
        assert "1 labels are unknown to the model, such as 'yak'." in result.stderr


class TestInspectAndCompare:
    def test_strongest_words_are_those_of_the_label(self, model: Path) -> None:
        told = json.loads(call("inspect", model, "--words", "3", "--json").stdout)
        assert told["model"] == "BinaryRelevance"
        assert told["bytes"] == model.stat().st_size
        for row in told["per_label"]:
            assert {word for word, _ in row["words"]} <= set(WORDS[row["label"]])
        shown = call("inspect", model)
        assert "label sets" in shown.stdout

    def test_models_side_by_side(self, folder: Path) -> None:
        result = call("compare", folder / "train.jsonl", "--models", "br,lsf", "--json")
        assert result.returncode == 0, result.stderr
        rows = [json.loads(line) for line in result.stdout.splitlines()]
        assert [row["model"] for row in rows] == ["br", "lsf"]
        assert all(row["instance_f1"] > 0.8 for row in rows)
        table = call("compare", folder / "train.jsonl", "--models", "br")
        assert "120 documents to train on, 30 to score on" in table.stdout
        assert "br: instance F1" in table.stderr
        wrong = call("compare", folder / "train.jsonl", "--models", "br,svm")
        assert (wrong.returncode, wrong.stderr) == (
            2,
            "error: models must be some of br, pcc, crf, cbm, lsf; got 'br,svm'.\n",
        )


class TestMistakes:
    @pytest.mark.parametrize("command", ["train", "predict", "evaluate", "compare"])
    def test_a_file_that_is_not_there(self, command: str, model: Path, tmp_path: Path) -> None:
        gone = tmp_path / "gone.jsonl"
        given = {"train": [gone, "-o", tmp_path / "m"], "compare": [gone]}.get(command, [model, gone])
        result = call(command, *given)
        assert (result.returncode, result.stdout) == (1, "")
        assert result.stderr.startswith("error: ")
        assert "gone.jsonl" in result.stderr
        assert result.stderr.count("\n") == 1

    @pytest.mark.parametrize("command", ["predict", "evaluate", "inspect"])
    def test_a_model_that_is_none(self, command: str, folder: Path, tmp_path: Path) -> None:
        fake = tmp_path / "fake.setwise"
        fake.write_bytes(b"not a model")
        more = [] if command == "inspect" else [folder / "test.jsonl"]
        for file in (fake, tmp_path / "none.setwise"):
            result = call(command, file, *more)
            assert (result.returncode, result.stdout) == (1, "")
            assert result.stderr.startswith("error: ")
            assert result.stderr.count("\n") == 1

    @pytest.mark.parametrize(
        ("content", "options", "told"),
        [
            ("", (), "must hold at least one document"),
            ('{"body": "x", "labels": []}\n', (), "text"),
            ('{"text": "x"}\n', (), "must give the labels"),
            (
                '{"text": "one two", "labels": []}\n' * 3,
                (),
                "d.jsonl must have labels to train on; no document has any",
            ),
            ('{"text": "one two", "labels": ["a"]}\n', (), "d.jsonl must give at least 3 documents to train on; it"),
            ('{"text": "!", "labels": ["a"]}\n' * 2 + '{"text": "?", "labels": ["b"]}\n', (), "word"),
        ],
    )
    def test_data_that_cannot_be_trained_on(
        self, tmp_path: Path, content: str, options: tuple[str, ...], told: str
    ) -> None:
        (tmp_path / "d.jsonl").write_text(content, encoding="utf-8")
        result = call("train", tmp_path / "d.jsonl", "-o", tmp_path / "m.setwise", *options)
        assert (result.returncode, result.stdout) == (1, "")
        assert told in result.stderr
        assert result.stderr.count("\n") == 1
        assert not re.search(r"\b[XY]\b", result.stderr)
        assert not (tmp_path / "m.setwise").exists()

    @pytest.mark.parametrize(
        ("arguments", "told"),
        [
            (["train", "none.svm", "-o", "m.setwise"], "none.svm must have features to train on; no document has any."),
            (["compare", "none.svm"], "none.svm must have features to train on; no document has any."),
            (["compare", "one.svm"], "There must be at least a document a part, 2; got 1."),
            (["compare", "two.svm"], "two.svm must give at least 3 documents to train on; it gives 1."),
            (["data", "split", "one.svm", "--train", "a.svm", "--test", "b.svm"], "There must be at least a document"),
        ],
    )
    def test_errors_speak_of_files_and_not_of_arrays(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], told: str
    ) -> None:
        monkeypatch.chdir(tmp_path)
        for name, content in {"none": "0\n1\n" * 4, "one": "0 1:1\n", "two": "0 1:1\n1 2:1\n"}.items():
            Path(f"{name}.svm").write_text(content, encoding="utf-8")
        result = call(*arguments)
        assert (result.returncode, result.stdout) == (1, "")
        assert result.stderr.startswith(f"error: {told}")
        assert result.stderr.count("\n") == 1

    def test_a_model_that_cannot_be_written_is_told_and_the_old_one_stays(self, folder: Path, tmp_path: Path) -> None:
        closed = tmp_path / "closed"
        closed.mkdir()
        (closed / "m.setwise").write_bytes(b"old")
        if os.geteuid() == 0:
            target = tmp_path / "no such folder" / "m.setwise"
        else:
            closed.chmod(0o500)
            target = closed / "m.setwise"
        for given in (target, tmp_path):
            # The data are not there: where the model goes is looked at before any work is done.
            result = call("train", tmp_path / "gone.jsonl", "-o", given)
            assert (result.returncode, result.stdout) == (1, "")
            assert result.stderr.startswith(f"error: {given} must be a file that can be written; ")
        assert (closed / "m.setwise").read_bytes() == b"old"

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
    def test_a_full_disk_is_one_line(self, folder: Path, model: Path) -> None:
        with open("/dev/full", "w") as full:
            command = [str(COMMAND), "predict", str(model), str(folder / "test.jsonl")]
            result = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        assert result.returncode == 1
        assert result.stderr.endswith("error: standard output: No space left on device.\n")
        assert "Traceback" not in result.stderr

    def test_documents_that_cannot_be_read_are_skipped_if_asked(self, model: Path) -> None:
        text = '{"text": "a goal"}\nnot json\n{"text": "rain"}\n'
        stopped = call("predict", model, "-", "--from", "jsonl", stdin=text)
        assert stopped.returncode == 1
        assert "line 2" in stopped.stderr
        skipped = call("predict", model, "-", "--from", "jsonl", "--on-error", "skip", stdin=text)
        assert skipped.returncode == 0
        assert len(skipped.stdout.splitlines()) == 2
        assert "skipped 1 of the documents" in skipped.stderr

    @pytest.mark.parametrize(
        "arguments", [["train", "x.jsonl"], ["train", "x.jsonl", "-o", "m", "--model", "svm"], ["predict", "m"]]
    )
    def test_wrong_use_is_exit_code_2(self, arguments: list[str]) -> None:
        result = call(*arguments)
        assert (result.returncode, result.stdout) == (2, "")
        assert "Traceback" not in result.stderr

    @pytest.mark.parametrize("command", ["train", "predict", "evaluate", "inspect", "compare"])
    def test_help_has_examples(self, command: str) -> None:
        result = call(command, "--help")
        assert result.returncode == 0
        assert "Examples:" in result.stdout
        assert f"setwise {command} " in result.stdout.split("Examples:")[1]
