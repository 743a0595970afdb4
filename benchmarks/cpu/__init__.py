"""Processor time of small jobs, on a quiet machine and on a busy one, and the speedup of two threads on a large job."""

from __future__ import annotations

from benchmarks.harness.benchmark import Benchmark

INTRODUCTION = """\
**How to read it.** Threads that spin while they wait use processor time without advancing the result, most of all while
other programs use the machine. Each job runs with one thread and with one thread per core, in turns, each in its own
process; the cheapest of the rounds counts. On the busy machine, as many other processes as there are cores compute all
the time.
"""

CPU = Benchmark(
    name="cpu",
    description="Measure processor seconds of small jobs, and the speedup of two threads on a large one.",
    title="Benchmark of processor time",
    introduction=INTRODUCTION,
    datasets={"small": ("quiet", "busy"), "threads": ("bibtex",)},
    full_effort=5,
    quick_effort=1,
    quick_description="one round",
    packages=("setwise", "scikit-learn", "numpy", "scipy"),
    load=str,
)
