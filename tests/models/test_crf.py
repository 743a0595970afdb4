"""The random field against brute force, its certificate, and what it is identical to."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray
from scipy.optimize import minimize

from setwise.exceptions import InvalidParameter, NotConverged
from setwise.labels import LabelMatrix, Support
from setwise.learners import ElasticNet, fit_labels
from setwise.learners.quasi_newton import Iterate
from setwise.models.crf import PairwiseCRF
from setwise.models.support_likelihood import SupportLikelihood
from tests.oracles.crf import loss_gradient, mean_loss, probabilities
from tests.oracles.sets import every_set, size_marginals_by_sums


def problem(
    n_samples: int = 40, n_features: int = 6, n_labels: int = 4, random_state: int = 0
) -> tuple[Any, NDArray[np.int64]]:
    rng = np.random.default_rng(random_state)
    X = sp.random_array((n_samples, n_features), density=0.5, rng=rng, format="csr")
    scores = 2.0 * (X @ rng.normal(size=(n_features, n_labels)))
    return X, (scores + rng.logistic(size=scores.shape) > 0.3).astype(np.int64)


def support_of(y: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.asarray(Support.of(LabelMatrix.of(y)).sets.indicator.toarray())


def all_four_weights(model: PairwiseCRF) -> NDArray[np.float64]:
    """Four rows, a column for every pair in the order of ``np.triu_indices``; pairs that are not listed have zeros."""
    n_labels = len(model.classes_)
    whole = np.zeros((4, n_labels, n_labels))
    whole[:, *model.pair_labels_] = model.pair_weights_
    return np.asarray(whole[:, *np.triu_indices(n_labels, k=1)])


def fitted_at(likelihood: SupportLikelihood, point: NDArray[np.float64]) -> PairwiseCRF:
    """The model with these parameters."""
    terms = likelihood.pair_terms
    model = PairwiseCRF()
    model.classes_, model.sets_ = likelihood.support.sets.names, likelihood.support.sets.indicator
    model.counts_, model.history_ = likelihood.support.counts, [{"iteration": 0}]
    model.pair_labels_ = np.stack([terms.first, terms.second])
    model.n_features_in_ = likelihood.features.n_features
    model._set_weights(likelihood, Iterate(point, 0.0, 0.0, 0))
    return model


@pytest.mark.parametrize("pairs", [True, False])
@given(
    random_state=st.integers(0, 10_000),
    n_samples=st.integers(1, 40),
    n_labels=st.integers(1, 5),
    scale=st.floats(0.0, 9.0),
)
@settings(max_examples=40)
def test_loss_and_gradient_are_those_of_brute_force(
    pairs: bool, random_state: int, n_samples: int, n_labels: int, scale: float
) -> None:
    X, y = problem(n_samples, 6, n_labels, random_state)
    likelihood = SupportLikelihood.of(X, y, None, pairs, n_jobs=1)
    point = scale * np.random.default_rng(random_state).normal(size=likelihood.size)
    point[likelihood.weights].reshape(-1, likelihood.stride)[:, n_labels:] = 0.0
    point[likelihood.intercepts][n_labels:] = 0.0
    loss, gradient = likelihood.evaluate(point)
    model = fitted_at(likelihood, point)
    four = all_four_weights(model)
    arguments = X.toarray(), y, model.coef_.toarray(), model.intercept_, four, support_of(y)
    assert loss == pytest.approx(mean_loss(*arguments), rel=1e-9, abs=1e-9)
    by_w, by_b, by_pair = loss_gradient(*arguments)
    assert_allclose(likelihood.weights_by_label(gradient).toarray(), by_w, atol=1e-11)
    assert_allclose(gradient[likelihood.intercepts][:n_labels], by_b, atol=1e-11)
    whole = np.zeros((n_labels, n_labels))
    whole[*model.pair_labels_] = gradient[likelihood.pair_weights]
    if pairs:
        assert_allclose(whole[np.triu_indices(n_labels, k=1)], by_pair[3], atol=1e-11)
    p = probabilities(arguments[0], *arguments[2:])
    assert_allclose(np.exp(model.posterior(X).log_prob(support_of(y))), p, atol=1e-11)


@pytest.mark.parametrize("pairs", [True, False])
def test_fit_agrees_with_an_independent_solver_of_the_four_weights(pairs: bool) -> None:
    X, y = problem()
    model = PairwiseCRF(strength=0.01, pairs=pairs, pair_strength=0.03, tol=1e-8).fit(X, y)
    sets, dense = support_of(y), X.toarray()
    n_pairs = 6 if pairs else 0

    def objective(v: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        W, b, pair_weights = v[:24].reshape(4, 6), v[24:28], v[28:].reshape(4, n_pairs)
        by_w, by_b, by_pair = loss_gradient(dense, y, W, b, pair_weights, sets)
        value = mean_loss(dense, y, W, b, pair_weights, sets) + 0.01 * (W**2).sum() + 0.03 * (pair_weights**2).sum()
        return value, np.concatenate([(by_w + 0.02 * W).ravel(), by_b, (by_pair + 0.06 * pair_weights).ravel()])

    best = minimize(objective, np.zeros(28 + 4 * n_pairs), jac=True, method="BFGS", options={"gtol": 1e-9})
    assert model.objective_ == pytest.approx(best.fun, abs=1e-12)
    assert_allclose(model.coef_.toarray().ravel(), best.x[:24], atol=1e-5)
    assert_allclose(all_four_weights(model)[:, :n_pairs].ravel(), best.x[28:], atol=1e-5)


@pytest.mark.parametrize("l1_ratio", [0.0, 0.1, 0.5, 1.0])
@pytest.mark.parametrize("tol", [1e-3, 1e-5, 1e-7])
def test_certificate_is_what_it_says(l1_ratio: float, tol: float) -> None:
    X, y = problem(random_state=3)
    model = PairwiseCRF(strength=0.01, l1_ratio=l1_ratio, tol=tol, max_iter=5000).fit(X, y)
    coef, four = model.coef_.toarray(), all_four_weights(model)
    by_w, by_b, by_pair = loss_gradient(X.toarray(), y, coef, model.intercept_, four, support_of(y))
    rest = max(ElasticNet(0.01, l1_ratio).violation(coef, by_w).max(), np.abs(by_b).max())
    assert model.violation_ <= tol
    assert model.violation_ == pytest.approx(max(rest, np.abs(by_pair[3] + 2 * 0.01 * four[3]).max()), abs=1e-12)
    # Of the four weights of a pair, three differ from the one that is trained by the gradients of two intercepts.
    assert np.abs(by_pair + 2 * 0.01 * four).max() <= 3.0 * tol
    assert l1_ratio < 0.5 or model.coef_.nnz < coef.size


def test_without_pairs_over_all_sets_it_is_binary_relevance() -> None:
    """The partition function then factors over labels, and so do loss and penalty."""
    rng = np.random.default_rng(5)
    y = np.concatenate([every_set(3)] * 6)
    X = rng.normal(size=(len(y), 5))
    for l1_ratio in (0.0, 0.5):
        model = PairwiseCRF(strength=0.02, l1_ratio=l1_ratio, pairs=False, tol=1e-9, max_iter=5000).fit(X, y)
        fits = fit_labels(X, y, strength=0.02, l1_ratio=l1_ratio, tol=1e-10)
        assert_allclose(model.coef_.toarray(), fits.coef.toarray(), atol=1e-6)
        assert_allclose(model.intercept_, fits.intercept, atol=1e-6)
        assert model.objective_ == pytest.approx(fits.objective.sum(), abs=1e-12)


def test_pairs_at_zero_are_no_pairs() -> None:
    X, y = problem(random_state=2)
    with_pairs, without = SupportLikelihood.of(X, y, None, True, 1), SupportLikelihood.of(X, y, None, False, 1)
    point = np.zeros(with_pairs.size)
    point[: without.size] = PairwiseCRF(pairs=False, strength=0.01).fit(X, y).intercept_.sum()
    loss, gradient = with_pairs.evaluate(point)
    loss_without, gradient_without = without.evaluate(point[: without.size])
    assert loss == loss_without
    assert_array_equal(gradient[: without.size], gradient_without)
    held = PairwiseCRF(strength=0.01, pair_strength=10.0, tol=1e-7, max_iter=5000).fit(X, y)
    free = PairwiseCRF(strength=0.01, pairs=False, tol=1e-7).fit(X, y)
    assert np.abs(held.posterior(X).log_prob(y) - free.posterior(X).log_prob(y)).max() < 0.05
    zeroed = PairwiseCRF.from_state(held.state())
    zeroed.set_bias_ = np.zeros_like(held.set_bias_)
    zeroed.coef_, zeroed.intercept_ = free.coef_, free.intercept_
    assert_array_equal(zeroed.posterior(X).log_prob(y), free.posterior(X).log_prob(y))


def test_answers_are_those_of_brute_force() -> None:
    X, y = problem(60, 6, 5, random_state=1)
    model = PairwiseCRF(strength=0.003, tol=1e-4).fit(X, y)
    sets = support_of(y)
    p = probabilities(X.toarray(), model.coef_.toarray(), model.intercept_, all_four_weights(model), sets)
    assert_allclose(np.exp(model.posterior(X).log_prob(sets)), p, atol=1e-12)
    assert_allclose(model.posterior(X).marginals(), p @ sets, atol=1e-12)
    assert_array_equal(model.posterior(X).mode().sets.toarray(), sets[p.argmax(axis=1)])
    found = model.posterior(X).size_marginals()
    joint, empty = size_marginals_by_sums(p, sets, found.joint.shape[2])
    assert_allclose(found.joint, joint, atol=1e-12)
    assert_allclose(found.empty, empty, atol=1e-12)
    assert_array_equal(model.posterior(X).size_marginals(max_size=2).joint, found.joint[:, :, :2])


def test_sets_that_no_document_has_are_impossible() -> None:
    X, y = problem(12, 6, 5)
    sets = every_set(5)
    seen = Support.of(LabelMatrix.of(y)).index_of(sets) >= 0
    log_prob = PairwiseCRF().fit(X, y).posterior(X).log_prob(sets)
    assert (log_prob[:, ~seen] == -np.inf).all()
    assert np.isfinite(log_prob[:, seen]).all()


def test_scores_far_apart_neither_overflow_nor_vanish() -> None:
    X, y = problem(30, 6, 4)
    model = PairwiseCRF().fit(X, y)
    model.intercept_ = np.array([2000.0, -2000.0, 0.0, 1e5])
    log_prob = model.posterior(X).log_prob(support_of(y))
    assert np.isfinite(log_prob).all()
    assert_allclose(np.exp(log_prob).sum(axis=1), 1.0)


def test_many_documents_come_in_parts_of_the_same_bits() -> None:
    """The core adds up over documents in parts: more than one of them, and one that is not full."""
    X, y = problem(1300, 6, 4, random_state=9)
    one = PairwiseCRF(n_jobs=1, max_iter=5, tol=1e-3).fit(X, y, callback=lambda iteration, _: iteration == 4)
    two = PairwiseCRF(n_jobs=2, max_iter=5, tol=1e-3).fit(X, y, callback=lambda iteration, _: iteration == 4)
    assert_array_equal(one.coef_.toarray(), two.coef_.toarray())
    assert_array_equal(one.pair_weights_, two.pair_weights_)
    assert one.objective_ == two.objective_


def test_a_callback_that_reads_the_model_now_and_then_changes_no_bit() -> None:
    X, y = problem()[:2]

    class EveryThird:
        def __init__(self) -> None:
            self.intercepts: dict[int, Any] = {}

        def reads(self, iteration: int) -> bool:
            return iteration % 3 == 0

        def __call__(self, iteration: int, model: PairwiseCRF) -> bool:
            if self.reads(iteration):
                self.intercepts[iteration] = model.intercept_
            return iteration == 7

    seen, seldom = {}, EveryThird()

    def always(iteration: int, model: PairwiseCRF) -> bool:
        seen[iteration] = model.intercept_
        return iteration == 7

    one = PairwiseCRF(n_jobs=1, tol=1e-9).fit(X, y, callback=always)
    two = PairwiseCRF(n_jobs=1, tol=1e-9).fit(X, y, callback=seldom)
    assert one.n_iter_ == two.n_iter_ == 7
    assert_array_equal(one.intercept_, two.intercept_)
    assert_array_equal(one.coef_.toarray(), two.coef_.toarray())
    assert list(seldom.intercepts) == [3, 6]
    for iteration, intercept in seldom.intercepts.items():
        assert_array_equal(intercept, seen[iteration])


def test_a_fit_that_ends_early_says_so() -> None:
    X, y = problem()
    with pytest.warns(NotConverged, match="did not converge"):
        model = PairwiseCRF(max_iter=2, tol=1e-9).fit(X, y)
    assert model.n_iter_ == 2
    assert [row["iteration"] for row in model.history_] == [0, 1, 2]


@pytest.mark.parametrize(
    ("parameter", "value"),
    [("pairs", "yes"), ("pair_strength", -1.0), ("memory", 0), ("strength", -1), ("l1_ratio", 2), ("max_iter", 1.5)],
)
def test_bad_parameters_are_named(parameter: str, value: Any) -> None:
    X, y = problem()
    with pytest.raises(InvalidParameter, match=parameter):
        PairwiseCRF(**{parameter: value}).fit(X, y)


@pytest.mark.slow
def test_bibtex_trains_to_its_certificate(corpus: Any) -> None:
    X, y = corpus("bibtex").read("train")
    model = PairwiseCRF(strength=1e-3, tol=1e-4).fit(X, y)
    assert model.violation_ <= 1e-4
    assert np.diff([row["objective"] for row in model.history_]).max() <= 0.0
