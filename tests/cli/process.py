"""The command as people run it: in a process of its own, or in this one where that is enough."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from setwise.cli import main

__all__ = ["COMMAND", "call", "run", "started"]

COMMAND = Path(sys.executable).parent / "setwise"


def run(*arguments: str | Path, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(COMMAND), *map(str, arguments)],
        input=stdin,
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )


def call(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *arguments: object
) -> tuple[int, str, str]:
    """Run the command in this process; return its exit code, standard output and standard error."""
    monkeypatch.setattr("sys.argv", ["setwise", *map(str, arguments)])
    code: object = 0
    try:
        main()
    except SystemExit as ended:
        code = ended.code
    assert isinstance(code, int)
    return code, *capsys.readouterr()


def started(*arguments: str | Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [str(COMMAND), *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        preexec_fn=_heed_ctrl_c,
    )


def _heed_ctrl_c() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # where the tests run in the background it is ignored, and inherited
