"""Small trained classifiers of every kind, and all that can be asked of one, so that bits can be compared."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from setwise.classifier import SetClassifier
from setwise.exceptions import Incompatible
from setwise.models import BernoulliMixture, BinaryRelevance, ClassifierChain, LabelSizeFactors, PairwiseCRF
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
}

INFERENCES = {
    "br": ("support", "exact", "sampled", "mode", "blend"),
    "pcc": ("support", "sampled", "mode", "blend"),
    "crf": ("support", "exact", "mode", "blend"),
    "cbm": ("support", "exact", "sampled", "mode", "blend"),
    "lsf": ("exact",),
    "lsf, multinomial": ("exact",),
}

TEXTS = ["red fox runs", "red hen sits", "blue fox sits", "blue hen runs", "red fox sits", "old owl"]
TEXT_LABELS = [["fox"], ["hen"], ["fox", "still"], ["hen"], ["fox", "still"], []]


@cache
def trained(model: str, inference: Any = "support", decision: Any = "gfm", **options: Any) -> SetClassifier:
    options = {"calibration": None, "n_samples": 30, "n_jobs": 1, **options}
    return SetClassifier(MODELS[model], inference, decision, **options).fit(X, NAMES)


@cache
def trained_on_text() -> tuple[SetClassifier, TextVectorizer]:
    text = TextVectorizer((1, 2), stop_words=["owl"])
    made = SetClassifier(
        MODELS["br"], "exact", "threshold", threshold="tuned per label", calibration="likelihood", n_jobs=1
    )
    return made.fit(text.fit_transform(TEXTS), TEXT_LABELS), text


@cache
def tuned() -> SetClassifier:
    return SetClassifier("br", budget="quick", n_jobs=1).fit(X, NAMES)


def answers(classifier: SetClassifier, documents: Any) -> dict[str, Any]:
    """Everything the classifier can be asked; what it refuses to answer is its refusal."""
    found: dict[str, Any] = {}
    for name, ask in {
        "predict": classifier.predict,
        "predict_proba": classifier.predict_proba,
        "predict_sets": lambda some: classifier.predict_sets(some, top=3),
        "expected_f1": classifier.expected_f1,
    }.items():
        try:
            found[name] = ask(documents)
        except Incompatible as refusal:
            found[name] = str(refusal)
    return found


def assert_same_bits(one: dict[str, Any], other: dict[str, Any]) -> None:
    for name, value in one.items():
        same = other[name]
        assert type(value) is type(same), name
        if sp.issparse(value):
            value, same = value.toarray(), same.toarray()
        if isinstance(value, np.ndarray):
            assert bits(value) == bits(same), name
        else:
            assert value == same, name


def bits(array: NDArray[Any]) -> tuple[Any, ...]:
    return array.shape, array.dtype, array.tobytes()
