"""``python -m mutation``: run the mutants, and write docs/mutation.md."""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

import pytest

from mutation.page import explanations, name_of, page
from mutation.run import Runner, cpu_of_children, key_of

PACKAGES = ("labels", "metrics", "decision", "prediction")
PAGE = Path("docs/mutation.md")
LAST_RUN = Path("build/mutation.json")

TESTS = [*(f"tests/{package}" for package in PACKAGES), "tests/test_decide.py", "tests/inference/test_calibration.py"]
"""Tests that are quick and about this code; those of models and of commands reach it too, and take long."""


def main() -> int:
    """Run the command line and return the exit code: 1 where a mutant survives without an explanation."""
    parser = argparse.ArgumentParser(prog="python -m mutation", description=__doc__)
    parser.add_argument("--minutes", type=float, default=25.0, help="processor time after which no mutant is started")
    parser.add_argument("--only", default="", metavar="NAME", help="only mutants of modules or functions of this name")
    parser.add_argument("--tests", nargs="+", default=TESTS, metavar="PATH", help="the tests that are to notice them")
    parser.add_argument("--again", action="store_true", help="only mutants that no test noticed in the last run")
    options = parser.parse_args()
    noticed = _noticed() if options.again else {}
    runner = Runner([f"setwise.{package}" for package in PACKAGES], 60.0 * options.minutes, options.only, noticed)
    # Warnings of forking with threads, which newer versions of Python give, are about this run and no test.
    code = pytest.main(
        ["-q", "-p", "no:cacheprovider", "-W", "ignore::DeprecationWarning", *options.tests], plugins=[runner]
    )
    if not runner.outcomes:
        return int(code) or 1
    seconds = time.process_time() + cpu_of_children()
    if not options.only:
        PAGE.write_text(page(runner.outcomes, runner.n_tests, runner.n_left), encoding="utf-8")
    fates = {key_of(f"{one.package}.{Path(one.file).stem}", one.mutant): one.fate for one in runner.outcomes}
    LAST_RUN.parent.mkdir(exist_ok=True)
    LAST_RUN.write_text(json.dumps(_last_run() | fates, indent=1), encoding="utf-8")
    reasons = explanations()
    survivors = [one for one in runner.outcomes if one.fate in ("survived", "unreached")]
    unexplained = [one for one in survivors if name_of(one) not in reasons]
    print(
        f"\n{len(runner.outcomes)} mutants, {len(survivors)} survived, {len(unexplained)} of them unexplained, "
        f"{runner.n_left} not run, {seconds / 60:.1f} minutes of processor time"
    )
    for one in unexplained:
        print(f"{one.fate}: {name_of(one)}")
    return 1 if unexplained or runner.n_left else 0


def _last_run() -> dict[str, str]:
    """Return what happened to each mutant when it was last run."""
    fates: dict[str, str] = json.loads(LAST_RUN.read_text(encoding="utf-8")) if LAST_RUN.exists() else {}
    return fates


def _noticed() -> dict[str, str]:
    return {key: fate for key, fate in _last_run().items() if fate in ("killed", "timeout")}


if __name__ == "__main__":
    sys.exit(main())
