"""The sections of the page on large corpora."""

from __future__ import annotations

from benchmarks.harness.benchmark import Section
from benchmarks.large.rows import MAX_CPU, MAX_MB, MOST_GROWTH, default_rows, growth_rows, one_strength_rows

SECTIONS = {
    "default": Section(
        "The default",
        "`SetClassifier()` without options, trained on all cores in a process of its own, and its F1 on test "
        "documents, in percent.",
        ("seconds", "cpu", "peak", "F1"),
        f"wise within 600 s, imdb within 360 s, {MAX_MB:,.0f} MB",
        default_rows,
        one_table=True,
    ),
    "one_strength": Section(
        "One strength",
        "BR at the strength that is best on held-out documents, fitted from zero weights by one thread, with the "
        "layout of the features.",
        ("cpu", "weights", "predict"),
        f"within {MAX_CPU:.0f} s",
        one_strength_rows,
    ),
    "growth": Section(
        "Growth",
        "The same fit with a sixteenth, a quarter and all of the documents, features, labels or label sets, the other "
        "sizes unchanged; and the prediction of 2,000 documents by support inference and GFM. *growth* and *growth of "
        "predict* are relative to the smallest.",
        ("size", "cpu", "growth", "predict", "growth of predict", "weights"),
        f"linear: as at most the power {MOST_GROWTH:g} of the size",
        growth_rows,
    ),
}
