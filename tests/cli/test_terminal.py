"""What reaches the terminal: names as plain text, results apart from notes, whatever the streams are."""

from __future__ import annotations

import json
import os
import re
import subprocess
from functools import partial
from pathlib import Path

import pytest

from setwise import SetClassifier
from setwise.cli.runtime import note, run, watch
from setwise.cli.terminal import Table, plain, say, say_json, show
from setwise.exceptions import InvalidData
from setwise.models import BinaryRelevance
from setwise.persistence import save
from setwise.text import TextVectorizer
from setwise.tuning import Progress
from setwise.tuning.progress import progress_bar
from tests.cli.corpus import write_jsonl
from tests.cli.process import COMMAND, call

STRANGE = ["[urgent]", "[/]", "[bold red]", ":cat:", "\x1b[31mred\x1b[0m", "größe", "名前", "a\tb", "\u202eabc"]
SHOWN = ["[urgent]", "[/]", "[bold red]", ":cat:", r"\x1b[31mred\x1b[0m", "größe", "名前", r"a\tb", r"\u202eabc"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Documents with strange labels, and a model of them; the labels are features too."""
    made = tmp_path_factory.mktemp("strange")
    documents = [
        {"id": str(i), "text": f"word{i % len(STRANGE)} [/] more", "labels": [STRANGE[i % len(STRANGE)]]}
        for i in range(5 * len(STRANGE))
    ]
    write_jsonl(made / "d.jsonl", documents)
    words = TextVectorizer()
    X = words.fit_transform([one["text"] for one in documents])
    classifier = SetClassifier(BinaryRelevance(n_jobs=1), "support", "gfm", calibration=None)
    save(made / "m.setwise", classifier.fit(X, [one["labels"] for one in documents]), words)
    return made


@pytest.mark.parametrize(("name", "shown"), list(zip(STRANGE, SHOWN, strict=True)))
def test_control_characters_are_made_visible_and_all_else_stays(name: str, shown: str) -> None:
    assert plain(name) == shown


@pytest.mark.parametrize("name", ["\x00", "\x07", "\n", "\r", "\x7f", "\x9b2J", "\u2028", "\u2066", "\ufeff", "\udc80"])
def test_no_character_that_a_terminal_obeys_is_left(name: str) -> None:
    assert plain(name).isprintable()
    assert plain(name) != name


def test_joined_and_wide_characters_are_no_control_characters() -> None:
    for name in ("\u0645\u06cc\u200c\u062e", "👩\u200d🔬", "東\u3000京", "5\xa0%"):
        assert plain(name) == name


@pytest.mark.parametrize("arguments", ["evaluate m.setwise d.jsonl", "inspect m.setwise"])
def test_labels_in_tables_are_shown_as_they_are(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: str
) -> None:
    monkeypatch.chdir(folder)
    code, out, err = call(monkeypatch, capsys, *arguments.split())
    assert code == 0, err
    assert "\x1b" not in out
    for label in SHOWN:
        assert label in out


def test_tables_and_lines_take_any_text(capsys: pytest.CaptureFixture[str]) -> None:
    table = Table("label", "n", box=None)
    for label in STRANGE:
        table.add_row(label, "1")
    show(table)
    say("a line with [/] and \x1b[2J")
    note("a note with [/] and \x1b[2J")
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


def test_an_object_for_a_machine_is_one_line_of_ascii(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    say_json({"label": "größe \x1b"})
    assert capsysbinary.readouterr().out == b'{"label": "gr\\u00f6\\u00dfe \\u001b"}\n'


def shell(folder: Path, line: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """Run a line of the shell, in which ``setwise`` is the command; no traceback may ever show."""
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


def test_a_closed_error_stream_leaves_results_clean(folder: Path) -> None:
    on = partial(shell, folder)
    assert on("setwise predict m.setwise d.jsonl -o p.jsonl 2>&-").returncode == 0
    rows = (folder / "p.jsonl").read_text(encoding="utf-8").splitlines()
    assert len([json.loads(row) for row in rows]) == 45
    ended = on("setwise predict gone d.jsonl 2>&-")
    assert (ended.returncode, ended.stdout) == (1, b"")


def test_a_closed_output_is_told(folder: Path) -> None:
    for line in ("setwise evaluate m.setwise d.jsonl >&-", "setwise predict m.setwise d.jsonl >&-"):
        ended = shell(folder, line)
        assert (ended.returncode, ended.stdout) == (1, b"")
        assert ended.stderr.splitlines()[-1] == b"error: standard output: Bad file descriptor."


def test_a_closed_input_is_told(folder: Path) -> None:
    ended = shell(folder, "setwise predict m.setwise - --from jsonl <&-")
    assert (ended.returncode, ended.stdout) == (1, b"")
    assert ended.stderr == b"error: standard input must be a file that can be read; Bad file descriptor.\n"


def test_all_streams_closed(folder: Path) -> None:
    line = "setwise predict m.setwise d.jsonl -o all.jsonl <&- >&- 2>&-"
    assert shell(folder, line).returncode == 0
    assert len((folder / "all.jsonl").read_bytes().splitlines()) == 45


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
def test_notes_that_cannot_be_written_do_not_fail_the_work(folder: Path) -> None:
    ended = shell(folder, "setwise predict m.setwise d.jsonl -o noted.jsonl 2>/dev/full")
    assert (ended.returncode, ended.stdout) == (0, b"")
    assert len((folder / "noted.jsonl").read_bytes().splitlines()) == 45


@pytest.mark.parametrize(
    "environment", [{"PYTHONIOENCODING": "latin-1"}, {"PYTHONIOENCODING": "ascii"}, {"LC_ALL": "C"}]
)
def test_a_terminal_that_cannot_show_a_label(folder: Path, environment: dict[str, str]) -> None:
    ended = shell(folder, "setwise evaluate m.setwise d.jsonl --show 0", **environment)
    assert ended.returncode == 0, ended.stderr
    assert (b"\\u540d\\u524d" if "PYTHONIOENCODING" in environment else "名前".encode()) in ended.stdout


def test_results_are_utf8_whatever_the_terminal_is(folder: Path) -> None:
    line = "setwise predict m.setwise d.jsonl --format csv; setwise inspect m.setwise --json"
    strange = shell(folder, line, PYTHONIOENCODING="utf-16")
    assert strange.stdout == shell(folder, line).stdout
    assert "名前".encode() in strange.stdout


def test_commands_print_through_the_helpers_alone(repository: Path) -> None:
    modules = sorted((repository / "src" / "setwise" / "cli").glob("*.py"))
    assert len(modules) > 10
    for module in modules:
        if module.name not in ("terminal.py", "manners.py", "run_bar.py"):
            assert not re.search(r"\bprint\(|\bConsole\b|rich\.table", module.read_text(encoding="utf-8")), module.name


def test_a_bar_without_a_stream_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stderr", None)
    assert list(watch([1, 2], "numbers")) == [1, 2]
    with progress_bar(shown=True) as show:
        show(Progress(1, 2))
