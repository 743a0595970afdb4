"""``python -m fuzz``: use many damaged files and odd texts, and exit with 1 where setwise misbehaves on one of them."""

from __future__ import annotations

import argparse
import shutil
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from rich.console import Console
from rich.progress import track

from fuzz.cases_data import DataCases
from fuzz.cases_models import MODEL_FILE, ModelCases
from fuzz.cases_texts import TEXTS_FILE, TextCases
from fuzz.workers import CPU_SECONDS, MAX_BYTES, Outcome, run_all, run_check, write_case

N_WORKERS = 2
FOLDER = Path("build/fuzz")
REPORT_EVERY = 2000  # cases between two lines of progress, where there is no terminal

AnyCases = ModelCases | DataCases | TextCases


def main() -> int:
    """Run the command line and return the exit code."""
    options = _options()
    if options.again is not None:
        return _again(options.again)
    shutil.rmtree(FOLDER, ignore_errors=True)
    deadline = time.monotonic() + 60.0 * options.minutes
    n_faults = 0
    kinds: list[tuple[str, AnyCases, int]] = [
        ("models", ModelCases(options.seed, FOLDER / "models"), options.models),
        ("data", DataCases(options.seed, FOLDER / "data"), options.data),
        ("texts", TextCases(options.seed), options.texts),
    ]
    for name, cases, n in kinds:
        n_faults += _fuzz(name, cases, range(options.start, options.start + n), deadline) if n else 0
    return 1 if n_faults else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("--models", type=int, default=20_000, help="number of damaged model files")
    parser.add_argument("--data", type=int, default=20_000, help="number of damaged data files")
    parser.add_argument("--texts", type=int, default=20_000, help="number of cases of odd texts")
    parser.add_argument("--minutes", type=float, default=30.0, help="time limit; no case starts after it")
    parser.add_argument("--seed", type=int, default=0, help="seed of the damage")
    parser.add_argument("--start", type=int, default=0, help="number of the first case")
    parser.add_argument("--again", type=Path, metavar="FILE", help="check one stored file again, in this process")
    return parser.parse_args()


def _fuzz(name: str, cases: AnyCases, numbers: range, deadline: float) -> int:
    """Run cases, store and print every fault, and return the number of faults."""
    cases.prepare()
    cases.load()
    began, results, slowest, n_faults = time.monotonic(), Counter[str](), 0.0, 0
    outcomes = run_all(cases, _until(deadline, numbers), FOLDER / "workers", N_WORKERS)
    for outcome in _with_progress(outcomes, name, len(numbers)):
        results[outcome.result] += 1
        slowest = max(slowest, outcome.seconds)
        if outcome.fault is not None:
            n_faults += 1
            _store(name, cases, outcome)
    n_done = sum(results.values())
    counts = ", ".join(f"{count:,} {result}" for result, count in sorted(results.items()))
    print(
        f"{name}: {n_done:,} of {len(numbers):,} cases, seed {cases.seed}, in {time.monotonic() - began:.0f} s: "
        f"{counts}; slowest {slowest:.2f} s (limit {CPU_SECONDS} s, {MAX_BYTES:,} bytes per case); {n_faults} faults",
        flush=True,
    )
    if n_done < len(numbers):
        print(f"{name}: the time limit was reached; raise it by --minutes.")
    return n_faults


def _until(deadline: float, numbers: Iterable[int]) -> Iterator[int]:
    """Yield numbers until the deadline."""
    for number in numbers:
        if time.monotonic() > deadline:
            return
        yield number


def _with_progress(outcomes: Iterator[Outcome], name: str, total: int) -> Iterator[Outcome]:
    """Yield the outcomes and report progress: a bar on a terminal, a line every ``REPORT_EVERY`` cases elsewhere."""
    if sys.stderr.isatty():
        yield from track(outcomes, name, total, console=Console(stderr=True))
        return
    for n, outcome in enumerate(outcomes, 1):
        if n % REPORT_EVERY == 0:
            print(f"{name}: {n:,} of {total:,}", file=sys.stderr, flush=True)
        yield outcome


def _store(name: str, cases: AnyCases, outcome: Outcome) -> None:
    """Write the files of a fault, and print the fault and the command that checks them again."""
    case = cases.make(outcome.number)
    path = write_case(case, FOLDER / "faults" / f"{name}-seed{cases.seed}-{outcome.number}")
    print(f"FAULT {name} {outcome.number} ({case.name}): {outcome.fault}", flush=True)
    print(f"  python -m fuzz --again {path}", flush=True)


def _again(path: Path) -> int:
    """Check one stored file in this process and return the exit code."""
    checks = {MODEL_FILE: ModelCases.check, TEXTS_FILE: TextCases.check}
    outcome = run_check(checks.get(path.name, DataCases.check), path, 0)
    print(f"{path}: {outcome.result}{'' if outcome.fault is None else f', {outcome.fault}'}, {outcome.seconds:.2f} s")
    return 0 if outcome.fault is None else 1


if __name__ == "__main__":
    sys.exit(main())
