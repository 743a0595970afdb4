"""Inputs at the edge of what makes sense: they work."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.special import expit

from setwise.exceptions import NotConverged
from setwise.learners import BinaryProblem, LabelFits, Start, fit_labels, fit_path
from tests.learners.problems import Problem, small_problem

RATIOS = pytest.mark.parametrize("l1_ratio", [0.0, 0.5, 1.0])


def assert_finite(fits: LabelFits) -> None:
    numbers = [fits.coef.data, fits.intercept, fits.violation, fits.objective, *fits.history.values()]
    assert all(np.isfinite(values).all() for values in numbers)


@RATIOS
def test_labels_of_all_documents_or_none_are_constants(l1_ratio: float) -> None:
    problem = small_problem(1, n_labels=1)
    y = np.column_stack([np.zeros(60), problem.y, np.ones(60)])
    fits = fit_labels(problem.X, y, strength=0.01, l1_ratio=l1_ratio, tol=1e-9)
    assert fits.constant.tolist() == [True, False, True]
    assert fits.intercept[[0, 2]].tolist() == [-36.0, 36.0]
    assert fits.coef[[0, 2]].nnz == 0
    assert fits.n_iter[[0, 2]].tolist() == [0, 0]
    assert fits.converged.all()
    assert fits.history_rows(0) == fits.history_rows(2) == []
    assert expit(fits.scores(problem.X)[:, [0, 2]]) == pytest.approx(np.tile([0.0, 1.0], (60, 1)), abs=1e-15)
    alone = fit_labels(problem.X, problem.y, strength=0.01, l1_ratio=l1_ratio, tol=1e-9)
    assert np.array_equal(fits.coef.toarray()[1], alone.coef.toarray()[0])
    assert fits.history_rows(1) == alone.history_rows(0)


def test_constants_outweigh_every_offset() -> None:
    X, y = np.eye(3), np.tile([0, 1], (3, 1))
    for offset in ([50.0, -50.0, 0.0], [[50.0, -70.0], [-50.0, 20.0], [0.0, 1.0]]):
        fits = fit_labels(X, y, strength=0.1, offset=offset, tol=1e-9)
        logits = fits.scores(X) + np.reshape(offset, (3, -1))
        assert fits.constant.all()
        assert (logits[:, 0] <= -36).all()
        assert (logits[:, 1] >= 36).all()
        assert Problem(X, y.astype(float), offset=np.array(offset)).violations(fits, 0.1, 1.0).max() <= 1e-15


def test_weights_can_make_a_label_constant() -> None:
    X, y = np.eye(4), [[1, 0], [1, 0], [0, 1], [1, 1]]
    fits = fit_labels(X, y, strength=0.01, sample_weight=[1, 2, 0, 1], tol=1e-9)
    assert fits.constant.tolist() == [True, False]
    fits = fit_labels(X, y, strength=0.01, sample_weight=[1, 2, 0, 0], tol=1e-9)
    assert fits.constant.tolist() == [True, True]
    assert fits.intercept.tolist() == [36.0, -36.0]


def test_constant_labels_of_large_features_raise_no_alarm() -> None:
    fits = fit_labels(np.eye(3) * 1e6, [[0, 1]] * 3, strength=0.1)
    assert fits.constant.all()
    assert fits.converged.all()


def test_soft_targets_are_constant_only_where_all_are_zero_or_one() -> None:
    y = [[0.0, 1.0, 0.5, 0.0], [0.0, 1.0, 0.5, 0.0], [0.0, 1.0, 0.5, 0.3]]
    fits = fit_labels(np.eye(3), y, strength=0.5, soft=True, tol=1e-9)
    assert fits.constant.tolist() == [True, True, False, False]
    assert fits.intercept[2:] == pytest.approx([0.0, np.log(0.1 / 0.9)], abs=1e-9)


@pytest.mark.parametrize("tiny", [1e-12, 1e-20, 1e-200, 1e-320])
@pytest.mark.parametrize("rare", [0, 1])
def test_a_label_told_only_by_documents_of_almost_no_weight(tiny: float, rare: int) -> None:
    """The best intercept is log(tiny / 2), far out but finite; or the label is taken for a constant."""
    y = [[1 - rare], [1 - rare], [rare]]
    fits = fit_labels([[1.0], [0.0], [1.0]], y, strength=0.01, sample_weight=[1.0, 1.0, tiny], tol=1e-9)
    assert_finite(fits)
    assert np.sign(fits.intercept[0]) == (-1 if rare else 1)
    assert abs(fits.intercept[0]) >= 20
    assert 0 <= fits.objective[0] <= 1e-9


@RATIOS
def test_all_zero_features_leave_the_model_without_features(l1_ratio: float) -> None:
    for X in (np.zeros((4, 3)), sp.csr_array((4, 3)), sp.csc_matrix((4, 3), dtype=np.float32)):
        fits = fit_labels(X, [[1, 0], [0, 0], [0, 1], [1, 0]], strength=0.01, l1_ratio=l1_ratio, tol=1e-9)
        assert fits.coef.shape == (2, 3)
        assert fits.coef.nnz == 0
        assert fits.intercept == pytest.approx([0.0, np.log(1 / 3)], abs=1e-12)
        assert fits.objective == pytest.approx([np.log(2), 0.75 * np.log(4 / 3) + 0.25 * np.log(4)])


@RATIOS
def test_one_document(l1_ratio: float) -> None:
    for label in (0, 1):
        fits = fit_labels([[2.0, -1.0]], [[label]], strength=0.01, l1_ratio=l1_ratio)
        assert fits.constant.all()
        assert fits.scores([[2.0, -1.0]])[0, 0] == (36 if label else -36)
    soft = fit_labels([[2.0, -1.0]], [[0.25]], soft=True, strength=0.01, l1_ratio=l1_ratio, tol=1e-9)
    assert expit(soft.scores([[2.0, -1.0]])) == pytest.approx(0.25, abs=1e-8)


@RATIOS
def test_one_feature(l1_ratio: float) -> None:
    problem = small_problem(2, d=1)
    fits = fit_labels(**problem.data, strength=0.001, l1_ratio=l1_ratio, tol=1e-10)
    assert fits.violation == pytest.approx(problem.violations(fits, 0.001, l1_ratio), abs=1e-12)


@RATIOS
def test_the_same_document_with_both_labels(l1_ratio: float) -> None:
    fits = fit_labels(np.ones((4, 2)), [[1], [0], [0], [0]], strength=0.01, l1_ratio=l1_ratio, tol=1e-9)
    assert fits.coef.toarray() == pytest.approx(np.zeros((1, 2)), abs=1e-7)
    assert fits.intercept == pytest.approx(np.log(1 / 3), abs=1e-7)


@RATIOS
def test_the_same_feature_many_times(l1_ratio: float) -> None:
    """With a squared part copies share the weight evenly; with L1 alone only their sum is defined."""
    problem = small_problem(3, d=4)
    X = np.repeat(problem.dense, 5, axis=1)
    fits = fit_labels(X, problem.y, strength=0.01, l1_ratio=l1_ratio, tol=1e-9)
    assert fits.violation.max() <= 1e-9
    by_feature = fits.coef.toarray().reshape(3, 4, 5)
    if l1_ratio < 1:
        assert by_feature == pytest.approx(np.repeat(by_feature.mean(axis=2, keepdims=True), 5, axis=2), abs=1e-5)
    else:
        once = fit_labels(problem.X, problem.y, strength=0.01, l1_ratio=1.0, tol=1e-9)
        assert by_feature.sum(axis=2) == pytest.approx(once.coef.toarray(), abs=1e-5)


@RATIOS
@pytest.mark.parametrize("size", [1e6, 1e-6, 1e12])
def test_features_of_odd_size(size: float, l1_ratio: float) -> None:
    """With the penalty in their unit, only the unit of the weights changes."""
    problem = small_problem(4)
    strength = 0.01 * (size if l1_ratio else size**2)
    fits = fit_labels(problem.dense * size, problem.y, strength=strength, l1_ratio=l1_ratio, tol=1e-7 * size)
    assert fits.converged.all()
    if l1_ratio in (0.0, 1.0):
        plain = fit_labels(**problem.data, strength=0.01, l1_ratio=l1_ratio, tol=1e-10)
        assert fits.coef.toarray() * size == pytest.approx(plain.coef.toarray(), abs=1e-4)


@RATIOS
def test_one_feature_may_be_far_larger_than_the_others(l1_ratio: float) -> None:
    problem = small_problem(5)
    sizes = np.geomspace(1e-3, 1e6, 12)
    mixed = Problem(sp.csr_array(problem.dense * sizes), problem.y)
    fits = fit_labels(**mixed.data, strength=0.01, l1_ratio=l1_ratio, tol=1e-4)
    assert fits.violation == pytest.approx(mixed.violations(fits, 0.01, l1_ratio), abs=1e-8)


def overlapping() -> Problem:
    problem = small_problem(6)
    return Problem(sp.vstack([problem.X, problem.X]).tocsr(), np.vstack([problem.y, 1 - problem.y[:, ::-1]]))


@pytest.mark.parametrize("l1_ratio", [0.0, 1.0])
def test_without_a_penalty_overlapping_classes_are_fitted(l1_ratio: float) -> None:
    problem = overlapping()
    fits = fit_labels(**problem.data, strength=0.0, l1_ratio=l1_ratio, tol=1e-9)
    assert fits.violation == pytest.approx(problem.violations(fits, 0.0, l1_ratio), abs=1e-12)
    other = fit_labels(**problem.data, strength=0.0, l1_ratio=0.5, tol=1e-9)
    assert fits.coef.toarray() == pytest.approx(other.coef.toarray(), abs=1e-5)


@pytest.mark.parametrize("tol", [None, 1e-3, 1e-9])
@pytest.mark.parametrize("strength", [0.0, 1e-12, 1e-6])
def test_separable_classes_under_little_or_no_penalty_stay_finite(strength: float, tol: float | None) -> None:
    """The optimum is far away or infinitely far: the fit ends close to it in loss, or says that it did not."""
    X = np.array([[-2.0, 1.0], [-1.0, 0.0], [1.0, 0.5], [3.0, 0.0]])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fits = fit_labels(X, [[0], [0], [1], [1]], strength=strength, tol=tol)
    assert_finite(fits)
    assert fits.converged.all() or [w.category for w in caught] == [NotConverged]
    assert ((fits.scores(X)[:, 0] > 0) == [False, False, True, True]).all()


@RATIOS
def test_documents_without_curvature_do_not_keep_their_weights(l1_ratio: float) -> None:
    """From a logit of 40 on, a document has neither slope nor curvature: the penalty alone pulls it back."""
    X, y = np.kron(np.eye(4), np.ones((5, 3))), np.repeat([[1], [1], [0], [0]], 5, axis=0)
    problem = BinaryProblem.of(X, y, None, None, False, 1)
    start = Start(sp.csr_array(np.repeat([[40.0, 40.0, -40.0, -40.0]], 3, axis=1)), np.zeros(1))
    (cold,), (warm,) = (problem.fit([1e-3], l1_ratio, 1e-9, 200, one) for one in (None, start))
    assert warm.converged.all()
    assert warm.objective == pytest.approx(cold.objective, abs=1e-9)


@pytest.mark.parametrize("strength", [1e3, 1e12, 1e100])
@RATIOS
def test_a_penalty_beyond_all_measure_leaves_no_weights(strength: float, l1_ratio: float) -> None:
    problem = small_problem(7)
    fits = fit_labels(**problem.data, strength=strength, l1_ratio=l1_ratio, tol=1e-6)
    assert np.abs(fits.coef.toarray()).max() <= 1e-3
    assert_finite(fits)


def test_offsets_beyond_all_measure_stay_finite() -> None:
    problem = small_problem(8)
    offset = np.random.default_rng(1).choice([-1e3, 0.0, 1e3], size=60)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConverged)
        assert_finite(fit_labels(problem.X, problem.y, strength=0.01, offset=offset))


def test_path_of_a_constant_label() -> None:
    path: list[Any] = fit_path(np.eye(3), [[1], [1], [1]], strengths=[0.1, 0.0])
    assert [fits.intercept[0] for fits in path] == [36.0, 36.0]
