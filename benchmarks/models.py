"""The command ``python -m benchmarks.models``: what the five models cost to train."""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks.benchmark import Benchmark
from benchmarks.command import main
from benchmarks.model_effort import FULL, QUICK

HEAD = """\
# Benchmark of the models

This page is made by a machine: `make bench-models` measures and writes it, and the next run undoes changes by hand. Its
rows, as data, are in `{data}`.

**How to read it.** Everyone gets the same matrices and `strength = 1 / n`, which is LIBLINEAR's C = 1 where the penalty
is pure L1. The anchor is LIBLINEAR's fit of every label by itself, `-s 6 -c 1 -e 0.001`, in the same run: its C
function alone is timed, for the models the whole call of `fit`. Contestants take turns, and the fastest of their rounds
counts; one that takes longer than 15 seconds has a single round. *did not converge* says that iterations ended first,
as they were asked to. A dash is a number that does not apply, or has its reason in the last column.
"""

MODELS = Benchmark(
    name="models",
    aim="Time the training of the models.",
    head=HEAD,
    page=Path("docs/benchmarks-models.md"),
    datasets={
        "cost": ("bibtex",),
        "threads": ("bibtex",),
        "memory": ("imdb",),
        "clean": ("imdb", "tmc2007_500"),
    },
    module="benchmarks.model_sections",
    full=FULL,
    quick=QUICK,
    quick_text="500 documents, few iterations, one repeat",
    packages=("setwise", "liblinear-official", "scikit-learn", "numpy", "scipy"),
)

if __name__ == "__main__":
    main(MODELS, sys.argv[1:])
