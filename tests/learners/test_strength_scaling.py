"""Strengths scaled label by label: each label has the optimum of its own strength."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from setwise.exceptions import InvalidParameter
from setwise.learners import critical_strengths, fit_labels, fit_path
from tests.models.corpora import small_corpus

X, y = small_corpus(n=120, d=20)
y[:, 3] = 0
y[::17, 3] = 1  # a rare label
STRENGTH = 0.02


@pytest.mark.parametrize("loss", ["logistic", "squared_hinge"])
@pytest.mark.parametrize("l1_ratio", [1.0, 0.5, 0.0])
def test_a_label_is_fitted_at_its_own_strength(loss: Any, l1_ratio: float) -> None:
    scaled = fit_labels(X, y, strength=STRENGTH, l1_ratio=l1_ratio, loss=loss, strength_scaling="label", tol=1e-9)
    critical = critical_strengths(X, y, loss=loss)
    for label, own in enumerate(critical / critical.max() * STRENGTH):
        alone = fit_labels(X, y[:, [label]], strength=own, l1_ratio=l1_ratio, loss=loss, tol=1e-9)
        assert scaled.violation[label] <= 1e-9
        assert_allclose(scaled.coef.toarray()[label], alone.coef.toarray()[0], atol=1e-6)
        assert scaled.objective[label] == pytest.approx(alone.objective[0], abs=1e-8)


@pytest.mark.parametrize("l1_ratio", [1.0, 0.0])
def test_the_end_of_a_path_is_a_fit_of_its_own(l1_ratio: float) -> None:
    strengths = [0.2, 0.05, STRENGTH]
    options: dict[str, Any] = {"l1_ratio": l1_ratio, "strength_scaling": "label", "tol": 1e-9}
    *_, last = fit_path(X, y, strengths, **options)
    assert_allclose(last.coef.toarray(), fit_labels(X, y, strength=STRENGTH, **options).coef.toarray(), atol=1e-6)


def test_at_the_critical_strength_every_label_is_empty_and_below_it_none() -> None:
    largest = float(critical_strengths(X, y).max())
    above = fit_labels(X, y, strength=1.001 * largest, strength_scaling="label")
    assert above.coef.nnz == 0
    below = fit_labels(X, y, strength=0.9 * largest, strength_scaling="label")
    assert (np.diff(below.coef.indptr) > 0).all()


def test_labels_of_one_critical_strength_are_not_scaled() -> None:
    twice = np.column_stack([y[:, 0], y[:, 0]])
    plain, scaled = (fit_labels(X, twice, strength=STRENGTH, strength_scaling=one) for one in ("global", "label"))
    assert_array_equal(plain.coef.toarray(), scaled.coef.toarray())


def test_constant_labels_and_features_without_effect() -> None:
    constant = y.copy()
    constant[:, 1], constant[:, 2] = 1, 0
    fits = fit_labels(X, constant, strength=STRENGTH, strength_scaling="label")
    assert fits.converged.all()
    nothing = fit_labels(np.zeros((4, 2)), [[1], [0], [1], [0]], strength=STRENGTH, strength_scaling="label")
    assert nothing.converged.all()


def test_other_scalings_are_refused() -> None:
    with pytest.raises(InvalidParameter, match="strength_scaling must be"):
        fit_labels(X, y, strength=STRENGTH, strength_scaling="both")  # type: ignore[arg-type]
