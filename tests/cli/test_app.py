from __future__ import annotations

import re
import sys
import tomllib

import pytest
import typer

from setwise.cli import app as command_line
from setwise.exceptions import InvalidData, InvalidParameter
from tests.cli.process import run


def test_version_is_the_one_of_the_project(repository):
    project = tomllib.loads((repository / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    result = run("--version")
    assert (result.returncode, result.stdout) == (0, f"setwise {project['version']}\n")


@pytest.mark.parametrize("arguments", [["bogus"], ["demo", "--bogus"], ["demo", "--seed", "x"]])
def test_wrong_use_exits_with_2_and_no_traceback(arguments):
    result = run(*arguments)
    assert result.returncode == 2
    assert "Traceback" not in result.stderr
    assert result.stdout == ""


def test_a_parameter_out_of_range_is_one_line_and_exit_code_2():
    result = run("demo", "--documents", "3")
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr == "error: documents must be at least 50; got 3.\n"


@pytest.mark.parametrize(("error", "code"), [(InvalidParameter("p must hold."), 2), (InvalidData("d is bad."), 1)])
def test_an_error_becomes_one_line_and_an_exit_code(monkeypatch, capsys, error, code):
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


def test_demo_prints_a_row_a_strength_and_documents_beside_their_predictions():
    result = run("demo", "--documents", "300")
    assert result.returncode == 0, result.stderr
    assert result.stderr == ""
    assert "300 made-up documents, 60 of them held out" in result.stdout
    numbers = r"│\s*{} │\s*[\d.]+ │\s*[\d,]+ │\s*(\S+) │\s*([\d.]+) │"
    rows = [re.search(numbers.format(re.escape(strength)), result.stdout) for strength in ("0.001", "0.0003", "0.0001")]
    for row, strength in zip(rows, (0.001, 0.0003, 0.0001), strict=True):
        assert row is not None
        assert float(row[1]) <= strength  # an optimum, to a small part of the penalty
        assert 0 <= float(row[2]) <= 100
    assert max(float(row[2]) for row in rows if row) > 50
    assert "true labels" in result.stdout
    assert "predicted labels" in result.stdout
