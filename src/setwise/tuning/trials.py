"""Trials: the scores of settings, and the rows that a checkpoint stores them as."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from setwise.exceptions import InvalidData
from setwise.metrics import MetricName, oriented
from setwise.models import ModelSize, Setting, StrengthPath
from setwise.tuning.checkpoint import CheckpointSection

__all__ = ["History", "StoredTrials", "Trial", "best_of", "trial_of_row"]

History = list[list[tuple[float, float]]]
"""Per part: iterations that were evaluated, and the metric there."""


@dataclass(frozen=True)
class Trial:
    """The score of one setting under one recipe."""

    setting: Setting
    recipe: str
    """Name of the candidate recipe."""
    n_iterations: int | None
    """Iterations to train for; None trains to convergence."""
    value: float
    """The metric on the held-out documents."""
    row: dict[str, Any]
    """The trial as it is stored in the checkpoint."""
    trained: Sequence[Any] | None = field(default=None, compare=False, repr=False)
    """The model of each part as it was evaluated; None where it was not kept."""


def best_of(trials: Sequence[Trial], scoring: MetricName = "instance_f1") -> Trial | None:
    """Return the best trial, the first of equals; None where there is none."""
    return max(trials, key=lambda one: oriented(scoring, one.value), default=None)


_NOT_SETTINGS = frozenset(
    ["dataset", "model", "recipe", "n_iterations", "scoring", "value", "seconds", *ModelSize._fields, "history"]
)


def trial_of_row(row: dict[str, Any]) -> Trial:
    """Read a trial from a stored row."""
    parameters = {name: value for name, value in row.items() if name not in _NOT_SETTINGS}
    strength = parameters.pop("strength")
    setting = Setting(strength, tuple(sorted(parameters.items())))
    return Trial(setting, row["recipe"], row["n_iterations"], row["value"], row)


@dataclass(frozen=True)
class StoredTrials:
    """How the rows of a search are read back: what all of them must say."""

    dataset: str
    model: str
    """Name of its class."""
    recipes: Sequence[str]
    scoring: MetricName

    def restored(self, store: CheckpointSection, paths: Sequence[StrengthPath]) -> Iterator[Trial]:
        """Read the rows of an earlier run and check each, so that a damaged one is found before any training."""
        settings = {setting: setting for path in paths for setting in path.settings}
        for number, row in store.rows:
            try:
                self._check_row(row)
                trial = trial_of_row(row)
                setting = settings[trial.setting]
            except (KeyError, TypeError):  # a parameter is missing, is not in the grid, or is a list
                reason = "its settings are not of this run"
            except ValueError as error:
                reason = str(error)
            else:
                yield replace(trial, setting=setting)
                continue
            raise InvalidData(
                f"{store.path}, line {number}, was not written by this run: {reason}. "
                f"Hint: remove that line, and run again."
            )

    def _check_row(self, row: dict[str, Any]) -> None:
        """Raise ``ValueError`` unless each field of a stored row, except its settings, has a possible value."""
        possible: dict[str, Callable[[Any], bool]] = {
            "dataset": lambda name: name == self.dataset,
            "model": lambda name: name == self.model,
            "recipe": lambda name: name in self.recipes,
            "n_iterations": lambda count: count is None or _is_count(count),
            "scoring": lambda name: name == self.scoring,
            "value": _is_number,
            "seconds": _is_number,
            **dict.fromkeys(ModelSize._fields, _is_count),
            "history": _is_history,
        }
        for name, holds in possible.items():
            if name not in row or not holds(row[name]):
                raise ValueError(f"its {name} is {row.get(name)!r:.40}")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_history(value: Any) -> bool:
    """Return whether it is, per part, a list of pairs: an iteration and the metric there."""
    return isinstance(value, list) and all(
        isinstance(part, list)
        and all(isinstance(pair, list) and len(pair) == 2 and all(map(_is_number, pair)) for pair in part)
        for part in value
    )
