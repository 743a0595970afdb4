"""BR against sums over every set, and as an estimator."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.special import expit
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from setwise.exceptions import InvalidData, InvalidParameter, NotConverged
from setwise.learners import fit_labels
from setwise.models import BinaryRelevance
from setwise.posterior import ABILITIES
from tests.models.corpora import INVALID_LEARNER_PARAMETERS, NAMES, name_lists, same_state, small_corpus
from tests.oracles.mixture import every_set, set_log_prob, size_marginals

X, y = small_corpus()
SETS = every_set(5)


def scores_of(model: BinaryRelevance, features: Any) -> Any:
    """Return the logits of a few documents, documents by labels."""
    return model.posterior(features).logits[:, 0]  # type: ignore[attr-defined]


@pytest.fixture(scope="module")
def model() -> BinaryRelevance:
    return BinaryRelevance(strength=1e-3).fit(X, y)


@pytest.fixture(scope="module")
def every_log_prob(model: BinaryRelevance) -> Any:
    return set_log_prob(scores_of(model, X)[:, None], np.zeros((60, 1)), SETS)


def test_it_has_every_ability(model: BinaryRelevance) -> None:
    assert model.abilities == model.posterior(X).abilities == ABILITIES.keys()


def test_the_fit_is_that_of_the_learner(model: BinaryRelevance) -> None:
    fits = fit_labels(X, y, strength=1e-3, l1_ratio=0.5)
    assert np.array_equal(model.coef_.toarray(), fits.coef.toarray())
    assert np.array_equal(model.intercept_, fits.intercept)
    assert model.fits_.converged.all()
    assert model.n_features_in_ == 12
    assert np.array_equal(scores_of(model, X), fits.scores(X))


def test_log_prob_is_the_product_over_labels(model: BinaryRelevance, every_log_prob: Any) -> None:
    np.testing.assert_allclose(model.posterior(X).log_prob(SETS), every_log_prob, rtol=1e-12)
    np.testing.assert_allclose(np.exp(model.posterior(X).log_prob(SETS)).sum(axis=1), 1.0, rtol=1e-12)


def test_marginals_are_sums_over_sets_and_over_sizes(model: BinaryRelevance, every_log_prob: Any) -> None:
    marginals = model.posterior(X).marginals()
    np.testing.assert_allclose(marginals, np.exp(every_log_prob) @ SETS, rtol=1e-12)
    np.testing.assert_allclose(model.posterior(X).size_marginals().marginals, marginals, rtol=0, atol=1e-14)


def test_size_marginals_are_sums_over_sets(model: BinaryRelevance) -> None:
    found = model.posterior(X).size_marginals()
    joint, empty = size_marginals(scores_of(model, X)[:, None], np.zeros((60, 1)))
    np.testing.assert_allclose(found.joint, joint, rtol=0, atol=1e-14)
    np.testing.assert_allclose(found.empty, empty, rtol=1e-12)
    assert np.array_equal(model.posterior(X).size_marginals(max_size=2).joint, found.joint[:, :, :2])


def test_the_mode_has_the_labels_with_a_positive_logit(model: BinaryRelevance, every_log_prob: Any) -> None:
    modes = model.posterior(X).mode()
    assert np.array_equal(modes.sets.toarray(), scores_of(model, X) > 0)
    assert np.array_equal(modes.sets.toarray(), SETS[every_log_prob.argmax(axis=1)])
    np.testing.assert_allclose(modes.log_prob, every_log_prob.max(axis=1), rtol=1e-12)
    assert modes.exact.all()


def test_samples_have_the_marginals_and_pair_by_chance(model: BinaryRelevance) -> None:
    drawn = model.posterior(X[:4]).sample(4000, random_state=1)
    assert drawn.shape == (16000, 5)
    assert drawn.has_canonical_format
    by_document = drawn.toarray().reshape(4, 4000, 5)
    marginals = model.posterior(X[:4]).marginals()
    np.testing.assert_allclose(by_document.mean(axis=1), marginals, atol=4 * 0.5 / np.sqrt(4000))
    together = np.einsum("isl,ism->ilm", by_document, by_document) / 4000
    pairs = marginals[:, :, None] * marginals[:, None, :]
    off_diagonal = ~np.eye(5, dtype=bool)
    np.testing.assert_allclose(together[:, off_diagonal], pairs[:, off_diagonal], atol=4 * 0.5 / np.sqrt(4000))


def test_samples_depend_on_the_seed_and_not_on_later_documents(model: BinaryRelevance) -> None:
    drawn = model.posterior(X).sample(10, random_state=1).toarray()
    assert np.array_equal(model.posterior(X[:7]).sample(10, random_state=1).toarray(), drawn[:70])
    assert not np.array_equal(model.posterior(X).sample(10, random_state=2).toarray(), drawn)


def test_a_batch_gives_what_its_documents_give(model: BinaryRelevance) -> None:
    for i in (0, 13, 59):
        one = X[[i]]
        assert np.array_equal(scores_of(model, one)[0], scores_of(model, X)[i])
        assert np.array_equal(model.posterior(one).log_prob(SETS)[0], model.posterior(X).log_prob(SETS)[i])
        assert np.array_equal(
            model.posterior(one).size_marginals().joint[0], model.posterior(X).size_marginals().joint[i]
        )
        assert np.array_equal(
            model.posterior(one).mode().sets.toarray()[0], model.posterior(X).mode().sets.toarray()[i]
        )


def test_threads_change_no_bit(model: BinaryRelevance) -> None:
    one, two = (BinaryRelevance(strength=1e-3, n_jobs=n).fit(X, y) for n in (1, 2))
    assert same_state(one, two)
    assert same_state(one, model)
    assert np.array_equal(one.posterior(X).log_prob(SETS), two.posterior(X).log_prob(SETS))
    assert np.array_equal(one.posterior(X).size_marginals().joint, two.posterior(X).size_marginals().joint)


def test_labels_by_name_and_sets_by_name(model: BinaryRelevance) -> None:
    named = BinaryRelevance(strength=1e-3).fit(X, name_lists(y))
    assert named.classes_ == NAMES
    assert np.array_equal(named.coef_.toarray(), model.coef_.toarray())
    found = named.posterior(X).log_prob([["bee", "eel"], []])
    assert np.array_equal(found, model.posterior(X).log_prob([[0, 1, 0, 0, 1], [0, 0, 0, 0, 0]]))
    with pytest.raises(InvalidData, match=r"sets .*'fox'"):
        named.posterior(X).log_prob([["fox"]])


def test_dense_and_sparse_features_give_the_same_model(model: BinaryRelevance) -> None:
    assert same_state(BinaryRelevance(strength=1e-3).fit(X.toarray(), sp.csc_matrix(y)), model)


def test_constant_labels_have_certain_probabilities() -> None:
    constant = y.copy()
    constant[:, 1], constant[:, 3] = 1, 0
    model = BinaryRelevance(strength=1e-3).fit(X, constant)
    np.testing.assert_allclose(model.posterior(X).marginals()[:, [1, 3]], [[1.0, 0.0]] * 60, rtol=0, atol=1e-15)
    modes = model.posterior(X).mode().sets.toarray()
    assert modes[:, 1].all()
    assert not modes[:, 3].any()
    found = model.posterior(X).size_marginals()
    assert found.empty.max() < 1e-15
    np.testing.assert_allclose(found.joint[:, 1].sum(axis=1), 1.0, rtol=1e-13)
    assert model.posterior(X[:2]).sample(50, random_state=0).toarray()[:, 1].all()


def test_the_callback_sees_the_model_of_each_iteration_and_can_end_the_fit() -> None:
    seen = []

    def watch(iteration: int, model: BinaryRelevance) -> bool:
        seen.append((iteration, scores_of(model, X), model.fits_.n_iter.max()))
        return iteration == 3

    stopped = BinaryRelevance(strength=1e-4).fit(X, y, callback=watch)
    assert [iteration for iteration, *_ in seen] == [1, 2, 3]
    assert [n_iter for *_, n_iter in seen] == [1, 2, 3]
    assert np.array_equal(seen[-1][1], scores_of(stopped, X))
    assert not np.array_equal(seen[0][1], seen[1][1])
    with pytest.warns(NotConverged):
        assert same_state(BinaryRelevance(strength=1e-4, max_iter=3).fit(X, y), stopped)
    whole = BinaryRelevance(strength=1e-4).fit(X, y, callback=lambda *_: None)
    assert same_state(whole, BinaryRelevance(strength=1e-4).fit(X, y))


def test_the_state_is_plain_data_and_makes_the_same_model(model: BinaryRelevance) -> None:
    state = model.state()
    json.dumps([state.parameters, state.values])
    again = BinaryRelevance.from_state(state)
    assert again.get_params() == model.get_params()
    assert again.classes_ == model.classes_
    assert same_state(again, model)
    assert np.array_equal(again.posterior(X).log_prob(SETS), model.posterior(X).log_prob(SETS))


def test_inputs_and_parameters_stay_as_they_were() -> None:
    features, labels, sets = X.copy(), y.copy(), SETS.copy()
    model = BinaryRelevance(strength=1e-3)
    before = model.get_params()
    model.fit(features, labels).posterior(features).log_prob(sets)
    assert np.array_equal(features.toarray(), X.toarray())
    assert np.array_equal(labels, y)
    assert np.array_equal(sets, SETS)
    assert model.get_params() == before
    assert clone(model).get_params() == before


@pytest.mark.parametrize(
    ("change", "message"),
    [
        *INVALID_LEARNER_PARAMETERS,
    ],
    ids=str,
)
def test_bad_parameters_are_refused_in_one_sentence(change: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidParameter) as refusal:
        BinaryRelevance(**change).fit(X, y)
    assert str(refusal.value) == message


def test_bad_questions_are_refused(model: BinaryRelevance) -> None:
    bad: list[Any] = [0, 6, 1.5]
    for max_size in bad:
        with pytest.raises(InvalidParameter, match=f"max_size must be .*; got {max_size}"):
            model.posterior(X).size_marginals(max_size=max_size)
    with pytest.raises(InvalidParameter, match="n must be an integer of at least 1; got 0"):
        model.posterior(X).sample(0, random_state=1)
    with pytest.raises(InvalidParameter, match="random_state must be None, an integer"):
        model.posterior(X).sample(1, random_state=-1)
    with pytest.raises(InvalidData, match="X must have the 12 features of the fit; got 11"):
        model.posterior(X[:, :11]).log_prob(SETS)
    with pytest.raises(InvalidData, match="sets must have one column per name; got 2 columns and 5 names"):
        model.posterior(X).log_prob([[0, 1]])
    with pytest.raises(NotFittedError):
        BinaryRelevance().posterior(X).mode()


def test_scores_are_logits(model: BinaryRelevance) -> None:
    np.testing.assert_allclose(expit(scores_of(model, X)), model.posterior(X).marginals(), rtol=1e-15)


@pytest.mark.parametrize("loss", ["logistic", "squared_hinge"])
class TestRescaledLogits:
    def test_one_scale_and_shift_are_those_of_the_posterior(self, loss: Any) -> None:
        model = BinaryRelevance(strength=1e-2, loss=loss).fit(X, y)
        rescaled, expected = model.rescale_logits(1.7, -0.4).posterior(X), model.posterior(X).rescaled(1.7, -0.4)
        np.testing.assert_allclose(rescaled.log_prob(SETS), expected.log_prob(SETS), rtol=0.0, atol=1e-12)
        np.testing.assert_allclose(rescaled.marginals(), expected.marginals(), rtol=0.0, atol=1e-12)

    def test_each_label_may_have_its_own(self, loss: Any) -> None:
        model = BinaryRelevance(strength=1e-2, loss=loss).fit(X, y)
        before = scores_of(model, X)
        scale, shift = np.array([0.5, 2.0, 0.0, -1.0, 1.0]), np.arange(5.0)
        rescaled = model.rescale_logits(scale, list(shift))
        np.testing.assert_allclose(scores_of(rescaled, X), scale * before + shift, rtol=0.0, atol=1e-12)
        assert np.array_equal(scores_of(model, X), before)
        assert rescaled.get_params() == model.get_params()

    def test_it_is_saved_with_the_model(self, loss: Any) -> None:
        rescaled = BinaryRelevance(loss=loss).fit(X, y).rescale_logits(2.0, 0.5)
        again = BinaryRelevance.from_state(rescaled.state())
        assert again.loss == loss
        assert np.array_equal(scores_of(again, X), scores_of(rescaled, X))


@pytest.mark.parametrize(
    ("scale", "shift", "message"),
    [
        ([1.0, 2.0], 0.0, "scale must be one number, or 5, one per label; got shape (2,)."),
        (1.0, np.nan, "shift must be finite; got nan."),
        ("much", 0.0, "scale must be a number, or one per label; got 'much'."),
    ],
)
def test_scales_and_shifts_that_do_not_fit_are_refused(
    model: BinaryRelevance, scale: Any, shift: Any, message: str
) -> None:
    with pytest.raises(InvalidParameter, match=re.escape(message)):
        model.rescale_logits(scale, shift)


def test_logits_are_rescaled_after_the_fit() -> None:
    with pytest.raises(NotFittedError):
        BinaryRelevance().rescale_logits(1.0, 0.0)


def test_the_squared_hinge_is_that_of_the_learner() -> None:
    model = BinaryRelevance(strength=1e-2, loss="squared_hinge").fit(X, y)
    fits = fit_labels(X, y, strength=1e-2, l1_ratio=0.5, loss="squared_hinge")
    assert np.array_equal(model.coef_.toarray(), fits.coef.toarray())
    (path,) = BinaryRelevance(loss="squared_hinge").fit_path(X, y, [1e-2])
    assert np.array_equal(path.coef_.toarray(), fits.coef.toarray())


def test_an_unknown_loss_is_refused() -> None:
    with pytest.raises(InvalidParameter, match="loss must be one of 'logistic', 'squared_hinge'; got 'hinge'"):
        BinaryRelevance(loss="hinge").fit(X, y)  # type: ignore[arg-type]
