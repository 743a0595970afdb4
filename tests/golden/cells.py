"""The golden record: what every model predicts under every inference, decision and calibration, at fixed settings.

``python -m tests.golden.record`` writes the record, and ``test_golden.py`` compares today's predictions with it. A
change that is meant to leave predictions alone leaves the record alone.
"""

from __future__ import annotations

import gzip
import json
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.feature_extraction.text import TfidfVectorizer

from setwise import SetClassifier
from setwise.data import find_corpus
from setwise.exceptions import Incompatible, NotConverged
from setwise.labels import LabelMatrix, SetCalibration, Support
from setwise.models import BernoulliMixture, BinaryRelevance, ClassifierChain, LabelSizeFactors, PairwiseCRF
from setwise.posterior import Posterior, lacking
from setwise.prediction import HeldOut, Recipe, TuningTargets, are_compatible, tune_recipe

N_TRAIN, N_VALID, N_TEST = 300, 100, 60
"""Documents of each corpus that are trained on, tuned on and predicted."""

SHARED_DATA = Path(__file__).resolve().parents[2] / "../shared/data"


@dataclass(frozen=True)
class Task:
    """Documents and label sets in three parts."""

    X: Any
    y: LabelMatrix
    X_valid: Any
    y_valid: LabelMatrix
    X_test: Any


def _split(X: Any, y: LabelMatrix, X_test: Any) -> Task:
    train, valid = np.arange(N_TRAIN), np.arange(N_TRAIN, N_TRAIN + N_VALID)
    return Task(X[train], y.take(train), X[valid], y.take(valid), X_test[:N_TEST])


def _vectors(name: str) -> Task:
    corpus = find_corpus(name, default_folder=SHARED_DATA)
    (X, y), (X_test, _) = corpus.read("train"), corpus.read("test")
    return _split(X, LabelMatrix.of(y), X_test)


def _texts(name: str) -> Task:
    folder = find_corpus(name, default_folder=SHARED_DATA).folder
    texts, labels = {}, {}
    for part in ("train", "test"):
        with gzip.open(folder / f"{part}.jsonl.gz", "rt", encoding="utf-8") as lines:
            documents = [json.loads(line) for line in islice(lines, N_TRAIN + N_VALID)]
        texts[part], labels[part] = [one["text"] for one in documents], [one["labels"] for one in documents]
    # scikit-learn's own matrix: its entries are not sorted within a row, and the record has the rounding of that order.
    vectorizer = TfidfVectorizer(sublinear_tf=True, min_df=2, dtype=np.float32)
    X, X_test = (
        sp.csr_array(X) for X in (vectorizer.fit_transform(texts["train"]), vectorizer.transform(texts["test"]))
    )
    return _split(X, LabelMatrix.of(labels["train"]), X_test)


def _synthetic() -> Task:
    """Return documents of noisy label sets that depend on one another; some sets are empty."""
    random = np.random.default_rng(7)
    n, n_features, n_labels = N_TRAIN + N_VALID + N_TEST, 30, 8
    X = random.normal(size=(n, n_features)) * (random.random((n, n_features)) < 0.5)
    weights = random.normal(size=(n_features, n_labels))
    y = np.zeros((n, n_labels), dtype=np.int64)
    for label in range(n_labels):
        score = X @ weights[:, label] - 1.0 + (1.5 * y[:, label - 1] if label else 0.0)
        y[:, label] = random.random(n) < 1.0 / (1.0 + np.exp(-score))
    return _split(X, LabelMatrix.of(y), X[N_TRAIN + N_VALID :])


TASKS: dict[str, Callable[[], Task]] = {
    "synthetic": _synthetic,
    "bibtex": lambda: _vectors("bibtex"),
    "medical_raw": lambda: _texts("medical_raw"),
    "rcv1sub1": lambda: _vectors("rcv1sub1"),
    "es_codiesp": lambda: _texts("es_codiesp"),
}

MODELS: dict[str, Any] = {
    "br": BinaryRelevance(strength=2e-3, l1_ratio=0.5, n_jobs=1),
    "pcc": ClassifierChain(strength=2e-3, l1_ratio=1.0, n_jobs=1),
    "pcc, 2 random orders": ClassifierChain(strength=2e-3, l1_ratio=0.5, order="random", n_orders=2, n_jobs=1),
    "crf": PairwiseCRF(strength=2e-3, l1_ratio=0.5, max_iter=60, n_jobs=1),
    "cbm": BernoulliMixture(n_components=4, strength=1e-3, gate_strength=1e-3, max_iter=4, n_jobs=1),
    "lsf": LabelSizeFactors("binary", strength=2e-3, n_jobs=1),
    "lsf, multinomial": LabelSizeFactors("multinomial", strength=2e-3, n_jobs=1),
}

FIXED = SetCalibration(0.7, 0.1, 0.2)
SAMPLES: dict[str, Any] = {"n_samples": 40}

INFERENCES = ("support", "exact", "sampled", "mode", "blend")
DECISIONS = ("gfm", "most_probable", "threshold")
CALIBRATIONS = ("none", "fixed", "likelihood", "f1")


@dataclass(frozen=True)
class Cell:
    """One prediction of the test documents: sets, the value of each, and a digest of the label probabilities."""

    sets: NDArray[np.uint8]
    value: NDArray[np.float64]
    marginals: NDArray[np.float64]


def cells(task: Task, model_name: str) -> Iterator[tuple[str, Cell]]:
    """Yield each combination that the model can answer, by name."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConverged)
        model = MODELS[model_name].fit(task.X, task.y)
    support = Support.of(task.y)
    held_out = HeldOut.of(model, task.X_valid, task.y_valid, support)
    posterior = model.posterior(task.X_test)
    for inference in INFERENCES:
        for decision in DECISIONS:
            for calibration in CALIBRATIONS:
                for extra in ({}, {"at_least_one": True, "beta": 2.0}):
                    recipe = _recipe(model, inference, decision, calibration, extra, held_out)
                    if recipe is None:
                        continue
                    found = recipe.decide(posterior, support)
                    marginals = _digest(recipe, posterior, support)
                    name = f"{inference}, {decision}, {calibration}" + (", options" if extra else "")
                    yield name, Cell(_packed(found.sets), found.value, marginals)


def _recipe(
    model: Any, inference: str, decision: str, calibration: str, extra: dict[str, Any], held_out: HeldOut
) -> Recipe | None:
    """Return the tuned recipe; None where the model cannot answer it."""
    fixed: dict[str, Any] = {"calibration": FIXED, "scaling": FIXED} if calibration == "fixed" else {}
    recipe = Recipe(inference, decision, **fixed, **extra, **SAMPLES)
    threshold = ("tuned per label" if extra else "tuned") if decision == "threshold" and calibration != "none" else None
    targets = TuningTargets(
        calibration if calibration in ("likelihood", "f1") else None,  # type: ignore[arg-type]
        blend=inference == "blend" and calibration == "likelihood",
        threshold=threshold,  # type: ignore[arg-type]
    )
    if lacking(model, *recipe.needs(model), *targets.needs(recipe, model)) or not are_compatible(inference, decision):
        return None
    return tune_recipe(recipe, targets, [held_out])


def _digest(recipe: Recipe, posterior: Posterior, support: Support) -> NDArray[np.float64]:
    """Return one fixed weighted sum of the label probabilities per document; NaN where there are none."""
    try:
        marginals = recipe.marginals(posterior, support)
    except Incompatible:
        return np.full(posterior.n_samples, np.nan)
    weights = np.random.default_rng(0).random(marginals.shape[1])
    return np.asarray((marginals * weights).sum(axis=1))


def _packed(sets: Any) -> NDArray[np.uint8]:
    return np.packbits(sets.toarray().astype(bool), axis=1)


def defaults(task: Task) -> dict[str, Any]:
    """Return what ``SetClassifier`` chooses with the quick budget, and what its alternatives score."""
    found: dict[str, Any] = {}
    for model in ("br", "pcc", "crf", "cbm", "lsf"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NotConverged)
            fitted = SetClassifier(model, budget="quick", n_jobs=1).fit(task.X, task.y)
        chosen = fitted.tuning_
        assert chosen is not None
        found[model] = {
            "settings": {name: repr(value) for name, value in sorted(chosen.model.get_params().items())},
            "recipe": chosen.recipe_name,
            "value": chosen.value,
            "n_iterations": chosen.n_iterations,
            "alternatives": [[one.recipe, one.value] for one in chosen.alternatives],
        }
    return found
