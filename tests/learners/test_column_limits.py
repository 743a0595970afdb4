"""Labels that may use only the first so many features: as if the others were not there."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from setwise import _core
from setwise.exceptions import InvalidData, NotConverged
from setwise.learners import critical_strengths, fit_labels, fit_path
from setwise.learners.problem import BinaryProblem
from tests.learners.problems import Problem, problems, same_bits, small_problem
from tests.learners.test_door import FEATURES, FIT, TARGETS, i32

RATIOS = pytest.mark.parametrize("l1_ratio", [0.0, 0.5, 1.0])


def of_label(problem: Problem, label: int, limit: int) -> Problem:
    """One label alone, with the features it may use and no others."""
    offset = problem.offset
    if offset is not None and offset.ndim == 2:
        offset = offset[:, label]
    return replace(problem, X=problem.X[:, :limit], y=problem.y[:, [label]], offset=offset)


@settings(max_examples=60)
@given(problems(max_samples=30, max_features=25), st.sampled_from([0.0, 0.3, 1.0]), st.data())
def test_a_limit_is_a_matrix_cut_short(problem: Problem, l1_ratio: float, data: st.DataObject) -> None:
    n_labels, n_features = problem.y.shape[1], problem.X.shape[1]
    limits = data.draw(st.lists(st.integers(1, n_features), min_size=n_labels, max_size=n_labels))
    options: dict[str, Any] = {"strength": 0.02, "l1_ratio": l1_ratio, "tol": 1e-9, "n_jobs": 1}
    fits = fit_labels(**problem.data, column_limits=limits, **options)
    coef = fits.coef.toarray()
    for label, limit in enumerate(limits):
        alone = of_label(problem, label, limit)
        assert not coef[label, limit:].any()
        if fits.constant[label]:
            assert not coef[label].any()
            continue
        cut = replace(fits, coef=fits.coef[[label], :limit], intercept=fits.intercept[[label]])
        assert fits.violation[label] <= 1e-9
        assert fits.violation[label] == pytest.approx(alone.violations(cut, 0.02, l1_ratio)[0], abs=1e-13)
        expected = fit_labels(**alone.data, **options)
        assert fits.objective[label] == pytest.approx(expected.objective[0], abs=1e-9)
        assert coef[label, :limit] == pytest.approx(expected.coef.toarray()[0], abs=1e-5)


@RATIOS
def test_weights_are_those_of_the_cut_matrix(l1_ratio: float) -> None:
    problem, limits = small_problem(20, n=90, d=30, n_labels=4), np.array([30, 3, 11, 20])
    options: dict[str, Any] = {"strength": 0.004, "l1_ratio": l1_ratio, "tol": 1e-11, "n_jobs": 1}
    fits = fit_labels(**problem.data, column_limits=limits, **options)
    for label, limit in enumerate(limits):
        alone = fit_labels(**of_label(problem, label, limit).data, **options)
        assert fits.coef.toarray()[label, :limit] == pytest.approx(alone.coef.toarray()[0], abs=1e-8)
        assert fits.intercept[label] == pytest.approx(alone.intercept[0], abs=1e-8)
        assert fits.coef[[label]].nnz == alone.coef.nnz


@RATIOS
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_path_is_that_of_the_cut_matrix(l1_ratio: float, n_jobs: int) -> None:
    problem, limits = small_problem(30, n=90, d=30, n_labels=5), [30, 3, 0, 11, 20]
    strengths = [0.1, 0.05, 0.02, 0.01, 0.004, 0.001]
    laid_out = BinaryProblem.of(problem.X, problem.y, None, None, False, n_jobs, limits)
    path = laid_out.fit(strengths, l1_ratio, 1e-11, 200)
    for label, limit in enumerate(limits):
        if limit == 0:
            assert all(fits.coef[[label]].nnz == 0 for fits in path)
            continue
        alone = fit_path(problem.X[:, :limit], problem.y[:, [label]], strengths, l1_ratio=l1_ratio, tol=1e-11)
        for fits, expected in zip(path, alone, strict=True):
            assert fits.violation[label] <= 1e-11
            assert fits.coef.toarray()[label, :limit] == pytest.approx(expected.coef.toarray()[0], abs=1e-8)
            assert fits.coef[[label]].nnz == expected.coef.nnz
            assert fits.n_iter[label] == expected.n_iter[0]


@pytest.mark.parametrize("kind", ["ones", "float32", "float64"])
def test_pure_l1_takes_the_very_steps_of_the_cut_matrix(kind: str) -> None:
    problem, limits = small_problem(21, n=90, d=30, n_labels=4, kind=kind), [30, 3, 11, 20]
    options: dict[str, Any] = {"strength": 0.004, "l1_ratio": 1.0, "n_jobs": 1}
    fits = fit_labels(**problem.data, column_limits=limits, **options)
    for label, limit in enumerate(limits):
        alone = fit_labels(**of_label(problem, label, limit).data, **options)
        assert np.array_equal(fits.coef.toarray()[label, :limit], alone.coef.toarray()[0])
        assert fits.history_rows(label) == alone.history_rows(0)


@RATIOS
def test_no_features_leave_the_intercept_and_all_are_no_limit(l1_ratio: float) -> None:
    problem = small_problem(22)
    options: dict[str, Any] = {"strength": 0.01, "l1_ratio": l1_ratio, "n_jobs": 1}
    none = fit_labels(**problem.data, column_limits=[0, 0, 0], **options)
    assert none.coef.nnz == 0
    share = problem.y.mean(axis=0)
    assert none.intercept == pytest.approx(np.log(share / (1 - share)), abs=1e-9)
    plain = fit_labels(**problem.data, **options)
    assert same_bits(fit_labels(**problem.data, column_limits=np.full(3, 12, dtype=np.uint8), **options), plain)


@RATIOS
def test_threads_and_watchers_give_the_same_bits(l1_ratio: float) -> None:
    problem, limits = small_problem(23, d=30, n_labels=5), [30, 3, 0, 20, 8]
    options: dict[str, Any] = {"strength": 0.004, "l1_ratio": l1_ratio, "column_limits": limits}
    plain = fit_labels(**problem.data, **options, n_jobs=1)
    assert same_bits(plain, fit_labels(**problem.data, **options, n_jobs=2))
    assert same_bits(plain, fit_labels(**problem.data, **options, n_jobs=1, callback=lambda *_: None))


def test_columns_without_entries_count() -> None:
    problem = small_problem(24)
    spread = np.zeros((60, 24))
    spread[:, 1::2] = problem.dense
    options: dict[str, Any] = {"strength": 0.01, "n_jobs": 1}
    near = fit_labels(problem.X, problem.y, column_limits=[4, 5, 6], **options)
    for limits in ([8, 10, 12], [9, 11, 13]):
        wide = fit_labels(sp.csc_array(spread), problem.y, column_limits=limits, **options)
        assert np.array_equal(wide.coef.toarray()[:, 1::2], near.coef.toarray())


def test_the_largest_gradient_is_that_of_the_features_allowed() -> None:
    problem, limits = small_problem(25), [1, 6, 12]
    laid_out = BinaryProblem.of(problem.X, problem.y, None, None, False, 1, limits)
    expected = [critical_strengths(problem.X[:, :limit], problem.y)[label] for label, limit in enumerate(limits)]
    assert laid_out.peak == pytest.approx(np.array(expected), abs=1e-15)
    assert laid_out.peak[0] < critical_strengths(problem.X, problem.y)[0]


def test_constant_labels_between_others_keep_the_limits_in_place() -> None:
    problem = small_problem(26, n_labels=4)
    problem.y[:, 1] = 1.0
    fits = fit_labels(problem.X, problem.y, strength=0.004, column_limits=[2, 7, 12, 1])
    stored = [fits.coef[[label]].indices.max(initial=-1) for label in range(4)]
    assert stored[0] < 2
    assert stored[1] == -1
    assert stored[2] >= 7
    assert stored[3] < 1


@RATIOS
def test_a_start_within_the_limits_is_taken(l1_ratio: float) -> None:
    problem, limits = small_problem(27), [5, 12, 3]
    options: dict[str, Any] = {"strength": 0.004, "l1_ratio": l1_ratio, "tol": 1e-9, "column_limits": limits}
    with pytest.warns(NotConverged):
        begun = fit_labels(**problem.data, **options, max_iter=1)
    ended = fit_labels(**problem.data, **options, warm_start=begun)
    assert (ended.violation <= 1e-9).all()
    assert fit_labels(**problem.data, **options, warm_start=ended).n_iter.tolist() == [0, 0, 0]


def test_a_start_beyond_the_limits_is_refused() -> None:
    problem = small_problem(28)
    free = fit_labels(problem.X, problem.y, strength=0.001, l1_ratio=0.0)
    with pytest.raises(
        InvalidData, match="warm_start must have no weight beyond column_limits; got one of label 1 for"
    ):
        fit_labels(problem.X, problem.y, strength=0.001, warm_start=free, column_limits=[12, 4, 12])


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ([1, 2], r"one integer per label, shape \(3,\); got shape \(2,\)"),
        (4, r"one integer per label, shape \(3,\); got shape \(\)"),
        ([1.0, 2.0, 3.0], "one integer per label.* of type float64"),
        ([True, False, True], "one integer per label.* of type bool"),
        (["a", "b", "c"], "one integer per label"),
        ([1, -1, 3], "between 0 and the 12 features; got -1"),
        ([1, 2, 13], "between 0 and the 12 features; got 13"),
    ],
    ids=str,
)
def test_bad_limits_are_refused(limits: Any, message: str) -> None:
    problem = small_problem(29)
    with pytest.raises(InvalidData, match=f"column_limits must .*{message}"):
        fit_labels(problem.X, problem.y, strength=0.01, column_limits=limits)


@pytest.mark.parametrize("limit", [i32(1), i32(1, 2, 1), i32(-1, 2), i32(2, 3)], ids=str)
def test_the_door_refuses_limits_that_lead_beyond_the_columns(limit: Any) -> None:
    features = _core.Features(**FEATURES)
    with pytest.raises(ValueError, match="column_limit"):
        _core.null_models(features, _core.Targets(**TARGETS, column_limit=limit), 1)


def test_the_door_refuses_a_start_beyond_the_limit() -> None:
    features = _core.Features(**FEATURES)
    with pytest.raises(ValueError, match="start lies beyond column_limit"):
        _core.fit_binary(features, _core.Targets(**TARGETS, column_limit=i32(1, 2)), **FIT)
    (fitted,) = _core.fit_binary(features, _core.Targets(**TARGETS, column_limit=i32(2, 0)), **FIT)
    assert len(fitted[3]) == 2
