"""Chains with weights set by hand, their probabilities by the oracle, and documents to train chains on."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from setwise.models import ClassifierChain, ModelState
from tests.learners.problems import random_features, random_labels
from tests.oracles.chain import mixture_log_prob

Array = NDArray[np.float64]


def made_chain(orders: Any, coef: Any, feedback: Any, intercept: Any, **parameters: Any) -> ClassifierChain:
    """Return a model with these weights: chains x labels x features, chains x labels x labels, chains x labels."""
    orders = np.asarray(orders, dtype=np.int32)
    coef, feedback, intercept = (np.asarray(part, dtype=np.float64) for part in (coef, feedback, intercept))
    n_labels, n_features = coef.shape[1:]
    arrays: dict[str, Any] = {"order_": orders, "intercept_": intercept.ravel()}
    for name, part in (("coef_", coef), ("feedback_", feedback)):
        rows = sp.csr_array(part.reshape(-1, part.shape[2]))
        arrays |= {f"{name}.{each}": getattr(rows, each) for each in ("data", "indices", "indptr")}
        arrays[f"{name}.shape"] = np.array(rows.shape)
    values = {"classes_": [f"label {label}" for label in range(n_labels)], "n_features_in_": n_features}
    chosen = ClassifierChain().get_params() | {"n_jobs": 1} | parameters
    return ClassifierChain.from_state(ModelState("ClassifierChain", chosen, values, arrays))


def random_chain(
    random: np.random.Generator,
    n_labels: int,
    n_chains: int = 1,
    n_features: int = 3,
    scale: float = 1.0,
    spoken: float = 1.0,
    **parameters: Any,
) -> ClassifierChain:
    """Return a model with random orders and weights; ``spoken`` is the size of the feedback, of which half is zero."""
    orders = np.array([random.permutation(n_labels) for _ in range(n_chains)])
    feedback = np.zeros((n_chains, n_labels, n_labels))
    for m, order in enumerate(orders):
        for place, label in enumerate(order):
            feedback[m, label, order[:place]] = spoken * random.normal(size=place) * (random.random(place) < 0.5)
    coef = scale * random.normal(size=(n_chains, n_labels, n_features))
    return made_chain(orders, coef, feedback, scale * random.normal(size=(n_chains, n_labels)), **parameters)


def expected_log_prob(model: ClassifierChain, X: Array, sets: NDArray[np.int64]) -> Array:
    """Return log p(set | x), documents by sets, by the oracle."""
    n_chains, n_labels = model.order_.shape
    coef = model.coef_.toarray().reshape(n_chains, n_labels, -1)
    feedback = model.feedback_.toarray().reshape(n_chains, n_labels, n_labels)
    scores = np.einsum("mlf,if->iml", coef, X) + model.intercept_.reshape(n_chains, n_labels)
    return np.array([mixture_log_prob(each, feedback, model.order_, sets) for each in scores])


def corpus_of(random_state: int = 0, n: int = 80, d: int = 10, n_labels: int = 5) -> tuple[sp.csr_array, Any]:
    """Return documents whose last label is mostly the first one."""
    random = np.random.default_rng([random_state, n, d])
    X = random_features(random, n, d, "float64", density=0.5)
    y = random_labels(random, X, n_labels, share=0.35)
    y[:, -1] = np.where(random.random(n) < 0.9, y[:, 0], 1 - y[:, 0])
    return sp.csr_array(X), y
