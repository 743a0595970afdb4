"""Paths of strengths, critical strengths and warm starts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from setwise.exceptions import InvalidData, InvalidParameter
from setwise.learners import ElasticNet, critical_strengths, fit_labels, fit_path, strength_grid
from tests.learners.problems import Problem, problems, same_bits, small_problem
from tests.oracles.logistic import logistic_gradient


@pytest.mark.parametrize("l1_ratio", [0.0, 0.1, 0.5, 1.0])
def test_every_fit_of_a_path_is_the_cold_fit(l1_ratio: float) -> None:
    problem = small_problem(1)
    strengths = strength_grid(0.3, 1e-4, 8)
    path = fit_path(**problem.data, strengths=strengths, l1_ratio=l1_ratio, tol=1e-10)
    for strength, fits in zip(strengths, path, strict=True):
        cold = fit_labels(**problem.data, strength=strength, l1_ratio=l1_ratio, tol=1e-10)
        assert fits.violation.max() <= 1e-10
        assert fits.violation == pytest.approx(problem.violations(fits, strength, l1_ratio), abs=1e-12)
        assert fits.objective == pytest.approx(cold.objective, abs=1e-11)
        assert fits.coef.toarray() == pytest.approx(cold.coef.toarray(), abs=1e-5)


def test_a_path_without_l1_holds_whatever_the_distance_of_its_strengths() -> None:
    problem = small_problem(10)
    strengths = [1e4, 0.3, 0.1, np.nextafter(0.1, 0.0), 0.0999, 1e-3, 1e-5]
    for strength, fits in zip(strengths, fit_path(**problem.data, strengths=strengths, l1_ratio=0.0), strict=True):
        assert (fits.violation <= fits.tol).all()
        assert fits.violation == pytest.approx(problem.violations(fits, strength, 0.0), abs=1e-12)


def test_weights_that_happen_to_be_zero_are_not_stored() -> None:
    X = np.array([[1.0, 1.0, 0.0], [1.0, -1.0, 0.0], [0.0, 1.0, 0.0], [0.0, -1.0, 0.0]])
    y = np.array([[0, 1], [0, 1], [0, 0], [0, 0]])
    for fits in fit_path(X, y, [0.1, 0.01], l1_ratio=0.0):
        assert fits.coef.indptr.tolist() == [0, 0, 1]
        assert fits.coef.indices.tolist() == [0]
        assert fits.coef.data.all()


def test_a_path_keeps_the_order_and_the_repeats_it_was_given() -> None:
    problem = small_problem(2)
    shuffled = [0.01, 0.1, 0.001, 0.1]
    path = fit_path(**problem.data, strengths=shuffled, tol=1e-9)
    falling = fit_path(**problem.data, strengths=[0.1, 0.01, 0.001], tol=1e-9)
    for strength, fits in zip(shuffled, path, strict=True):
        assert same_bits(fits, falling[[0.1, 0.01, 0.001].index(strength)])


def test_a_path_starts_each_fit_where_the_one_before_ended() -> None:
    problem = small_problem(3)
    first, second = fit_path(**problem.data, strengths=[0.05, 0.04], tol=1e-9)
    again = fit_labels(**problem.data, strength=0.04, tol=1e-9, warm_start=first)
    assert same_bits(second, again)


def test_grid_of_strengths_is_even_on_the_log_scale() -> None:
    grid = strength_grid(1.0, 1e-4, 5)
    assert grid == pytest.approx([1.0, 1e-1, 1e-2, 1e-3, 1e-4])
    assert strength_grid(0.5, 0.5, 1) == pytest.approx([0.5])


@pytest.mark.parametrize(("highest", "lowest"), [(0.1, 1.0), (1.0, 0.0), (1.0, -1.0), (np.inf, 1.0), (np.nan, 1.0)])
def test_grid_refuses_ends_that_make_no_grid(highest: float, lowest: float) -> None:
    with pytest.raises(InvalidParameter, match=r"^(lowest|highest) must be .*; got "):
        strength_grid(highest, lowest, 3)


@pytest.mark.parametrize("strengths", [[], [0.1, -0.1], [0.1, np.nan], ["a"]])
def test_path_refuses_bad_strengths(strengths: list[Any]) -> None:
    with pytest.raises(InvalidParameter, match=r"^strengths(\[\d\])? must .*; got "):
        fit_path(**small_problem().data, strengths=strengths)


@settings(max_examples=80)
@given(problem=problems(), l1_ratio=st.sampled_from([0.1, 0.5, 1.0]))
def test_at_the_critical_strength_all_weights_are_zero_and_just_below_not(problem: Problem, l1_ratio: float) -> None:
    critical = critical_strengths(**problem.data, l1_ratio=l1_ratio)
    for label in np.flatnonzero(critical > 1e-8):
        offset = problem.offset
        own = offset if offset is None or offset.ndim == 1 else offset[:, [label]]
        one = replace(problem, y=problem.y[:, [label]], offset=own)
        chosen: dict[str, Any] = {"l1_ratio": l1_ratio, "tol": 1e-4 * critical[label] * l1_ratio, "n_jobs": 1}
        at = fit_labels(**one.data, strength=critical[label] * (1 + 1e-12), **chosen)
        assert at.coef.nnz == 0
        below = fit_labels(**one.data, strength=0.99 * critical[label], **chosen)
        assert below.coef.nnz > 0


def test_critical_strengths_are_those_of_the_penalty() -> None:
    problem = replace(small_problem(4), sample_weight=np.random.default_rng(1).random(60))
    critical = critical_strengths(**problem.data, l1_ratio=0.5)
    null = fit_labels(**problem.data, strength=100.0)
    for label in range(3):
        by_w, by_b = logistic_gradient(
            problem.dense, problem.y[:, label], np.zeros(12), null.intercept[label], problem.sample_weight
        )
        assert abs(by_b) <= 1e-14
        assert critical[label] == pytest.approx(ElasticNet(1.0, 0.5).critical_strength(by_w), rel=1e-12)


def test_critical_strengths_without_l1_are_infinite_and_of_constants_zero() -> None:
    X = [[1.0], [2.0], [0.0]]
    y = [[0, 1, 1], [0, 1, 0], [0, 1, 1]]
    assert critical_strengths(X, y, l1_ratio=0.0).tolist() == [0.0, 0.0, np.inf]
    assert critical_strengths(X, y, l1_ratio=1.0)[:2].tolist() == [0.0, 0.0]
    assert critical_strengths(np.zeros((3, 2)), y, l1_ratio=1.0).tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("l1_ratio", [0.0, 0.5, 1.0])
def test_a_warm_start_from_the_solution_takes_no_iteration(l1_ratio: float) -> None:
    problem = small_problem(5)
    fits = fit_labels(**problem.data, strength=0.01, l1_ratio=l1_ratio, tol=1e-9)
    again = fit_labels(**problem.data, strength=0.01, l1_ratio=l1_ratio, tol=1e-9, warm_start=fits)
    assert again.n_iter.tolist() == [0, 0, 0]
    assert np.array_equal(again.coef.toarray(), fits.coef.toarray())
    assert np.array_equal(again.intercept, fits.intercept)
    assert np.array_equal(again.violation, fits.violation)


@pytest.mark.parametrize("l1_ratio", [0.0, 0.5, 1.0])
def test_a_warm_start_from_anywhere_ends_at_the_same_optimum(l1_ratio: float) -> None:
    problem = small_problem(6)
    chosen: dict[str, Any] = {"strength": 0.01, "l1_ratio": l1_ratio, "tol": 1e-10}
    cold = fit_labels(**problem.data, **chosen)
    random = np.random.default_rng(3)
    far = replace(cold, coef=sp.csr_array(random.normal(size=(3, 12)) * 3), intercept=random.normal(size=3) * 5)
    stored_zeros = cold.coef.copy()
    stored_zeros.data[:] = 0.0
    every_zero = sp.csr_array((np.zeros(36), np.tile(np.arange(12), 3), [0, 12, 24, 36]), shape=(3, 12))
    for start in (far, replace(cold, coef=stored_zeros), replace(far, coef=every_zero)):
        warm = fit_labels(**problem.data, **chosen, warm_start=start)
        assert warm.objective == pytest.approx(cold.objective, abs=1e-11)
        assert warm.coef.toarray() == pytest.approx(cold.coef.toarray(), abs=1e-7)
        assert warm.coef.data.all()
        assert (np.diff(warm.history["objective"])[np.diff(warm.history["label"]) == 0] <= 1e-12).all()


def test_a_warm_start_of_another_shape_is_refused() -> None:
    problem = small_problem(7)
    fits = fit_labels(**problem.data, strength=0.1)
    with pytest.raises(InvalidData, match=r"^warm_start must come from 3 labels and 11 features; got \(3, 12\)"):
        fit_labels(problem.X[:, 1:], problem.y, strength=0.1, warm_start=fits)
    with pytest.raises(InvalidData, match=r"^warm_start must come from 2 labels and 12 features; got \(3, 12\)"):
        fit_labels(problem.X, problem.y[:, 1:], strength=0.1, warm_start=fits)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_warm_start_that_is_not_finite_is_refused(value: float) -> None:
    problem = small_problem(8)
    fits = fit_labels(**problem.data, strength=0.01)
    for start in (replace(fits, intercept=np.full(3, value)), replace(fits, coef=fits.coef * value)):
        with pytest.raises(InvalidData, match=rf"^warm_start must hold finite numbers; got -?{value}"):
            fit_labels(**problem.data, strength=0.01, warm_start=start)


@pytest.mark.parametrize(
    ("highest", "lowest", "n_strengths", "match"),
    [
        (1.0, 0.1, -1, "^n_strengths must be an integer of at least 1; got -1"),
        (1.0, 0.1, 2.5, "^n_strengths must be"),
        (0.1, 1.0, 3, "^lowest must be at most highest; got 1.0 and 0.1"),
        (1.0, 0.0, 3, "^lowest must be a finite number above 0"),
        ("a", 0.1, 3, "^highest must be a finite number above 0"),
    ],
)
def test_a_grid_that_cannot_be_is_refused(highest: Any, lowest: Any, n_strengths: Any, match: str) -> None:
    with pytest.raises(InvalidParameter, match=match):
        strength_grid(highest, lowest, n_strengths)


def test_a_path_needs_a_list_of_strengths() -> None:
    problem = small_problem(9)
    with pytest.raises(InvalidParameter, match=r"^strengths must be a list of numbers; got 0.1"):
        fit_path(**problem.data, strengths=0.1)  # type: ignore[arg-type]
