"""Least squares for many targets: three ways to one solution, and scikit-learn's."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn.linear_model import ElasticNet, Ridge

from setwise.exceptions import InvalidData
from setwise.learners import LeastSquares, ridge

rng = np.random.default_rng(5)
STRENGTH = 0.03


def problem(n: int, d: int, weighted: bool = False) -> LeastSquares:
    X = sp.random_array((n, d), density=0.4, rng=np.random.default_rng(n + d), format="csr")
    targets = np.random.default_rng(1).random((n, 3)) < 0.4
    weight = np.random.default_rng(2).random(n) + 0.5 if weighted else None
    return LeastSquares.of(X, targets.astype(float), weight)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("n", "d"), [(40, 7), (9, 30)])
def test_every_way_gives_the_solution_of_scikit_learn(n: int, d: int, weighted: bool) -> None:
    one = problem(n, d, weighted)
    theirs = Ridge(alpha=STRENGTH, solver="svd").fit(one.X.toarray(), one.targets, sample_weight=one.weight)
    for solve in (one._solve_by_features, one._solve_by_documents, lambda s: one._solve_iteratively(s, 1e-12)):
        fit = one.evaluated(solve(STRENGTH), STRENGTH, 0.0)
        assert_allclose(fit.coef, theirs.coef_, atol=1e-8)
        assert_allclose(fit.intercept, theirs.intercept_, atol=1e-8)
        assert fit.violation < 1e-8


def test_large_problems_are_solved_iteratively(monkeypatch: pytest.MonkeyPatch) -> None:
    one = problem(40, 7)
    monkeypatch.setattr(ridge, "LARGEST_SYSTEM", 5)
    monkeypatch.setattr(LeastSquares, "_solve_by_features", lambda *_: pytest.fail("factorized"))
    monkeypatch.setattr(LeastSquares, "_solve_by_documents", lambda *_: pytest.fail("factorized"))
    assert one.evaluated(one.solve(STRENGTH), STRENGTH, 0.0).violation < 1e-7


@pytest.mark.parametrize("l1_ratio", [0.5, 1.0])
def test_an_l1_part_makes_weights_zero_and_satisfies_the_conditions(l1_ratio: float) -> None:
    one = problem(60, 12, weighted=True)
    fit = one.evaluated(one.solve_sparse(STRENGTH, l1_ratio, 1e-12, 100_000), STRENGTH, l1_ratio)
    assert fit.violation < 1e-7
    assert (fit.coef == 0.0).any()
    assert (fit.coef != 0.0).any()
    zero = one.evaluated(np.zeros_like(fit.coef), STRENGTH, l1_ratio)
    assert fit.objective < zero.objective
    assert zero.violation > 1e-3


def test_the_objective_is_the_one_that_is_stated() -> None:
    one = problem(30, 5, weighted=True)
    coef = rng.normal(size=(3, 5))
    fit = one.evaluated(coef, 0.2, 0.4)
    residual = one.targets - fit.intercept - one.X.toarray() @ coef.T
    expected = (one.weight[:, None] * residual**2).sum() + 0.2 * (0.4 * np.abs(coef).sum() + 0.6 * (coef**2).sum())
    assert fit.objective == pytest.approx(expected)


def test_rows_that_disagree_are_refused() -> None:
    with pytest.raises(InvalidData, match="X has 3 rows but the targets have 2"):
        LeastSquares.of(np.ones((3, 2)), np.ones((2, 1)))


def test_the_penalty_of_scikit_learn_is_half_of_ours() -> None:
    one = problem(50, 6)
    ours = one.solve_sparse(0.02, 1.0, 1e-10, 100_000)
    theirs = ElasticNet(alpha=0.01, l1_ratio=1.0, tol=1e-10, max_iter=100_000).fit(one.X.toarray(), one.targets)
    assert_allclose(ours, theirs.coef_, atol=1e-6)
