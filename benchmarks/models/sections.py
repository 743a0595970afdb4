"""The sections of the models' page."""

from __future__ import annotations

from benchmarks.harness.benchmark import Section
from benchmarks.models.rows import clean_rows, cost_rows, memory_rows, thread_rows

SECTIONS = {
    "cost": Section(
        "Cost of training",
        "One thread, one core. *Relative* is seconds divided by those of LIBLINEAR, which fits every label on its own; "
        "*goal* is the highest value allowed. In a full run CRF uses 120 iterations of L-BFGS and CBM 20 of EM, even "
        "where fewer would be enough; the others train until they converge.",
        ("seconds", "relative", "goal", "iterations"),
        "goal met",
        cost_rows,
    ),
    "threads": Section(
        "Threads",
        "One thread and two, with two cores free for either. *Cores* is processor time divided by wall-clock time; "
        "below the number of threads, other programs used the machine, or a thread waited. *Speedup* is the seconds of "
        "one thread divided by those of two.",
        ("seconds", "cores", "speedup"),
        "at least 1.6 times, same bits",
        thread_rows,
    ),
    "memory": Section(
        "Memory",
        "Megabytes of a fresh process, before the fit (Python, libraries and data) and at its peak. The peak comes "
        "after few iterations, as soon as the history of L-BFGS is full.",
        ("data", "before", "peak"),
        "peak below 3,000",
        memory_rows,
    ),
    "clean": Section(
        "Training without numerical errors",
        "Every model is trained with overflow, division by zero and invalid operations as errors, in NumPy and in "
        "Python; all its parameters must be finite. One thread per core.",
        ("seconds", "iterations"),
        "no numerical errors",
        clean_rows,
    ),
}
