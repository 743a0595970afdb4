"""Early stopping: a callback that judges a model while it trains, and remembers when it was best."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sklearn.base import clone

from setwise.models.base import ModelState, checked_count

__all__ = ["EarlyStopping", "Patience", "fit_for"]


@dataclass(frozen=True)
class Patience:
    """When to look, and when to give up."""

    patience: int = 5
    """Looks without a new best after which training ends."""
    min_iterations: int = 1
    """Training does not end before."""
    check_every: int = 1
    """Iterations from one look to the next."""

    def __post_init__(self) -> None:
        for name in ("patience", "min_iterations", "check_every"):
            checked_count(getattr(self, name), name)


class EarlyStopping:
    """Ends a training whose ``oriented(model)`` no longer rises; the same for every model, whatever it iterates.

    BR, PCC and LSF count Newton iterations, CBM those of EM, CRF those of L-BFGS. After the fit: ``best_iteration``
    (None where training was over before the first look), ``best_goodness``, ``rows`` (one a look), and with
    ``keep=True`` ``best_state``, from which the model of that iteration can be made.
    """

    def __init__(self, oriented: Callable[[Any], float], patience: Patience | None = None, *, keep: bool = False):
        self._goodness = oriented
        self._patience = patience or Patience()
        self._keep = keep
        self._worse = 0
        self.best_iteration: int | None = None
        self.best_goodness = float("-inf")
        self.best_state: ModelState | None = None
        self.rows: list[dict[str, float]] = []

    def __call__(self, iteration: int, model: Any) -> bool:
        """Look at the model where it is time to; True ends the training."""
        if iteration % self._patience.check_every:
            return False
        found = self._goodness(model)
        self.rows.append({"iteration": iteration, "oriented": found})
        if found > self.best_goodness:
            self.best_iteration, self.best_goodness, self._worse = iteration, found, 0
            self.best_state = model.state() if self._keep else None
        else:
            self._worse += 1
        return self._worse >= self._patience.patience and iteration >= self._patience.min_iterations


def fit_for(model: Any, X: Any, y: Any, iterations: int | None) -> Any:
    """Fit a copy of the model for so many iterations, or to its own end where that is None or comes first."""
    if iterations is None:
        return clone(model).fit(X, y)
    return clone(model).fit(X, y, callback=lambda iteration, _: iteration >= iterations)
