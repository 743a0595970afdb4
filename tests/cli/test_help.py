"""The help of every command fits in 80 columns, and its choices are those of the registries."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from setwise.data import FORMATS
from setwise.decision import DECISIONS
from setwise.inference import INFERENCES
from setwise.metrics import METRICS, Metric, instance_f1
from setwise.models import AUTO, BUDGETS, MODELS
from tests.cli.corpus import news, write_jsonl
from tests.cli.process import call

COMMANDS = ["demo", "train", "predict", "evaluate", "inspect", "compare", "data stats", "data convert", "data split"]
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


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_every_line_fits_in_80_columns(command: str) -> None:
    lines = help_of(command).splitlines()
    assert len(lines) > 5
    assert max(map(len, lines)) <= 80
    assert not [
        line
        for line in lines
        if "…" in line or "{" in line.replace("{DATA}", "").replace("{MODEL}", "").replace("{OUT}", "")
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
    assert "'toy' is not one of auto, br, pcc, crf, cbm, lsf, mlp, spen." in " ".join(
        refused.stderr.replace("│", " ").split()
    )
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
