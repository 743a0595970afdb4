"""The command ``python -m benchmarks.learners``: read the options, hold the libraries to one thread, run."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from pathlib import Path

DATASETS = ("bibtex", "rcv1sub1", "tmc2007_500")
SECTIONS = ("l1", "elastic", "l2", "path", "threads", "memory")
PAGE = Path("docs/benchmarks.md")
NO_SECTION = "what to measure; with no name after it, the page is only drawn again"
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.learners", description="Time the learners.")
    parser.add_argument("--datasets", nargs="+", choices=DATASETS, default=list(DATASETS))
    parser.add_argument("--sections", nargs="*", choices=SECTIONS, default=list(SECTIONS), help=NO_SECTION)
    parser.add_argument("--quick", action="store_true", help="one C, one repeat, few labels; writes no page of itself")
    parser.add_argument("--write", type=Path, metavar="PAGE", help=f"the page to bring up to date (default: {PAGE})")
    options = parser.parse_args(arguments)
    if options.write is None and not options.quick:
        options.write = PAGE
    return options


def main(arguments: list[str]) -> None:
    options = parse(arguments)
    # These are read when numpy and its kind are first imported, which is why the runner is imported only now.
    os.environ.update(dict.fromkeys(ONE_THREAD, "1"))
    from benchmarks.runner import run
    from setwise.exceptions import InvalidData

    command = shlex.join(["python", "-m", "benchmarks.learners", *arguments])
    try:
        run(options.datasets, options.sections, quick=options.quick, page=options.write, command=command)
    except InvalidData as error:  # a corpus that is not at hand
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main(sys.argv[1:])
