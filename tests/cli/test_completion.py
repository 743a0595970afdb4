"""Shells complete commands, options, their choices, and the labels of a model."""

from __future__ import annotations

import os
import pty
import select
import shlex
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from setwise import SetClassifier
from setwise.cli.choices import model_names
from setwise.models import BinaryRelevance
from setwise.text import TextVectorizer
from tests.cli.process import COMMAND

BASH = shutil.which("bash")
PATH = f"{COMMAND.parent}{os.pathsep}{os.environ['PATH']}"

pytestmark = pytest.mark.skipif(BASH is None, reason="there is no bash")


def in_bash(program: str, home: Path, **environment: str) -> str:
    """Run a program of bash that finds the command ``setwise``, and return what it prints."""
    ended = subprocess.run(
        [str(BASH), "--noprofile", "--norc", "-c", program],
        env={**os.environ, "PATH": PATH, "HOME": str(home), **environment},
        cwd=home,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home in which the completion is installed, and a model."""
    home = tmp_path_factory.mktemp("home")
    (home / ".bashrc").write_text("export MINE=1\n")
    assert "bash completion installed in" in in_bash("setwise --install-completion; true", home)
    classifier = SetClassifier(
        BinaryRelevance(), "support", "gfm", calibration=None, vectorizer=TextVectorizer(), n_jobs=1
    )
    classifier.fit(["a goal", "a vote", "a storm", "the end"], [["sport"], ["politics"], ["sea level"], ["sponsor"]])
    classifier.save(home / "news.setwise")
    return home


def completions(line: str, home: Path) -> list[str]:
    """Return what bash offers at the end of a line."""
    words = line.split(" ")
    return in_bash(
        f"""source ~/.bashrc
        COMP_WORDS=({" ".join(map(shlex.quote, words))}) COMP_CWORD={len(words) - 1}
        _setwise_completion setwise
        printf '%s\\n' "${{COMPREPLY[@]}}" """,
        home,
    ).split("\n")[:-1]


def test_installing_keeps_what_is_in_the_file_of_the_shell(home: Path) -> None:
    lines = (home / ".bashrc").read_text().split("\n")
    assert lines[0] == "export MINE=1"
    assert sum(".bash_completions/setwise.sh" in line for line in lines) == 1


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("setwise ins", ["inspect"]),
        ("setwise data s", ["stats", "split"]),
        ("setwise predict news.setwise new.csv --thr", ["--threshold"]),
        ("setwise train docs.csv --model c", [name for name in model_names() if name.startswith("c")]),
        ("setwise predict m d --format p", ["parquet"]),
        ("setwise train docs.csv --quie", ["--quiet"]),
        ("setwise inspect news.setwise --label sp", ["sponsor", "sport"]),
        ("setwise inspect news.setwise --label s", ["sponsor", "sport"]),  # not one that the shell would cut in two
        ("setwise inspect absent.setwise --label s", [""]),
        ("setwise predict ne", [""]),  # so that bash offers files
    ],
)
def test_completions(line: str, offered: list[str], home: Path) -> None:
    assert completions(line, home) == offered


def test_the_tab_key_completes_in_a_shell_that_somebody_types_in(home: Path) -> None:
    terminal, of_shell = pty.openpty()
    environment = {**os.environ, "PATH": PATH, "HOME": str(home), "TERM": "dumb", "COLUMNS": "80", "PS1": "ready "}
    (home / "rc").write_text("source ~/.bashrc; PS1='ready '\n")
    command = [str(BASH), "--noprofile", "--rcfile", str(home / "rc"), "-i"]
    streams: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), of_shell)
    with subprocess.Popen(command, env=environment, cwd=home, start_new_session=True, **streams) as shell:
        os.close(of_shell)
        try:
            read_until(terminal, b"ready ")
            os.write(terminal, b"setwise inspect ne\t--la\tspor\t\n")
            seen = read_until(terminal, b"score without any feature")
            assert b"setwise inspect news.setwise --label sport" in seen
        finally:
            shell.kill()
            os.close(terminal)


def read_until(terminal: int, text: bytes, seconds: float = 60.0) -> bytes:
    """Return what a terminal shows until a text is there."""
    seen, deadline = b"", time.monotonic() + seconds
    while text not in seen and time.monotonic() < deadline:
        if select.select([terminal], [], [], 0.2)[0]:
            seen += os.read(terminal, 4096)
    assert text in seen, seen.decode(errors="replace")
    return seen


@pytest.mark.parametrize(
    ("shell", "expected"),
    [
        ("bash", "complete -o default -F _setwise_completion setwise"),
        ("zsh", "compdef _setwise_completion setwise"),
        ("fish", "complete --command setwise"),
    ],
)
def test_scripts_of_shells(shell: str, expected: str, tmp_path: Path) -> None:
    environment = {"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}  # a value then names the shell
    assert expected in in_bash(f"setwise --show-completion {shell}", tmp_path, **environment)


@pytest.mark.parametrize(("shell", "offered"), [("zsh", '"train"'), ("fish", "train\t")])
def test_other_shells_get_commands_too(shell: str, offered: str, tmp_path: Path) -> None:
    environment = {
        "_SETWISE_COMPLETE": f"complete_{shell}",
        "_TYPER_COMPLETE_ARGS": "setwise tr",
        "_TYPER_COMPLETE_FISH_ACTION": "get-args",
    }
    assert offered in in_bash("setwise", tmp_path, **environment)
