"""``SetClassifier()`` without options compared with what careful users of scikit-learn do by hand."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from benchmarks.harness.benchmark import Benchmark, load_texts_or_features

INTRODUCTION = """\
The F1 of every test document is stored in `baseline_f1/` and `rival_f1/`, so that
`python -m benchmarks.default --sections default` tunes neither of them again.

**How to read it.** `SetClassifier()` gets the train part and no options. The baseline is what a careful user of
scikit-learn does by hand, the rival what one does who tries more. All get the same documents: medical_raw, ohsumed_raw,
reuters21578, goemotions, es_codiesp and xed_fi as texts, the others as features. All read the test part once, after
everything has been chosen. The F1 of two empty sets is 1. A dash marks a value that does not apply, or one whose reason
is in the note.
"""

CORPORA = (
    "bibtex",
    "medical_raw",
    "enron_raw",
    "rcv1sub1",
    "tmc2007_500",
    "ohsumed_raw",
    "reuters21578",
    "goemotions",
    "es_codiesp",
    "xed_fi",
)


@dataclass(frozen=True)
class DefaultEffort:
    """Grid, documents and resamples of the comparison."""

    # Folder of the stored F1. None stores nothing, and tunes baseline and rival whenever they are needed.
    stored_f1: Path | None = None
    # Values of C to start from, in quarters of a decade; None for the default grid.
    c_steps: tuple[int, ...] | None = None
    # Number of train and of test documents, the first ones; None for all.
    n_documents: int | None = None
    n_resamples: int = 10_000
    # Folder of the checkpoints of the thorough budget; None keeps none.
    checkpoints: Path | None = None
    # Folder that the default classifiers are stored in, for other benchmarks; None stores none.
    models: Path | None = None


DEFAULT = Benchmark(
    name="default",
    description="Compare the default with careful users of scikit-learn.",
    title="The default compared with careful users of scikit-learn",
    introduction=INTRODUCTION,
    datasets={"baseline": CORPORA, "rival": CORPORA, "default": CORPORA, "thorough": CORPORA},
    full_effort=DefaultEffort(
        stored_f1=Path("docs/benchmarks"), checkpoints=Path("build/checkpoints"), models=Path("build/models")
    ),
    quick_effort=DefaultEffort(c_steps=(0, 4), n_documents=500, n_resamples=1_000),
    quick_description="500 documents, two values of C",
    packages=("setwise", "scikit-learn", "numpy", "scipy"),
    load=load_texts_or_features,
)
