"""The command ``python -m benchmarks.default``: the default of setwise beside a careful user of scikit-learn."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.benchmark import Benchmark
from benchmarks.command import main
from benchmarks.default_effort import FULL, QUICK

if TYPE_CHECKING:  # numpy must not be imported before the command has held it to one thread
    from setwise.experiments.corpora import Parts

HEAD = """\
# The default beside a careful user of scikit-learn

This page is made by a machine: `make bench-default` measures and writes it, and the next run undoes changes by hand.
Its rows, as data, are in `{data}`; the rival's F1 of each test document is kept beside them, so that
`python -m benchmarks.default --sections default` does not tune the rival again.

**How to read it.** `SetClassifier()` is given the train part and no options. The rival is what a careful user of
scikit-learn does by hand. Both get the same features, and read the test part once, when all is settled. F1 of two empty
sets is 1. A dash is a number that does not apply, or has its reason in the last column.
"""

CORPORA = (
    "bibtex",
    "medical_raw",
    "enron_raw",
    "rcv1sub1",
    "tmc2007_500",
    "ohsumed",
    "reuters21578",
    "goemotions",
)


def parts(name: str) -> Parts:
    from setwise.experiments.corpora import Parts

    return Parts(name)


COMPARISON = Benchmark(
    name="default",
    aim="Compare the default with a careful user of scikit-learn.",
    head=HEAD,
    page=Path("docs/benchmarks-default.md"),
    datasets={"rival": CORPORA, "default": CORPORA},
    module="benchmarks.default_sections",
    full=FULL,
    quick=QUICK,
    quick_text="500 documents, two values of C",
    packages=("setwise", "scikit-learn", "numpy", "scipy"),
    load=parts,
)

if __name__ == "__main__":
    main(COMPARISON, sys.argv[1:])
