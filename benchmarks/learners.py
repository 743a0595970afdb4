"""The command ``python -m benchmarks.learners``: the elastic-net learners beside their peers."""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks.benchmark import Benchmark
from benchmarks.command import main
from benchmarks.effort import FULL, QUICK

HEAD = """\
# Benchmark of the learners

This page is made by a machine: `make bench-learners` measures and writes it, and the next run undoes changes by hand.
Its rows, as data, are in `{data}`.

**How to read it.** Everyone gets the same matrix, one thread and one core (but for the sections on threads and memory),
and minimises the same thing; contestants take turns, and the fastest of their rounds counts. For setwise the whole call
is timed; for LIBLINEAR its C function alone; for skglm a first call, which compiles, is left out; glmnet, which does
not converge from a cold start, is timed on a path of 20 strengths (100 where 20 do not arrive). setwise runs at its
default tolerance, but in the cells marked *tight*, beside peers that go to many digits, at 1e-7.

The *objective* is computed from each solution by one function, in float64: the sum over labels of
`sum_i loss_i + n * strength * (l1_ratio |w|_1 + (1 - l1_ratio) |w|_2^2)`. That is n times what setwise minimises, and
LIBLINEAR's own divided by C. *Ratio* is the peer's seconds by those of setwise in the same cell: above 1, setwise is
faster. A dash has its reason in the last column.

**Other pages.** [Models](benchmarks-models.md), [prediction](benchmarks-predict.md), [tuning](benchmarks-tuning.md),
[the default](benchmarks-default.md), [long files](benchmarks-stream.md). In `setwise predict` on texts, cutting them
into words takes 89 % of the time, by the last of these (`make bench-stream`).
"""

LEARNERS = Benchmark(
    name="learners",
    aim="Time the learners.",
    head=HEAD,
    page=Path("docs/benchmarks.md"),
    datasets=dict.fromkeys(("l1", "elastic", "l2", "path", "threads", "memory"), ("bibtex", "rcv1sub1", "tmc2007_500")),
    module="benchmarks.learner_sections",
    full=FULL,
    quick=QUICK,
    quick_text="one C, one repeat, few labels",
    packages=(
        "setwise",
        "liblinear-official",
        "scikit-learn",
        "python-glmnet",
        "skglm",
        "numba",
        "numpy",
        "scipy",
    ),
)

if __name__ == "__main__":
    main(LEARNERS, sys.argv[1:])
