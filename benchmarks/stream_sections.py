"""The sections of the benchmark of a long file."""

from __future__ import annotations

from benchmarks.benchmark import Section
from benchmarks.stream_rows import command_rows, share_rows

SECTIONS = {
    "command": Section(
        "The command",
        "Seconds of the whole process, start and model included. Peak: the most memory it held, in megabytes.",
        ("documents", "seconds", "a second", "peak"),
        "peak below 500",
        command_rows,
    ),
    "share": Section(
        "Where the time goes",
        "A model that was loaded, in one process: scikit-learn's vectorizer cuts texts into words and weighs them, on "
        "one core; setwise makes sets of that, on all cores.",
        ("seconds", "a second", "percent"),
        "",
        share_rows,
    ),
}
