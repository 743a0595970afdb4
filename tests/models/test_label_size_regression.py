"""Regression scores: their targets, their estimates, and the sets that GFM makes of them."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import Ridge

from setwise.models import LabelSizeRegression
from tests.models.corpora import small_corpus

X, y = small_corpus(n=90)


def test_each_pair_is_a_ridge_regression_of_its_indicator() -> None:
    model = LabelSizeRegression(0.02).fit(X, y)
    sizes = y.sum(axis=1)
    scores = np.asarray(X @ model.coef_.T.toarray()) + model.intercept_
    for row, (label, size) in enumerate(zip(model.pair_labels_, model.pair_sizes_, strict=True)):
        target = (y[:, label] == 1) & (sizes == size)
        theirs = Ridge(alpha=0.02 * len(y)).fit(X.toarray(), target)
        assert_allclose(scores[:, row], theirs.predict(X.toarray()), atol=1e-8)
    assert model.violation_ < 1e-8


def test_estimates_are_cut_at_zero_and_one() -> None:
    found = LabelSizeRegression(1e-6).fit(X, y).posterior(3.0 * X).size_marginals()
    assert found.joint.min() == 0.0
    assert found.joint.max() <= 1.0


def test_enough_features_remember_the_training_sets() -> None:
    model = LabelSizeRegression(1e-9).fit(np.eye(len(y)), y)
    found = model.posterior(np.eye(len(y))).size_marginals()
    assert_allclose(found.marginals, y, atol=1e-5)
    assert_array_equal(found.joint.argmax(axis=2)[y == 1] + 1, np.repeat(y.sum(axis=1), y.sum(axis=1)))


@pytest.mark.parametrize("l1_ratio", [0.0, 1.0])
def test_an_l1_part_uses_fewer_features(l1_ratio: float) -> None:
    model = LabelSizeRegression(0.02, l1_ratio).fit(X, y)
    assert (model.coef_.nnz < model.coef_.shape[0] * model.coef_.shape[1]) == (l1_ratio > 0.0)
