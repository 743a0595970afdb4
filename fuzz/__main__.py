"""``python -m fuzz``: damage many files, use each, and exit with 1 where one is neither used nor refused."""

from __future__ import annotations

import argparse
import shutil
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import track

from fuzz.cases_data import DataCases
from fuzz.cases_models import NAME, ModelCases
from fuzz.workers import BYTES, SECONDS, Outcome, checked, run_all, write_case

N_WORKERS = 2
FOLDER = Path("build/fuzz")
REPORT_EVERY = 2000
"""Cases between two lines of progress, where there is no terminal."""


def main() -> int:
    """Run what the command line asks for and return the exit code."""
    options = _options()
    if options.again is not None:
        return _again(options.again)
    shutil.rmtree(FOLDER, ignore_errors=True)
    deadline = time.monotonic() + 60.0 * options.minutes
    n_faults = 0
    for name, kind, n in (
        ("models", ModelCases(options.seed, FOLDER / "models"), options.models),
        ("data", DataCases(options.seed, FOLDER / "data"), options.data),
    ):
        n_faults += _fuzz(name, kind, range(options.start, options.start + n), deadline) if n else 0
    return 1 if n_faults else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("--models", type=int, default=20_000, help="damaged model files")
    parser.add_argument("--data", type=int, default=20_000, help="damaged data files")
    parser.add_argument("--minutes", type=float, default=30.0, help="no case starts after so many")
    parser.add_argument("--seed", type=int, default=0, help="other seeds damage in other ways")
    parser.add_argument("--start", type=int, default=0, help="number of the first case")
    parser.add_argument("--again", type=Path, metavar="FILE", help="check one stored file again, in this process")
    return parser.parse_args()


def _fuzz(name: str, kind: Any, numbers: range, deadline: float) -> int:
    """Run the cases of a kind, store and print every fault, and return how many there were."""
    kind.prepare()
    kind.load()
    began, seen, slowest, n_faults = time.monotonic(), Counter[str](), 0.0, 0
    outcomes = run_all(kind, _until(deadline, numbers), FOLDER / "workers", N_WORKERS)
    for outcome in _shown(outcomes, name, len(numbers)):
        seen[outcome.said] += 1
        slowest = max(slowest, outcome.seconds)
        if outcome.fault is not None:
            n_faults += 1
            _store(name, kind, outcome)
    n_done = sum(seen.values())
    counts = ", ".join(f"{count:,} {said}" for said, count in sorted(seen.items()))
    print(
        f"{name}: {n_done:,} of {len(numbers):,} cases, seed {kind.seed}, in {time.monotonic() - began:.0f} s: "
        f"{counts}; slowest {slowest:.2f} s (limit {SECONDS} s, {BYTES:,} bytes per case); {n_faults} faults",
        flush=True,
    )
    if n_done < len(numbers):
        print(f"{name}: the time was up. Hint: --minutes gives more.")
    return n_faults


def _until(deadline: float, numbers: Iterable[int]) -> Iterator[int]:
    for number in numbers:
        if time.monotonic() > deadline:
            return
        yield number


def _shown(outcomes: Iterator[Outcome], name: str, total: int) -> Iterator[Outcome]:
    """Pass outcomes on and show how far the work is: a bar on a terminal, a line now and then elsewhere."""
    if sys.stderr.isatty():
        yield from track(outcomes, name, total, console=Console(stderr=True))
        return
    for n, outcome in enumerate(outcomes, 1):
        if n % REPORT_EVERY == 0:
            print(f"{name}: {n:,} of {total:,}", file=sys.stderr, flush=True)
        yield outcome


def _store(name: str, kind: Any, outcome: Outcome) -> None:
    case = kind.make(outcome.number)
    path = write_case(case, FOLDER / "faults" / f"{name}-seed{kind.seed}-{outcome.number}")
    print(f"FAULT {name} {outcome.number} ({case.name}): {outcome.fault}", flush=True)
    print(f"  python -m fuzz --again {path}", flush=True)


def _again(path: Path) -> int:
    check = ModelCases.check if path.name == NAME else DataCases.check
    outcome = checked(check, path, 0)
    print(f"{path}: {outcome.said}{'' if outcome.fault is None else f', {outcome.fault}'}, {outcome.seconds:.2f} s")
    return 0 if outcome.fault is None else 1


if __name__ == "__main__":
    sys.exit(main())
