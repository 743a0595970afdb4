"""Documents and fitted models of the contract suite."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from setwise.models import LabelModel

N_LABELS = 5
NAMES = ["art", "biology", "chess", "dance", "economy"]


class Documents:
    """Documents whose labels depend on their words and on one another; label "economy" is in a single document."""

    def __init__(self) -> None:
        rng = np.random.default_rng(7)
        self.X = sp.random_array((80, 12), density=0.4, rng=rng, format="csr")
        logits = 3.0 * (self.X @ rng.normal(size=(12, N_LABELS)))
        y = (logits + rng.logistic(size=logits.shape) > 0.5).astype(np.int64)
        y[:, 1] |= y[:, 0]
        y[:, 2] &= 1 - y[:, 3]
        y[:, 4] = 0
        y[3, 4] = 1
        self.y = y
        self.new = sp.random_array((9, 12), density=0.4, rng=rng, format="csr")


@pytest.fixture(scope="session")
def documents() -> Documents:
    return Documents()


_fitted: dict[str, Any] = {}


@pytest.fixture
def model(estimator: LabelModel, documents: Documents) -> Any:
    """Return the fitted ``estimator`` of the test module, fitted once for all tests: none of them changes it."""
    key = f"{type(estimator).__name__} {estimator.get_params()}"
    if key not in _fitted:
        _fitted[key] = clone(estimator).fit(documents.X, documents.y)
    return _fitted[key]
