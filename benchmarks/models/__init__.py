"""Training of the five models: time relative to LIBLINEAR, threads, memory, and numerical errors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.harness.benchmark import Benchmark

if TYPE_CHECKING:  # numpy must not be imported before the command has set the number of threads
    from benchmarks.harness.problem import Problem

INTRODUCTION = """\
**How to read it.** Every entry gets the same matrices and `strength = 1 / n`, which is LIBLINEAR's C = 1 where the
penalty is pure L1. The reference is LIBLINEAR's fit of every label on its own, `-s 6 -c 1 -e 0.001`, in the same run:
its C function alone is timed, and the whole call of `fit` for the models. Entries take turns, and the fastest of their
rounds counts; an entry that takes longer than 15 seconds has a single round. *did not converge* means that training
stopped at the number of iterations it was limited to. A dash marks a value that does not apply, or one whose reason is
in the note.
"""


@dataclass(frozen=True)
class Iterations:
    """Iterations of each kind of training: exact numbers for L-BFGS and EM, an upper limit for Newton."""

    lbfgs: int
    em: int
    newton: int = 200


@dataclass(frozen=True)
class ModelsEffort:
    """Iterations, rounds and documents of the trainings."""

    # Iterations where time is measured.
    timed: Iterations = Iterations(lbfgs=120, em=20)
    # Iterations of the section on numerical errors.
    clean: Iterations = Iterations(lbfgs=30, em=5)
    # Iterations where memory is measured: enough to fill the ten pairs of steps that L-BFGS stores.
    memory: Iterations = Iterations(lbfgs=12, em=2)
    n_components: int = 20
    n_rounds: int = 3
    # Number of documents, the first ones; None for all.
    n_documents: int | None = None

    def subset(self, problem: Problem) -> Problem:
        """Return the problem with as many documents as the effort allows."""
        return problem if self.n_documents is None else problem.first(self.n_documents)


FEW = Iterations(lbfgs=12, em=2)

MODELS = Benchmark(
    name="models",
    description="Time the training of the models against LIBLINEAR.",
    title="Benchmark of the models",
    introduction=INTRODUCTION,
    datasets={
        "cost": ("bibtex",),
        "threads": ("bibtex",),
        "memory": ("imdb",),
        "clean": ("imdb", "tmc2007_500"),
    },
    full_effort=ModelsEffort(),
    quick_effort=ModelsEffort(timed=FEW, clean=FEW, memory=FEW, n_rounds=1, n_documents=500),
    quick_description="500 documents, few iterations, one round",
    packages=("setwise", "liblinear-official", "scikit-learn", "numpy", "scipy"),
)
