"""The sections of the learners' page."""

from __future__ import annotations

from functools import partial

from benchmarks.harness.benchmark import Section
from benchmarks.learners.rows import comparison_rows, memory_rows, path_rows, thread_rows

COMPARISON_COLUMNS = ("seconds", "objective", "non-zeros", "speedup")
COMPARISON_QUESTION = "faster, objective no higher"

SECTIONS = {
    "l1": Section(
        "Pure L1",
        "strength = 1 / (C n). LIBLINEAR fits all labels; the other peers fit some, evenly spread over label "
        "frequency.",
        COMPARISON_COLUMNS,
        COMPARISON_QUESTION,
        partial(comparison_rows, "l1"),
    ),
    "elastic": Section(
        "Elastic net",
        "strength = 1 / (C n), on labels evenly spread over label frequency. The goal is 30 times the speed of saga.",
        COMPARISON_COLUMNS,
        COMPARISON_QUESTION,
        partial(comparison_rows, "elastic"),
    ),
    "l2": Section(
        "Pure L2",
        "strength = 1 / (2 C n), because LIBLINEAR has a factor 1/2 before the squared norm. All labels.",
        COMPARISON_COLUMNS,
        COMPARISON_QUESTION,
        partial(comparison_rows, "l2"),
    ),
    "hinge": Section(
        "Squared hinge",
        "The loss is max(0, 1 - t z)^2 with t = 1 or -1; strength = 1 / (C n) with L1 and 1 / (2 C n) with L2. All "
        "labels. On bibtex, setwise ends at a violation of 6e-5: LIBLINEAR ends far from the optimum there.",
        COMPARISON_COLUMNS,
        COMPARISON_QUESTION,
        partial(comparison_rows, "hinge"),
    ),
    "path": Section(
        "A path of strengths",
        "A path from the largest critical strength of any label to the strength of C = 1, in even steps of the "
        "logarithm. *Cold fits* is its time in cold fits at the last strength.",
        ("seconds", "objective", "non-zeros", "cold fits"),
        "at most 5 cold fits",
        path_rows,
    ),
    "threads": Section(
        "Threads",
        "One thread and two, on all labels, with two cores free for either. *Cores* is processor time divided by "
        "wall-clock time; below the number of threads, other programs used the machine. *Speedup* is the seconds of "
        "one thread divided by those of two.",
        ("seconds", "cores", "speedup"),
        "at least 1.7 times, same bits",
        thread_rows,
    ),
    "memory": Section(
        "Memory",
        "Megabytes of a fresh process, before the fit (Python, libraries and data) and at its peak.",
        ("data", "before", "peak", "result"),
        "peak below before + result + 150",
        memory_rows,
    ),
}
