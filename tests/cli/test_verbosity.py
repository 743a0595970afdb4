"""What -q leaves out, and what -v adds."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from setwise.cli.runtime import Verbosity, set_verbosity
from setwise.cli.train import print_trials
from setwise.models import BinaryRelevance, Setting
from tests.cli.corpus import news, write_jsonl
from tests.cli.process import COMMAND, call

QUICK = ("--model", "br", "--budget", "quick")


@pytest.fixture(scope="module")
def docs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Documents, one of them twice, which commands warn about."""
    documents = news(40)
    return write_jsonl(tmp_path_factory.mktemp("docs") / "docs.jsonl", [*documents, documents[0]])


@pytest.fixture(scope="module")
def model(docs: Path) -> Path:
    model = docs.with_name("m.setwise")
    assert call("train", docs, "-o", model, *QUICK).returncode == 0
    return model


@pytest.mark.parametrize("position", ["before", "after"])
def test_a_quiet_training_prints_nothing(docs: Path, tmp_path: Path, position: str) -> None:
    command = ("train", docs, "-o", tmp_path / "m", *QUICK)
    trained = call("-q", *command) if position == "before" else call(*command, "--quiet")
    assert (trained.returncode, trained.stdout, trained.stderr) == (0, "", "")
    assert (tmp_path / "m").exists()


def test_quiet_results_are_those_of_any_other_command(docs: Path, model: Path) -> None:
    for command in (("predict", model, docs), ("evaluate", model, docs, "--json"), ("inspect", model)):
        usual, quiet = call(*command), call(*command, "-q")
        assert quiet.stdout == usual.stdout != ""
        assert quiet.stderr == ""
    assert "duplicates" in call("predict", model, docs).stderr


def test_a_quiet_command_prints_json_that_was_asked_for(docs: Path, tmp_path: Path) -> None:
    trained = call("train", docs, "-o", tmp_path / "m", *QUICK, "--json", "-q")
    assert json.loads(trained.stdout)["documents"] == 41


def test_errors_are_never_quiet(tmp_path: Path) -> None:
    failed = call("inspect", tmp_path / "absent.setwise", "-q")
    assert failed.returncode == 1
    assert re.fullmatch(r"error: .*absent\.setwise.*\n", failed.stderr)


def test_warnings_of_python_are_hidden(docs: Path, tmp_path: Path) -> None:
    options = ("-o", str(tmp_path / "m"), *QUICK, "-q")
    ended = subprocess.run(
        [COMMAND, "train", docs, *options],
        env={**os.environ, "PYTHONWARNINGS": "always"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert (ended.stdout, ended.stderr) == ("", "")


def test_a_quiet_command_shows_no_bars_on_a_terminal(docs: Path, tmp_path: Path) -> None:
    shown = {quiet: on_a_terminal("train", docs, "-o", tmp_path / "m", *QUICK, *quiet) for quiet in ((), ("-q",))}
    assert "tuning" in shown[()]
    assert shown["-q",] == ""


def on_a_terminal(*arguments: str | Path) -> str:
    """Run a command whose standard error is a terminal, and return what it shows there."""
    ours, terminal = pty.openpty()
    with subprocess.Popen([COMMAND, *arguments], stdout=subprocess.DEVNULL, stderr=terminal) as running:
        os.close(terminal)
        seen = b""
        try:
            while part := os.read(ours, 4096):
                seen += part
        except OSError:  # how the end of a terminal shows
            pass
    os.close(ours)
    assert running.returncode == 0
    return seen.decode()


def test_verbose_training_lists_every_setting(docs: Path, tmp_path: Path) -> None:
    command = ("train", docs, "-o", tmp_path / "m", *QUICK)
    usual, verbose = call(*command), call(*command, "-v")
    first, *lines = verbose.stderr.splitlines()
    assert re.match(r"setwise \S+, Python 3\.\S+, numpy \S+, scipy \S+, scikit-learn \S+, ", first)
    tried = [line for line in lines if line.startswith("tried BinaryRelevance: ")]
    assert len(set(tried)) > 3
    assert all(re.search(r"strength \S+: .*: instance_f1 0\.\d{4}$", line) for line in tried)
    assert re.fullmatch(r"took \d+\.\d\d s, \d+\.\d\d s of processor time", lines[-1])
    assert set(usual.stderr.splitlines()) <= set(lines)
    seconds = re.compile(r"in \d+\.\d s")
    assert seconds.sub("", verbose.stdout) == seconds.sub("", usual.stdout)


def test_the_settings_of_every_model_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    def trial(strength: float, value: float) -> SimpleNamespace:
        return SimpleNamespace(setting=Setting(strength), recipe="support, gfm", value=value)

    chosen, other = [trial(0.1, 0.9)], SimpleNamespace(name="crf", trials=[trial(0.01, 0.8), trial(0.02, 0.7)])
    pool = SimpleNamespace(name="br + crf", trials=None)
    tuning: Any = SimpleNamespace(
        scoring="instance_f1",
        model=BinaryRelevance(),
        model_name="br",
        trials=chosen,
        model_trials=[SimpleNamespace(name="br", trials=chosen), other, pool],
    )
    set_verbosity(Verbosity.VERBOSE)
    try:
        print_trials(tuning)
        print_trials(None)
    finally:
        set_verbosity(Verbosity.NORMAL)
    assert capsys.readouterr().err == (
        "tried crf: strength 0.01: support, gfm: instance_f1 0.8000\n"
        "tried crf: strength 0.02: support, gfm: instance_f1 0.7000\n"
        "tried br: strength 0.1: support, gfm: instance_f1 0.9000\n"
    )


def test_quiet_and_verbose_contradict_each_other(model: Path) -> None:
    for command in (("inspect", model, "-q", "-v"), ("-q", "inspect", model, "-v"), ("-v", "inspect", model, "-q")):
        refused = call(*command)
        assert refused.returncode == 2
        assert refused.stderr.splitlines()[-1] == "error: -q and -v contradict each other. Use one of them."


def test_the_next_command_of_a_process_is_not_quiet(model: Path, docs: Path) -> None:
    assert call("predict", model, docs, "-q").stderr == ""
    assert "documents in" in call("predict", model, docs).stderr
