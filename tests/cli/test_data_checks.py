"""Warnings where a person most likely made a mistake: they name it in one line, and stay silent otherwise."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import pytest

from setwise.cli.data_checks import DataChecks
from setwise.data import ReadOptions, TextDocument
from tests.cli.corpus import news, write_jsonl
from tests.cli.in_process import call
from tests.cli.test_predict import make_model

QUICK = ("--budget", "quick", "--inference", "support", "--decision", "gfm", "--calibration", "none", "--threads", "1")


def warnings(*arguments: str | Path) -> list[str]:
    result = call(*arguments)
    assert result.returncode == 0, result.stderr
    return [line for line in result.stderr.splitlines() if line.startswith("warning: ")]


def put_csv(path: Path, rows: list[str]) -> Path:
    path.write_text("\n".join(["id,text,labels", *rows]) + "\n", encoding="utf-8")
    return path


class TestStats:
    def test_labels_that_another_separator_would_part(self, tmp_path: Path) -> None:
        file = put_csv(tmp_path / "d.csv", ["1,one,a|b", "2,two,a", "3,three,b|c"])
        assert warnings("data", "stats", file) == [
            "warning: 2 of 3 labels contain '|', and no document has two labels; "
            "if it separates labels, give --separator '|'."
        ]
        assert warnings("data", "stats", file, "--separator", "|") == []

    def test_a_document_with_two_labels_shows_that_the_separator_is_right(self, tmp_path: Path) -> None:
        assert warnings("data", "stats", put_csv(tmp_path / "d.csv", ["1,one,a|b", "2,two,a;b"])) == []

    def test_labels_of_jsonl_are_lists_already(self, tmp_path: Path) -> None:
        file = write_jsonl(tmp_path / "d.jsonl", [{"text": "one", "labels": ["a|b"]}, {"text": "two", "labels": ["a"]}])
        assert warnings("data", "stats", file) == []

    def test_a_label_of_every_document(self, tmp_path: Path) -> None:
        file = put_csv(tmp_path / "d.csv", ["1,one,all;b;each", "2,two,all;each"])
        assert warnings("data", "stats", file) == [
            f"warning: every document of {file} has the label 'all' (and 1 more): nothing can be learnt about it."
        ]

    def test_ids_and_texts_that_repeat(self, tmp_path: Path) -> None:
        file = put_csv(tmp_path / "d.csv", ["1,one  two,a", "1,one two,b", "2,three,a"])
        assert warnings("data", "stats", file) == [
            f"warning: 1 of 3 ids of {file} repeat an earlier one.",
            f"warning: 1 of 3 texts of {file} repeat an earlier one.",
        ]

    def test_documents_without_id_or_text_repeat_nothing(self, tmp_path: Path) -> None:
        file = write_jsonl(tmp_path / "d.jsonl", [{"text": "", "labels": ["a"]}, {"text": "", "labels": ["b"]}])
        assert warnings("data", "stats", file) == []


def test_train_warns_of_its_data_and_of_texts_to_tune_on_that_it_has_already(tmp_path: Path) -> None:
    documents: list[Any] = news(40)
    for one in documents:
        one["labels"] = [*one["labels"], "news"]
    data = write_jsonl(tmp_path / "train.jsonl", documents)
    valid = write_jsonl(tmp_path / "valid.jsonl", [*documents[:3], *news(20, random_state=1)])
    assert warnings("train", data, "-o", tmp_path / "m.setwise", "--valid", valid, *QUICK) == [
        f"warning: every document of {data} has the label 'news': nothing can be learnt about it.",
        f"warning: 3 of 23 texts of {valid} are in {data} too: scores on them are too good.",
    ]


def test_evaluate_warns_of_texts_that_the_model_was_trained_on(tmp_path: Path) -> None:
    documents = news(40)
    data, model = write_jsonl(tmp_path / "train.jsonl", documents), tmp_path / "m.setwise"
    warnings("train", data, "-o", model, *QUICK)
    seen = write_jsonl(tmp_path / "seen.jsonl", [*documents[20:23], *news(20, random_state=1)])
    assert warnings("evaluate", model, seen) == [
        f"warning: 3 of 23 texts of {seen} are in the training data of {model} too: scores on them are too good."
    ]
    assert warnings("evaluate", model, write_jsonl(tmp_path / "new.jsonl", news(20, random_state=1))) == []


def test_evaluate_warns_of_ids_and_unknown_words(tmp_path: Path) -> None:
    documents: list[Any] = news(40)
    model = make_model(tmp_path / "m.setwise", [one["labels"] for one in documents], [one["text"] for one in documents])
    file = put_csv(tmp_path / "d.csv", ["1,the goal,sport", "1,zzyzx,sport", "2,the rain,weather"])
    assert warnings("evaluate", model, file) == [
        f"warning: 1 of 3 ids of {file} repeat an earlier one.",
        "warning: 1 of 3 documents have no word that the model knows; "
        "do not trust their expected_f1 (their coverage is 0).",
    ]
    assert warnings("predict", model, file, "-o", tmp_path / "p.jsonl") == warnings("evaluate", model, file)


def test_split_warns_of_texts_in_both_parts(tmp_path: Path) -> None:
    file = write_jsonl(tmp_path / "d.jsonl", [{"text": "the same", "labels": ["a"]}] * 10)
    train, test = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    parts = ("--train", train, "--test", test)
    assert warnings("data", "split", file, *parts) == [
        f"warning: 2 of 2 texts of {test} are in {train} too: scores on them are too good."
    ]
    other = write_jsonl(tmp_path / "o.jsonl", [{"text": f"text {i}", "labels": ["a"]} for i in range(10)])
    assert warnings("data", "split", other, *parts) == []


@pytest.mark.parametrize("separator", [",", "|"])
def test_the_option_that_is_named_is_quoted_for_a_shell(separator: str, capsys: pytest.CaptureFixture[str]) -> None:
    checks = DataChecks("d.csv", ReadOptions(), "separator")
    checks.see([TextDocument("one", (f"a{separator}b",)), TextDocument("two", ("c",))])
    checks.note()
    told = capsys.readouterr().err
    assert shlex.split(told[told.index("--separator") :].rstrip("\n").removesuffix("."))[1] == separator
