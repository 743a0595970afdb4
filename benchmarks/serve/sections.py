"""The sections of the page on the service."""

from __future__ import annotations

from benchmarks.harness.benchmark import Section
from benchmarks.serve.rows import batch_rows, malformed_rows, single_rows

COLUMNS = ("per second", "p50", "p99", "lost", "relative")

SECTIONS = {
    "batches": Section(
        "Batches of texts",
        "Texts per second, 32 in each request.",
        COLUMNS,
        "2,000 per second, none lost",
        batch_rows,
    ),
    "single": Section(
        "One text per request",
        "Requests per second. Those that arrive within two milliseconds are predicted together.",
        COLUMNS,
        "400 per second, p99 below 50, none lost",
        single_rows,
    ),
    "malformed": Section(
        "Among malformed requests",
        "The same; in addition, for every ten requests one is sent over a connection of its own that is broken JSON, "
        "has fields of wrong types, has a body of five megabytes, pauses for two seconds in its middle, or is no HTTP "
        "at all. The numbers are those of the good requests.",
        COLUMNS,
        "400 per second, p99 below 50, none lost",
        malformed_rows,
    ),
}
