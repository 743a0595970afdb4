"""Calls of the command line: in a process of its own, or in the process of the test, which is ten times faster."""

from __future__ import annotations

import io
import signal
import subprocess
import sys
from pathlib import Path
from unittest import mock

from setwise.cli import main

__all__ = ["COMMAND", "call", "restore_ctrl_c", "run", "started"]

COMMAND = Path(sys.executable).parent / "setwise"


def run(*arguments: str | Path, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """Run ``setwise`` in a process of its own."""
    return subprocess.run(
        [str(COMMAND), *map(str, arguments)],
        input=stdin,
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )


def call(*arguments: str | Path, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """Run ``setwise`` in this process; return its exit code, standard output and standard error."""
    argv = ["setwise", *map(str, arguments)]
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="") for _ in range(2))
    source = io.TextIOWrapper(io.BytesIO(stdin.encode()), encoding="utf-8")
    code = 0
    with mock.patch.multiple(sys, argv=argv, stdout=out, stderr=err, stdin=source):
        try:
            main()
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else 1
    return subprocess.CompletedProcess(argv, code, _content(out), _content(err))


def _content(stream: io.TextIOWrapper) -> str:
    stream.flush()
    stream.seek(0)
    return stream.read()


def started(*arguments: str | Path) -> subprocess.Popen[str]:
    """Start ``setwise`` in a process of its own, which Ctrl-C interrupts."""
    return subprocess.Popen(
        [str(COMMAND), *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        preexec_fn=restore_ctrl_c,
    )


def restore_ctrl_c() -> None:
    """Let Ctrl-C interrupt this process."""
    # A shell ignores Ctrl-C for jobs in the background, and child processes inherit that.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
