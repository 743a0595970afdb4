"""The squared hinge: its certificate, independent solvers, and what it shares with the logistic loss."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.svm import LinearSVC

from setwise.exceptions import InvalidParameter
from setwise.learners import BinaryProblem, Start, critical_strength, critical_strengths, fit_labels, fit_path
from tests.learners.problems import KINDS, Problem, problems, same_bits, small_problem
from tests.learners.test_certificate import TOLERANCES, assert_certified
from tests.oracles.solver import solve_hinge
from tests.oracles.squared_hinge import hinge_gradient, hinge_objective

RATIOS = pytest.mark.parametrize("l1_ratio", [0.0, 0.1, 0.5, 1.0])
TIGHT: dict[str, Any] = {"strength": 0.02, "tol": 1e-10, "n_jobs": 1}


def hinge_problem(seed: int = 0, **options: Any) -> Problem:
    return replace(small_problem(seed, **options), loss="squared_hinge")


@RATIOS
@settings(max_examples=120)
@given(
    problem=problems(loss="squared_hinge"),
    tol=TOLERANCES,
    strength=st.sampled_from([0.3, 0.1, 0.01, 0.001]),
)
def test_every_fit_reaches_its_tolerance_and_says_so_truly(
    problem: Problem, tol: float, strength: float, l1_ratio: float
) -> None:
    assert_certified(problem, strength, l1_ratio, tol)


@RATIOS
@pytest.mark.parametrize("kind", KINDS)
def test_a_slow_solver_finds_the_same_optimum(kind: str, l1_ratio: float) -> None:
    random = np.random.default_rng(3)
    weight, offset = random.random(60), 0.3 * random.normal(size=60)
    problem = replace(hinge_problem(1, kind=kind), sample_weight=weight, offset=offset)
    fits = fit_labels(**problem.data, l1_ratio=l1_ratio, **TIGHT)
    for label in range(3):
        w, b = solve_hinge(problem.dense, problem.y[:, label], TIGHT["strength"], l1_ratio, weight, offset)
        assert fits.coef.toarray()[label] == pytest.approx(w, abs=1e-7)
        assert fits.intercept[label] == pytest.approx(b, abs=1e-7)


def test_a_quasi_newton_solver_finds_the_same_optimum_without_l1() -> None:
    problem = hinge_problem(2, n=80, d=20)
    fits = fit_labels(**problem.data, l1_ratio=0.0, **TIGHT)
    X, strength = problem.dense, TIGHT["strength"]
    for label in range(3):
        y = problem.y[:, label]

        def value(point: Any, y: Any = y) -> float:
            return hinge_objective(X, y, point[:-1], point[-1], strength, 0.0)

        def slope(point: Any, y: Any = y) -> Any:
            by_w, by_b = hinge_gradient(X, y, point[:-1], point[-1])
            return np.append(by_w + 2.0 * strength * point[:-1], by_b)

        options = {"maxiter": 10_000, "gtol": 1e-10, "ftol": 1e-15}
        found = minimize(value, np.zeros(21), jac=slope, method="L-BFGS-B", options=options)
        assert fits.objective[label] <= found.fun + 1e-14
        assert fits.objective[label] == pytest.approx(found.fun, rel=1e-9)
        assert fits.coef.toarray()[label] == pytest.approx(found.x[:-1], abs=1e-5)


@pytest.mark.parametrize("l1_ratio", [0.0, 1.0])
def test_liblinear_finds_no_lower_objective(l1_ratio: float) -> None:
    """LIBLINEAR penalizes the intercept; a large intercept_scaling all but frees it."""
    problem = hinge_problem(3, n=100, d=10, n_labels=1)
    c, n = 0.5, 100
    strength = 1.0 / (c * n) if l1_ratio else 1.0 / (2.0 * c * n)
    fits = fit_labels(**problem.data, strength=strength, l1_ratio=l1_ratio, tol=1e-10)
    peer = LinearSVC(
        penalty="l1" if l1_ratio else "l2",
        loss="squared_hinge",
        dual=False,
        C=c,
        tol=1e-9,
        intercept_scaling=100.0,
        max_iter=100_000,
        random_state=0,
    ).fit(problem.dense, problem.y[:, 0])
    theirs = hinge_objective(
        problem.dense, problem.y[:, 0], peer.coef_[0], float(peer.intercept_[0]), strength, l1_ratio
    )
    assert fits.objective[0] <= theirs + 1e-12
    assert fits.objective[0] == pytest.approx(theirs, rel=1e-4)


@RATIOS
def test_weight_two_is_a_row_repeated(l1_ratio: float) -> None:
    problem = hinge_problem(4)
    times = np.random.default_rng(2).integers(1, 4, size=60)
    weighted = fit_labels(**replace(problem, sample_weight=times.astype(float)).data, l1_ratio=l1_ratio, **TIGHT)
    rows = np.repeat(np.arange(60), times)
    repeated = fit_labels(problem.X[rows], problem.y[rows], l1_ratio=l1_ratio, loss="squared_hinge", **TIGHT)
    assert weighted.objective == pytest.approx(repeated.objective, abs=1e-12)
    assert weighted.coef.toarray() == pytest.approx(repeated.coef.toarray(), abs=1e-7)
    assert weighted.intercept == pytest.approx(repeated.intercept, abs=1e-7)


@RATIOS
def test_the_end_of_a_path_is_a_cold_fit(l1_ratio: float) -> None:
    problem = hinge_problem(5)
    path = fit_path(**problem.data, strengths=[0.3, 0.1, 0.03, 0.01], l1_ratio=l1_ratio, tol=1e-10)
    cold = fit_labels(**problem.data, strength=0.01, l1_ratio=l1_ratio, tol=1e-10)
    assert path[-1].objective == pytest.approx(cold.objective, abs=1e-12)
    assert path[-1].coef.toarray() == pytest.approx(cold.coef.toarray(), abs=1e-7)


@RATIOS
def test_the_number_of_threads_changes_no_bit(l1_ratio: float) -> None:
    problem = hinge_problem(6, n=150, d=80, n_labels=7)
    options: dict[str, Any] = {"strength": 0.005, "l1_ratio": l1_ratio}
    assert same_bits(fit_labels(**problem.data, **options, n_jobs=1), fit_labels(**problem.data, **options, n_jobs=2))


@RATIOS
def test_a_callback_changes_no_bit_and_can_end_the_fit(l1_ratio: float) -> None:
    problem = hinge_problem(7)
    whole = fit_labels(**problem.data, l1_ratio=l1_ratio, **TIGHT)
    watched = fit_labels(**problem.data, l1_ratio=l1_ratio, **TIGHT, callback=lambda iteration, fits: None)
    assert np.array_equal(whole.coef.toarray(), watched.coef.toarray())
    assert np.array_equal(whole.n_iter, watched.n_iter)
    ended = fit_labels(**problem.data, l1_ratio=l1_ratio, **TIGHT, callback=lambda iteration, fits: iteration == 2)
    assert ended.n_iter.max() == 2


def test_the_null_model_is_the_weighted_share_on_a_scale_from_minus_one_to_one() -> None:
    random = np.random.default_rng(8)
    y, weight = (random.random((40, 1)) < 0.2).astype(float), random.random(40)
    fits = fit_labels(np.zeros((40, 1)), y, strength=1.0, sample_weight=weight, loss="squared_hinge", tol=1e-12)
    share = weight @ y[:, 0] / weight.sum()
    assert fits.intercept[0] == pytest.approx(2.0 * share - 1.0, abs=1e-14)
    assert fits.objective[0] == pytest.approx(4.0 * share * (1.0 - share), abs=1e-14)


@pytest.mark.parametrize("l1_ratio", [0.1, 1.0])
def test_at_the_critical_strength_all_weights_are_zero_and_just_below_not(l1_ratio: float) -> None:
    problem = hinge_problem(9)
    critical = critical_strengths(**problem.data, l1_ratio=l1_ratio)
    for label in range(3):
        one = replace(problem, y=problem.y[:, [label]])
        above = fit_labels(**one.data, strength=critical[label] * (1 + 1e-9), l1_ratio=l1_ratio, tol=1e-12)
        below = fit_labels(**one.data, strength=critical[label] * 0.99, l1_ratio=l1_ratio, tol=1e-12)
        assert above.coef.nnz == 0
        assert below.coef.nnz > 0
    largest = critical_strengths(**problem.data).max()
    assert critical_strength(problem.X, problem.y, loss="squared_hinge") == largest
    # At the null model the slopes are 4 (share - y): four times those of the logistic loss.
    assert largest == pytest.approx(4.0 * critical_strength(problem.X, problem.y), rel=1e-12)


@RATIOS
def test_labels_of_all_documents_or_none_are_constants(l1_ratio: float) -> None:
    problem = hinge_problem(10, n_labels=1)
    y = np.column_stack([np.zeros(60), problem.y, np.ones(60)])
    fits = fit_labels(problem.X, y, strength=0.01, l1_ratio=l1_ratio, loss="squared_hinge")
    assert fits.constant.tolist() == [True, False, True]
    assert fits.intercept[[0, 2]].tolist() == [-36.0, 36.0]
    assert fits.objective[[0, 2]].tolist() == fits.violation[[0, 2]].tolist() == [0.0, 0.0]
    assert fits.converged.all()


@RATIOS
def test_limits_on_columns_are_fits_on_fewer_columns(l1_ratio: float) -> None:
    problem = hinge_problem(11)
    limits = [12, 5, 0]
    fits = fit_labels(**problem.data, column_limits=limits, l1_ratio=l1_ratio, **TIGHT)
    for label, limit in enumerate(limits):
        part = replace(problem, X=problem.X[:, : max(limit, 1)] * (limit > 0), y=problem.y[:, [label]])
        alone = fit_labels(**part.data, l1_ratio=l1_ratio, **TIGHT)
        assert fits.coef.toarray()[label, limit:].tolist() == [0.0] * (12 - limit)
        assert fits.objective[label] == pytest.approx(alone.objective[0], abs=1e-12)


@RATIOS
@pytest.mark.parametrize("scale", [0.0, 1e3, -1e3])
def test_any_start_leads_to_the_optimum(l1_ratio: float, scale: float) -> None:
    """Far on the right side of the margin no document has any curvature; far on the wrong side, all have."""
    problem = hinge_problem(12)
    laid_out = BinaryProblem.of(problem.X, problem.y, None, None, False, 1, loss="squared_hinge")
    cold = fit_labels(**problem.data, l1_ratio=l1_ratio, **TIGHT)
    start = Start(sp.csr_array(scale * cold.coef.toarray()), scale * cold.intercept)
    (fits,) = laid_out.fit([TIGHT["strength"]], l1_ratio, TIGHT["tol"], 200, start)
    assert fits.converged.all()
    assert fits.objective == pytest.approx(cold.objective, abs=1e-12)


@RATIOS
def test_separable_documents_without_curvature_shrink_back_to_the_margin(l1_ratio: float) -> None:
    X, y = np.array([[1.0, 0.0], [2.0, 0.0], [0.0, 1.0], [0.0, 3.0]]), np.array([[1], [1], [0], [0]])
    laid_out = BinaryProblem.of(X, y, None, None, False, 1, loss="squared_hinge")
    start = Start(sp.csr_array([[50.0, -50.0]]), np.zeros(1))
    (fits,) = laid_out.fit([1e-3], l1_ratio, 1e-10, 200, start)
    assert fits.converged.all()
    assert np.abs(fits.coef.toarray()).max() < 2.0


@settings(max_examples=60)
@given(
    seed=st.integers(0, 1000),
    l1_ratio=st.sampled_from([0.0, 0.5, 1.0]),
    strength=st.sampled_from([0.1, 1e-3, 1e-6]),
    odd=st.sampled_from(["empty documents", "duplicate columns", "one positive", "equal documents", "large values"]),
)
def test_odd_documents_are_certified(seed: int, l1_ratio: float, strength: float, odd: str) -> None:
    problem = hinge_problem(seed, n=30, d=8, n_labels=2)
    X, y = problem.dense, problem.y.copy()
    match odd:
        case "empty documents":
            X[::2] = 0.0
        case "duplicate columns":
            X = np.hstack([X, X, -X])
        case "one positive":
            y[:] = 0.0
            y[seed % 30] = 1.0
        case "equal documents":
            X[:] = X[0]
        case "large values":
            X *= 1e3
    assert_certified(replace(problem, X=sp.csr_array(X), y=y), strength, l1_ratio, 1e-6)


def test_soft_targets_are_for_the_logistic_loss() -> None:
    y = [[0.5], [0.0]]
    for call in (
        lambda: fit_labels(np.eye(2), y, strength=0.1, soft=True, loss="squared_hinge"),
        lambda: fit_path(np.eye(2), y, [0.1], soft=True, loss="squared_hinge"),
        lambda: critical_strengths(np.eye(2), y, soft=True, loss="squared_hinge"),
    ):
        with pytest.raises(InvalidParameter, match="soft must be False with loss='squared_hinge'"):
            call()


def test_an_unknown_loss_is_refused() -> None:
    with pytest.raises(InvalidParameter, match="loss must be one of 'logistic', 'squared_hinge'; got 'hinge'"):
        fit_labels(np.eye(2), [[1], [0]], strength=0.1, loss="hinge")  # type: ignore[arg-type]
