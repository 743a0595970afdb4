"""Prediction of label sets: speed, growth, memory, and F1 where nearly every set is unseen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.harness.benchmark import Benchmark

if TYPE_CHECKING:  # numpy must not be imported before the command has set the number of threads
    from benchmarks.harness.problem import Problem

INTRODUCTION = """\
**How to read it.** Training is not timed here. Where time is measured, entries take turns on one core, with one thread,
and the fastest of their rounds counts; an entry that takes longer than 15 seconds has a single round. The corpora
`many_tags` and `many_sets` are synthetic, with shapes that the real corpora lack: 983 labels at 19 per document, and
50,000 label sets of 1,000 labels. A dash marks a value that does not apply, or one whose reason is in the note.
"""


@dataclass(frozen=True)
class PredictEffort:
    """Documents and rounds of the predictions."""

    # Calls are short, so that many rounds are needed.
    n_rounds: int = 7
    # Documents predicted in one call; the second number must need no more memory than the first.
    memory_documents: tuple[int, int] = (3_000, 12_000)
    # Number of training documents, the first ones; None for all.
    n_train: int | None = None
    # Number of documents to predict, the first ones; None for all.
    n_test: int | None = None

    def subset(self, problem: Problem) -> Problem:
        """Return the problem with as many documents as the effort allows."""
        problem = problem if self.n_train is None else problem.first(self.n_train)
        return problem if self.n_test is None else problem.first_test(self.n_test)


PREDICT = Benchmark(
    name="predict",
    description="Time the prediction of label sets.",
    title="Benchmark of prediction",
    introduction=INTRODUCTION,
    datasets={
        "speed": ("bibtex",),
        "exact": ("many_tags",),
        "growth": ("many_sets",),
        "memory": ("many_tags",),
        "unseen": ("many_tags",),
    },
    full_effort=PredictEffort(),
    quick_effort=PredictEffort(n_rounds=1, memory_documents=(300, 1_000), n_train=1_000, n_test=200),
    quick_description="1,000 documents to train on, 200 to predict, one round",
    packages=("setwise", "scikit-learn", "numpy", "scipy"),
)
