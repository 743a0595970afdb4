"""Synthetic rows for the tests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import product
from typing import Any

import numpy as np

from reproduction.paper import (
    MODELS,
    PREDICTION_RECIPES,
    TRAINING_RECIPES,
    not_applicable,
    paper_datasets,
    printed,
)
from reproduction.run import CorpusRow, HeatMapRow, Row, ScoreRow, pack

N_DOCUMENTS = 12
OUR_NAMES = dict(
    zip(
        paper_datasets(),
        ["medical", "bibtex", "imdb", "ohsumed_raw", "enron", "rcv1sub1", "tmc2007_500", "wise", "wipo"],
        strict=True,
    )
)
"""Our names of the paper's datasets; we do not have the last two."""

PAPER_RECIPES = tuple(dict.fromkeys([*TRAINING_RECIPES, *PREDICTION_RECIPES]))


def score(
    dataset: str, model: str, recipe: str, f1: float | Iterable[float], repeat: int = 0, **changes: Any
) -> ScoreRow:
    """Return a result in percent: the same for every document, or one number per document."""
    documents = np.full(N_DOCUMENTS, f1) / 100 if isinstance(f1, float | int) else np.array(list(f1)) / 100
    fields: dict[str, Any] = {
        "seed": repeat,
        "f1": float(documents.mean()),
        "validation_f1": 0.5,
        "settings": {},
        "iterations": None,
        "n_features_used": 100,
        "n_nonzero": 1000,
        "n_bytes": 10_000,
        "seconds": 1.5,
        "peak_mb": 200.0,
        "versions": {"setwise": "0.1.0"},
        "documents": pack(documents),
    }
    return ScoreRow(dataset, model, recipe, repeat, **(fields | changes))


def scores(levels: Mapping[tuple[str, str, str], float]) -> list[Row]:
    """Return one result per dataset, model and recipe."""
    return [score(*key, level) for key, level in levels.items()]


def corpus(dataset: str, **changes: Any) -> CorpusRow:
    fields: dict[str, Any] = {
        "labels": 159,
        "label_sets": 2058,
        "features": 1836,
        "instances": 7395,
        "cardinality": 2.4019,
        "instances_per_label": 73.7,
        "n_train": 4880,
        "n_test": 2515,
        "unseen": 836,
    }
    return CorpusRow(dataset, **(fields | changes))


def heat(dataset: str) -> HeatMapRow:
    return HeatMapRow(
        dataset,
        "BR",
        "All4",
        0,
        [0.0, 1.0],
        [[1.0, 0.1]] * 2,
        [1.0, 0.1],
        [[0.1, 0.4], [0.2, 0.5]],
        30.0,
        {"numpy": "2"},
    )


def every_kind(dataset: str = "bibtex") -> list[Row]:
    """Return every model and recipe of one dataset, CBM three times, with its corpus and its heat map."""
    rows: list[Row] = [corpus(dataset), heat(dataset)]
    for place, (model, recipe) in enumerate(product(MODELS, PAPER_RECIPES)):
        if not_applicable(model, recipe) is None:
            repeats = range(3 if model == "CBM" else 1)
            rows += [score(dataset, model, recipe, 40 + place % 7 + repeat / 5, repeat) for repeat in repeats]
    return rows


def paper_rows() -> list[Row]:
    """Return rows with the numbers that the paper prints."""
    columns = {
        2: {recipe: recipe for recipe in PAPER_RECIPES},
        4: {recipe: recipe for recipe in PAPER_RECIPES},
        5: {"without GFM": "E+S", "with GFM": "E+S+G"},
    }
    rows = {}
    for (table, recipes), theirs, model in product(columns.items(), OUR_NAMES, MODELS):
        for column, recipe in recipes.items():
            if (text := printed(table, theirs, model, column)) not in (None, "-"):
                sizes: dict[str, Any] = {}
                if recipe == "L+S+G" and (share := printed(3, theirs, model, "model size")) is not None:
                    features = printed(3, theirs, model, "features selected") or ""
                    sizes = {"n_bytes": round(100 * float(share)), "n_features_used": float(features)}
                key = (OUR_NAMES[theirs], model, recipe)
                rows[key] = score(*key, float(text or ""), **sizes)
    return list(rows.values())
