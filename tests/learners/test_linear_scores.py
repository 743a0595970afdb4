"""Scores of sparse documents and sparse weights, against the plain product."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from setwise import _core
from setwise.learners import LinearScorer, linear_scores


def sparse_rows(n: int, n_features: int, seed: int) -> sp.csr_array:
    random = np.random.default_rng(seed)
    values = random.normal(size=(n, n_features)) * (random.random((n, n_features)) < 0.15)
    values[0] = 0.0
    return sp.csr_array(values)


WEIGHTS = sparse_rows(9, 30, 1)
INTERCEPT = np.linspace(-1.0, 1.0, 9)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64, np.bool_])
@pytest.mark.parametrize("form", [sp.csr_array, sp.csc_array, sp.coo_array, sp.csr_matrix])
def test_scores_are_the_product_in_double(form: type, dtype: type) -> None:
    X = sp.csr_array((3 * sparse_rows(20, 30, 0)).astype(dtype))
    expected = X.toarray().astype(np.float64) @ WEIGHTS.toarray().T + INTERCEPT
    scores = linear_scores(form(X), WEIGHTS, INTERCEPT)
    assert scores.dtype == np.float64
    assert scores == pytest.approx(expected, rel=1e-13, abs=1e-13)


def test_batch_equals_one_by_one() -> None:
    X = sparse_rows(20, 30, 0)
    single = [linear_scores(X[[i]], WEIGHTS, INTERCEPT) for i in range(20)]
    assert np.array_equal(linear_scores(X, WEIGHTS, INTERCEPT), np.concatenate(single))


def test_no_label_has_no_score() -> None:
    assert linear_scores(sparse_rows(20, 30, 0), sp.csr_array((0, 30)), np.zeros(0)).shape == (20, 0)


def test_features_may_repeat_and_come_in_any_order() -> None:
    X = sp.csr_array((np.array([1.0, 2.0, 3.0]), np.array([7, 2, 7]), np.array([0, 3])), shape=(1, 30))
    expected = X.toarray() @ WEIGHTS.toarray().T + INTERCEPT
    assert linear_scores(X, WEIGHTS, INTERCEPT) == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize(
    ("indptr", "indices", "what"),
    [
        ([0, 1], [30], "indices out of range"),
        ([0, 1], [-1], "indices out of range"),
        ([0, 2], [3], "does not span"),
        ([0, 1, 0, 1], [3], "falls"),
        ([], [], "wrong length"),
    ],
)
def test_door_refuses_what_would_be_read_wrongly(indptr: list[int], indices: list[int], what: str) -> None:
    x = (np.array(indptr, dtype=np.int64), np.array(indices, dtype=np.int32), np.ones(len(indices)))
    w = (WEIGHTS.indptr.astype(np.int64), WEIGHTS.indices.astype(np.int32), WEIGHTS.data)
    with pytest.raises(ValueError, match=what):
        _core.LinearWeights(*w, INTERCEPT, 30).scores(*x)
    with pytest.raises(ValueError, match=what):
        _core.LinearWeights(*x, np.zeros(max(0, len(indptr) - 1)), 30)


def test_a_scorer_notices_other_weights_and_refuses_changes_in_place() -> None:
    coef, intercept = WEIGHTS.copy(), INTERCEPT.copy()
    scorer = LinearScorer(coef, intercept)
    assert scorer.belongs_to(coef, intercept)
    assert not scorer.belongs_to(coef.copy(), intercept)
    intercept[0] += 1.0
    assert not scorer.belongs_to(coef, intercept)
    with pytest.raises(ValueError, match="read-only"):
        coef.data[0] = 0.0


def test_features_without_weights_are_left_out_of_the_layout() -> None:
    """Features 5 and 9 have weights, of 1,000."""
    coef = sp.csr_array(([2.0, 3.0], ([0, 1], [5, 9])), shape=(2, 1000))
    X = sp.csr_array(([1.0, 10.0, 100.0], ([0, 0, 0], [4, 5, 999])), shape=(1, 1000))
    assert linear_scores(X, coef, np.array([0.5, 0.25])).tolist() == [[20.5, 0.25]]
