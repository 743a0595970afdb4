from __future__ import annotations

import json
import re
import sys
import tomllib
from pathlib import Path

import pytest
import typer

from setwise.cli import app as command_line
from setwise.exceptions import InvalidData, InvalidParameter
from tests.cli.process import run


def test_version_matches_the_project(repository: Path) -> None:
    project = tomllib.loads((repository / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    result = run("--version")
    assert (result.returncode, result.stdout) == (0, f"setwise {project['version']}\n")


@pytest.mark.parametrize("arguments", [["bogus"], ["demo", "--bogus"], ["demo", "--random-state", "x"]])
def test_usage_error_exits_with_2_and_no_traceback(arguments: list[str]) -> None:
    result = run(*arguments)
    assert result.returncode == 2
    assert "Traceback" not in result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize(("error", "code"), [(InvalidParameter("p must hold."), 2), (InvalidData("d is bad."), 1)])
def test_error_becomes_one_line_and_an_exit_code(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], error: Exception, code: int
) -> None:
    failing = typer.Typer(pretty_exceptions_enable=False)

    @failing.command()
    def fail() -> None:
        raise error

    monkeypatch.setattr(command_line, "app", failing)
    monkeypatch.setattr(sys, "argv", ["setwise"])
    with pytest.raises(SystemExit) as stopped:
        command_line.main()
    assert stopped.value.code == code
    assert capsys.readouterr().err == f"error: {error}\n"


def test_demo_trains_compares_and_saves(tmp_path: Path) -> None:
    files = ("-o", tmp_path / "d.setwise", "--held-out", tmp_path / "d.jsonl")
    result = run("demo", "--documents", "1500", "--budget", "quick", *files)
    assert result.returncode == 0, result.stderr
    assert re.search(r"1,500 docstrings of Python, NumPy, SciPy and scikit-learn, \d+ of them held out", result.stdout)
    scores_shown = [float(number) for number in re.findall(r"│\s+([\d.]+) │\s+[\d.]+ │", result.stdout)]
    assert len(scores_shown) == 3
    assert 30 < scores_shown[0] < scores_shown[2] <= 100
    scores = run("evaluate", tmp_path / "d.setwise", tmp_path / "d.jsonl", "--json")
    assert 100 * json.loads(scores.stdout)["instance_f1"] == pytest.approx(scores_shown[2], abs=0.051)
