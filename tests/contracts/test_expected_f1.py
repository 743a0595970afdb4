"""The expected F1 of every model lies in [0, 1], however large its weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from setwise.labels import LabelMatrix, SetCalibration, Support
from setwise.models import MODELS, LabelSizeFactors
from setwise.posterior import lacking
from setwise.prediction import Recipe
from tests.models.corpora import small_corpus

pytestmark = pytest.mark.filterwarnings("ignore::setwise.exceptions.NotConverged")

X, y = small_corpus(n=80)
NEW, _ = small_corpus(random_state=1, n=30)
SUPPORT = Support.of(LabelMatrix.of(y))
EVERY: dict[str, Any] = {
    name: entry.model(n_jobs=1)
    for name, entry in MODELS.items()
    if entry.model.abilities & {"log_prob", "size_marginals"}  # others have no expected F1
}
LAST_WEIGHTS = {"mlp": ("output_weights_", "output_intercept_")}
"""The weights that scores are proportional to, of models that do not call them coef_ and intercept_."""
EVERY["lsf, multinomial"] = LabelSizeFactors("multinomial", n_jobs=1)
PLAIN, SCALED = SetCalibration(), SetCalibration(3.0, 0.0, 0.5)
RECIPES = [
    Recipe(inference, decision, scaling=scaling, beta=beta, threshold=0.2, at_least_one=full, n_samples=20)
    for inference in ("support", "exact", "sampled", "blend")
    for scaling in (PLAIN, SCALED)
    for decision, beta in (("gfm", 1.0), ("gfm", 0.25), ("gfm", 4.0), ("threshold", 1.0), ("most_probable", 1.0))
    for full in (False, True)
    if decision != "most_probable" or inference == "support"
]

_fitted: dict[str, Any] = {}


def changed(name: str, factor: float, shift: float = 0.0) -> Any:
    """Return the model, fitted once, with weights ``factor`` times as large and one intercept shifted."""
    if name not in _fitted:
        _fitted[name] = clone(EVERY[name]).fit(X, y)
    model = clone(_fitted[name])
    model.__dict__ |= _fitted[name].__dict__
    weights, intercept = LAST_WEIGHTS.get(name, ("coef_", "intercept_"))
    setattr(model, weights, factor * getattr(_fitted[name], weights))
    shifted = getattr(_fitted[name], intercept).copy()
    shifted.flat[0] += shift
    setattr(model, intercept, shifted)
    return model


@pytest.mark.parametrize(("factor", "shift"), [(1.0, 0.0), (30.0, 0.0), (1e8, 0.0), (1e20, 0.0), (1.0, 1e17)])
@pytest.mark.parametrize("name", EVERY)
def test_it_lies_between_0_and_1(name: str, factor: float, shift: float) -> None:
    model = changed(name, factor, shift)
    able = [recipe for recipe in RECIPES if not lacking(model, *recipe.needs(model))]
    assert len(able) >= 8
    posterior = model.posterior(NEW)
    for recipe in able:
        value = recipe.decide(posterior, SUPPORT).value
        assert value.min() >= 0.0, recipe
        assert value.max() <= 1.0, recipe


@pytest.mark.parametrize("shift", [0.0, 1e8, 1e17, 1e25])
def test_size_marginals_of_a_crf_are_those_of_a_distribution(shift: float) -> None:
    """Sets that share a large score differ by little of it: their probabilities must still sum to one."""
    found = changed("crf", 1.0, shift).posterior(NEW).size_marginals()
    sizes = np.arange(1, found.joint.shape[2] + 1)
    mass = found.empty + (found.joint.sum(axis=1) / sizes).sum(axis=1)
    np.testing.assert_allclose(mass, 1.0, rtol=1e-12)
    assert found.joint.max() <= 1.0 + 1e-12
