"""Two ways to say the same problem give the same fit: weights, offsets, soft targets, label by label."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from setwise.learners import LabelFits, critical_strengths, fit_labels
from tests.learners.problems import Problem, problems, same_bits, small_problem

TIGHT: dict[str, Any] = {"strength": 0.02, "tol": 1e-10, "n_jobs": 1}
RATIOS = pytest.mark.parametrize("l1_ratio", [0.0, 0.5, 1.0])


def assert_same_model(one: LabelFits, other: LabelFits) -> None:
    """Equal to the accuracy of two certificates; for problems with a unique optimum."""
    assert one.objective == pytest.approx(other.objective, abs=1e-12)
    assert one.coef.toarray() == pytest.approx(other.coef.toarray(), abs=1e-7)
    assert one.intercept == pytest.approx(other.intercept, abs=1e-7)


@RATIOS
def test_weight_two_is_a_row_repeated(l1_ratio: float) -> None:
    problem = small_problem(1)
    times = np.random.default_rng(2).integers(1, 4, size=60)
    weighted = fit_labels(**replace(problem, sample_weight=times.astype(float)).data, l1_ratio=l1_ratio, **TIGHT)
    repeated = fit_labels(
        sp.csr_array(np.repeat(problem.dense, times, axis=0)),
        np.repeat(problem.y, times, axis=0),
        l1_ratio=l1_ratio,
        **TIGHT,
    )
    assert_same_model(weighted, repeated)


@RATIOS
def test_weight_zero_is_a_row_removed(l1_ratio: float) -> None:
    problem = small_problem(2)
    kept = np.random.default_rng(3).random(60) < 0.7
    weighted = fit_labels(**replace(problem, sample_weight=kept.astype(float)).data, l1_ratio=l1_ratio, **TIGHT)
    removed = fit_labels(problem.X[kept], problem.y[kept], l1_ratio=l1_ratio, **TIGHT)
    assert_same_model(weighted, removed)


@RATIOS
def test_the_unit_of_the_weights_does_not_matter(l1_ratio: float) -> None:
    weight = np.random.default_rng(4).random(60)
    problem = replace(small_problem(3), sample_weight=weight)
    fits = fit_labels(**problem.data, l1_ratio=l1_ratio, **TIGHT)
    doubled = fit_labels(**replace(problem, sample_weight=4.0 * weight).data, l1_ratio=l1_ratio, **TIGHT)
    assert same_bits(fits, doubled)
    for unit in (7.3, 1e-300, 1e300):
        assert_same_model(
            fits, fit_labels(**replace(problem, sample_weight=unit * weight).data, l1_ratio=l1_ratio, **TIGHT)
        )


def test_equal_weights_are_no_weights() -> None:
    problem = small_problem(4, n=64)
    assert same_bits(
        fit_labels(**problem.data, **TIGHT),
        fit_labels(**replace(problem, sample_weight=np.full(64, 3)).data, **TIGHT),
    )


@RATIOS
def test_a_constant_offset_is_a_shift_of_the_intercept(l1_ratio: float) -> None:
    problem = small_problem(5)
    plain = fit_labels(**problem.data, l1_ratio=l1_ratio, **TIGHT)
    shifted = fit_labels(**replace(problem, offset=np.full(60, 1.5)).data, l1_ratio=l1_ratio, **TIGHT)
    assert_same_model(plain, replace(shifted, intercept=shifted.intercept + 1.5))
    by_label = np.tile([1.5, -2.0, 0.25], (60, 1))
    shifted = fit_labels(**replace(problem, offset=by_label).data, l1_ratio=l1_ratio, **TIGHT)
    assert_same_model(plain, replace(shifted, intercept=shifted.intercept + by_label[0]))


def test_an_offset_for_all_labels_is_the_same_offset_for_each() -> None:
    problem = small_problem(6)
    offset = np.random.default_rng(7).normal(size=60)
    assert same_bits(
        fit_labels(**replace(problem, offset=offset).data, **TIGHT),
        fit_labels(**replace(problem, offset=np.tile(offset[:, None], (1, 3))).data, **TIGHT),
    )


@RATIOS
def test_an_offset_can_carry_part_of_the_model(l1_ratio: float) -> None:
    """At the solution of one feature alone, the others do not care whether it is a feature or an offset."""
    problem = small_problem(7, n_labels=1)
    whole = fit_labels(**problem.data, l1_ratio=l1_ratio, **TIGHT)
    coef = whole.coef.toarray()
    carried = problem.dense[:, 0] * coef[0, 0]
    rest = fit_labels(problem.X[:, 1:], problem.y, offset=carried, l1_ratio=l1_ratio, **TIGHT)
    assert rest.coef.toarray() == pytest.approx(coef[:, 1:], abs=1e-7)
    assert rest.intercept == pytest.approx(whole.intercept, abs=1e-7)


@RATIOS
def test_soft_targets_of_zero_and_one_are_labels(l1_ratio: float) -> None:
    problem = small_problem(8)
    hard = fit_labels(**problem.data, l1_ratio=l1_ratio, **TIGHT)
    assert same_bits(hard, fit_labels(**replace(problem, soft=True).data, l1_ratio=l1_ratio, **TIGHT))


@RATIOS
def test_a_soft_target_is_two_weighted_rows(l1_ratio: float) -> None:
    problem = small_problem(9, n_labels=1)
    random = np.random.default_rng(10)
    y, weight = random.random((60, 1)), random.random(60)
    soft = fit_labels(problem.X, y, soft=True, sample_weight=weight, l1_ratio=l1_ratio, **TIGHT)
    twice = fit_labels(
        sp.vstack([problem.X, problem.X]),
        np.repeat([[1], [0]], 60, axis=0),
        sample_weight=np.concatenate([weight * y[:, 0], weight * (1 - y[:, 0])]),
        l1_ratio=l1_ratio,
        **TIGHT,
    )
    assert soft.coef.toarray() == pytest.approx(twice.coef.toarray(), abs=1e-7)
    assert soft.objective == pytest.approx(twice.objective, abs=1e-12)


@RATIOS
def test_swapping_zeros_and_ones_turns_the_signs(l1_ratio: float) -> None:
    problem = small_problem(10)
    fits = fit_labels(**problem.data, l1_ratio=l1_ratio, **TIGHT)
    swapped = fit_labels(problem.X, 1 - problem.y, l1_ratio=l1_ratio, **TIGHT)
    assert_same_model(fits, replace(swapped, coef=-swapped.coef, intercept=-swapped.intercept))


@settings(max_examples=40)
@given(problem=problems(), l1_ratio=st.sampled_from([0.0, 0.1, 1.0]))
def test_many_labels_in_one_call_are_each_alone(problem: Problem, l1_ratio: float) -> None:
    chosen: dict[str, Any] = {"strength": 0.05, "l1_ratio": l1_ratio, "tol": 1e-6, "n_jobs": 1}
    together = fit_labels(**problem.data, **chosen)
    critical = critical_strengths(**problem.data)
    for label in range(problem.y.shape[1]):
        offset = problem.offset
        own = offset if offset is None or offset.ndim == 1 else offset[:, [label]]
        one = replace(problem, y=problem.y[:, [label]], offset=own)
        alone = fit_labels(**one.data, **chosen)
        assert np.array_equal(alone.coef.toarray()[0], together.coef.toarray()[label])
        assert alone.intercept[0] == together.intercept[label]
        assert alone.violation[0] == together.violation[label]
        assert alone.constant[0] == together.constant[label]
        assert alone.history_rows(0) == together.history_rows(label)
        assert critical_strengths(**one.data)[0] == critical[label]
