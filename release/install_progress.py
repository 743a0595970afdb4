"""Run ``pip install`` and show how much of the C++ core is compiled; where it fails, show everything it said.

Compiling takes a minute, in which pip shows either nothing or hundreds of lines.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable, Iterator

__all__ = ["main", "progress_lines"]

COMPILED = re.compile(r"^\s*\[(\d+)/(\d+)\]")
"""How ninja begins a line: what is done of what there is to do."""

SHOW_BUILD = "-vv"
"""Lets pip pass on what the build says, even where it is otherwise quiet."""

PARTS = 4
"""Lines of progress where the output is not a terminal."""


def progress_lines(output: Iterable[str], *, all_lines: bool) -> Iterator[str]:
    """Yield a line of progress per compiled file, or for each quarter of them."""
    last = 0
    for line in output:
        if found := COMPILED.match(line):
            done, total = int(found[1]), int(found[2])
            part = done * PARTS // total
            if all_lines or part != last or done == total:
                yield f"compiled {done} of {total} files"
            last = part


def main(arguments: list[str]) -> int:
    """Run pip, and return its exit code."""
    is_terminal = sys.stdout.isatty()
    said: list[str] = []
    with subprocess.Popen(
        [*arguments, SHOW_BUILD], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", errors="replace"
    ) as running:
        assert running.stdout is not None

        def watched(lines: Iterable[str]) -> Iterator[str]:
            for line in lines:
                said.append(line)
                yield line

        for shown in progress_lines(watched(running.stdout), all_lines=is_terminal):
            print(f"\r  {shown}" if is_terminal else f"  {shown}", end="" if is_terminal else "\n", flush=True)
    if is_terminal:
        print()
    if running.returncode:
        sys.stderr.write("".join(said))
    return running.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
