"""The command ``python -m benchmarks.predict``: what it takes to predict sets, and what they are worth."""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks.benchmark import Benchmark
from benchmarks.command import main
from benchmarks.predict_effort import FULL, QUICK

HEAD = """\
# Benchmark of prediction

This page is made by a machine: `make bench-predict` measures and writes it, and the next run undoes changes by hand.
Its rows, as data, are in `{data}`.

**How to read it.** Training is not timed here. Where time is measured, contestants take turns on one core, with one
thread, and the fastest of their rounds counts; one that takes longer than 15 seconds has a single round. The corpora
`many_tags` and `many_sets` are made up, for shapes that the corpora at hand lack: 983 labels at 19 a document, and
50,000 label sets of 1,000 labels. A dash is a number that does not apply, or has its reason in the last column.
"""

PREDICT = Benchmark(
    name="predict",
    aim="Time the prediction of label sets.",
    head=HEAD,
    page=Path("docs/benchmarks-predict.md"),
    datasets={
        "speed": ("bibtex",),
        "growth": ("many_sets",),
        "memory": ("many_tags",),
        "unseen": ("many_tags",),
    },
    module="benchmarks.predict_sections",
    full=FULL,
    quick=QUICK,
    quick_text="1,000 documents to train on, 200 to predict, one repeat",
    packages=("setwise", "scikit-learn", "numpy", "scipy"),
)

if __name__ == "__main__":
    main(PREDICT, sys.argv[1:])
