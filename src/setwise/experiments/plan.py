"""The plan: which rows the wanted tables need, and which work finds several of them at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from setwise.exceptions import InvalidParameter
from setwise.experiments.grids import Effort
from setwise.experiments.recipes import (
    ALL_FOUR,
    CRF_RECIPES,
    MODELS,
    PREDICTION_RECIPES,
    TRAINING_RECIPES,
    Letters,
    is_random,
    not_applicable,
)

__all__ = [
    "DATASETS",
    "HEAT_MODEL",
    "HEAT_RECIPE",
    "QUICK_DATASETS",
    "TABLES",
    "VARIANTS",
    "VARIANT_MODELS",
    "Key",
    "Work",
    "plan",
    "recipes_of",
]

Key = tuple[Any, ...]

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

_JOINT = ("BR", "PCC", "CRF", "CBM")

TABLES: dict[str, dict[str, tuple[str, ...]]] = {
    "1": {},
    "2": dict.fromkeys((*_JOINT, "LSF"), TRAINING_RECIPES),
    "3": dict.fromkeys((*_JOINT, "LSF"), ("S+G", "L+S+G")),
    "4": dict.fromkeys(_JOINT, PREDICTION_RECIPES),
    "5": dict.fromkeys(("CRF", "CRF without pairs"), CRF_RECIPES),
    "heat": {},
    "variants": {},
}
"""Recipes of each model that a table shows."""

VARIANTS: dict[str, tuple[str, ...]] = {
    "enron_raw": tuple(f"enron_raw@split{seed}" for seed in range(1, 11)),
    "tmc2007_500": ("tmc2007_500@125", "tmc2007_500@250"),
}
"""Corpora with another split or fewer features, to find out what a figure owes to these."""
VARIANT_MODELS = (*_JOINT, "LSF")

HEAT_MODEL, HEAT_RECIPE = "BR", "S+G"


@dataclass(frozen=True)
class Work:
    """What is done in one go: rows of a corpus, a heat map, or the recipes of a model that share what they try.

    Variants of a corpus take the settings that were chosen for it, so their rows come with its own.
    """

    kind: str
    dataset: str
    model: str = ""
    l1: bool = False
    keys: tuple[Key, ...] = ()
    """Of the rows that are wanted from it."""

    @property
    def name(self) -> str:
        """A few words for people, and for files."""
        return " ".join([self.dataset, self.model or self.kind, *(["L1"] if self.l1 else [])])


def plan(
    datasets: Sequence[str], models: Sequence[str], tables: Sequence[str], effort: Effort, done: Iterable[Key] = ()
) -> list[Work]:
    """Give the work that is left for these tables: for each dataset its corpus, then models, then the heat map."""
    _check("tables", tables, TABLES)
    _check("models", models, MODELS)
    finished = set(done)
    work: list[Work] = []
    for dataset in datasets:
        if "1" in tables:
            work.append(Work("corpus", dataset, keys=(("corpus", dataset),)))
        for model in models:
            for l1 in (False, True):
                keys = _keys(dataset, model, recipes_of(model, l1=l1, tables=tables), effort)
                if "variants" in tables and l1 and model in VARIANT_MODELS:
                    for variant in VARIANTS.get(dataset, ()):
                        keys += _keys(variant, model, [ALL_FOUR], effort)
                work.append(Work("model", dataset, model, l1, keys))
        if "heat" in tables and HEAT_MODEL in models:
            work.append(Work("heat", dataset, keys=(("heat", dataset),)))
    left = [
        Work(one.kind, one.dataset, one.model, one.l1, tuple(key for key in one.keys if key not in finished))
        for one in work
    ]
    return [one for one in left if one.keys]


def recipes_of(model: str, *, l1: bool, tables: Iterable[str] = tuple(TABLES)) -> list[str]:
    """Give the recipes with L1 or without that the tables show of a model, each once, where they apply."""
    wanted = dict.fromkeys(recipe for table in TABLES if table in tables for recipe in TABLES[table].get(model, ()))
    return [recipe for recipe in wanted if Letters.of(recipe).l1 == l1 and not_applicable(model, recipe) is None]


def _keys(dataset: str, model: str, recipes: Sequence[str], effort: Effort) -> tuple[Key, ...]:
    return tuple(
        ("score", dataset, model, recipe, repeat)
        for recipe in recipes
        for repeat in range(effort.n_repeats if is_random(model, recipe) else 1)
    )


def _check(what: str, given: Sequence[str], known: Iterable[str]) -> None:
    unknown = [name for name in given if name not in known]
    if unknown or not given:
        raise InvalidParameter(f"{what} must be some of {', '.join(known)}; got {', '.join(unknown) or 'none'}.")
