"""The tasks of a run: which rows the requested tables need, grouped so that rows of one task share their work."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from reproduction.paper import (
    ALL_FOUR,
    CBM_NON_EMPTY,
    CRF_RECIPES,
    JOINT_MODELS,
    MODELS,
    PREDICTION_RECIPES,
    TRAINING_RECIPES,
    Regularizers,
    base_model,
    is_random,
    not_applicable,
)
from reproduction.plan.grids import PARTS, Effort
from reproduction.plan.networks import NETWORK_DATASETS, NETWORKS
from reproduction.plan.predictors import PREDICTORS, why_unavailable
from setwise.exceptions import InvalidParameter

__all__ = [
    "DATASETS",
    "EXTRA_DATASETS",
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
    "medical_raw",
    "enron_raw",
    "ohsumed_raw",
    "medical",
    "enron",
    "rcv1sub1",
    "tmc2007_500",
    "reuters21578",
    "goemotions",
    "imdb",
)
"""In the order in which they are run: those that come closest to the paper's first, then the others by their cost."""
EXTRA_DATASETS = ("reuters21578", "goemotions")
"""Datasets that the paper does not have; no heat maps are drawn of them."""
QUICK_DATASETS = ("bibtex", "medical")

VARIANT_MODELS = (*JOINT_MODELS, "LSF")

TABLES: dict[str, dict[str, tuple[str, ...]]] = {
    "1": {},
    "2": dict.fromkeys(VARIANT_MODELS, TRAINING_RECIPES),
    "3": dict.fromkeys(VARIANT_MODELS, ("S+G", "L+S+G")),
    "4": dict.fromkeys(JOINT_MODELS, PREDICTION_RECIPES),
    "5": dict.fromkeys(("CRF", "CRF without pairs"), CRF_RECIPES),
    "6": {},
    "heat": {},
    "variants": {},
    "predictors": {},
}
"""The recipes of each model that a table shows; networks and predictors have no recipes of the paper."""

VARIANTS: dict[str, tuple[str, ...]] = {
    "enron_raw": tuple(f"enron_raw@split{seed}" for seed in range(1, 11)),
    "tmc2007_500": ("tmc2007_500@125", "tmc2007_500@250"),
}
"""Corpora with another split or fewer features, which show how much a result depends on these."""

HEAT_MAP_MODEL, HEAT_MAP_RECIPE = "BR", "S+G"


@dataclass(frozen=True)
class Task:
    """Work that is done in one go: the row of a corpus, a heat map, or predictions that share a search or weights.

    Variants of a corpus use the settings that were chosen on it, so their rows belong to its tasks. CBM without the
    empty set has the weights of CBM, and belongs to its tasks too.
    """

    kind: str
    """``"corpus"``, ``"model"``, ``"heat"``, ``"networks"`` or ``"predictors"``."""
    dataset: str
    model: str = ""
    l1: bool = False
    keys: tuple[Key, ...] = ()
    """The keys of the rows to compute."""

    @property
    def name(self) -> str:
        """A short name, for people and for files."""
        return " ".join([self.dataset, self.model or self.kind, *(["L1"] if self.l1 else [])])

    @property
    def part(self) -> str:
        """The part of the run with an effort and a file of rows of its own, or the empty string."""
        return self.kind if self.kind in PARTS else ""


def plan_tasks(
    datasets: Sequence[str], models: Sequence[str], tables: Sequence[str], effort: Effort, done: Iterable[Key] = ()
) -> list[Task]:
    """Return the tasks that are left for these tables: per dataset its corpus, the models, and then all others.

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
                recipes = recipes_of(model, l1=l1, tables=tables)
                keys = _score_keys(dataset, model, recipes, effort)
                if base_model(CBM_NON_EMPTY) == model:
                    keys += _score_keys(dataset, CBM_NON_EMPTY, recipes, effort)
                if "variants" in tables and l1 and model in VARIANT_MODELS:
                    for variant in VARIANTS.get(dataset, ()):
                        keys += _score_keys(variant, model, [ALL_FOUR], effort)
                tasks.append(Task("model", dataset, model, l1, keys))
        if "heat" in tables and HEAT_MAP_MODEL in models and dataset not in EXTRA_DATASETS:
            tasks.append(Task("heat", dataset, keys=(("heat", dataset),)))
        if "6" in tables and dataset in NETWORK_DATASETS:
            tasks += _network_tasks(dataset, effort)
        if "predictors" in tables:
            tasks.append(_predictor_task(dataset))
    left = [replace(task, keys=tuple(key for key in task.keys if key not in finished)) for task in tasks]
    return [task for task in left if task.keys]


def recipes_of(model: str, *, l1: bool, tables: Iterable[str] = tuple(TABLES)) -> list[str]:
    """Return the applicable recipes, with or without L1, that the tables show for a model, each once."""
    shown = dict.fromkeys(recipe for table in TABLES if table in tables for recipe in TABLES[table].get(model, ()))
    return [recipe for recipe in shown if Regularizers.of(recipe).l1 == l1 and not_applicable(model, recipe) is None]


def _network_tasks(dataset: str, effort: Effort) -> list[Task]:
    return [
        Task(
            "networks",
            dataset,
            name,
            keys=tuple(
                ("score", dataset, name, prediction.name, repeat)
                for repeat in range(effort.networks.n_seeds)
                for prediction in network.predictions
            ),
        )
        for name, network in NETWORKS.items()
    ]


def _predictor_task(dataset: str) -> Task:
    """Return one task for all predictors, since the ensemble needs the models of the others."""
    available = [one for one in PREDICTORS if why_unavailable(one.model, dataset) is None]
    return Task("predictors", dataset, keys=tuple(("score", dataset, one.model, one.name, 0) for one in available))


def _score_keys(dataset: str, model: str, recipes: Sequence[str], effort: Effort) -> tuple[Key, ...]:
    return tuple(
        ("score", dataset, model, recipe, repeat)
        for recipe in recipes
        if not_applicable(model, recipe) is None
        for repeat in range(effort.n_repeats if is_random(model, recipe) else 1)
    )


def _check_names(option: str, names: Sequence[str], allowed: Iterable[str]) -> None:
    unknown = [name for name in names if name not in allowed]
    if unknown or not names:
        raise InvalidParameter(f"{option} must be some of {', '.join(allowed)}; got {', '.join(unknown) or 'none'}.")
