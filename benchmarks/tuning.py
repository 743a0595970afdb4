"""The command ``python -m benchmarks.tuning``: what tuning costs, and what the tuned models attain."""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks.benchmark import Benchmark
from benchmarks.command import main
from benchmarks.default import parts
from benchmarks.tuning_effort import FULL, QUICK

HEAD = """\
# Benchmark of tuning

This page is made by a machine: `make bench-tuning` measures and writes it, and the next run undoes changes by hand. Its
rows, as data, are in `{data}`.

**How to read it.** Everything is chosen on training documents held out with labels shared out (seed 0): a fifth of
them, or in folds, as the note says; the grid is that of the thorough budget. The chosen model is then trained on all of
train and meets the test documents once. Validation: instance F1 in percent on the documents held out. F1: on the test
documents, and the goal that it must attain. Calibrated: the same model with a set calibration by likelihood, found on
the documents held out.
"""

TUNING = Benchmark(
    name="tuning",
    aim="Time the tuning of a model, and test what was tuned.",
    head=HEAD,
    page=Path("docs/benchmarks-tuning.md"),
    datasets={
        "grid": ("bibtex",),
        "br": ("bibtex", "rcv1sub1", "medical", "enron_raw", "tmc2007_500", "reuters21578"),
        "pcc": ("bibtex",),
        "crf": ("bibtex",),
        "cbm": ("bibtex", "rcv1sub1"),
        "lsf": ("bibtex",),
    },
    module="benchmarks.tuning_sections",
    full=FULL,
    quick=QUICK,
    quick_text="500 documents, a small grid",
    packages=("setwise", "liblinear-official", "scikit-learn", "numpy", "scipy"),
    load=parts,
)

if __name__ == "__main__":
    main(TUNING, sys.argv[1:])
