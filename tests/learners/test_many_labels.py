"""Fits without an L1 part share passes over the features; the labels stay independent."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.typing import NDArray

from setwise.learners import LossName, fit_labels

LOSSES: tuple[LossName, ...] = ("logistic", "squared_hinge")
N_LABELS = 11


def random_problem(random_state: int) -> tuple[sp.csr_array, NDArray[np.float64]]:
    """Return sparse features, and labels from rare to frequent that depend on them."""
    random = np.random.default_rng(random_state)
    X = random.normal(size=(70, 40)) * (random.uniform(size=(70, 40)) < 0.3)
    scores = X @ random.normal(size=(40, N_LABELS)) + random.normal(size=(70, N_LABELS))
    y = (scores > np.quantile(scores, np.linspace(0.1, 0.9, N_LABELS), axis=0).diagonal()).astype(np.float64)
    return sp.csr_array(X), y


@pytest.mark.parametrize("loss", LOSSES)
def test_weight_two_is_a_row_repeated(loss: LossName) -> None:
    X, y = random_problem(1)
    weight = np.where(np.arange(70) % 3 == 0, 2.0, 1.0)
    repeated = np.repeat(np.arange(70), weight.astype(int))
    weighted = fit_labels(X, y, strength=1e-3, l1_ratio=0.0, loss=loss, sample_weight=weight, tol=1e-10)
    rows = fit_labels(X[repeated], y[repeated], strength=1e-3, l1_ratio=0.0, loss=loss, tol=1e-10)
    np.testing.assert_allclose(weighted.coef.toarray(), rows.coef.toarray(), atol=1e-6)
    np.testing.assert_allclose(weighted.objective, rows.objective, rtol=1e-9)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("n_jobs", [1, 2, 3])
def test_labels_alone_have_the_bits_of_labels_together(loss: LossName, n_jobs: int) -> None:
    X, y = random_problem(2)
    together = fit_labels(X, y, strength=1e-3, l1_ratio=0.0, loss=loss, n_jobs=n_jobs)
    for label in range(N_LABELS):
        alone = fit_labels(X, y[:, [label]], strength=1e-3, l1_ratio=0.0, loss=loss)
        np.testing.assert_array_equal(alone.coef.toarray()[0], together.coef.toarray()[label])
        assert alone.intercept[0] == together.intercept[label]
        assert alone.violation[0] == together.violation[label]
        assert alone.n_iter[0] == together.n_iter[label]


@pytest.mark.parametrize("loss", LOSSES)
def test_constant_labels_change_no_other(loss: LossName) -> None:
    X, y = random_problem(3)
    with_constants = np.insert(y, [0, 4, N_LABELS], [[1.0, 0.0, 1.0]], axis=1)
    varying = ~np.all(with_constants == with_constants[0], axis=0)
    expected = fit_labels(X, y, strength=1e-3, l1_ratio=0.0, loss=loss)
    fits = fit_labels(X, with_constants, strength=1e-3, l1_ratio=0.0, loss=loss)
    assert fits.coef.shape[0] == N_LABELS + 3
    np.testing.assert_array_equal(fits.coef.toarray()[varying], expected.coef.toarray())
    assert not fits.coef.toarray()[~varying].any()
    assert fits.converged.all()
