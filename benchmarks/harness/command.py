"""The command of a benchmark: parse the options, limit the libraries to one thread, run."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from pathlib import Path

from benchmarks.harness.benchmark import Benchmark

SECTIONS_HELP = "sections to measure; without a name after it, the page is only redrawn from its stored rows"
THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


def parse(benchmark: Benchmark, arguments: list[str]) -> argparse.Namespace:
    """Parse the command line; without ``--quick`` the page defaults to the benchmark's own."""
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks.{benchmark.name}", description=benchmark.description)
    datasets, sections = list(benchmark.all_datasets), list(benchmark.datasets)
    parser.add_argument("--datasets", nargs="+", choices=datasets, default=datasets, help="data sets to measure on")
    parser.add_argument("--sections", nargs="*", choices=sections, default=sections, help=SECTIONS_HELP)
    quick_help = f"{benchmark.quick_description}; writes no page unless --write names one"
    parser.add_argument("--quick", action="store_true", help=quick_help)
    write_help = f"page to update, with its rows beside it (default: {benchmark.page})"
    parser.add_argument("--write", type=Path, metavar="PAGE", help=write_help)
    options = parser.parse_args(arguments)
    if options.write is None and not options.quick:
        options.write = benchmark.page
    return options


def main(benchmark: Benchmark, arguments: list[str]) -> None:
    """Run a benchmark from the command line; exit with a message where a corpus is missing."""
    options = parse(benchmark, arguments)
    # Libraries read these when they are first imported, so the runner, which imports numpy, is imported after them.
    os.environ.update(dict.fromkeys(THREAD_VARIABLES, "1"))
    from benchmarks.harness.runner import run
    from setwise.exceptions import InvalidData

    command = shlex.join(["python", "-m", f"benchmarks.{benchmark.name}", *arguments])
    plan = benchmark.plan(options.datasets, options.sections)
    try:
        run(benchmark, plan, quick=options.quick, page=options.write, command=command)
    except InvalidData as error:  # the corpus is not on this machine
        sys.exit(f"error: {error}")
