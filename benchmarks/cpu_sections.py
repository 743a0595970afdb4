"""The sections of the benchmark of processor time."""

from __future__ import annotations

from benchmarks.benchmark import Section
from benchmarks.cpu_rows import MOST_TIMES, br_rows, small_rows

SECTIONS = {
    "small": Section(
        "Small jobs",
        "Processor seconds and seconds. *README* is the whole process of README's Python example; *fit* is "
        "`SetClassifier().fit` on 30 documents, without the imports. *times* is the ratio to one thread.",
        ("cpu", "seconds", "times"),
        f"at most {MOST_TIMES:g} times the processor time of one thread",
        small_rows,
    ),
    "threads": Section(
        "A large job",
        "BR on all labels, one thread beside two; *cores* is how many of them the process was given, *ratio* how many "
        "times faster two threads are.",
        ("seconds", "cores", "ratio"),
        "at least 1.7 times faster, with the same bits",
        br_rows,
    ),
}
