"""How much is predicted: the whole, or a quick look."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # numpy must not be imported before the command has held it to one thread
    from benchmarks.problem import Problem


@dataclass(frozen=True)
class PredictEffort:
    n_rounds: int = 7
    """Calls are short, so that chance matters."""
    memory_documents: tuple[int, int] = (3_000, 12_000)
    """Predicted in one call; the second is to need no more memory than the first."""
    n_train: int | None = None
    """Only so many documents to train on, the first; None takes all."""
    n_test: int | None = None
    """Only so many documents to predict."""

    def part_of(self, problem: Problem) -> Problem:
        problem = problem if self.n_train is None else problem.first(self.n_train)
        return problem if self.n_test is None else problem.first_to_test(self.n_test)


FULL = PredictEffort()
QUICK = PredictEffort(n_rounds=1, memory_documents=(300, 1_000), n_train=1_000, n_test=200)
