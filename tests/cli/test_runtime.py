from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from setwise.cli.runtime import command_name, example, note_skipped, run, watch
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


def test_what_is_no_mistake_of_the_users_is_not_hidden() -> None:
    def fail() -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run(fail)


def test_items_pass_one_at_a_time_and_nothing_is_shown_off_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    taken: list[int] = []

    def items() -> object:
        for item in range(3):
            taken.append(item)
            yield item

    passing = watch(items(), "items", total=3)
    assert next(passing) == 0
    assert taken == [0]
    assert list(passing) == [1, 2]
    assert capsys.readouterr() == ("", "")


def test_nothing_is_noted_where_nothing_was_skipped(capsys: pytest.CaptureFixture[str]) -> None:
    note_skipped(Problems("docs.csv"))
    assert capsys.readouterr().err == ""
    note_skipped(Problems("docs.csv", "skip", 1, ["docs.csv, line 2: bad."]))
    assert capsys.readouterr().err == "skipped 1 of the documents of docs.csv:\n  docs.csv, line 2: bad.\n"


class TestCommandName:
    @pytest.fixture
    def installed(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        """A command in a folder with a blank in its name, that runs now and that no shell would find."""
        command = tmp_path / "my tools" / "setwise"
        command.parent.mkdir()
        command.write_text("#!/bin/sh\n", encoding="utf-8")
        command.chmod(0o755)
        monkeypatch.setattr(sys, "argv", [str(command)])
        monkeypatch.setenv("PATH", str(tmp_path / "none"))
        monkeypatch.chdir(tmp_path)
        return command

    def test_it_is_the_name_where_a_shell_finds_this_very_command(
        self, installed: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("PATH", str(installed.parent))
        assert command_name() == "setwise"

    def test_another_installation_is_not_named(
        self, installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        other = tmp_path / "other" / "setwise"
        other.parent.mkdir()
        other.write_text("#!/bin/sh\nexit 3\n", encoding="utf-8")
        other.chmod(0o755)
        monkeypatch.setenv("PATH", str(other.parent))
        assert command_name() == "'my tools/setwise'"

    @pytest.mark.parametrize("folder", [".", "my tools", "elsewhere"])
    def test_it_runs_when_pasted(
        self, installed: Path, tmp_path: Path, folder: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "elsewhere").mkdir()
        monkeypatch.chdir(tmp_path / folder)
        assert subprocess.run(["/bin/sh", "-c", command_name()], check=False).returncode == 0


def test_an_example_is_one_line_to_paste(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("setwise.cli.runtime.command_name", lambda: "setwise")
    assert example("predict", "my model.setwise", "--separator", "|") == (
        "setwise predict 'my model.setwise' --separator '|'"
    )
