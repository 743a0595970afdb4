"""The sections of the page on processor time."""

from __future__ import annotations

from benchmarks.cpu.rows import MAX_RELATIVE, MIN_SPEEDUP, br_rows, small_rows
from benchmarks.harness.benchmark import Section

SECTIONS = {
    "small": Section(
        "Small jobs",
        "Processor seconds (*cpu*) and wall-clock seconds. *README* is the whole process of README's Python example; "
        "*fit* is `SetClassifier().fit` on 30 documents, without the imports. *Relative* is the processor time divided "
        "by that of one thread.",
        ("cpu", "seconds", "relative"),
        f"at most {MAX_RELATIVE:g} times the processor time of one thread",
        small_rows,
    ),
    "threads": Section(
        "A large job",
        "BR on all labels, with one thread and with two. *Cores* is processor time divided by wall-clock time; "
        "*speedup* is the seconds of one thread divided by those of two.",
        ("seconds", "cores", "speedup"),
        f"at least {MIN_SPEEDUP:g} times faster, with the same bits",
        br_rows,
    ),
}
