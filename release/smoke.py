"""Test an installed setwise as a newcomer would use it: the example of README, the command line, the demo.

Run by the interpreter of the environment that setwise is installed in, from any folder::

    python release/smoke.py README.md

It needs nothing but the standard library and setwise.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

__all__ = ["main"]

EXAMPLE = re.compile(r"^```python\n(.*?)^```\n\n```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)

NEWS = [
    ("the striker scored in the last match of the season", "sport"),
    ("the minister lost the vote on the budget", "economy;politics"),
    ("inflation and wages rose again", "economy"),
    ("parliament votes on the stadium for the match", "politics;sport"),
]


def main(readme: Path) -> None:
    """Run everything in an empty folder; an assertion says what went wrong."""
    program, printed_before = _example(readme)
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(program, "README.md", "exec"), {})
        assert printed.getvalue() == printed_before, f"README says {printed_before!r}; it is {printed.getvalue()!r}"
        print("the example of README prints what README says")
        _commands()
        _demo()


def _example(readme: Path) -> tuple[str, str]:
    """Return the first program of README whose output follows it, and that output."""
    found = EXAMPLE.search(readme.read_text(encoding="utf-8"))
    assert found, f"{readme} has no Python block that is followed by its output"
    return found[1], found[2]


def _commands() -> None:
    """Train, predict and evaluate on a file, by the command line."""
    rows = [f"{text},{labels}" for text, labels in NEWS * 6]
    Path("docs.csv").write_text("\n".join(["text,labels", *rows]) + "\n", encoding="utf-8")
    _setwise("train", "docs.csv", "-o", "topics.setwise", "--model", "br", "--budget", "quick", "-q")
    rows_predicted = [json.loads(line) for line in _setwise("predict", "topics.setwise", "docs.csv").splitlines()]
    assert [row["row"] for row in rows_predicted] == list(range(1, len(rows) + 1))
    scores = json.loads(_setwise("evaluate", "topics.setwise", "docs.csv", "--json"))
    assert scores["instance_f1"] > 0.9, scores
    print(f"train, predict and evaluate work: {_setwise('--version').strip()}")


def _demo() -> None:
    """Run the demo, on some of its documents."""
    shown = _setwise("demo", "--documents", "1000", "--budget", "quick")
    assert "support inference + GFM" in shown, shown
    print("the demo works")


def _setwise(*arguments: str) -> str:
    command = shutil.which("setwise", path=sysconfig.get_path("scripts"))
    assert command, "the command setwise is not installed"
    result = subprocess.run(
        [command, *arguments], capture_output=True, encoding="utf-8", env={**os.environ, "COLUMNS": "120"}, check=False
    )
    assert result.returncode == 0, f"setwise {' '.join(arguments)}: {result.stderr}"
    return result.stdout


if __name__ == "__main__":
    main(Path(sys.argv[1]).absolute())
