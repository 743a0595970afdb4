"""What a fit does step by step: history, callback, limits, and the warning when it ends too early."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from setwise.exceptions import NotConverged
from setwise.learners import LabelFits, fit_labels
from tests.learners.problems import Problem, problems, same_bits, small_problem

RATIOS = pytest.mark.parametrize("l1_ratio", [0.0, 0.5, 1.0])


def quiet_fit(*args: Any, **kwargs: Any) -> LabelFits:
    """A fit that may end before its time."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConverged)
        return fit_labels(*args, **kwargs)


@settings(max_examples=100)
@given(
    problem=problems(),
    l1_ratio=st.sampled_from([0.0, 0.1, 0.5, 1.0]),
    strength=st.sampled_from([0.1, 0.01, 0.001]),
    seed=st.integers(0, 100),
)
def test_the_objective_never_rises(problem: Problem, l1_ratio: float, strength: float, seed: int) -> None:
    random = np.random.default_rng(seed)
    chosen: dict[str, Any] = {"strength": strength, "l1_ratio": l1_ratio, "tol": 1e-8, "n_jobs": 1}
    cold = quiet_fit(**problem.data, **chosen)
    far = replace(cold, coef=cold.coef * 5.0, intercept=random.normal(size=cold.intercept.size))
    for fits in (cold, quiet_fit(**problem.data, **chosen, warm_start=far)):
        for label in range(problem.y.shape[1]):
            objectives = np.array([row["objective"] for row in fits.history_rows(label)])
            assert (np.diff(objectives) <= 1e-12 * np.abs(objectives[:-1])).all()


@RATIOS
def test_history_has_a_row_an_iteration_and_ends_with_the_result(l1_ratio: float) -> None:
    problem = small_problem(1)
    fits = fit_labels(**problem.data, strength=0.003, l1_ratio=l1_ratio, tol=1e-8)
    assert set(fits.history) == {"label", "iteration", "objective", "violation", "n_nonzero", "step"}
    for label in range(3):
        rows = fits.history_rows(label)
        assert [row["iteration"] for row in rows] == list(range(fits.n_iter[label] + 1))
        assert rows[0]["step"] == 0.0
        assert rows[0]["n_nonzero"] == 0
        taken = np.log2([row["step"] for row in rows[1:]])
        assert (taken <= 0).all()
        assert (taken == np.round(taken)).all()  # 1, 1/2, 1/4, ...
        assert rows[-1]["objective"] == fits.objective[label]
        assert rows[-1]["violation"] == fits.violation[label]
        assert rows[-1]["n_nonzero"] == fits.coef[[label]].nnz
        assert all(row["violation"] > 1e-8 for row in rows[:-1])


@RATIOS
@pytest.mark.parametrize("max_iter", [0, 1, 2, 3, 5])
def test_single_iterations_are_one_longer_fit(max_iter: int, l1_ratio: float) -> None:
    problem = small_problem(2)
    chosen: dict[str, Any] = {"strength": 0.003, "l1_ratio": l1_ratio, "tol": 1e-10, "max_iter": max_iter}
    calls: list[int] = []
    watched = quiet_fit(**problem.data, **chosen, callback=lambda iteration, fits: calls.append(iteration))
    assert same_bits(watched, quiet_fit(**problem.data, **chosen))
    assert calls == list(range(1, max_iter + 1))


@RATIOS
def test_every_look_of_the_callback_is_the_fit_of_so_many_iterations(l1_ratio: float) -> None:
    problem = replace(small_problem(3), offset=np.random.default_rng(1).normal(size=60))
    chosen: dict[str, Any] = {"strength": 0.003, "l1_ratio": l1_ratio, "tol": 1e-10}
    seen: dict[int, LabelFits] = {}
    watched = fit_labels(**problem.data, **chosen, callback=seen.__setitem__)
    assert same_bits(watched, fit_labels(**problem.data, **chosen))
    assert list(seen) == list(range(1, watched.n_iter.max() + 1))
    for iteration, fits in seen.items():
        assert same_bits(fits, quiet_fit(**problem.data, **chosen, max_iter=iteration))


def test_a_callback_that_returns_true_ends_the_fit_without_a_warning() -> None:
    problem = small_problem(4)
    chosen: dict[str, Any] = {"strength": 0.001, "tol": 1e-10}
    stopped = fit_labels(**problem.data, **chosen, callback=lambda iteration, fits: iteration == 2)
    assert stopped.n_iter.tolist() == [2, 2, 2]
    assert not stopped.converged.any()
    assert same_bits(stopped, quiet_fit(**problem.data, **chosen, max_iter=2))


def test_an_error_in_a_callback_reaches_the_caller() -> None:
    def fails(iteration: int, fits: LabelFits) -> bool:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        fit_labels(**small_problem(5).data, strength=0.001, callback=fails)


def test_a_fit_that_needs_no_iteration_never_calls_back() -> None:
    calls: list[int] = []
    fits = fit_labels(**small_problem(6).data, strength=100.0, callback=lambda iteration, fits: calls.append(iteration))
    assert calls == []
    assert fits.converged.all()


@RATIOS
def test_no_iterations_give_the_model_without_features(l1_ratio: float) -> None:
    problem = small_problem(7)
    fits = quiet_fit(**problem.data, strength=0.01, l1_ratio=l1_ratio, max_iter=0)
    assert fits.coef.nnz == 0
    assert fits.n_iter.tolist() == [0, 0, 0]
    share = problem.y.mean(axis=0)
    assert fits.intercept == pytest.approx(np.log(share / (1 - share)), abs=1e-12)
    assert fits.violation == pytest.approx(problem.violations(fits, 0.01, l1_ratio), abs=1e-14)


def test_a_fit_that_ends_early_warns_with_the_numbers_and_a_hint() -> None:
    problem = small_problem(8)
    with pytest.warns(NotConverged) as caught:
        fits = fit_labels(**problem.data, strength=0.001, tol=1e-9, max_iter=1)
    (warning,) = caught
    worst = int(np.argmax(fits.violation))
    assert str(warning.message) == (
        f"3 of 3 labels did not converge: after 1 iterations label {worst} has a violation of "
        f"{fits.violation[worst]:.2g}, above the tolerance 1e-09. Hint: raise max_iter, tol or strength."
    )
    assert warning.filename == __file__
    assert not fits.converged.any()


def test_a_watched_fit_that_ends_early_warns_too() -> None:
    with pytest.warns(NotConverged, match="did not converge"):
        fit_labels(**small_problem(9).data, strength=0.001, tol=1e-9, max_iter=1, callback=lambda *_: None)
