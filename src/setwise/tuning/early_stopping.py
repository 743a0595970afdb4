"""Evaluation during training: early stopping, and learning curves of trainings that run to convergence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from setwise._validation import Interval, check_parameters
from setwise.models import ModelState, Patience

__all__ = ["CurveSchedule", "EarlyStopping", "learning_curve"]

T = TypeVar("T")


class EarlyStopping:
    """Ends a training once ``score(model)`` no longer rises; it works for every model, whatever its iterations are.

    BR, PCC and LSF count Newton iterations, CBM those of EM, CRF those of L-BFGS, networks epochs.

    Parameters
    ----------
    score : callable
        ``score(model)`` returns a number that is higher where the model is better.
    patience : Patience, optional
    keep_state : bool
        Whether to keep the state of the best model.

    Attributes
    ----------
    best_iteration : int or None
        None where training ended before the first evaluation.
    best_score : float
    best_state : ModelState or None
    rows : list of dict
        One row per evaluation: iteration and score.
    """

    def __init__(
        self, score: Callable[[Any], float], patience: Patience | None = None, *, keep_state: bool = False
    ) -> None:
        self._score = score
        self._patience = patience or Patience()
        self._keep_state = keep_state
        self._n_worse = 0
        self.best_iteration: int | None = None
        self.best_score = float("-inf")
        self.best_state: ModelState | None = None
        self.rows: list[dict[str, float]] = []

    def reads(self, iteration: int) -> bool:
        """Return whether it is time to evaluate the model."""
        return iteration % self._patience.check_every == 0

    def __call__(self, iteration: int, model: Any) -> bool:
        """Evaluate the model where it is time to; return True to end the training."""
        if not self.reads(iteration):
            return False
        score = self._score(model)
        self.rows.append({"iteration": iteration, "score": score})
        if score > self.best_score:
            self.best_iteration, self.best_score, self._n_worse = iteration, score, 0
            self.best_state = model.state() if self._keep_state else None
        else:
            self._n_worse += 1
        return self._n_worse >= self._patience.patience and iteration >= self._patience.min_iterations


@dataclass(frozen=True)
class CurveSchedule:
    """The iterations at which a learning curve is evaluated; the end of the training is always one of them."""

    first: int = 20
    """Every iteration up to this one is evaluated."""
    every: int = 10
    """Later ones are evaluated where their number is a multiple of this."""

    def __post_init__(self) -> None:
        check_parameters({"first": Interval("integer", 0), "every": Interval("integer", 1)}, vars(self))

    def __contains__(self, iteration: int) -> bool:
        return iteration <= self.first or iteration % self.every == 0


def learning_curve(
    model: Any, X: Any, y: Any, score: Callable[[Any], T], schedule: CurveSchedule, sample_weight: Any = None
) -> list[tuple[int, T]]:
    """Fit the model to convergence; return the scheduled iterations and the last one, with the score at each.

    Parameters
    ----------
    model : LabelModel
        It is fitted in place.
    X, y, sample_weight
        Training documents.
    score : callable
        ``score(model)`` evaluates the model as it is at an iteration.
    schedule : CurveSchedule

    Returns
    -------
    curve : list of (int, score)
        In the order of the iterations. The model's score after training is the last one.
    """
    scores: dict[int, T] = {}
    n_iterations = 1

    def evaluate(iteration: int, trained: Any) -> bool:
        nonlocal n_iterations
        n_iterations = iteration
        if iteration in schedule:
            scores[iteration] = score(trained)
        return False

    model.fit(X, y, sample_weight, callback=evaluate)
    scores[n_iterations] = score(model)  # again: a model may change after the last callback
    return sorted(scores.items(), key=lambda point: point[0])
