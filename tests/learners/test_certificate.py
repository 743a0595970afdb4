"""A fit ends with the certificate that was asked for, and the certificate is true."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from setwise.data import Corpus
from setwise.learners import fit_labels
from tests.learners.problems import Problem, problems, random_features, random_labels

L1_RATIOS = [0.0, 0.1, 0.5, 1.0]
TOLERANCES = st.sampled_from([1e-3, 1e-5, 1e-7, 1e-9])


def assert_certified(problem: Problem, strength: float, l1_ratio: float, tol: float) -> None:
    """Fit, then check the tolerance, the certificate and the objective against the oracle."""
    fits = fit_labels(**problem.data, strength=strength, l1_ratio=l1_ratio, tol=tol, n_jobs=1)
    assert fits.violation.max() <= tol
    assert fits.converged.all()
    recomputed = problem.violations(fits, strength, l1_ratio)
    rounding = 1e-12 * max(1.0, problem.largest)
    varying = ~fits.constant
    assert fits.violation[varying] == pytest.approx(recomputed[varying], abs=rounding, rel=1e-6)
    assert (recomputed[fits.constant] <= fits.violation[fits.constant] * (1 + 1e-9)).all()
    assert fits.objective == pytest.approx(problem.objectives(fits, strength, l1_ratio), abs=1e-12, rel=1e-12)


@pytest.mark.parametrize("l1_ratio", L1_RATIOS)
@settings(max_examples=120)
@given(problem=problems(), tol=TOLERANCES, share=st.sampled_from([0.3, 0.1, 0.01, 0.001]))
def test_every_fit_reaches_its_tolerance_and_says_so_truly(
    problem: Problem, tol: float, share: float, l1_ratio: float
) -> None:
    assert_certified(problem, share, l1_ratio, tol)


@pytest.mark.parametrize("l1_ratio", [0.0, 1.0])
@pytest.mark.parametrize("scale", [1e-3, 1e3])
@settings(max_examples=50)
@given(problem=problems(), tol=TOLERANCES, share=st.sampled_from([0.3, 0.1, 0.01, 0.001]))
def test_the_scale_of_the_features_does_not_matter(
    problem: Problem, tol: float, share: float, scale: float, l1_ratio: float
) -> None:
    scaled = replace(problem, X=problem.X * problem.X.dtype.type(scale))
    assert_certified(scaled, share * (scale if l1_ratio else scale**2), l1_ratio, tol)


def soft_problem(seed: int, scale: float) -> Problem:
    """More features than documents, and targets that no weights can reach: hard to solve under a weak penalty."""
    random = np.random.default_rng(seed)
    X = random_features(random, 20, 30, "float64", density=0.5) * scale
    y = random_labels(random, X, 1)
    y = np.where(random.random(y.shape) < 0.5, y, random.random(y.shape))
    return Problem(sp.csr_array(X), y, soft=True)


@pytest.mark.parametrize("l1_ratio", [0.1, 0.5, 1.0])
@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_wide_soft_problems_under_a_weak_penalty(scale: float, l1_ratio: float) -> None:
    for seed in range(5):
        problem = soft_problem(seed, scale)
        assert_certified(problem, 1e-3 * scale, l1_ratio, 1e-9 * max(1.0, scale))


@given(problem=problems(), l1_ratio=st.sampled_from(L1_RATIOS))
@settings(max_examples=60)
def test_without_a_tolerance_the_violation_is_a_small_share_of_the_first_gradient(
    problem: Problem, l1_ratio: float
) -> None:
    fits = fit_labels(**problem.data, strength=0.01, l1_ratio=l1_ratio, n_jobs=1)
    assert fits.converged.all()
    null = fit_labels(**problem.data, strength=1e9, l1_ratio=1.0, n_jobs=1)
    largest_gradient = problem.violations(null, strength=0.0, l1_ratio=1.0)
    varying = ~fits.constant
    assert fits.tol[varying] == pytest.approx(np.maximum(3e-4 * largest_gradient[varying], 1e-12), rel=1e-6)


@pytest.fixture(scope="module")
def bibtex(corpus: Callable[[str], Corpus]) -> Problem:
    """Twelve labels of bibtex, from the most frequent to the rarest."""
    X, y = corpus("bibtex").read("train")
    by_count = np.argsort(-y.sum(axis=0), kind="stable")
    chosen = by_count[np.linspace(0, y.shape[1] - 1, 12).astype(int)]
    return Problem(X, y[:, chosen].toarray().astype(np.float64))


@pytest.mark.parametrize("tol", [1e-3, 1e-6, 1e-9])
@pytest.mark.parametrize("l1_ratio", L1_RATIOS)
def test_bibtex_reaches_every_tolerance(bibtex: Problem, l1_ratio: float, tol: float) -> None:
    strength = 1.0 / bibtex.X.shape[0]  # C = 1
    fits = fit_labels(**bibtex.data, strength=strength, l1_ratio=l1_ratio, tol=tol)
    assert fits.violation.max() <= tol
    assert fits.violation == pytest.approx(bibtex.violations(fits, strength, l1_ratio), abs=1e-12)
    assert fits.objective == pytest.approx(bibtex.objectives(fits, strength, l1_ratio), abs=1e-12)
