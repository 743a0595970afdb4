"""The conditional Bernoulli mixture: against brute force, against BR, and its training step by step."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import expit, softmax

from setwise.exceptions import InvalidParameter
from setwise.labels import LabelMatrix, Support
from setwise.learners import ElasticNet
from setwise.models import BernoulliMixture, BinaryRelevance
from setwise.models.cbm_em import MixtureData
from setwise.models.cbm_init import BernoulliStart, cluster_sets, smoothed_logits
from tests.models.corpora import small_corpus
from tests.oracles.sets import every_set, size_marginals_by_sums

EXACT: dict[str, Any] = {"negligible": 0.0, "least_count": 0.0, "smoothing": 0.0}
"""Nothing is left out of a training step."""


def probabilities(model: BernoulliMixture, X: Any) -> np.ndarray:
    """p(set | x) of all sets, by the formula alone."""
    dense, n_labels = X.toarray(), len(model.classes_)
    sets = every_set(n_labels)
    gate = softmax(dense @ model.gate_coef_.toarray().T + model.gate_intercept_, axis=1)
    coef = model.coef_.toarray().reshape(model.n_components, n_labels, -1)
    total = np.zeros((dense.shape[0], len(sets)))
    for k in range(model.n_components):
        p = expit(dense @ coef[k].T + model.intercept_[k])
        for s, labels in enumerate(sets):
            total[:, s] += gate[:, k] * np.prod(np.where(labels, p, 1.0 - p), axis=1)
    return total


@pytest.mark.parametrize("n_components", [1, 2, 5])
def test_answers_are_those_of_brute_force(n_components: int) -> None:
    X, y = small_corpus()
    model = BernoulliMixture(n_components, strength=0.01, max_iter=5).fit(X, y)
    p, sets = probabilities(model, X), every_set(5)
    assert_allclose(np.exp(model.posterior(X).log_prob(sets)), p, atol=1e-12)
    assert_allclose(model.posterior(X).marginals(), p @ sets, atol=1e-12)
    modes = model.posterior(X).mode()
    assert_array_equal(modes.sets.toarray(), sets[p.argmax(axis=1)])
    assert_allclose(np.exp(modes.log_prob), p.max(axis=1), atol=1e-12)
    assert modes.exact.all()
    found = model.posterior(X).size_marginals()
    joint, empty = size_marginals_by_sums(p, sets, 5)
    assert_allclose(found.joint, joint, atol=1e-12)
    assert_allclose(found.empty, empty, atol=1e-12)


@pytest.mark.parametrize("l1_ratio", [0.0, 0.5, 1.0])
def test_one_component_is_binary_relevance(l1_ratio: float) -> None:
    X, y = small_corpus(1)
    mixture = BernoulliMixture(1, strength=0.01, l1_ratio=l1_ratio, max_iter=30, newton_steps=10, tol=-1.0, **EXACT)
    mixture.fit(X, y)
    br = BinaryRelevance(strength=0.01, l1_ratio=l1_ratio).fit(X, y)
    assert mixture.objective_ == pytest.approx(br.objective_, abs=1e-6)
    assert_allclose(mixture.posterior(X).log_prob(every_set(5)), br.posterior(X).log_prob(every_set(5)), atol=0.02)
    assert_allclose(mixture.posterior(X).marginals(), br.posterior(X).marginals(), atol=0.01)


def test_objective_is_the_penalised_mean_loss() -> None:
    X, y = small_corpus(2)
    model = BernoulliMixture(3, strength=0.02, l1_ratio=0.3, gate_strength=0.05, gate_l1_ratio=0.8, max_iter=4).fit(
        X, y
    )
    own = probabilities(model, X)[np.arange(len(y)), y @ (1 << np.arange(5))]
    penalty = ElasticNet(0.02, 0.3).value(model.coef_.data) + ElasticNet(0.05, 0.8).value(model.gate_coef_.data)
    assert model.objective_ == pytest.approx(-np.log(own).mean() + penalty, abs=1e-10)


@pytest.mark.parametrize("l1_ratio", [0.0, 0.5])
@pytest.mark.parametrize("newton_steps", [1, 4])
@pytest.mark.parametrize("sharpness", [1.0, 0.4])
def test_no_iteration_raises_the_objective(l1_ratio: float, newton_steps: int, sharpness: float) -> None:
    X, y = small_corpus(3)
    model = BernoulliMixture(
        4, 0.005, l1_ratio, newton_steps=newton_steps, sharpness=sharpness, max_iter=40, tol=-1.0, **EXACT
    ).fit(X, y)
    objectives = [row["objective"] for row in model.history_]
    assert len(objectives) == 40
    assert np.diff(objectives).max() <= 1e-12


def test_objective_with_a_sharpness_is_the_mean_of_powers() -> None:
    X, y = small_corpus(2)
    model = BernoulliMixture(3, 0.02, sharpness=0.5, start_sharpness=0.3, max_iter=4, tol=-1.0).fit(X, y)
    gate = softmax(X.toarray() @ model.gate_coef_.toarray().T + model.gate_intercept_, axis=1)
    p = expit((X @ model.coef_.T).toarray().reshape(len(y), 3, 5) + model.intercept_)
    joint = gate * np.prod(np.where(y[:, None, :] == 1, p, 1.0 - p), axis=2)
    penalty = ElasticNet(0.02, 0.5).value(model.coef_.data) + ElasticNet(0.02, 0.5).value(model.gate_coef_.data)
    assert model.objective_ == pytest.approx(-2.0 * np.log(np.sqrt(joint).sum(axis=1)).mean() + penalty, abs=1e-10)


def test_softer_starts_share_documents() -> None:
    X, y = small_corpus(3)
    data = MixtureData.of(X, y)
    largest = [
        BernoulliMixture(4, start_sharpness=t)._initial_responsibilities(data).max(axis=1).mean()
        for t in (1.0, 0.5, 0.1)
    ]
    assert largest == sorted(largest, reverse=True)
    assert_allclose(BernoulliMixture(4, start_sharpness=0.1)._initial_responsibilities(data).sum(axis=1), 1.0)


def test_training_ends_when_little_is_gained() -> None:
    X, y = small_corpus(3)
    model = BernoulliMixture(3, 0.01, max_iter=200, tol=1e-3).fit(X, y)
    objectives = np.array([row["objective"] for row in model.history_])
    assert model.n_iter_ == len(objectives) < 200
    assert objectives[-2] - objectives[-1] < 1e-3
    assert (objectives[:-2] - objectives[1:-1] >= 1e-3).all()


def test_what_is_left_out_hardly_matters() -> None:
    """Documents of negligible responsibility, and labels that hardly vary in a component."""
    X, y = small_corpus(4, n=200)
    whole = BernoulliMixture(3, 0.01, max_iter=10, tol=-1.0, **EXACT).fit(X, y)
    spared = BernoulliMixture(3, 0.01, max_iter=10, tol=-1.0, negligible=1e-4, least_count=0.1, smoothing=1e-3).fit(
        X, y
    )
    assert np.abs(spared.posterior(X).marginals() - whole.posterior(X).marginals()).mean() < 0.005


def test_near_constant_labels_have_no_weights() -> None:
    X, y = small_corpus(5, n=80)
    y[:, 4] = 0
    y[7, 4] = 1
    model = BernoulliMixture(3, 0.001, least_count=2.0, max_iter=3).fit(X, y)
    coef = model.coef_.toarray().reshape(3, 5, -1)
    assert (coef[:, 4] == 0.0).all()
    assert model.history_[-1]["n_learned"] <= 12
    overall = expit(model.intercept_[:, 4])
    assert ((overall > 0.0) & (overall < 0.5)).all()
    assert np.isfinite(model.posterior(X).log_prob(every_set(5))).all()


def test_more_components_than_sets_leaves_some_empty_and_works() -> None:
    X, y = small_corpus(6, n=30)
    y = np.repeat([[1, 0, 0, 0, 0], [0, 1, 1, 0, 0]], 15, axis=0)
    model = BernoulliMixture(8, 0.01, max_iter=6, tol=-1.0).fit(X, y)
    assert model.history_[-1]["n_empty"] >= 0
    assert_allclose(np.exp(model.posterior(X).log_prob(every_set(5))).sum(axis=1), 1.0)
    assert_array_equal(model.posterior(X[[0, -1]]).mode().sets.toarray(), [[1, 0, 0, 0, 0], [0, 1, 1, 0, 0]])


def test_a_component_without_documents_has_the_shares_of_all() -> None:
    X, y = small_corpus(7)
    model = BernoulliMixture(3, 0.01, negligible=1.0, max_iter=2, tol=-1.0).fit(X, y)  # leaves every document out
    assert model.history_[-1]["n_empty"] == 3
    assert model.history_[-1]["n_learned"] == 0
    assert_allclose(expit(model.intercept_), np.tile(y.mean(axis=0), (3, 1)))


def test_a_mode_that_may_list_too_few_sets_says_so() -> None:
    X, y = small_corpus(8)
    exact = BernoulliMixture(5, 0.003, max_iter=5).fit(X, y)
    short = BernoulliMixture.from_state(exact.state()).set_params(mode_steps=1)
    modes, best = short.posterior(X).mode(), exact.posterior(X).mode()
    assert not modes.exact.all()
    assert_array_equal(modes.sets.toarray()[modes.exact], best.sets.toarray()[modes.exact])
    assert (modes.log_prob <= best.log_prob + 1e-12).all()


def test_gates_of_any_size_are_probabilities() -> None:
    X, y = small_corpus(8)
    model = BernoulliMixture(3, 0.01, max_iter=2).fit(X, y)
    model.gate_coef_ = 0.0 * model.gate_coef_
    model.coef_ = 0.0 * model.coef_
    for size in (1e3, 1e20, -1e100):
        model.gate_intercept_ = np.array([size, size, -2.0 * abs(size)])
        model.intercept_ = np.full((3, 5), 30.0)  # all labels, always
        assert_allclose(model.posterior(X[:2]).marginals(), 1.0, atol=1e-9)
        assert_allclose(model.posterior(X[:2]).size_marginals().joint[:, :, 4], 1.0, atol=1e-9)


def test_seeds_tell_starts_apart() -> None:
    X, y = small_corpus(9)
    one, same, other = (
        BernoulliMixture(3, 0.01, random_state=random_state, n_restarts=1, max_iter=2).fit(X, y)
        for random_state in (1, 1, 2)
    )
    assert_array_equal(one.coef_.toarray(), same.coef_.toarray())
    assert one.objective_ != other.objective_


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("n_components", 0),
        ("max_iter", 0),
        ("newton_steps", 0),
        ("gate_sweeps", 0),
        ("negligible", -0.1),
        ("least_count", float("nan")),
        ("smoothing", -1.0),
        ("sharpness", 0.0),
        ("start_sharpness", 1.5),
        ("n_restarts", 0),
        ("start_iter", -1),
        ("random_state", -1),
        ("strength", -1.0),
        ("gate_l1_ratio", 2.0),
    ],
)
def test_bad_parameters_are_named(parameter: str, value: Any) -> None:
    X, y = small_corpus()
    with pytest.raises(InvalidParameter, match=parameter):
        BernoulliMixture(**{parameter: value}).fit(X, y)


def clustered(support: Support, *options: Any) -> BernoulliStart:
    return cluster_sets(support, support.counts, *options)


class TestStart:
    """The mixture over label sets alone."""

    @staticmethod
    def support() -> Support:
        rng = np.random.default_rng(0)
        group = rng.integers(0, 3, size=300)
        shares = np.array([[0.9, 0.8, 0.1, 0.1, 0.0], [0.1, 0.0, 0.9, 0.7, 0.1], [0.0, 0.1, 0.1, 0.0, 0.9]])
        return Support.of(LabelMatrix.of((rng.random((300, 5)) < shares[group]).astype(np.int64)))

    @pytest.mark.parametrize("smoothing", [0.0, 1.0])
    def test_likelihood_never_falls(self, smoothing: float) -> None:
        for random_state in range(5):
            history = clustered(self.support(), 4, 1, 60, -1.0, smoothing, random_state).history
            assert len(history) == 61
            assert np.diff(history).min() >= -1e-12

    def test_more_restarts_are_never_worse(self) -> None:
        best = [clustered(self.support(), 3, restarts, 60, 1e-9, 1.0, 0).history[-1] for restarts in (1, 2, 8)]
        assert best == sorted(best)

    def test_groups_are_found(self) -> None:
        support = self.support()
        found = clustered(support, 3, 5, 100, 1e-9, 1.0, 0).responsibilities
        assert_allclose(found.sum(axis=1), 1.0)
        at = {
            tuple(row): component
            for row, component in zip(support.sets.indicator.toarray(), found.argmax(axis=1), strict=False)
        }
        assert len({at[(1, 1, 0, 0, 0)], at[(0, 0, 1, 1, 0)], at[(0, 0, 0, 0, 1)]}) == 3

    def test_equals_em_over_documents(self) -> None:
        """One step by hand from the responsibilities, each document by itself."""
        support = self.support()
        before = clustered(support, 2, 1, 0, 0.0, 1.0, 3).responsibilities
        after = clustered(support, 2, 1, 1, -1.0, 1.0, 3).responsibilities
        y, r = support.sets.indicator.toarray()[support.set_of], before[support.set_of]
        shares = (r.T @ y + y.mean(axis=0)) / (r.sum(axis=0)[:, None] + 1.0)
        joint = r.mean(axis=0) * np.prod(np.where(y[:, None, :], shares, 1.0 - shares), axis=2)
        assert_allclose(after[support.set_of], joint / joint.sum(axis=1, keepdims=True), atol=1e-12)

    def test_smoothed_logits(self) -> None:
        logits = smoothed_logits(np.array([0.0, 3.0, 4.0, 0.0]), 4.0, np.array([0.0, 0.5, 1.0, 0.25]), 2.0)
        assert_allclose(expit(logits), [0.0, 4.0 / 6.0, 1.0, 0.5 / 6.0], atol=1e-15)
        assert_allclose(smoothed_logits(np.array([0.0, 2.0]), 2.0, np.array([0.5, 0.5]), 0.0), [-36.0, 36.0])


def test_unsorted_and_repeated_entries_of_x_are_the_same_documents() -> None:
    X, y = small_corpus()
    messy = sp.csr_array(
        (
            np.concatenate([X.data / 2, X.data / 2]),
            (np.concatenate([X.tocoo().coords[0]] * 2), np.concatenate([X.tocoo().coords[1]] * 2)),
        ),
        shape=X.shape,
    )
    one = BernoulliMixture(2, 0.01, max_iter=3).fit(X, y)
    other = BernoulliMixture(2, 0.01, max_iter=3).fit(messy, y)
    assert_allclose(one.posterior(X).marginals(), other.posterior(X).marginals(), atol=1e-9)


def test_bibtex_trains_with_a_falling_objective(corpus: Any) -> None:
    X, y = corpus("bibtex").read("train")
    model = BernoulliMixture(5, strength=1e-3, max_iter=3).fit(X, y)
    assert np.diff([row["objective"] for row in model.history_]).max() < 0.0
    modes = model.posterior(X[:200]).mode()
    assert modes.exact.all()
