"""Many multinomials of one model, fitted side by side: to convergence, or one iteration at a time."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

from setwise.exceptions import NotConverged
from setwise.learners import ClassFit, ClassProblem

__all__ = ["ClassOptions", "ClassSteps", "in_threads", "warn_unless_converged"]

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


@dataclass(frozen=True)
class ClassOptions:
    """How multinomials are fitted."""

    strength: float
    l1_ratio: float
    tol: float | None
    max_iter: int
    n_jobs: int


class ClassSteps:
    """Multinomials that advance together, one iteration at a time."""

    def __init__(self, problems: Sequence[tuple[ClassProblem, float, float]], options: ClassOptions) -> None:
        self._problems = problems
        self._options = options
        self.fits = [problem.fit(strength, options.l1_ratio, tol, 0, None) for problem, strength, tol in problems]

    @property
    def converged(self) -> bool:
        """Whether all classifiers have converged."""
        return all(fit.converged for fit in self.fits)

    def advance(self, iteration: int) -> None:
        """Take one iteration of every classifier that has not converged."""

        def step(at: int) -> ClassFit:
            (problem, strength, _), fit = self._problems[at], self.fits[at]
            return fit if fit.converged else problem.step(fit, strength, self._options.l1_ratio, iteration)

        self.fits = in_threads(step, range(len(self.fits)), self._options.n_jobs)


def warn_unless_converged(fits: list[ClassFit], what: str) -> None:
    """Warn where classifiers, called ``what`` for the user, ended before they converged."""
    late = [fit for fit in fits if not fit.converged]
    if late:
        worst = max(late, key=lambda fit: fit.violation / fit.tol)
        warnings.warn(
            f"{len(late)} of {len(fits)} {what} did not converge: after {worst.n_iter} iterations the worst "
            f"violation is {worst.violation:.2g}, above the tolerance {worst.tol:.2g}. "
            f"Hint: raise max_iter, tol or strength.",
            NotConverged,
            stacklevel=3,
        )


def in_threads(work: Callable[[_Item], _Result], items: Iterable[_Item], n_jobs: int) -> list[_Result]:
    """Call ``work`` on each item in threads; the core releases the interpreter while it fits."""
    if n_jobs == 1:
        return [work(item) for item in items]
    pool = ThreadPoolExecutor(n_jobs)
    try:
        return list(pool.map(work, items))
    finally:
        pool.shutdown(cancel_futures=True)
