"""``SetClassifier()`` without options compared with what a careful user of scikit-learn does by hand."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from benchmarks.harness.benchmark import Benchmark, load_parts

INTRODUCTION = """\
The baseline's F1 of every test document is stored in `baseline_f1/`, so that
`python -m benchmarks.default --sections default` does not tune the baseline again.

**How to read it.** `SetClassifier()` gets the train part and no options. The baseline is what a careful user of
scikit-learn does by hand. Both get the same features, and read the test part once, after everything has been chosen.
The F1 of two empty sets is 1. A dash marks a value that does not apply, or one whose reason is in the note.
"""

CORPORA = (
    "bibtex",
    "medical_raw",
    "enron_raw",
    "rcv1sub1",
    "tmc2007_500",
    "ohsumed",
    "reuters21578",
    "goemotions",
)


@dataclass(frozen=True)
class DefaultEffort:
    """Grid, documents and resamples of the comparison."""

    # Folder with the baseline's stored F1. None stores nothing, and tunes the baseline whenever it is needed.
    stored_f1: Path | None = None
    # Values of the baseline's C to start from, in quarters of a decade; None for its default grid.
    c_steps: tuple[int, ...] | None = None
    # Number of train and of test documents, the first ones; None for all.
    n_documents: int | None = None
    n_resamples: int = 10_000


DEFAULT = Benchmark(
    name="default",
    description="Compare the default with a careful user of scikit-learn.",
    title="The default compared with a careful user of scikit-learn",
    introduction=INTRODUCTION,
    datasets={"baseline": CORPORA, "default": CORPORA},
    full_effort=DefaultEffort(stored_f1=Path("docs/benchmarks/baseline_f1")),
    quick_effort=DefaultEffort(c_steps=(0, 4), n_documents=500, n_resamples=1_000),
    quick_description="500 documents, two values of C",
    packages=("setwise", "scikit-learn", "numpy", "scipy"),
    load=load_parts,
)
