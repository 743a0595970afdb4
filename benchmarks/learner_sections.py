"""The sections of the learners' benchmark."""

from __future__ import annotations

from functools import partial

from benchmarks.benchmark import Section
from benchmarks.comparisons import compare
from benchmarks.memory import memory_rows
from benchmarks.scaling import path_rows, thread_rows

COMPARED = ("seconds", "objective", "non-zeros", "ratio")
FASTER = "faster, objective at or below"

SECTIONS = {
    "l1": Section(
        "Pure L1",
        "strength = 1 / (C n). All labels beside LIBLINEAR; some, spread over their frequency, beside the others.",
        COMPARED,
        FASTER,
        partial(compare, "l1"),
    ),
    "elastic": Section(
        "Elastic net",
        "strength = 1 / (C n), on labels spread over their frequency. The goal is 30 times the speed of saga.",
        COMPARED,
        FASTER,
        partial(compare, "elastic"),
    ),
    "l2": Section(
        "Pure L2",
        "strength = 1 / (2 C n), as LIBLINEAR has a 1/2 before the squared norm. All labels.",
        COMPARED,
        FASTER,
        partial(compare, "l2"),
    ),
    "path": Section(
        "A path of strengths",
        "From the largest critical strength of all labels, in even steps of the logarithm, to that of C = 1.",
        ("seconds", "objective", "non-zeros", "cold fits"),
        "at most 5 cold fits",
        path_rows,
    ),
    "threads": Section(
        "Threads",
        "One thread against two, with two cores free for either. All labels. Cores: processor time by clock time; "
        "below the number of threads, others were at work on the machine. Ratio: seconds of one by those of two.",
        ("seconds", "cores", "ratio"),
        "at least 1.7 times, same bits",
        thread_rows,
    ),
    "memory": Section(
        "Memory",
        "Megabytes that a fresh process holds, before the fit (with Python, libraries and data) and at its peak.",
        ("data", "before", "peak", "result"),
        "peak below before + result + 150",
        lambda problem, _effort: memory_rows(problem),
    ),
}
