"""The command in a process of its own, as people run it."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

__all__ = ["COMMAND", "run", "started"]

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
