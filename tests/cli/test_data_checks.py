"""Warnings about likely mistakes in the data: one line each, and none for correct data."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from setwise.cli.data_checks import DataChecks
from setwise.data import ReadOptions, TextDocument
from tests.cli.corpus import news, write_jsonl
from tests.cli.process import call
from tests.cli.test_predict import make_model

QUICK = ("--budget", "quick", "--inference", "support", "--decision", "gfm", "--calibration", "none", "--n-jobs", "1")


def warnings(*arguments: str | Path) -> list[str]:
    result = call(*arguments)
    assert result.returncode == 0, result.stderr
    return [line for line in result.stderr.splitlines() if line.startswith("warning: ")]


def put_csv(path: Path, rows: list[str]) -> Path:
    path.write_text("\n".join(["id,text,labels", *rows]) + "\n", encoding="utf-8")
    return path


class TestStats:
    def test_labels_that_contain_another_separator(self, tmp_path: Path) -> None:
        file = put_csv(tmp_path / "d.csv", ["1,one,a|b", "2,two,a", "3,three,b|c"])
        assert warnings("data", "stats", file) == [
            "warning: 2 of 3 labels contain '|', and no document has two labels. "
            "If it separates labels, add --separator '|'."
        ]
        assert warnings("data", "stats", file, "--separator", "|") == []

    def test_no_separator_warning_if_a_document_has_two_labels(self, tmp_path: Path) -> None:
        assert warnings("data", "stats", put_csv(tmp_path / "d.csv", ["1,one,a|b", "2,two,a;b"])) == []

    def test_no_separator_warning_for_jsonl(self, tmp_path: Path) -> None:
        file = write_jsonl(tmp_path / "d.jsonl", [{"text": "one", "labels": ["a|b"]}, {"text": "two", "labels": ["a"]}])
        assert warnings("data", "stats", file) == []

    def test_label_that_every_document_has(self, tmp_path: Path) -> None:
        file = put_csv(tmp_path / "d.csv", ["1,one,all;b;each", "2,two,all;each"])
        assert warnings("data", "stats", file) == [
            f"warning: every document of {file} has the label 'all' (and 1 more); a model cannot learn it."
        ]

    def test_duplicate_ids_and_texts(self, tmp_path: Path) -> None:
        file = put_csv(tmp_path / "d.csv", ["1,one  two,a", "1,one two,b", "2,three,a"])
        assert warnings("data", "stats", file) == [
            f"warning: 1 of 3 ids in {file} are duplicates.",
            f"warning: 1 of 3 texts in {file} are duplicates.",
        ]

    def test_missing_ids_and_empty_texts_are_not_duplicates(self, tmp_path: Path) -> None:
        file = write_jsonl(tmp_path / "d.jsonl", [{"text": "", "labels": ["a"]}, {"text": "", "labels": ["b"]}])
        assert warnings("data", "stats", file) == []


def test_train_warns_about_its_data_and_about_validation_texts_seen_in_training(tmp_path: Path) -> None:
    documents = news(40)
    for document in documents:
        document["labels"] = [*document["labels"], "news"]
    data = write_jsonl(tmp_path / "train.jsonl", documents)
    valid = write_jsonl(tmp_path / "valid.jsonl", [*documents[:3], *news(20, random_state=1)])
    assert warnings("train", data, "-o", tmp_path / "m.setwise", "--valid", valid, *QUICK) == [
        f"warning: every document of {data} has the label 'news'; a model cannot learn it.",
        f"warning: 3 of 23 texts in {valid} are also in {data}; scores on them are too optimistic.",
    ]


def test_evaluate_warns_about_training_texts(tmp_path: Path) -> None:
    documents = news(40)
    data, model = write_jsonl(tmp_path / "train.jsonl", documents), tmp_path / "m.setwise"
    warnings("train", data, "-o", model, *QUICK)
    seen = write_jsonl(tmp_path / "seen.jsonl", [*documents[20:23], *news(20, random_state=1)])
    assert warnings("evaluate", model, seen) == [
        f"warning: 3 of 23 texts in {seen} are also in the training data of {model}; scores on them are too optimistic."
    ]
    assert warnings("evaluate", model, write_jsonl(tmp_path / "new.jsonl", news(20, random_state=1))) == []


def test_evaluate_warns_about_ids_and_coverage(tmp_path: Path) -> None:
    documents = news(40)
    model = make_model(tmp_path / "m.setwise", [d["labels"] for d in documents], [d["text"] for d in documents])
    file = put_csv(tmp_path / "d.csv", ["1,the goal,sport", "1,zzyzx,sport", "2,the rain,weather"])
    assert warnings("evaluate", model, file) == [
        f"warning: 1 of 3 ids in {file} are duplicates.",
        "warning: 1 of 3 documents contain no word of the model's vocabulary (coverage 0); "
        "their expected_f1 is not reliable.",
    ]
    assert warnings("predict", model, file, "-o", tmp_path / "p.jsonl") == warnings("evaluate", model, file)


def test_split_warns_about_texts_in_both_parts(tmp_path: Path) -> None:
    file = write_jsonl(tmp_path / "d.jsonl", [{"text": "the same", "labels": ["a"]}] * 10)
    train, test = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    parts = ("--train", train, "--test", test)
    assert warnings("data", "split", file, *parts) == [
        f"warning: 2 of 2 texts in {test} are also in {train}; scores on them are too optimistic."
    ]
    other = write_jsonl(tmp_path / "o.jsonl", [{"text": f"text {i}", "labels": ["a"]} for i in range(10)])
    assert warnings("data", "split", other, *parts) == []


@pytest.mark.parametrize("separator", [",", "|"])
def test_suggested_separator_is_quoted_for_the_shell(separator: str, capsys: pytest.CaptureFixture[str]) -> None:
    checks = DataChecks("d.csv", ReadOptions(), "separator")
    checks.add([TextDocument("one", (f"a{separator}b",)), TextDocument("two", ("c",))])
    checks.print_warnings()
    warning = capsys.readouterr().err
    assert shlex.split(warning[warning.index("--separator") :].rstrip("\n").removesuffix("."))[1] == separator
