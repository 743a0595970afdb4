"""Every peer, at a tight tolerance, must reach the optimum of the objective that the page states."""

from __future__ import annotations

import os

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.optimize import minimize

from benchmarks.harness.objective import Fit, total_objective
from benchmarks.harness.problem import Penalty, Problem
from benchmarks.harness.timing import Skipped
from benchmarks.peers import Peer, PeerEntry
from tests.benchmarks.small import tiny_problem

Array = NDArray[np.float64]

TIGHT = [
    PeerEntry("setwise", "setwise", {"tol": 1e-9}),
    PeerEntry("liblinear", "LIBLINEAR", {"tol": 1e-8}),
    PeerEntry("saga", "saga", {"tol": 1e-9, "max_iter": 20_000}),
    PeerEntry("glmnet", "glmnet", {"tol": 1e-13}),
    PeerEntry("skglm", "skglm", {"tol": 1e-9, "max_iter": 200}),
]


@pytest.fixture(scope="module")
def problem() -> Problem:
    return tiny_problem()


def prepare_or_skip(entry: PeerEntry, problem: Problem) -> Peer:
    if entry.module == "skglm" and not os.environ.get("SETWISE_SLOW_TESTS"):
        pytest.skip("skglm compiles for 20 s; set SETWISE_SLOW_TESTS to run it")
    try:
        return entry.prepare(problem)
    except Skipped as skipped:
        pytest.skip(f"{entry.title}: {skipped}")


def optimum(problem: Problem, penalty: Penalty) -> Fit:
    """Solve label by label; weights are split into positive and negative parts, which makes the problem smooth."""
    X = problem.X.toarray().astype(np.float64)
    n_samples, n_features = X.shape
    coef, intercept = np.zeros((problem.y.shape[1], n_features)), np.zeros(problem.y.shape[1])
    for label, y in enumerate(problem.y.T):
        signs = 2 * y - 1

        def objective(v: Array, signs: Array = signs) -> tuple[float, Array]:
            positive, negative, intercept_ = v[:n_features], v[n_features:-1], v[-1]
            w = positive - negative
            margins = signs * (X @ w + intercept_)
            slope = -signs / (1 + np.exp(margins)) / n_samples
            l1 = penalty.strength * penalty.l1_ratio
            l2 = penalty.strength * (1 - penalty.l1_ratio)
            value = np.logaddexp(0, -margins).mean() + l1 * (positive + negative).sum() + l2 * (w**2).sum()
            gradient = X.T @ slope + 2 * l2 * w
            return value, np.concatenate([gradient + l1, l1 - gradient, [slope.sum()]])

        bounds = [(0, None)] * (2 * n_features) + [(None, None)]
        result = minimize(
            objective,
            np.zeros(2 * n_features + 1),
            jac=True,
            bounds=bounds,
            method="L-BFGS-B",
            options={"ftol": 1e-14, "gtol": 1e-10, "maxiter": 5000},
        )
        coef[label], intercept[label] = result.x[:n_features] - result.x[n_features:-1], result.x[-1]
    return Fit(0.0, sp.csr_array(coef), intercept)


@pytest.mark.parametrize(
    ("entry", "l1_ratio"),
    [
        pytest.param(entry, l1_ratio, id=f"{entry.title}-{l1_ratio}")
        for entry in TIGHT
        for l1_ratio in (1.0, 0.5, 0.1, 0.0)
        if entry.module != "liblinear" or l1_ratio in (0.0, 1.0)
    ],
)
def test_peer_reaches_the_optimum_of_the_objective(entry: PeerEntry, l1_ratio: float, problem: Problem) -> None:
    peer = prepare_or_skip(entry, problem)
    penalty = Penalty.from_c(0.5, l1_ratio, problem.n_samples)
    reached = total_objective(problem, problem.all_labels, penalty, peer.fit(problem.all_labels, penalty))
    best = total_objective(problem, problem.all_labels, penalty, optimum(problem, penalty))
    assert reached == pytest.approx(best, rel=1e-6)


def test_liblinear_skips_the_elastic_net(problem: Problem) -> None:
    peer = prepare_or_skip(TIGHT[1], problem)
    with pytest.raises(Skipped, match="elastic net"):
        peer.fit(problem.all_labels, Penalty(0.1, 0.5))


def test_peer_that_is_not_installed_is_skipped_with_a_reason(problem: Problem) -> None:
    with pytest.raises(Skipped, match="not installed"):
        PeerEntry("no_such_peer", "no such peer").prepare(problem)


@pytest.mark.parametrize("l1_ratio", [0.0, 0.3, 1.0])
def test_halved_form_is_the_same_penalty(l1_ratio: float) -> None:
    w = np.array([0.5, -2.0, 0.0, 1.0])
    l1, squared = np.abs(w).sum(), np.square(w).sum()
    strength, ratio = Penalty(0.7, l1_ratio).halved
    ours = 0.7 * (l1_ratio * l1 + (1 - l1_ratio) * squared)
    assert strength * (ratio * l1 + (1 - ratio) / 2 * squared) == pytest.approx(ours)
