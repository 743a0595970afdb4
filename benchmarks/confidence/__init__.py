"""How far confidence can be trusted: calibration, automation, texts from elsewhere; and the cost of explanations."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.harness.benchmark import Benchmark, load_texts_or_features

if TYPE_CHECKING:  # numpy must not be imported before the command has set the number of threads
    from benchmarks.harness.corpora import Parts
    from setwise.models import BudgetName

INTRODUCTION = """\
**How to read it.** The classifiers are those of `SetClassifier()` without options: `make bench-default` leaves them in
`build/models`, and one that is not there is trained first. Everything about confidence was learned from training
documents; the test part is read once, here.
"""

CORPORA = ("bibtex", "reuters21578", "goemotions", "ohsumed_raw", "tmc2007_500", "es_codiesp")


@dataclass(frozen=True)
class ConfidenceEffort:
    """How much a run of this benchmark measures."""

    # Folder of trained classifiers; None trains and keeps none.
    models: Path | None = None
    # Budget of the training where a classifier is not stored.
    budget: BudgetName = "normal"
    # Number of train and of test documents, the first ones; None for all.
    n_documents: int | None = None
    # Splits of the test documents in two halves.
    n_splits: int = 200
    # Texts that are explained in one batch, and rounds, of which the fastest counts.
    n_explained: int = 1_000
    n_rounds: int = 3


def load(name: str) -> Parts:
    """Return a stored corpus, or one that is generated."""
    from benchmarks.harness.synthetic import SYNTHETIC, SyntheticParts

    return SyntheticParts(name) if name in SYNTHETIC else load_texts_or_features(name)


CONFIDENCE = Benchmark(
    name="confidence",
    description="Compare stated confidence with outcomes, and time explanations.",
    title="Confidence compared with outcomes",
    introduction=INTRODUCTION,
    datasets={
        "calibration": (*CORPORA, "new_sets"),
        "automation": ("bibtex", "reuters21578", "goemotions"),
        "shift": ("goemotions",),
        "explanations": ("reuters21578",),
    },
    full_effort=ConfidenceEffort(models=Path("build/models")),
    quick_effort=ConfidenceEffort(budget="quick", n_documents=400, n_splits=10, n_explained=20, n_rounds=1),
    quick_description="400 documents, 10 splits",
    packages=("setwise", "scikit-learn", "numpy", "scipy"),
    load=load,
)
