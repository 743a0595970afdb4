"""The tasks of a run: which rows the requested tables need, grouped so that rows of one task share their work."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from reproduction.paper import (
    ALL_FOUR,
    CRF_RECIPES,
    JOINT_MODELS,
    MODELS,
    PREDICTION_RECIPES,
    TRAINING_RECIPES,
    Regularizers,
    is_random,
    not_applicable,
)
from reproduction.plan.grids import Effort
from setwise.exceptions import InvalidParameter

__all__ = [
    "DATASETS",
    "HEAT_MAP_MODEL",
    "HEAT_MAP_RECIPE",
    "QUICK_DATASETS",
    "TABLES",
    "VARIANTS",
    "VARIANT_MODELS",
    "Key",
    "Task",
    "plan_tasks",
    "recipes_of",
]

Key = tuple[Any, ...]
"""What a row is about, such as ("score", dataset, model, recipe, repeat)."""

DATASETS = (
    "bibtex",
    "medical",
    "medical_raw",
    "enron",
    "enron_raw",
    "rcv1sub1",
    "tmc2007_500",
    "ohsumed",
    "imdb",
)
QUICK_DATASETS = ("bibtex", "medical")

VARIANT_MODELS = (*JOINT_MODELS, "LSF")

TABLES: dict[str, dict[str, tuple[str, ...]]] = {
    "1": {},
    "2": dict.fromkeys(VARIANT_MODELS, TRAINING_RECIPES),
    "3": dict.fromkeys(VARIANT_MODELS, ("S+G", "L+S+G")),
    "4": dict.fromkeys(JOINT_MODELS, PREDICTION_RECIPES),
    "5": dict.fromkeys(("CRF", "CRF without pairs"), CRF_RECIPES),
    "heat": {},
    "variants": {},
}
"""The recipes of each model that a table shows."""

VARIANTS: dict[str, tuple[str, ...]] = {
    "enron_raw": tuple(f"enron_raw@split{seed}" for seed in range(1, 11)),
    "tmc2007_500": ("tmc2007_500@125", "tmc2007_500@250"),
}
"""Corpora with another split or fewer features, which show how much a result depends on these."""

HEAT_MAP_MODEL, HEAT_MAP_RECIPE = "BR", "S+G"


@dataclass(frozen=True)
class Task:
    """Work that is done in one go: the row of a corpus, a heat map, or the recipes of a model that share one search.

    Variants of a corpus use the settings that were chosen on it, so their rows belong to its tasks.
    """

    kind: str
    """``"corpus"``, ``"model"`` or ``"heat"``."""
    dataset: str
    model: str = ""
    l1: bool = False
    keys: tuple[Key, ...] = ()
    """The keys of the rows to compute."""

    @property
    def name(self) -> str:
        """A short name, for people and for files."""
        return " ".join([self.dataset, self.model or self.kind, *(["L1"] if self.l1 else [])])


def plan_tasks(
    datasets: Sequence[str], models: Sequence[str], tables: Sequence[str], effort: Effort, done: Iterable[Key] = ()
) -> list[Task]:
    """Return the tasks that are left for these tables: per dataset its corpus, then the models, then the heat map.

    Parameters
    ----------
    datasets, models, tables : sequences of str
        Keys of :data:`TABLES` are the tables.
    effort : Effort
    done : iterable of keys
        Rows that need not be computed again.
    """
    _check_names("tables", tables, TABLES)
    _check_names("models", models, MODELS)
    finished = set(done)
    tasks: list[Task] = []
    for dataset in datasets:
        if "1" in tables:
            tasks.append(Task("corpus", dataset, keys=(("corpus", dataset),)))
        for model in models:
            for l1 in (False, True):
                keys = _score_keys(dataset, model, recipes_of(model, l1=l1, tables=tables), effort)
                if "variants" in tables and l1 and model in VARIANT_MODELS:
                    for variant in VARIANTS.get(dataset, ()):
                        keys += _score_keys(variant, model, [ALL_FOUR], effort)
                tasks.append(Task("model", dataset, model, l1, keys))
        if "heat" in tables and HEAT_MAP_MODEL in models:
            tasks.append(Task("heat", dataset, keys=(("heat", dataset),)))
    left = [replace(task, keys=tuple(key for key in task.keys if key not in finished)) for task in tasks]
    return [task for task in left if task.keys]


def recipes_of(model: str, *, l1: bool, tables: Iterable[str] = tuple(TABLES)) -> list[str]:
    """Return the applicable recipes, with or without L1, that the tables show for a model, each once."""
    shown = dict.fromkeys(recipe for table in TABLES if table in tables for recipe in TABLES[table].get(model, ()))
    return [recipe for recipe in shown if Regularizers.of(recipe).l1 == l1 and not_applicable(model, recipe) is None]


def _score_keys(dataset: str, model: str, recipes: Sequence[str], effort: Effort) -> tuple[Key, ...]:
    return tuple(
        ("score", dataset, model, recipe, repeat)
        for recipe in recipes
        for repeat in range(effort.n_repeats if is_random(model, recipe) else 1)
    )


def _check_names(option: str, names: Sequence[str], allowed: Iterable[str]) -> None:
    unknown = [name for name in names if name not in allowed]
    if unknown or not names:
        raise InvalidParameter(f"{option} must be some of {', '.join(allowed)}; got {', '.join(unknown) or 'none'}.")
