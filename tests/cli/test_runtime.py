from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from setwise.cli.runtime import command_line, command_name, print_skipped, run, show_progress
from setwise.data.formats import Problems
from setwise.exceptions import Incompatible, InvalidData, InvalidParameter


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (InvalidParameter("p must hold."), 2, "error: p must hold.\n"),
        (InvalidData("d is bad."), 1, "error: d is bad.\n"),
        (Incompatible("a and b."), 1, "error: a and b.\n"),
        (KeyboardInterrupt(), 130, "error: interrupted.\n"),
        (SystemExit(130), 130, "error: interrupted.\n"),
        (SystemExit(2), 2, ""),
    ],
)
def test_errors_become_one_line_and_an_exit_code(
    error: BaseException, code: int, line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail() -> None:
        raise error

    with pytest.raises(SystemExit) as stopped:
        run(fail)
    assert stopped.value.code == code
    assert capsys.readouterr() == ("", line)


def test_unexpected_errors_are_not_hidden() -> None:
    def fail() -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run(fail)


def test_progress_passes_items_one_at_a_time_and_is_silent_without_a_terminal(
    capsys: pytest.CaptureFixture[str],
) -> None:
    taken: list[int] = []

    def items() -> Iterator[int]:
        for item in range(3):
            taken.append(item)
            yield item

    passing = show_progress(items(), "items", total=3)
    assert next(passing) == 0
    assert taken == [0]
    assert list(passing) == [1, 2]
    assert capsys.readouterr() == ("", "")


def test_skipped_documents_are_printed_with_reasons(capsys: pytest.CaptureFixture[str]) -> None:
    print_skipped(Problems("docs.csv"))
    assert capsys.readouterr().err == ""
    print_skipped(Problems("docs.csv", "skip", 1, ["docs.csv, line 2: bad."]))
    assert capsys.readouterr().err == "skipped 1 documents of docs.csv:\n  docs.csv, line 2: bad.\n"


class TestCommandName:
    @pytest.fixture
    def installed(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        """The running command, in a folder that has a space in its name and is not on the PATH."""
        command = tmp_path / "my tools" / "setwise"
        command.parent.mkdir()
        command.write_text("#!/bin/sh\n", encoding="utf-8")
        command.chmod(0o755)
        monkeypatch.setattr(sys, "argv", [str(command)])
        monkeypatch.setenv("PATH", str(tmp_path / "none"))
        monkeypatch.chdir(tmp_path)
        return command

    def test_command_on_the_path_is_called_by_name(self, installed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PATH", str(installed.parent))
        assert command_name() == "setwise"

    def test_other_installation_on_the_path_is_not_called(
        self, installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        other = tmp_path / "other" / "setwise"
        other.parent.mkdir()
        other.write_text("#!/bin/sh\nexit 3\n", encoding="utf-8")
        other.chmod(0o755)
        monkeypatch.setenv("PATH", str(other.parent))
        assert command_name() == "'my tools/setwise'"

    @pytest.mark.parametrize("folder", [".", "my tools", "elsewhere"])
    def test_command_runs_in_a_shell(
        self, installed: Path, tmp_path: Path, folder: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "elsewhere").mkdir()
        monkeypatch.chdir(tmp_path / folder)
        assert subprocess.run(["/bin/sh", "-c", command_name()], check=False).returncode == 0


def test_command_line_is_quoted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("setwise.cli.runtime.command_name", lambda: "setwise")
    assert command_line("predict", "my model.setwise", "--separator", "|") == (
        "setwise predict 'my model.setwise' --separator '|'"
    )
