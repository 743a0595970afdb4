"""The cost of tuning, and the test F1 of tuned models."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.harness.benchmark import Benchmark, load_parts

if TYPE_CHECKING:  # numpy must not be imported before the command has set the number of threads
    from setwise.models import BudgetName

INTRODUCTION = """\
**How to read it.** Everything is chosen on held-out training documents, stratified by labels (random state 0): a fifth
of them, or folds, as the note says. The grid is that of the thorough budget. The chosen model is then trained on the
whole train part and evaluated on the test documents once. *Validation* is instance F1 in percent on the held-out
documents. *F1* is on the test documents, and *goal* the least it must be. *Calibrated* is the F1 of the same model with
a set calibration by likelihood, fitted on the held-out documents.
"""


@dataclass(frozen=True)
class TuningEffort:
    """Sizes of the grids."""

    n_strengths: int = 20
    l1_ratios: tuple[float, ...] = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
    budget: BudgetName = "thorough"
    # Number of training documents, the first ones; None for all.
    n_documents: int | None = None


TUNING = Benchmark(
    name="tuning",
    description="Time the tuning of models, and evaluate the tuned models.",
    title="Benchmark of tuning",
    introduction=INTRODUCTION,
    datasets={
        "grid": ("bibtex",),
        "br": ("bibtex", "rcv1sub1", "medical", "enron_raw", "tmc2007_500", "reuters21578"),
        "pcc": ("bibtex",),
        "crf": ("bibtex",),
        "cbm": ("bibtex", "rcv1sub1"),
        "lsf": ("bibtex",),
    },
    full_effort=TuningEffort(),
    quick_effort=TuningEffort(3, (0.0, 1.0), "quick", 500),
    quick_description="500 documents, a small grid",
    packages=("setwise", "liblinear-official", "scikit-learn", "numpy", "scipy"),
    load=load_parts,
)
