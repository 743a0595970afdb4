"""The command of a benchmark: read the options, hold the libraries to one thread, run."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from pathlib import Path

from benchmarks.benchmark import Benchmark

NO_SECTION = "what to measure; with no name after it, the page is only drawn again"
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


def parse(benchmark: Benchmark, arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks.{benchmark.name}", description=benchmark.aim)
    datasets, sections = list(benchmark.all_datasets), list(benchmark.datasets)
    parser.add_argument("--datasets", nargs="+", choices=datasets, default=datasets)
    parser.add_argument("--sections", nargs="*", choices=sections, default=sections, help=NO_SECTION)
    parser.add_argument("--quick", action="store_true", help=f"{benchmark.quick_text}; writes no page of itself")
    at_first = f"the page to bring up to date (default: {benchmark.page})"
    parser.add_argument("--write", type=Path, metavar="PAGE", help=at_first)
    options = parser.parse_args(arguments)
    if options.write is None and not options.quick:
        options.write = benchmark.page
    return options


def main(benchmark: Benchmark, arguments: list[str]) -> None:
    options = parse(benchmark, arguments)
    # These are read when numpy and its kind are first imported, which is why the runner is imported only now.
    os.environ.update(dict.fromkeys(ONE_THREAD, "1"))
    from benchmarks.runner import run
    from setwise.exceptions import InvalidData

    command = shlex.join(["python", "-m", f"benchmarks.{benchmark.name}", *arguments])
    plan = benchmark.plan(options.datasets, options.sections)
    try:
        run(benchmark, plan, quick=options.quick, page=options.write, command=command)
    except InvalidData as error:  # a corpus that is not at hand
        sys.exit(f"error: {error}")
