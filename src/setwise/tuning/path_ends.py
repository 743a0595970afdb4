"""Where a search ends a path of strengths, or a grid: what is left out is unlikely to win, and costs most."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from setwise.metrics import MetricName, oriented
from setwise.models import Setting, StrengthPath
from setwise.tuning.trials import Trial

__all__ = ["PathEnds"]

CLEARLY_WORSE = 0.005
"""A value is clearly worse than a better one where it is lower by more than this share of it."""

HOPELESS = 0.1
"""A model whose first path stays this far below another, as a share of it, is not worth the rest of its grid."""

REACH = 2.5
"""Strengths are tried down to the best one divided by this, however poor they are: noise may hide a better one."""


@dataclass(frozen=True)
class PathEnds:
    """The rules by which a search goes on or ends, from the trials that are done."""

    scoring: MetricName
    recipes: Sequence[str]
    """Names of all recipes that settings are evaluated under."""
    to_beat: float | None = None
    """What another model scored."""

    def tried(self, paths: Sequence[StrengthPath], done: dict[tuple[Setting, str], Trial]) -> list[list[Setting]]:
        """Return the settings of each path that are to be tried, as far as those that are done tell."""
        tried: list[list[Setting]] = []
        best: dict[str, float] = {}
        family, is_over = None, False
        for path in paths:
            if family != (family := {**path.parameters, "l1_ratio": None}):
                best, is_over = {}, False
            settings = [] if is_over else list(path.settings)
            settings = settings[: self.end_of_path(settings, done)]
            tried.append(settings)
            if is_over or any((one, name) not in done for one in settings for name in self.recipes):
                continue
            highest = {
                name: max(oriented(self.scoring, done[one, name].value) for one in settings) for name in self.recipes
            }
            if len(tried) == 1 and self._is_hopeless(max(highest.values())):
                return [*tried, *([] for _ in paths[1:])]
            is_over = bool(best) and not any(_is_clearly_worse(best[name], highest[name]) for name in highest)
            best = {name: max(value, best.get(name, value)) for name, value in highest.items()}
        return tried

    def _is_hopeless(self, value: float) -> bool:
        if self.to_beat is None:
            return False
        return oriented(self.scoring, self.to_beat) - value > HOPELESS * abs(self.to_beat)

    def end_of_path(self, settings: Sequence[Setting], done: dict[tuple[Setting, str], Trial]) -> int:
        """Return how many settings of a path are to be tried."""
        best: dict[str, tuple[float, float]] = {}
        for number, setting in enumerate(settings, start=1):
            ends = True
            for name in self.recipes:
                trial = done.get((setting, name))
                if trial is None:
                    return len(settings)
                value = oriented(self.scoring, trial.value)
                if name not in best or value > best[name][0]:
                    best[name] = value, setting.strength
                highest, strength = best[name]
                ends = ends and _is_clearly_worse(value, highest) and setting.strength * REACH <= strength
            if ends:
                return number
        return len(settings)


def _is_clearly_worse(value: float, best: float) -> bool:
    return best - value > CLEARLY_WORSE * abs(best)
