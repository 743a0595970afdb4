"""The sections of the models' benchmark."""

from __future__ import annotations

from benchmarks.benchmark import Section
from benchmarks.model_rows import clean_rows, cost_rows, memory_rows, thread_rows

SECTIONS = {
    "cost": Section(
        "Cost of training",
        "One thread, one core. Times: seconds by those of LIBLINEAR, which fits every label by itself; the goal is the "
        "most a model may cost. In a full run CRF takes 120 iterations of L-BFGS and CBM 20 of EM, even where fewer "
        "would do; the others train until they converge.",
        ("seconds", "times", "goal", "iterations"),
        "within its goal",
        cost_rows,
    ),
    "threads": Section(
        "Threads",
        "One thread against two, with two cores free for either. Cores: processor time by clock time; below the number "
        "of threads, others were at work on the machine, or a thread waited. Ratio: seconds of one by those of two.",
        ("seconds", "cores", "ratio"),
        "at least 1.6 times, same bits",
        thread_rows,
    ),
    "memory": Section(
        "Memory",
        "Megabytes that a fresh process holds, before the fit (with Python, libraries and data) and at its peak, which "
        "is there after few iterations: as soon as L-BFGS remembers all the steps it ever will.",
        ("data", "before", "peak"),
        "peak below 3,000",
        memory_rows,
    ),
    "clean": Section(
        "Training without a bad number",
        "Every model is trained with overflow, division by zero and invalid numbers as errors, in NumPy and in Python; "
        "all that it learnt must be finite. A thread a core.",
        ("seconds", "iterations"),
        "clean",
        clean_rows,
    ),
}
