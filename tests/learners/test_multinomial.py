"""The multinomial learner: certified, in agreement with a slow solver, and with the binary learner on two classes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from setwise.exceptions import InvalidData, InvalidParameter, NotConverged
from setwise.learners import BinaryLogistic, MultinomialLogistic, fit_classes
from tests.oracles.logistic import recompute_softmax_violation, softmax_objective
from tests.oracles.solver import solve_softmax

Array = NDArray[np.float64]


def soft_problem(seed: int, n: int = 30, d: int = 8, n_classes: int = 4) -> tuple[Array, Array]:
    random = np.random.default_rng(seed)
    X = np.where(random.random((n, d)) < 0.6, random.normal(size=(n, d)), 0.0)
    targets = random.dirichlet(np.full(n_classes, 0.4), size=n)
    return X, targets


@pytest.mark.parametrize("l1_ratio", [0.0, 0.1, 0.5, 1.0])
@settings(max_examples=40)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(2, 25),
    d=st.integers(1, 30),
    n_classes=st.integers(2, 9),
    tol=st.sampled_from([1e-3, 1e-6, 1e-9]),
    strength=st.sampled_from([0.1, 0.01, 0.003]),
    weighted=st.booleans(),
    shifted=st.booleans(),
)
def test_every_fit_reaches_its_tolerance_and_says_so_truly(
    l1_ratio: float,
    seed: int,
    n: int,
    d: int,
    n_classes: int,
    tol: float,
    strength: float,
    weighted: bool,
    shifted: bool,
) -> None:
    X, targets = soft_problem(seed, n, d, n_classes)
    random = np.random.default_rng(seed + 1)
    weight = random.random(n) + 0.1 if weighted else None
    offset = random.normal(size=(n, n_classes)) if shifted else None
    fit = fit_classes(X, targets, strength=strength, l1_ratio=l1_ratio, tol=tol, sample_weight=weight, offset=offset)
    assert fit.violation <= tol
    coef = fit.coef.toarray()
    shift: Any = 0.0 if offset is None else offset
    recomputed = recompute_softmax_violation(X, targets, coef, fit.intercept, strength, l1_ratio, weight, shift)
    assert fit.violation == pytest.approx(recomputed, abs=1e-12)
    expected = softmax_objective(X, targets, coef, fit.intercept, strength, l1_ratio, weight, shift)
    assert fit.objective == pytest.approx(expected, abs=1e-12)
    assert fit.intercept.sum() == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("l1_ratio", [0.0, 0.5, 1.0])
def test_coefficients_agree_with_an_independent_solver(l1_ratio: float) -> None:
    X, targets = soft_problem(3)
    fit = fit_classes(X, targets, strength=0.02, l1_ratio=l1_ratio, tol=1e-9)
    coef, intercept = solve_softmax(X, targets, 0.02, l1_ratio)
    slow = softmax_objective(X, targets, coef, intercept, 0.02, l1_ratio)
    assert fit.objective == pytest.approx(slow, abs=1e-9)
    if l1_ratio < 1.0:  # without a squared term the weights need not be unique
        assert fit.coef.toarray() == pytest.approx(coef, abs=1e-4)


@pytest.mark.parametrize("l1_ratio", [0.0, 0.3, 1.0])
def test_two_classes_are_the_binary_learner_with_the_squared_term_halved(l1_ratio: float) -> None:
    X, _ = soft_problem(5, n=60)
    y = (X[:, 0] + np.random.default_rng(0).normal(size=60) > 0).astype(int)
    strength = 0.01
    l1, l2 = strength * l1_ratio, strength * (1 - l1_ratio)
    binary = BinaryLogistic(strength=strength, l1_ratio=l1_ratio, tol=1e-10).fit(X, y)
    both = l1 + 2 * l2
    multinomial = MultinomialLogistic(strength=both, l1_ratio=l1 / both, tol=1e-10).fit(X, y)
    assert multinomial.objective_ == pytest.approx(binary.objective_, abs=1e-12)
    assert multinomial.coef_[1] - multinomial.coef_[0] == pytest.approx(binary.coef_[0], abs=1e-7)
    assert np.diff(multinomial.intercept_) == pytest.approx(binary.intercept_, abs=1e-7)
    assert multinomial.predict_proba(X) == pytest.approx(binary.predict_proba(X), abs=1e-8)


def test_weight_two_is_a_row_repeated() -> None:
    X, targets = soft_problem(6)
    twice = np.r_[np.arange(30), 4, 9]
    weight = np.ones(30)
    weight[[4, 9]] = 2
    chosen: dict[str, Any] = {"strength": 0.01, "l1_ratio": 0.5, "tol": 1e-10}
    repeated = fit_classes(X[twice], targets[twice], **chosen)
    weighted = fit_classes(X, targets, sample_weight=weight, **chosen)
    assert weighted.coef.toarray() == pytest.approx(repeated.coef.toarray(), abs=1e-8)
    assert weighted.objective == pytest.approx(repeated.objective, abs=1e-12)


def test_an_offset_of_each_class_is_a_shifted_intercept() -> None:
    X, targets = soft_problem(7)
    shift = np.array([1.0, -2.0, 0.5, 0.5])
    chosen: dict[str, Any] = {"strength": 0.01, "l1_ratio": 0.5, "tol": 1e-10}
    plain = fit_classes(X, targets, **chosen)
    moved = fit_classes(X, targets, offset=np.tile(shift, (30, 1)), **chosen)
    assert moved.coef.toarray() == pytest.approx(plain.coef.toarray(), abs=1e-7)
    assert moved.intercept + shift == pytest.approx(plain.intercept, abs=1e-7)


def test_a_strong_penalty_leaves_the_frequencies() -> None:
    X, targets = soft_problem(8)
    fit = fit_classes(X, targets, strength=100.0, l1_ratio=1.0, tol=1e-10)
    assert fit.coef.nnz == 0
    shares = np.exp(fit.intercept) / np.exp(fit.intercept).sum()
    assert shares == pytest.approx(targets.mean(axis=0), abs=1e-9)


def test_single_iterations_take_the_steps_of_one_fit_and_none_of_them_hurts() -> None:
    X, targets = soft_problem(9)
    chosen: dict[str, Any] = {"strength": 0.003, "l1_ratio": 0.5, "tol": 1e-10}
    whole = fit_classes(X, targets, **chosen)
    seen: list[int] = []
    watched = fit_classes(X, targets, **chosen, callback=lambda iteration, _: seen.append(iteration))
    assert seen == list(range(1, whole.n_iter + 1))
    assert np.array_equal(watched.coef.toarray(), whole.coef.toarray())
    assert np.array_equal(watched.intercept, whole.intercept)
    assert [row["iteration"] for row in watched.history] == list(range(whole.n_iter + 1))
    falls = np.diff([row["objective"] for row in whole.history])
    assert falls.max() <= 1e-14
    stopped = fit_classes(X, targets, **chosen, callback=lambda iteration, _: iteration == 2)
    assert stopped.n_iter == 2


def test_a_start_at_the_solution_takes_no_iteration() -> None:
    X, targets = soft_problem(10)
    fit = fit_classes(X, targets, strength=0.01, tol=1e-9)
    again = fit_classes(X, targets, strength=0.01, tol=1e-9, warm_start=fit)
    assert again.n_iter == 0
    assert again.coef.toarray() == pytest.approx(fit.coef.toarray(), abs=0)


def test_a_class_that_nobody_has_is_left_out_and_named() -> None:
    X, targets = soft_problem(11)
    padded = np.insert(targets, 2, 0.0, axis=1)
    chosen: dict[str, Any] = {"strength": 0.01, "l1_ratio": 0.5, "tol": 1e-9}
    without, fit = fit_classes(X, targets, **chosen), fit_classes(X, padded, **chosen)
    assert fit.absent.tolist() == [False, False, True, False, False]
    assert fit.coef[[2]].nnz == 0
    assert fit.coef[[0, 1, 3, 4]].toarray() == pytest.approx(without.coef.toarray(), abs=0)
    scores = fit.scores(X)
    assert np.exp(scores[:, 2] - scores.max(axis=1)).max() < 1e-14


@pytest.mark.parametrize("one", [np.ones((5, 1)), np.tile([0.0, 1.0], (5, 1))])
def test_a_single_class_is_certain(one: Array) -> None:
    fit = fit_classes(np.eye(5), one, strength=0.1)
    assert fit.coef.nnz == 0
    assert fit.objective == pytest.approx(0.0, abs=1e-15)


def test_sparse_and_dense_and_ones_have_the_same_bits() -> None:
    random = np.random.default_rng(0)
    X = (random.random((40, 12)) < 0.3).astype(np.float64)
    X[:, 5] = 0.0
    targets = np.eye(3)[random.integers(0, 3, 40)]
    fits = [
        fit_classes(form, targets, strength=0.01, l1_ratio=0.5)
        for form in (X, sp.csr_array(X), sp.coo_matrix(X), X.astype(np.float32), X.astype(bool))
    ]
    for fit in fits[1:]:
        assert np.array_equal(fit.coef.toarray(), fits[0].coef.toarray())
    assert fits[0].coef[:, [5]].nnz == 0


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"targets": [[0.5, 0.5]] * 3}, "^X has 4 rows but the targets have 3"),
        ({"targets": [[0.5, 0.4]] * 4}, "^targets must sum to 1 in each row; got 0.9 in row 0"),
        ({"targets": [[1.5, -0.5]] * 4}, r"^targets must hold targets in \[0, 1\]; got"),
        ({"targets": [[np.nan, 1.0]] * 4}, "^targets must hold finite numbers; got nan"),
        ({"X": np.full((4, 2), np.inf)}, "^X must hold finite numbers; got inf"),
        ({"strength": -1.0}, "^strength must be a finite number"),
        ({"l1_ratio": 1.5}, "^l1_ratio must be a number between 0 and 1; got 1.5"),
        ({"sample_weight": [1, 1, 1, -1]}, "^sample_weight must be zero or above; got -1"),
        ({"offset": np.zeros(4)}, "^offset must have one column per class, 2; got one for all"),
        ({"offset": np.zeros((4, 3))}, "^offset must have shape"),
        ({"warm_start": "zeros"}, "^warm_start must be an earlier result of fit_classes; got a str"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(change: dict[str, Any], match: str) -> None:
    good: dict[str, Any] = {"X": np.eye(4, 2), "targets": [[1.0, 0.0], [0.0, 1.0]] * 2, "strength": 0.1}
    with pytest.raises((InvalidData, InvalidParameter), match=match):
        fit_classes(**(good | change))


def test_too_few_iterations_warn() -> None:
    X, targets = soft_problem(12)
    with pytest.warns(NotConverged, match="did not converge"):
        fit_classes(X, targets, strength=1e-3, tol=1e-9, max_iter=1)


def test_it_is_a_scikit_learn_estimator() -> None:
    X, _ = soft_problem(13, n=60)
    y = np.array(["news", "sport", "arts"])[np.argmax(X[:, :3], axis=1)]
    model = MultinomialLogistic(strength=0.01, l1_ratio=0.2)
    assert clone(model).get_params() == model.get_params()
    with pytest.raises(NotFittedError):
        model.predict(X)
    model.fit(X, y)
    assert model.classes_.tolist() == ["arts", "news", "sport"]
    assert model.predict_proba(X).sum(axis=1) == pytest.approx(1.0)
    assert (model.predict(X) == model.classes_[model.predict_proba(X).argmax(axis=1)]).all()
    assert model.score(X, y) > 0.7
    soft = MultinomialLogistic(strength=0.01, l1_ratio=0.2).fit(X, np.eye(3)[np.searchsorted(model.classes_, y)])
    assert np.array_equal(soft.coef_, model.coef_)
