"""Which recipe: candidates are tuned and evaluated on held-out documents, each on those it was not tuned on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from setwise.data import folds
from setwise.exceptions import Incompatible
from setwise.metrics import MetricName, oriented
from setwise.posterior import lacking
from setwise.prediction.held_out import HeldOut, evaluate_sets, stacked_sets
from setwise.prediction.recipe import DecisionName, InferenceName, Recipe
from setwise.prediction.recipe_tuning import CalibrationMethod, TuningTargets, tune_recipe

__all__ = [
    "UNCHANGED",
    "Adjustment",
    "Candidate",
    "SelectedRecipe",
    "candidates",
    "cross_fitted",
    "feasible",
    "screening",
    "select_recipe",
]

_CANDIDATES: tuple[tuple[InferenceName, DecisionName, CalibrationMethod | None], ...] = (
    ("support", "gfm", None),  # the paper
    ("support", "gfm", "likelihood"),
    ("support", "gfm", "f1"),
    ("exact", "gfm", None),
    ("exact", "gfm", "likelihood"),
    ("exact", "threshold", None),  # what a careful user of single-label tools does
    ("support", "threshold", "likelihood"),
    ("support", "most_probable", "likelihood"),
    ("blend", "gfm", "likelihood"),
    ("mode", "most_probable", None),
    ("sampled", "gfm", None),
    ("exact", "expected_jaccard", None),
    ("exact", "expected_jaccard", "likelihood"),
)
"""Inference, decision and calibration of the recipes that are tried, in this order."""

_ONLY_ON_REQUEST = frozenset(["blend", "mode", "sampled"])
"""Inferences that cost much and never win where others are possible."""

_DECISIONS_ONLY_ON_REQUEST = frozenset(["expected_jaccard"])
"""Decisions for other metrics than those that are tuned for."""

_SCREENING = ("support, likelihood, gfm", "exact, threshold")
"""Of GFM and of thresholds, the candidate that is tuned fast and does best."""


@dataclass(frozen=True, eq=False)
class Candidate:
    """A recipe, and which of its parameters to tune."""

    name: str
    recipe: Recipe
    targets: TuningTargets = field(default_factory=TuningTargets)


@dataclass(frozen=True, eq=False)
class SelectedRecipe:
    """The best candidate with its tuned parameters, and the score of every candidate."""

    name: str
    recipe: Recipe
    value: float
    values: dict[str, float]
    """By the name of the candidate, in the order they were tried; a loss keeps its own sign."""
    sets: list[sp.csr_array]
    """The sets of each part's documents under the best candidate, tuned on other documents."""
    adjust: Callable[[HeldOut], HeldOut]
    """The adjustment, fitted on all documents."""


def candidates(
    recipe: Recipe,
    model: Any,
    *,
    inference: InferenceName | None = None,
    decision: DecisionName | None = None,
    calibration: CalibrationMethod | Literal["tuned"] | None = "tuned",
    targets: TuningTargets | None = None,
    may_be_empty: bool = False,
) -> list[Candidate]:
    """Return the recipes to try for a model, the paper's first.

    Parameters
    ----------
    recipe : Recipe
        The parameters that all candidates share.
    model : LabelModel
    inference, decision : str, optional
        Restrict the candidates; None allows all.
    calibration : {"likelihood", "f1", "tuned"} or None
        Restrict the calibration; "tuned" allows all.
    targets : TuningTargets
        Whether to tune blend and threshold. The threshold is tuned anyway where the decision is not restricted.
    may_be_empty : bool
        Whether training documents without labels exist. If not, every document gets at least one label.
    """
    targets = targets or TuningTargets()
    threshold = targets.threshold if decision == "threshold" else "tuned"
    recipe = replace(recipe, at_least_one=recipe.at_least_one or not may_be_empty)
    allowed = []
    for its_inference, its_decision, its_calibration in _CANDIDATES:
        if inference is None and its_inference in _ONLY_ON_REQUEST:
            continue
        if decision is None and its_decision in _DECISIONS_ONLY_ON_REQUEST:
            continue
        if inference not in (None, its_inference) or decision not in (None, its_decision):
            continue
        if calibration not in ("tuned", its_calibration):
            continue
        its_targets = TuningTargets(
            its_calibration,
            blend=targets.blend and its_inference == "blend",
            threshold=threshold if its_decision == "threshold" else None,
        )
        name = ", ".join(filter(None, (its_inference, its_calibration, its_decision)))
        allowed.append(Candidate(name, replace(recipe, inference=its_inference, decision=its_decision), its_targets))
    found = feasible(allowed, model)
    if not found:
        raise Incompatible(
            f"No recipe works for {type(model).__name__} with inference={inference!r}, decision={decision!r} and "
            f"calibration={calibration!r}. Hint: set all three, or leave them to be tuned."
        )
    return found


def screening(tried: Sequence[Candidate]) -> list[Candidate]:
    """Return the few candidates by which settings of a model are compared."""
    return [one for one in tried if one.name in _SCREENING] or list(tried[:1])


def feasible(tried: Sequence[Candidate], model: Any) -> list[Candidate]:
    """Return the candidates that the model has the abilities for."""
    return [one for one in tried if not lacking(model, *one.recipe.needs(model), *one.targets.needs(one.recipe, model))]


class Adjustment(Protocol):
    """A change of posteriors that is fitted on held-out documents, such as the pool of several models."""

    def fit(self, parts: Sequence[HeldOut]) -> Callable[[HeldOut], HeldOut]:
        """Return the fitted change, which applies to any documents."""


class _Unchanged:
    """The adjustment that changes nothing."""

    def fit(self, parts: Sequence[HeldOut]) -> Callable[[HeldOut], HeldOut]:
        return lambda part: part


UNCHANGED: Adjustment = _Unchanged()


def select_recipe(
    tried: Sequence[Candidate],
    parts: Sequence[HeldOut],
    *,
    scoring: MetricName = "instance_f1",
    adjustment: Adjustment = UNCHANGED,
    n_folds: int = 3,
    random_state: int = 0,
    after_each: Callable[[], None] | None = None,
) -> SelectedRecipe:
    """Select by the cross-fitted score: each candidate is tuned on some documents and evaluated on the others.

    The best one, the first of equals, is then tuned on all documents. An adjustment is fitted on the documents that
    recipes are tuned on, before them. ``after_each`` is called after each candidate.
    """
    folds = _Folds.of(parts, adjustment, n_folds, random_state)
    values, sets = {}, {}
    for one in tried:
        sets[one.name] = folds.decide(one, scoring)
        values[one.name] = evaluate_sets(parts, sets[one.name], scoring)
        if after_each is not None:
            after_each()
    best = max(tried, key=lambda one: oriented(scoring, values[one.name]))
    recipe = tune_recipe(best.recipe, best.targets, folds.whole, scoring)
    return SelectedRecipe(best.name, recipe, values[best.name], values, sets[best.name], folds.adjust)


def cross_fitted(
    candidate: Candidate, parts: Sequence[HeldOut], scoring: MetricName, n_folds: int = 3, random_state: int = 0
) -> float:
    """Return the metric over all documents, each decided by parameters that were tuned on other documents."""
    return evaluate_sets(parts, _Folds.of(parts, UNCHANGED, n_folds, random_state).decide(candidate, scoring), scoring)


@dataclass(frozen=True, eq=False)
class _Fold:
    """Documents to tune on and documents to evaluate on, of every part, after the adjustment that the former fitted."""

    rest: list[HeldOut]
    held: list[HeldOut]
    rows: list[NDArray[np.int64]]
    """The positions of the latter in their parts."""


@dataclass(frozen=True, eq=False)
class _Folds:
    """Held-out documents split for cross-fitting, adjusted once for all candidates."""

    whole: list[HeldOut]
    """All documents, after the adjustment that they fitted."""
    adjust: Callable[[HeldOut], HeldOut]
    is_adjusted: bool
    folds: list[_Fold]
    """Empty where there are too few documents to split."""

    @classmethod
    def of(cls, parts: Sequence[HeldOut], adjustment: Adjustment, n_folds: int, random_state: int) -> _Folds:
        adjust = adjustment.fit(parts)
        whole, found = [adjust(part) for part in parts], []
        if min(part.y.n_samples for part in parts) >= n_folds:
            splits = [folds(part.y, n_folds, random_state) for part in parts]
            for fold_of_parts in zip(*splits, strict=True):  # the same fold of every part
                rest = [part.take(some) for part, (some, _) in zip(parts, fold_of_parts, strict=True)]
                held = [part.take(rows) for part, (_, rows) in zip(parts, fold_of_parts, strict=True)]
                change = adjustment.fit(rest)
                found.append(
                    _Fold(list(map(change, rest)), list(map(change, held)), [rows for _, rows in fold_of_parts])
                )
        return cls(whole, adjust, adjustment is not UNCHANGED, found)

    def decide(self, candidate: Candidate, scoring: MetricName) -> list[sp.csr_array]:
        """Choose the sets of all documents, each by parameters that were tuned on other documents."""
        if not self.folds or not (candidate.targets.any or self.is_adjusted):
            recipe = tune_recipe(candidate.recipe, candidate.targets, self.whole, scoring)
            return [recipe.decide(part.posterior, part.support, with_value=False).sets for part in self.whole]
        chosen: list[list[sp.csr_array]] = [[] for _ in self.whole]
        for fold in self.folds:
            recipe = tune_recipe(candidate.recipe, candidate.targets, fold.rest, scoring)
            for part, sets in zip(fold.held, chosen, strict=True):
                sets.append(recipe.decide(part.posterior, part.support, with_value=False).sets)
        rows = [np.concatenate([fold.rows[p] for fold in self.folds]) for p, _ in enumerate(self.whole)]
        return [stacked_sets(sets)[np.argsort(own)] for sets, own in zip(chosen, rows, strict=True)]
