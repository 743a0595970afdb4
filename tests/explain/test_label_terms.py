"""Where the scores of labels come from: the terms add up to what the models themselves say."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from setwise.models import MODELS, BernoulliMixture, BinaryRelevance, ClassifierChain, Ensemble, Member, PairwiseCRF
from tests.models.corpora import small_corpus

X, y = small_corpus(n=80)
SETS = sp.csr_array(y)
EVERY_SET = np.array(list(product([0, 1], repeat=y.shape[1])))


def log_odds(model: Any, i: int, label: int) -> float:
    """Return log p(y) - log p(y'), where y has the label and y' has not, and else both are document i's own set."""
    with_it, without = y[i].copy(), y[i].copy()
    with_it[label], without[label] = 1, 0
    log_prob = model.posterior(X[[i]]).log_prob(np.array([with_it, without]))[0]
    return float(log_prob[0] - log_prob[1])


def test_br() -> None:
    model = BinaryRelevance(0.01).fit(X, y)
    for i, terms in enumerate(model.label_terms(X, SETS)):
        assert_allclose(terms.features.toarray(), model.coef_.toarray() * X[[i]].toarray(), atol=1e-12)
        assert_allclose([log_odds(model, i, label) for label in range(5)], terms.score, atol=1e-9)
        assert not terms.other_labels.any()


def test_crf_is_the_odds_of_a_label_given_the_others() -> None:
    every = np.vstack([y, EVERY_SET])  # so that every set is in the support
    wide = sp.csr_array(sp.vstack([X, sp.csr_array(np.zeros((len(EVERY_SET), X.shape[1])))]))
    model = PairwiseCRF(0.001).fit(wide, every)
    seen = 0.0
    for i, terms in enumerate(model.label_terms(X[:20], SETS[:20])):
        assert_allclose([log_odds(model, i, label) for label in range(5)], terms.score, atol=1e-9)
        seen += np.abs(terms.other_labels).sum()
    assert seen > 0.1


def test_pcc_adds_what_earlier_labels_of_the_chain_say() -> None:
    model = ClassifierChain(0.01).fit(X, y)
    last = int(model.order_[0, -1])  # given all others, so that its odds are those of the whole set
    seen = 0.0
    for i, terms in enumerate(model.label_terms(X, SETS)):
        assert log_odds(model, i, last) == pytest.approx(terms.score[last], abs=1e-9)
        seen += np.abs(terms.other_labels).sum()
    assert seen > 0.1


def test_cbm_averages_the_experts_that_are_responsible() -> None:
    model = BernoulliMixture(3, strength=0.01, random_state=0).fit(X, y)
    posterior = model._posterior(X)
    for i, terms in enumerate(model.label_terms(X[:20], SETS[:20])):
        chances = 1.0 / (1.0 + np.exp(-posterior.logits[i]))
        joint = np.exp(posterior.log_gate[i]) * np.where(y[i], chances, 1.0 - chances).prod(axis=1)
        assert_allclose(terms.components, joint / joint.sum(), atol=1e-9)
        assert_allclose(terms.score, (joint / joint.sum()) @ posterior.logits[i], atol=1e-6)


def test_an_ensemble_is_the_weighted_sum_of_its_members() -> None:
    members = [Member(BinaryRelevance(0.01), 3.0), Member(PairwiseCRF(0.01), 1.0)]
    pool = Ensemble(members).fit(X, y)
    parts = [list(model.label_terms(X, SETS)) for model in pool.models_]
    for terms, br, crf in zip(pool.label_terms(X, SETS), *parts, strict=True):
        assert_allclose(terms.score, 0.75 * br.score + 0.25 * crf.score, atol=1e-12)
        assert_allclose(terms.features.toarray(), (0.75 * br.features + 0.25 * crf.features).toarray(), atol=1e-12)


@pytest.mark.parametrize("name", MODELS)
def test_every_model_has_terms(name: str) -> None:
    model = MODELS[name].model(n_jobs=1).fit(X, y)
    terms = list(model.label_terms(X[:3], SETS[:3]))
    assert len(terms) == 3
    for one in terms:
        assert one.features.shape == (5, X.shape[1])
        assert np.isfinite(one.score).all()


def test_dense_documents_and_documents_without_features() -> None:
    model = BinaryRelevance(0.01).fit(X, y)
    for one, other in zip(model.label_terms(X, SETS), model.label_terms(X.toarray(), SETS), strict=True):
        assert_allclose(one.score, other.score, atol=1e-12)
    (empty,) = model.label_terms(sp.csr_array((1, X.shape[1])), SETS[:1])
    assert_allclose(empty.score, model.intercept_)
