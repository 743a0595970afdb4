"""Small trained classifiers of every kind, and all of their outputs, to be compared bit by bit."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from setwise.classifier import SetClassifier
from setwise.exceptions import Incompatible
from setwise.models import (
    BernoulliMixture,
    BinaryRelevance,
    ClassifierChain,
    EnergyNetwork,
    FactorizedLabelSizes,
    LabelSizeFactors,
    MultilayerPerceptron,
    PairwiseCRF,
)
from setwise.text import TextVectorizer
from tests.models.corpora import name_lists, small_corpus

X, y = small_corpus(n=60, d=8)
NEW, _ = small_corpus(random_state=1, n=6, d=8)
NAMES = name_lists(y)

MODELS: dict[str, Any] = {
    "br": BinaryRelevance(strength=0.01, n_jobs=1),
    "pcc": ClassifierChain(strength=0.01, order="random", n_orders=3, n_jobs=1),
    "crf": PairwiseCRF(strength=0.01, n_jobs=1),
    "cbm": BernoulliMixture(n_components=3, strength=0.01, n_jobs=1),
    "lsf": LabelSizeFactors("binary", strength=0.01, n_jobs=1),
    "lsf, multinomial": LabelSizeFactors("multinomial", strength=0.01, n_jobs=1),
    "fgfm": FactorizedLabelSizes(strength=0.01, false_discovery_rate=1.0, max_subset_size=2, n_jobs=1),
    "mlp": MultilayerPerceptron(n_hidden=6, n_jobs=1),
    "spen": EnergyNetwork(n_hidden=6, n_units=3, max_iter=2, n_jobs=1),
}

INFERENCES = {
    "br": ("support", "exact", "sampled", "mode", "blend"),
    "pcc": ("support", "sampled", "mode", "blend"),
    "crf": ("support", "exact", "mode", "blend"),
    "cbm": ("support", "exact", "sampled", "mode", "blend"),
    "lsf": ("exact",),
    "lsf, multinomial": ("exact",),
    "fgfm": ("exact",),
    "mlp": ("support", "exact", "sampled", "mode", "blend"),
    "spen": ("exact",),
}


def decisions(model: str, inference: str) -> tuple[str, ...]:
    """Return the decisions that go with a model and an inference."""
    if inference == "mode":
        return ("most_probable",)
    return ("threshold",) if model == "spen" else ("gfm", "threshold")


TEXTS = ["red fox runs", "red hen sits", "blue fox sits", "blue hen runs", "red fox sits", "old owl"]
TEXT_LABELS = [["fox"], ["hen"], ["fox", "still"], ["hen"], ["fox", "still"], []]


@cache
def trained(model: str, inference: Any = "support", decision: Any = "gfm", **options: Any) -> SetClassifier:
    options = {"calibration": None, "n_samples": 30, "n_jobs": 1, **options}
    return SetClassifier(MODELS[model], inference, decision, **options).fit(X, NAMES)


@cache
def trained_on_text() -> SetClassifier:
    vectorizer = TextVectorizer((1, 2), stop_words=["owl"])
    options: Any = {"threshold": "tuned per label", "calibration": "likelihood", "n_jobs": 1, "vectorizer": vectorizer}
    return SetClassifier(MODELS["br"], "exact", "threshold", **options).fit(TEXTS, TEXT_LABELS)


@cache
def tuned() -> SetClassifier:
    return SetClassifier("br", budget="quick", n_jobs=1).fit(X, NAMES)


def answers(classifier: SetClassifier, documents: Any) -> dict[str, Any]:
    """Return the output of every prediction method; the message of the error if a method is not available."""
    outputs: dict[str, Any] = {}
    for name, method in {
        "predict": classifier.predict,
        "predict_proba": classifier.predict_proba,
        "predict_sets": lambda X: classifier.predict_sets(X, top=3),
        "expected_f1": classifier.expected_f1,
    }.items():
        try:
            outputs[name] = method(documents)
        except Incompatible as error:
            outputs[name] = str(error)
    return outputs


def assert_same_bits(expected: dict[str, Any], actual: dict[str, Any]) -> None:
    """Compare two results of :func:`answers`."""
    for name, value in expected.items():
        other = actual[name]
        assert type(value) is type(other), name
        if sp.issparse(value):
            value, other = value.toarray(), other.toarray()
        if isinstance(value, np.ndarray):
            assert bits(value) == bits(other), name
        else:
            assert value == other, name


def bits(array: NDArray[Any]) -> tuple[Any, ...]:
    return array.shape, array.dtype, array.tobytes()
