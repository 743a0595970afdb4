"""Fits against a slow solver that shares no idea with ours."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from setwise.learners import fit_labels
from tests.learners.problems import KINDS, Problem, problems, random_features, random_labels
from tests.oracles.logistic import logistic_objective
from tests.oracles.solver import solve_logistic


@pytest.mark.parametrize("l1_ratio", [0.0, 0.1, 0.5, 1.0])
@pytest.mark.parametrize("kind", KINDS)
def test_coefficients_agree_with_the_slow_solver(kind: str, l1_ratio: float) -> None:
    random = np.random.default_rng(5)
    X = random_features(random, 40, 6, kind, density=0.6)
    y = np.clip(random_labels(random, X, 2), 0.1, 0.9)
    weight, offset = random.random(40), random.normal(size=(40, 2))
    strength = 0.02
    fits = fit_labels(
        X, y, strength=strength, l1_ratio=l1_ratio, sample_weight=weight, offset=offset, soft=True, tol=1e-10
    )
    for label in range(2):
        w, b = solve_logistic(X.astype(np.float64), y[:, label], strength, l1_ratio, weight, offset[:, label])
        assert fits.coef.toarray()[label] == pytest.approx(w, abs=1e-7)
        assert fits.intercept[label] == pytest.approx(b, abs=1e-7)
        if l1_ratio == 1.0:
            assert fits.coef[[label]].nnz == np.count_nonzero(w)


@settings(max_examples=40)
@given(
    problem=problems(max_samples=20, max_features=25, max_labels=1),
    l1_ratio=st.sampled_from([0.0, 0.1, 0.5, 1.0]),
    strength=st.sampled_from([0.3, 0.1, 0.03]),
)
def test_objective_is_as_low_as_the_slow_solver_can_make_it(problem: Problem, l1_ratio: float, strength: float) -> None:
    """Coefficients may differ where the optimum is not unique, as with more features than documents; objectives not."""
    fits = fit_labels(**problem.data, strength=strength, l1_ratio=l1_ratio, tol=1e-9, n_jobs=1)
    assume(not fits.constant[0])
    y, weight, offset = problem.y[:, 0], problem.sample_weight, problem.offset_of(0)
    w, b = solve_logistic(problem.dense, y, strength, l1_ratio, weight, offset, tol=1e-8)
    other = logistic_objective(problem.dense, y, w, b, strength, l1_ratio, weight, offset)
    assert fits.objective[0] == pytest.approx(other, abs=1e-7)


def test_known_optimum_of_one_feature() -> None:
    """A 0/1 feature and no penalty: logits are the log odds of the four cells."""
    X = np.repeat([[1.0], [1.0], [0.0], [0.0]], [3, 1, 1, 4], axis=0)
    y = np.repeat([[1], [0], [1], [0]], [3, 1, 1, 4], axis=0)
    fits = fit_labels(X, y, strength=0.0, tol=1e-12)
    assert fits.intercept[0] == pytest.approx(np.log(1 / 4), abs=1e-10)
    assert fits.coef.toarray()[0, 0] == pytest.approx(np.log(3 / 1) - np.log(1 / 4), abs=1e-10)
