"""Models with weights set by hand, so that an inference can be tested on any scores."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from setwise.labels import LabelMatrix, Support
from setwise.models import BernoulliMixture, BinaryRelevance
from tests.oracles.sets import every_set

Array = NDArray[np.float64]


def br_of_scores(n_labels: int) -> BinaryRelevance:
    """BR whose features are the logits themselves."""
    model = BinaryRelevance(n_jobs=1)
    model.classes_ = tuple(f"label {label}" for label in range(n_labels))
    model.n_features_in_ = n_labels
    model.coef_ = sp.csr_array(np.eye(n_labels))
    model.intercept_ = np.zeros(n_labels)
    return model


def random_cbm(n_labels: int, n_features: int, n_components: int = 3, random_state: int = 0) -> BernoulliMixture:
    """A mixture with weights drawn at random."""
    random = np.random.default_rng(random_state)
    model = BernoulliMixture(n_components=n_components, n_jobs=1)
    model.classes_ = tuple(f"label {label}" for label in range(n_labels))
    model.n_features_in_ = n_features
    model.coef_ = sp.csr_array(random.normal(size=(n_components * n_labels, n_features)))
    model.intercept_ = random.normal(-0.5, 1.0, size=(n_components, n_labels))
    model.gate_coef_ = sp.csr_array(random.normal(size=(n_components, n_features)))
    model.gate_intercept_ = random.normal(size=n_components)
    return model


def whole_support(model: Any) -> Support:
    """All sets of the model's labels, each seen once."""
    return Support.of(LabelMatrix.of(every_set(len(model.classes_)), model.classes_))


def support_of(model: Any, sets: Any, counts: Any = None) -> Support:
    """Return the support of these sets, each seen as often as ``counts`` says."""
    rows = np.repeat(np.asarray(sets), 1 if counts is None else counts, axis=0)
    return Support.of(LabelMatrix.of(rows, model.classes_))
