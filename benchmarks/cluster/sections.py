"""The sections of the page on executors."""

from __future__ import annotations

from benchmarks.cluster.rows import (
    cost_rows,
    identity_rows,
    shard_rows,
    simulation_rows,
    speed_rows,
    thorough_rows,
)
from benchmarks.harness.benchmark import Section

SECTIONS = {
    "identity": Section(
        "The same bytes",
        "A tuning by each executor, saved to a file. The note has the first 16 digits of the file's SHA-256.",
        ("seconds", "cpu"),
        "same bytes",
        identity_rows,
    ),
    "thorough": Section(
        "The same bytes with the thorough budget",
        "As above.",
        ("seconds", "cpu"),
        "same bytes",
        thorough_rows,
    ),
    "speed": Section(
        "One worker and two",
        "Local processes, one thread each, in turn; the fastest round of each. The process that sends the tasks works "
        "beside them. On a busy machine wall-clock times say little: the simulation below has the same ratio from CPU "
        "times.",
        ("seconds", "cpu", "speedup"),
        "speedup at least 1.6",
        speed_rows,
    ),
    "simulation": Section(
        "More workers, simulated",
        "*seconds* is the simulated duration of the whole training, *work* the CPU seconds of all tasks that ran, "
        "*driver* those of the process that sends them, which reads the documents and decides what is next. "
        "*critical path* is the longest chain of tasks, each of which needs the result of the one before: no number of "
        "workers is faster than it. *efficiency* is the speedup per worker in percent.",
        ("seconds", "tasks", "work", "driver", "critical path", "speedup", "efficiency"),
        "speedup of 2 at least 1.6",
        simulation_rows,
    ),
    "costs": Section(
        "Estimates of `setwise train --dry-run`",
        "*planned* tasks and the *estimate* of their CPU seconds, as if no path ended early, beside the number and the "
        "CPU seconds of those that ran; memory of a worker in megabytes.",
        ("planned", "tasks", "estimate", "cpu", "memory estimate", "peak"),
        "",
        cost_rows,
    ),
    "shards": Section(
        "Prediction by shards",
        "`setwise predict --cluster local:2` on a file of short texts. *peak* is the memory of the largest of its "
        "processes in megabytes; it must not grow with the file. The output of the first file is compared with that of "
        "`setwise predict`.",
        ("documents", "seconds", "cpu", "per second", "peak"),
        "same bytes, and at most 400 MB",
        shard_rows,
    ),
}
