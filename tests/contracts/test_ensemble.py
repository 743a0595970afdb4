"""The ensemble: a pool answers what its members' distributions, mixed set by set, say."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from setwise import SetClassifier, load
from setwise.exceptions import Incompatible, InvalidData, InvalidParameter
from setwise.labels import LabelMatrix, SetCalibration, Support
from setwise.models import (
    BernoulliMixture,
    BinaryRelevance,
    ClassifierChain,
    Ensemble,
    LabelSizeFactors,
    Member,
    PairwiseCRF,
)
from tests.contracts.conftest import Documents
from tests.contracts.test_models import (  # the suite of all models, on the ``estimator`` of this module
    TestAnswers,
    TestBadInput,
    TestState,
)
from tests.oracles.sets import every_set

pytestmark = pytest.mark.filterwarnings("ignore::setwise.exceptions.NotConverged")

__all__ = ["TestAnswers", "TestBadInput", "TestState"]

BR, PCC, CRF = BinaryRelevance(0.01), ClassifierChain(0.01, beam_width=32), PairwiseCRF(0.01)
CBM = BernoulliMixture(n_components=3, strength=0.01, negligible=0.0, least_count=0.0, smoothing=0.0)
CALIBRATION = SetCalibration(0.7, 0.2, -0.1)

ENSEMBLES = {
    "support": Ensemble([Member(BR, 1.0, CALIBRATION), Member(CRF, 2.0), Member(PCC, 0.5, SetCalibration(1.3))]),
    "geometric": Ensemble([Member(BR, 1.0, CALIBRATION), Member(CRF, 3.0)], pool="geometric"),
    "all": Ensemble([Member(BR, 1.0, SetCalibration(0.8, 0.0, 0.3)), Member(CBM, 3.0)], over="all"),
    "all, chain": Ensemble([Member(BR), Member(PCC)], over="all"),
}


@pytest.fixture(params=list(ENSEMBLES.values()), ids=list(ENSEMBLES))
def estimator(request: pytest.FixtureRequest) -> Any:
    return clone(request.param)


def mixed_by_hand(pool: Ensemble, X: Any) -> Any:
    """Return the probability of each training set by the formula, one member after the other."""
    support = Support(LabelMatrix(pool.classes_, pool.sets_), pool.counts_, np.zeros(0, dtype=np.int64))
    total = np.zeros((X.shape[0], support.n_sets))
    for one, weight, (scale, prior, size) in zip(pool.models_, pool.weights_, pool.calibrations_, strict=True):
        score = scale * one.posterior(X).log_prob(support.sets) + prior * np.log(support.counts) + size * support.sizes
        probability = np.exp(score) / np.exp(score).sum(axis=1, keepdims=True)
        total += weight * (np.log(probability) if pool.pool == "geometric" else probability)
    if pool.pool == "geometric":
        total = np.exp(total) / np.exp(total).sum(axis=1, keepdims=True)
    return total


@pytest.mark.parametrize("name", ["support", "geometric"])
def test_a_pool_over_the_support_is_the_formula(name: str, documents: Documents) -> None:
    pool = clone(ENSEMBLES[name]).fit(documents.X, documents.y)
    expected = mixed_by_hand(pool, documents.new)
    assert_allclose(np.exp(pool.posterior(documents.new).log_prob(pool.sets_)), expected, atol=1e-12)


def test_a_mixture_over_all_sets_is_the_formula(documents: Documents) -> None:
    pool = clone(ENSEMBLES["all"]).fit(documents.X, documents.y)
    sets = every_set(documents.y.shape[1])
    first, second = (one.posterior(documents.new) for one in pool.models_)
    expected = 0.25 * np.exp(first.rescaled(0.8, 0.3).log_prob(sets)) + 0.75 * np.exp(second.log_prob(sets))
    assert_allclose(np.exp(pool.posterior(documents.new).log_prob(sets)), expected, atol=1e-12)


def test_an_ensemble_of_one_is_its_member(documents: Documents) -> None:
    alone, pool = clone(BR).fit(documents.X, documents.y), Ensemble([Member(BR)], over="all")
    pool.fit(documents.X, documents.y)
    sets = every_set(documents.y.shape[1])
    assert_allclose(
        pool.posterior(documents.new).log_prob(sets), alone.posterior(documents.new).log_prob(sets), atol=1e-12
    )
    over_support = Ensemble([Member(BR)]).fit(documents.X, documents.y)
    kwargs: dict[str, Any] = {"inference": "support", "decision": "gfm", "calibration": None}
    one = SetClassifier(BR, **kwargs).fit(documents.X, documents.y)
    two = SetClassifier(over_support, **kwargs).fit(documents.X, documents.y)
    assert_array_equal(one.predict(documents.new), two.predict(documents.new))
    assert_allclose(one.expected_f1(documents.new), two.expected_f1(documents.new), atol=1e-12)


def test_a_member_twice_is_the_member_once(documents: Documents) -> None:
    once = Ensemble([Member(BR, 1.0), Member(CRF, 2.0)]).fit(documents.X, documents.y)
    twice = Ensemble([Member(BR, 3.0), Member(CRF, 3.0), Member(CRF, 3.0)]).fit(documents.X, documents.y)
    sets = once.sets_
    assert_allclose(
        once.posterior(documents.new).log_prob(sets), twice.posterior(documents.new).log_prob(sets), atol=1e-9
    )


def test_members_are_trained_for_their_iterations(documents: Documents) -> None:
    pool = Ensemble([Member(CRF, n_iterations=3), Member(BR)]).fit(documents.X, documents.y)
    assert pool.models_[0].n_iter_ == 3
    assert pool.iterations_.tolist() == [3, -1]


def test_training_leaves_the_members_unfitted_and_may_end_early(documents: Documents) -> None:
    pool = clone(ENSEMBLES["support"])
    seen: list[int] = []

    def stop_at_two(number: int, fitted: Ensemble) -> bool:
        seen.append(len(fitted.models_))
        return number == 2

    pool.fit(documents.X, documents.y, callback=stop_at_two)
    assert seen == [1, 2]
    assert len(pool.models_) == 2
    assert not any(hasattr(member.model, "classes_") for member in pool.members)


def test_same_bits_whatever_the_threads(estimator: Ensemble, documents: Documents) -> None:
    sets = every_set(documents.y.shape[1])
    found = []
    for n_jobs in (1, 2):
        pool = clone(estimator).set_params(n_jobs=n_jobs).fit(documents.X, documents.y)
        found.append(pool.posterior(documents.new).log_prob(sets))
    assert_array_equal(*found)


def test_a_classifier_of_an_ensemble_is_saved_and_loaded(
    estimator: Ensemble,
    documents: Documents,
    tmp_path: Path,
) -> None:
    classifier = SetClassifier(estimator, "support", "gfm", calibration=None).fit(documents.X, documents.y)
    classifier.save(tmp_path / "pool.setwise")
    loaded = load(tmp_path / "pool.setwise")
    assert_array_equal(loaded.predict(documents.new), classifier.predict(documents.new))
    assert_array_equal(loaded.expected_f1(documents.new), classifier.expected_f1(documents.new))
    assert [type(one) for one in loaded.model_.models_] == [type(one) for one in classifier.model_.models_]


def test_weights_of_features_are_averaged(documents: Documents) -> None:
    pool = Ensemble([Member(BR, 1.0), Member(CRF, 3.0)]).fit(documents.X, documents.y)
    expected = 0.25 * pool.models_[0].label_weights().toarray() + 0.75 * pool.models_[1].label_weights().toarray()
    assert_allclose(pool.label_weights().toarray(), expected)
    assert pool.size().n_bytes >= sum(one.size().n_bytes for one in pool.models_)
    assert pool.size().n_nonzero == sum(one.size().n_nonzero for one in pool.models_)


@pytest.mark.parametrize(
    ("ensemble", "message"),
    [
        (Ensemble(), "members must be a list of members"),
        (Ensemble([BR]), "members must be a list"),
        (Ensemble([Member(BR, -1.0)]), "must not be negative"),
        (Ensemble([Member(BR, 0.0)]), "nor all 0"),
        (Ensemble([Member(BR, float("nan"))]), "must not be negative"),
        (Ensemble([Member(BR)], over="all", pool="geometric"), "pool='geometric' needs over='support'"),
        (Ensemble([Member(LabelSizeFactors())]), "LabelSizeFactors has no `log_prob`"),
    ],
)
def test_odd_parameters_are_refused(ensemble: Ensemble, message: str, documents: Documents) -> None:
    with pytest.raises(InvalidParameter, match=message):
        ensemble.fit(documents.X, documents.y)


def test_what_a_member_lacks_is_refused_with_a_hint(documents: Documents) -> None:
    pool = Ensemble([Member(LabelSizeFactors()), Member(BR)], over="all").fit(documents.X, documents.y)
    assert pool.abilities == {"marginals", "size_marginals"}
    with pytest.raises(Incompatible, match="Ensemble has no `log_prob`"):
        pool.posterior(documents.new).log_prob([[0] * 5])


def test_members_of_other_documents_are_refused(documents: Documents) -> None:
    pool = clone(ENSEMBLES["all"]).fit(documents.X, documents.y)
    other = clone(BR).fit(documents.X[:, :3], documents.y)
    state = pool.state()
    with pytest.raises(InvalidData, match="must have its labels and features"):
        Ensemble.from_state(replace(state, members=(other, *state.members[1:])))
