"""The choice of features on held-out documents, compared with each feature set fixed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.harness.benchmark import Benchmark

if TYPE_CHECKING:  # numpy must not be imported before the command has set the number of threads
    from benchmarks.harness.texts import LabeledTexts

INTRODUCTION = """\
**How to read it.** `SetClassifier()` gets the training texts and chooses its features on held-out documents; then it is
trained again with each other feature set alone. Every feature set is tested once, after all of them have been trained.
The F1 of two empty sets is 1.
"""

CORPORA = ("brighter_chn", "medical_raw", "xed_fi", "reuters21578", "ohsumed_raw", "goemotions")


@dataclass(frozen=True)
class FeatureEffort:
    """Documents of the comparison."""

    # Number of train and of test documents, the first ones; None for all.
    n_documents: int | None = None


def load_texts(name: str) -> LabeledTexts:
    """Return a corpus whose training and test texts are read by separate calls."""
    from benchmarks.harness.texts import LabeledTexts

    return LabeledTexts(name)


FEATURES = Benchmark(
    name="features",
    description="Compare the features that validation chooses with each feature set fixed.",
    title="The choice of features",
    introduction=INTRODUCTION,
    datasets={"features": CORPORA},
    full_effort=FeatureEffort(),
    quick_effort=FeatureEffort(n_documents=300),
    quick_description="300 documents",
    packages=("setwise", "scikit-learn", "numpy", "scipy"),
    load=load_texts,
)
