"""The help of every command fits in 80 columns, and its choices are those of the registries."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import typer

from setwise.cli.app import app
from setwise.data import FORMATS
from setwise.decision import DECISIONS
from setwise.inference import INFERENCES
from setwise.metrics import METRICS, Metric, instance_f1
from setwise.models import AUTO, BUDGETS, MODELS
from tests.cli.corpus import news, write_jsonl
from tests.cli.process import COMMAND, call

APP: Any = typer.main.get_command(app)
COMMANDS = [
    *(name for name in APP.commands if name != "data"),
    *(f"data {name}" for name in APP.commands["data"].commands),
]
CHOICES: dict[str, Iterable[str]] = {
    "--model ": MODELS,
    "--inference ": INFERENCES,
    "--decision ": DECISIONS,
    "--scoring ": METRICS,
    "--budget ": BUDGETS,
    "--from ": FORMATS,
}


@pytest.fixture(autouse=True)
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


def help_of(command: str, option: str = "") -> str:
    """Return the help of a command on one line, from an option on where one is named."""
    shown = call(*command.split(), "--help")
    assert shown.returncode == 0, shown.stderr
    return " ".join(shown.stdout.replace("│", " ").partition(option)[2].split()) if option else shown.stdout


def examples_of(command: str) -> list[str]:
    """Return the commands that the help of a command ends with."""
    _, heading, examples = help_of(command).partition(" Examples:")
    assert heading, command
    return [line.strip() for line in examples.splitlines() if line.strip()]


@pytest.mark.parametrize("command", ["", "data", *COMMANDS])
def test_every_line_fits_in_80_columns(command: str) -> None:
    lines = help_of(command).splitlines()
    assert len(lines) > 5
    assert max(map(len, lines)) <= 80
    assert not [
        line for line in lines if "…" in line or "{" in re.sub(r"\{(DATA|MODEL|OUT|OTHER\|DATA|TEXT\|FILE)\}", "", line)
    ]


@pytest.mark.parametrize("option", CHOICES)
def test_choices_are_listed(option: str) -> None:
    assert ", ".join(CHOICES[option]) in help_of("train", option)


def test_a_model_that_is_registered_later_is_a_choice(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert "toy" not in help_of("train")
    monkeypatch.setitem(MODELS, "toy", replace(MODELS["br"], name="toy"))
    assert f"Model to train: {', '.join([AUTO, *MODELS])}." in help_of("train", "--model ")
    file = write_jsonl(tmp_path / "d.jsonl", news(40))
    trained = call("train", file, "-o", tmp_path / "m", "--model", "toy", "--budget", "quick")
    assert trained.returncode == 0, trained.stderr
    monkeypatch.delitem(MODELS, "toy")
    refused = call("train", file, "-o", tmp_path / "m", "--model", "toy")
    assert refused.returncode == 2
    assert f"'toy' is not one of auto, {', '.join(MODELS)}." in " ".join(refused.stderr.replace("│", " ").split())
    assert "toy" not in help_of("train")


def test_a_metric_that_is_registered_later_is_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(
        METRICS, "doubled_f1", Metric("doubled_f1", lambda y_true, y_pred: 2 * instance_f1(y_true, y_pred))
    )
    file, model = write_jsonl(tmp_path / "d.jsonl", news(40)), tmp_path / "m"
    options = ("--budget", "quick", "--scoring", "doubled_f1")
    assert call("train", file, "-o", model, *options).returncode == 0
    shown = call("evaluate", model, file)
    assert "doubled F1" in shown.stdout
    compared = call("compare", file, "--models", "br", *options)
    assert "br: doubled F1 " in compared.stderr


@pytest.mark.parametrize("command", ["", "data", *COMMANDS])
def test_the_help_ends_with_examples_of_the_command(command: str) -> None:
    examples = examples_of(command)
    assert 2 <= len(examples) <= 5
    assert all(f"setwise {command}".strip() in example for example in examples)


@pytest.mark.parametrize("command", COMMANDS)
def test_examples_are_commands(command: str) -> None:
    for example in examples_of(command):
        (words,) = [words for words in map(shlex.split, example.split(" | ")) if words[0] == "setwise"]
        words = words[: words.index(">")] if ">" in words else words
        parsed, names = APP, command.split()
        for name in names:
            parsed = parsed.commands[name]
        assert words[1 : 1 + len(names)] == names
        with parsed.make_context(command, words[1 + len(names) :]) as context:
            assert context.params


def files_of_the_examples(folder: Path) -> None:
    """Write every file that an example of a command without training reads."""
    documents = news(120)
    train, test = (
        write_jsonl(folder / "train.jsonl", documents[:80]),
        write_jsonl(folder / "test.jsonl", documents[80:]),
    )
    for name in ("new.jsonl", "labeled.jsonl"):
        shutil.copy(test, folder / name)
    for source, target, *options in (
        (test, "test.csv"),
        (train, "docs.csv"),
        (train, "docs.jsonl"),
        (train, "docs.jsonl.gz"),
        (test, "new.jsonl.gz"),
        (train, "docs.tsv"),
        (train, "reviews.csv", "--to-separator", "|"),
    ):
        assert call("data", "convert", source, folder / target, *options).returncode == 0
    renamed = {"text": "body", "labels": "tags"}
    head, rest = (folder / "reviews.csv").read_text().split("\n", 1)
    (folder / "reviews.csv").write_text(",".join(renamed.get(name, name) for name in head.split(",")) + "\n" + rest)
    for name in ("docs.csv", "test.csv"):  # whose labels some examples call `tags`
        head, *rows = (folder / name).read_text().splitlines()
        column = head.split(",").index("labels")
        rows = [f"{row},{row.split(',')[column]}" for row in rows]
        (folder / name).write_text("\n".join([f"{head},tags", *rows]) + "\n")
    rows = [f"{one['text']},{';'.join(one['labels'])},today,me" for one in documents[80:]]
    (folder / "new.csv").write_text("\n".join(["text,labels,date,author", *rows]) + "\n")
    rows = [f"{i % 3} {1 + i % 4}:1 {5 + i % 2}:1\n" for i in range(40)]
    (folder / "train.svm").write_text("".join(rows))
    for name in ("train.svm.gz", "docs.svm.gz"):
        assert call("data", "convert", folder / "train.svm", folder / name, "--to", "libsvm").returncode == 0
    trained = call("train", train, "-o", folder / "topics.setwise", "--model", "br", "--budget", "quick")
    assert trained.returncode == 0, trained.stderr
    for name in ("old.setwise", "new.setwise"):
        shutil.copy(folder / "topics.setwise", folder / name)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("examples")
    files_of_the_examples(folder)
    return folder


@pytest.mark.parametrize("command", [one for one in COMMANDS if one not in ("demo", "train", "compare", "serve")])
def test_examples_run(command: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The others take long, or do not end; their options are parsed above."""
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PATH", f"{COMMAND.parent}{os.pathsep}{os.environ['PATH']}")
    for example in examples_of(command):
        if "|" in example.replace('"|"', "") or ">" in example:
            ended: Any = subprocess.run(["sh", "-ec", example], capture_output=True, text=True, check=False)
        else:
            ended = call(*shlex.split(example)[1:])
        assert ended.returncode == 0, (example, ended.stderr)
