"""The default that needs no knobs: a model's grid is screened, and the best cells choose their prediction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from sklearn.base import clone

from setwise.metrics.named import MetricName, oriented
from setwise.prediction import Candidate, Recipe, choose
from setwise.prediction.candidates import screens
from setwise.tuning.budget import Plan
from setwise.tuning.search import Progress, Tried, best_of, search
from setwise.tuning.stopping import fit_for
from setwise.tuning.validation import Part, Validation

__all__ = ["FEW_DOCUMENTS", "JUDGED_AT_MOST", "Alternative", "Tuned", "tune", "usual_validation"]

T = TypeVar("T")

FEW_DOCUMENTS = 2000
"""Below so many documents a held-out part is too small to choose by: they are held out in turns."""

JUDGED_AT_MOST = 4000
"""Held-out documents that predictions are tuned on: more hardly change three numbers, and cost time."""


@dataclass(frozen=True)
class Alternative:
    """A setting of the model with a recipe, and what they scored."""

    settings: dict[str, Any]
    recipe: str
    value: float


@dataclass(frozen=True, eq=False)
class Tuned:
    """What was chosen, and what else was tried."""

    model: Any
    """With its parameters, not fitted."""
    iterations: int | None
    """To train for; None where training goes to its own end."""
    recipe: Recipe
    recipe_name: str
    metric: MetricName
    value: float
    """On documents that neither the model nor the recipe's numbers had seen."""
    tried: list[Tried]
    """Every cell, as the judges that screened them saw it."""
    alternatives: list[Alternative]
    """Every recipe, on the cells that were best."""
    trained: list[Any] = field(default_factory=list)
    """The chosen model as it was judged: trained on the documents that were not held out, once a part.

    None are left once it was saved and loaded.
    """

    def fit(self, X: Any, y: Any) -> Any:
        """Train the chosen model on all documents."""
        return fit_for(self.model, X, y, self.iterations)


def usual_validation(n_documents: int, random_state: int = 0) -> Validation:
    """Hold a fifth out once, or where there are few documents, all of them in three turns."""
    return Validation(0.2, 3 if n_documents < FEW_DOCUMENTS else None, random_state, JUDGED_AT_MOST)


def tune(
    model: Any,
    parts: Sequence[Part],
    candidates: Sequence[Candidate],
    *,
    plan: Plan | None = None,
    metric: MetricName = "instance_f1",
    random_state: int = 0,
    dataset: str = "",
    path: str | Path | None = None,
    watcher: Callable[[Progress], None] | None = None,
) -> Tuned:
    """Find the cell of the plan and the recipe that serve the held-out documents best; without a plan, the recipe.

    Cells are screened by a recipe or two; the best under each then tries every candidate, each judged on documents that
    its numbers were not found on. ``path`` is a file of finished cells, see :func:`setwise.tuning.search`.
    """
    tried: list[Tried] = []
    finalists: list[tuple[dict[str, Any], int | None]] = [({}, None)]
    if plan is not None:
        judges = screens(list(candidates))
        tried = search(
            model,
            plan.lines,
            parts,
            judges=judges,
            metric=metric,
            stopping=plan.stopping,
            dataset=dataset,
            path=path,
            watcher=watcher,
        )
        finalists = _finalists(tried, judges, metric)
    report = _Counted("choosing the prediction", len(finalists) * (len(parts) + len(candidates) + 1), watcher)
    best: Tuned | None = None
    alternatives: list[Alternative] = []
    for settings, iterations in finalists:
        one = clone(model).set_params(**settings)
        trained = [report.after(fit_for(one, part.X, part.y, iterations)) for part in parts]
        held = [part.held_out(model) for part, model in zip(parts, trained, strict=True)]
        chosen = report.after(choose(candidates, held, metric=metric, random_state=random_state, tried=report.step))
        alternatives += [Alternative(settings, name, value) for name, value in chosen.values.items()]
        if best is None or oriented(metric, chosen.value) > oriented(metric, best.value):
            best = Tuned(
                one, iterations, chosen.recipe, chosen.name, metric, chosen.value, tried, alternatives, trained
            )
    assert best is not None
    return best


class _Counted:
    """Counts the steps of a stage, and tells a watcher after each."""

    def __init__(self, stage: str, total: int, watcher: Callable[[Progress], None] | None) -> None:
        self._stage, self._total, self._watcher = stage, total, watcher
        self._done = -1
        self.step()

    def step(self) -> None:
        self._done += 1
        if self._watcher is not None:
            self._watcher(Progress(self._done, self._total, stage=self._stage))

    def after(self, result: T) -> T:
        """Count a step that is done, and return its result."""
        self.step()
        return result


def _finalists(
    tried: Sequence[Tried], judges: Sequence[Candidate], metric: MetricName
) -> list[tuple[dict[str, Any], int | None]]:
    """Give the best cell under each judge, once."""
    found: dict[Any, tuple[dict[str, Any], int | None]] = {}
    for judge in judges:
        best = best_of([one for one in tried if one.judge == judge.name], metric)
        assert best is not None
        found[best.cell] = best.cell.settings, best.iterations
    return list(found.values())
