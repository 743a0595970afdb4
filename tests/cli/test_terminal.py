"""Output to the terminal: plain text, results apart from notes, and closed or full streams."""

from __future__ import annotations

import json
import os
import re
import subprocess
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from setwise import SetClassifier
from setwise.cli.runtime import print_note, run, show_progress
from setwise.cli.terminal import Table, escape_control, print_json, print_line, print_table
from setwise.exceptions import InvalidData
from setwise.models import BinaryRelevance
from setwise.text import TextVectorizer
from setwise.tuning import Progress, progress_bar
from tests.cli.corpus import write_jsonl
from tests.cli.process import COMMAND, call

UNUSUAL = ["[urgent]", "[/]", "[bold red]", ":cat:", "\x1b[31mred\x1b[0m", "größe", "名前", "a\tb", "\u202eabc"]
SHOWN = ["[urgent]", "[/]", "[bold red]", ":cat:", r"\x1b[31mred\x1b[0m", "größe", "名前", r"a\tb", r"\u202eabc"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Documents with unusual labels, and a model trained on them."""
    folder = tmp_path_factory.mktemp("unusual")
    documents: list[dict[str, Any]] = [
        {"id": str(i), "text": f"word{i % len(UNUSUAL)} [/] more", "labels": [UNUSUAL[i % len(UNUSUAL)]]}
        for i in range(5 * len(UNUSUAL))
    ]
    write_jsonl(folder / "d.jsonl", documents)
    vectorizer = TextVectorizer()
    X = vectorizer.fit_transform([document["text"] for document in documents])
    classifier = SetClassifier(BinaryRelevance(n_jobs=1), "support", "gfm", calibration=None)
    classifier.fit(X, [document["labels"] for document in documents]).save(folder / "m.setwise", vectorizer)
    return folder


@pytest.mark.parametrize(("name", "shown"), list(zip(UNUSUAL, SHOWN, strict=True)))
def test_control_characters_are_escaped_and_others_unchanged(name: str, shown: str) -> None:
    assert escape_control(name) == shown


@pytest.mark.parametrize("name", ["\x00", "\x07", "\n", "\r", "\x7f", "\x9b2J", "\u2028", "\u2066", "\ufeff", "\udc80"])
def test_every_control_character_is_escaped(name: str) -> None:
    assert escape_control(name).isprintable()
    assert escape_control(name) != name


def test_joined_and_wide_characters_are_unchanged() -> None:
    for name in ("\u0645\u06cc\u200c\u062e", "👩\u200d🔬", "東\u3000京", "5\xa0%"):
        assert escape_control(name) == name


@pytest.mark.parametrize("arguments", ["evaluate m.setwise d.jsonl", "inspect m.setwise"])
def test_labels_in_tables_are_plain_text(folder: Path, monkeypatch: pytest.MonkeyPatch, arguments: str) -> None:
    monkeypatch.chdir(folder)
    result = call(*arguments.split())
    assert result.returncode == 0, result.stderr
    assert "\x1b" not in result.stdout
    for label in SHOWN:
        assert label in result.stdout


def test_tables_and_lines_take_any_text(capsys: pytest.CaptureFixture[str]) -> None:
    table = Table("label", "n", box=None)
    for label in UNUSUAL:
        table.add_row(label, "1")
    print_table(table)
    print_line("a line with [/] and \x1b[2J")
    print_note("a note with [/] and \x1b[2J")
    out, err = capsys.readouterr()
    assert [line.split("  ")[0].strip() for line in out.splitlines()[1:-1]] == SHOWN
    assert out.splitlines()[-1] == r"a line with [/] and \x1b[2J"
    assert err == "a note with [/] and \\x1b[2J\n"


def test_errors_show_control_characters(capsys: pytest.CaptureFixture[str]) -> None:
    def fail() -> None:
        raise InvalidData("the label \x1b[2J\n[/] is bad.")

    with pytest.raises(SystemExit):
        run(fail)
    assert capsys.readouterr().err == "error: the label \\x1b[2J\\n[/] is bad.\n"


def test_json_is_one_line_of_ascii(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    print_json({"label": "größe \x1b"})
    assert capsysbinary.readouterr().out == b'{"label": "gr\\u00f6\\u00dfe \\u001b"}\n'


def shell(folder: Path, line: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """Run a shell line in which ``setwise`` is the command, and check that it prints no traceback."""
    ended = subprocess.run(
        ["sh", "-c", f"setwise() {{ '{COMMAND}' \"$@\"; }}\n{line}"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        cwd=folder,
        env={**os.environ, **environment},
        timeout=120,
        check=False,
    )
    assert b"Traceback" not in ended.stderr
    return ended


def test_closed_standard_error_does_not_change_results(folder: Path) -> None:
    run_here = partial(shell, folder)
    assert run_here("setwise predict m.setwise d.jsonl -o p.jsonl 2>&-").returncode == 0
    rows = (folder / "p.jsonl").read_text(encoding="utf-8").splitlines()
    assert len([json.loads(row) for row in rows]) == 45
    ended = run_here("setwise predict gone d.jsonl 2>&-")
    assert (ended.returncode, ended.stdout) == (1, b"")


def test_closed_standard_output_is_reported(folder: Path) -> None:
    for line in ("setwise evaluate m.setwise d.jsonl >&-", "setwise predict m.setwise d.jsonl >&-"):
        ended = shell(folder, line)
        assert (ended.returncode, ended.stdout) == (1, b"")
        assert ended.stderr.splitlines()[-1] == b"error: standard output: Bad file descriptor."


def test_closed_standard_input_is_reported(folder: Path) -> None:
    ended = shell(folder, "setwise predict m.setwise - --from jsonl <&-")
    assert (ended.returncode, ended.stdout) == (1, b"")
    assert ended.stderr == b"error: Cannot read standard input: Bad file descriptor.\n"


def test_all_streams_closed(folder: Path) -> None:
    line = "setwise predict m.setwise d.jsonl -o all.jsonl <&- >&- 2>&-"
    assert shell(folder, line).returncode == 0
    assert len((folder / "all.jsonl").read_bytes().splitlines()) == 45


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
def test_notes_that_cannot_be_written_do_not_fail_the_command(folder: Path) -> None:
    ended = shell(folder, "setwise predict m.setwise d.jsonl -o noted.jsonl 2>/dev/full")
    assert (ended.returncode, ended.stdout) == (0, b"")
    assert len((folder / "noted.jsonl").read_bytes().splitlines()) == 45


@pytest.mark.parametrize(
    "environment", [{"PYTHONIOENCODING": "latin-1"}, {"PYTHONIOENCODING": "ascii"}, {"LC_ALL": "C"}]
)
def test_label_that_the_terminal_cannot_encode(folder: Path, environment: dict[str, str]) -> None:
    ended = shell(folder, "setwise evaluate m.setwise d.jsonl --show 0", **environment)
    assert ended.returncode == 0, ended.stderr
    assert (b"\\u540d\\u524d" if "PYTHONIOENCODING" in environment else "名前".encode()) in ended.stdout


def test_results_are_utf_8_whatever_the_terminal_encoding(folder: Path) -> None:
    line = "setwise predict m.setwise d.jsonl --format csv; setwise inspect m.setwise --json"
    in_utf_16 = shell(folder, line, PYTHONIOENCODING="utf-16")
    assert in_utf_16.stdout == shell(folder, line).stdout
    assert "名前".encode() in in_utf_16.stdout


def test_commands_print_only_through_the_helpers(repository: Path) -> None:
    modules = sorted((repository / "src" / "setwise" / "cli").glob("*.py"))
    assert len(modules) > 10
    for module in modules:
        if module.name not in ("terminal.py", "runtime.py"):
            assert not re.search(r"\bprint\(|\bConsole\b|rich\.table", module.read_text(encoding="utf-8")), module.name


def test_progress_without_standard_error_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stderr", None)
    assert list(show_progress([1, 2], "numbers")) == [1, 2]
    with progress_bar(shown=True) as update:
        update(Progress(1, 2))
