"""The sections of the page on long files."""

from __future__ import annotations

from benchmarks.harness.benchmark import Section
from benchmarks.stream.rows import command_rows, share_rows

SECTIONS = {
    "command": Section(
        "The command",
        "Seconds of the whole process, including its start and loading the model. *Peak* is its peak memory in "
        "megabytes.",
        ("documents", "seconds", "per second", "peak"),
        "peak below 250",
        command_rows,
    ),
    "share": Section(
        "Where the time goes",
        "A loaded model, in one process: texts become TF-IDF features, and these become label sets, both on all cores. "
        "In the command, reading and writing overlap with both.",
        ("seconds", "per second", "percent"),
        "",
        share_rows,
    ),
}
