"""Cost-sensitive BR: identities with BR, and what the costs do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from setwise.models import BinaryRelevance, CostSensitiveRelevance
from tests.models.corpora import same_state, small_corpus

X, y = small_corpus(n=90)


@pytest.mark.parametrize("loss", ["logistic", "squared_hinge"])
@pytest.mark.parametrize("l1_ratio", [0.0, 0.5, 1.0])
def test_equal_costs_are_br(loss: str, l1_ratio: float) -> None:
    options: dict[str, Any] = {"strength": 0.01, "l1_ratio": l1_ratio, "loss": loss, "tol": 1e-9}
    ours, br = CostSensitiveRelevance(1.0, **options).fit(X, y), BinaryRelevance(**options).fit(X, y)
    assert_allclose(ours.coef_.toarray(), br.coef_.toarray(), atol=1e-6)
    assert_allclose(ours.intercept_, br.intercept_, atol=1e-6)
    assert ours.objective_ == pytest.approx(br.objective_, abs=1e-9)


def test_a_cost_of_two_is_a_document_twice() -> None:
    """At t = 2/3 a miss costs twice as much as a false alarm."""
    label = y[:, [0]]
    twice = np.repeat(np.arange(len(y)), 1 + label.ravel())
    ours = CostSensitiveRelevance(2.0 / 3.0, 0.01, tol=1e-9).fit(X, label)
    repeated = BinaryRelevance(0.01, tol=1e-9).fit(X[twice], label[twice])
    assert_allclose(ours.coef_.toarray(), repeated.coef_.toarray(), atol=1e-6)
    assert ours.objective_ == pytest.approx(repeated.objective_, abs=1e-9)


def test_the_lower_the_aim_the_more_labels_are_predicted() -> None:
    predicted = [
        (CostSensitiveRelevance(t, 0.01).fit(X, y).posterior(X).marginals() >= 0.5).sum() for t in (0.1, 0.4, 0.7, 1.0)
    ]
    assert predicted == sorted(predicted, reverse=True)
    assert predicted[0] > predicted[-1]


def test_a_path_ends_where_a_fit_of_its_own_does() -> None:
    *_, last = CostSensitiveRelevance(0.4, tol=1e-9).fit_path(X, y, [0.1, 0.03, 0.01])
    alone = CostSensitiveRelevance(0.4, 0.01, tol=1e-9).fit(X, y)
    assert_allclose(last.coef_.toarray(), alone.coef_.toarray(), atol=1e-6)
    assert last.strength == 0.01


def test_steps_take_the_same_iterations_as_a_fit() -> None:
    stepwise = CostSensitiveRelevance(0.4, 0.01).fit(X, y, callback=lambda *_: None)
    whole = CostSensitiveRelevance(0.4, 0.01).fit(X, y)
    assert same_state(stepwise, whole)
    assert stepwise.fits_.n_iter.tolist() == whole.fits_.n_iter.tolist()


def test_each_label_has_its_certificate_and_history() -> None:
    fits = CostSensitiveRelevance(0.4, 0.01).fit(X, y).fits_
    assert fits.converged.all()
    for label in range(y.shape[1]):
        rows = fits.history_rows(label)
        assert len(rows) == fits.n_iter[label] + 1
        assert rows[-1]["violation"] == fits.violation[label]
