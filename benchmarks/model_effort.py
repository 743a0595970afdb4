"""How long models are trained and on how much: the whole, or a quick look."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # numpy must not be imported before the command has held it to one thread
    from benchmarks.problem import Problem


@dataclass(frozen=True)
class Iterations:
    """How many each kind of training takes. Those of L-BFGS and EM are exact, those of Newton at most."""

    lbfgs: int
    em: int
    newton: int = 200


@dataclass(frozen=True)
class ModelEffort:
    whole: Iterations = Iterations(lbfgs=120, em=20)
    """Where time is measured."""
    clean: Iterations = Iterations(lbfgs=30, em=5)
    memory: Iterations = Iterations(lbfgs=12, em=2)
    """Enough to fill the ten pairs of steps that L-BFGS keeps."""
    n_components: int = 20
    n_rounds: int = 3
    n_documents: int | None = None
    """Only so many documents, the first; None takes all."""

    def part_of(self, problem: Problem) -> Problem:
        return problem if self.n_documents is None else problem.first(self.n_documents)


FULL = ModelEffort()
FEW = Iterations(lbfgs=12, em=2)
QUICK = replace(FULL, whole=FEW, clean=FEW, memory=FEW, n_rounds=1, n_documents=500)
