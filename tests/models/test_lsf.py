"""LSF against one plain fit per pair, and as an estimator."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.special import expit, softmax
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from setwise.exceptions import Incompatible, InvalidData, InvalidParameter, NotConverged
from setwise.learners import FeatureColumns, fit_classes, fit_labels
from setwise.models import LabelSizeFactors
from tests.models.corpora import INVALID_LEARNER_PARAMETERS, NAMES, name_lists, same_state, small_corpus

X, y = small_corpus()
SIZES = y.sum(axis=1)
FORMS = ("binary", "multinomial")
STRENGTH = 2e-3


def fitted(form: Any, labels: Any = y, **parameters: Any) -> LabelSizeFactors:
    return LabelSizeFactors(form=form, strength=STRENGTH, **parameters).fit(X, labels)


@pytest.fixture(scope="module", params=FORMS)
def model(request: pytest.FixtureRequest) -> LabelSizeFactors:
    return fitted(request.param)


def test_it_gives_size_marginals_and_marginals_and_nothing_of_a_joint(model: LabelSizeFactors) -> None:
    assert model.abilities == model.posterior(X).abilities == {"size_marginals", "marginals"}
    posterior = model.posterior(X)
    questions: dict[str, Callable[[], Any]] = {
        "log_prob": lambda: posterior.log_prob(y),
        "mode": posterior.mode,
        "sample": lambda: posterior.sample(1, 0),
        "rescaled": lambda: posterior.rescaled(1.0, 0.0),
    }
    for ability, ask in questions.items():
        with pytest.raises(Incompatible, match=f"^LabelSizeFactors has no `{ability}`. Hint: "):
            ask()


def test_the_binary_form_is_one_regression_per_pair() -> None:
    found = fitted("binary").posterior(X).size_marginals()
    assert found.joint.shape == (60, 5, 5)
    for label in range(5):
        for size in range(1, 6):
            target = (y[:, label] == 1) & (size == SIZES)
            if target.any():
                one = fit_labels(X, target[:, None], strength=STRENGTH, l1_ratio=0.5)
                np.testing.assert_allclose(found.joint[:, label, size - 1], expit(one.scores(X)[:, 0]), rtol=1e-12)
            else:
                assert not found.joint[:, label, size - 1].any()


def test_the_multinomial_form_is_a_label_times_its_sizes() -> None:
    found = fitted("multinomial").posterior(X).size_marginals()
    marginals = expit(fit_labels(X, y, strength=STRENGTH, l1_ratio=0.5).scores(X))
    for label in range(5):
        has = y[:, label] == 1
        sizes = np.unique(SIZES[has])
        targets = (SIZES[has][:, None] == sizes).astype(np.float64)
        one = fit_classes(X[has], targets, strength=STRENGTH * 60 / has.sum(), l1_ratio=0.5)
        expected = np.zeros((60, 5))
        expected[:, sizes - 1] = marginals[:, [label]] * softmax(one.scores(X), axis=1)
        np.testing.assert_allclose(found.joint[:, label], expected, rtol=1e-12)


def test_the_empty_set_is_one_regression_in_both_forms(model: LabelSizeFactors) -> None:
    one = fit_labels(X, (SIZES == 0)[:, None], strength=STRENGTH, l1_ratio=0.5)
    np.testing.assert_allclose(model.posterior(X).size_marginals().empty, expit(one.scores(X)[:, 0]), rtol=1e-12)
    assert model.has_empty_


@pytest.mark.parametrize("form", FORMS)
def test_without_empty_sets_none_is_expected(form: Any) -> None:
    features, labels = small_corpus(empty=False)
    model = LabelSizeFactors(form=form).fit(features, labels)
    assert not model.posterior(features).size_marginals().empty.any()
    assert not model.has_empty_


def test_marginals_are_the_sums_over_sizes() -> None:
    binary, multinomial = fitted("binary"), fitted("multinomial")
    np.testing.assert_allclose(
        binary.posterior(X).marginals(), np.minimum(binary.posterior(X).size_marginals().marginals, 1.0), rtol=1e-15
    )
    np.testing.assert_allclose(
        multinomial.posterior(X).marginals(), multinomial.posterior(X).size_marginals().marginals, rtol=1e-13
    )
    alone = fit_labels(X, y, strength=STRENGTH, l1_ratio=0.5)
    np.testing.assert_allclose(multinomial.posterior(X).marginals(), expit(alone.scores(X)), rtol=1e-13)


def test_sums_beyond_one_are_held_at_one_in_marginals_alone() -> None:
    """Far outside the training documents several sizes of a label can each be nearly certain."""
    model = fitted("binary")
    far = sp.csr_array(40.0 * np.random.default_rng(1).normal(size=(200, 12)))
    assert model.posterior(far).size_marginals().marginals.max() > 1.0
    assert model.posterior(far).marginals().max() == 1.0


def test_a_label_of_one_size_and_a_label_of_none() -> None:
    labels = y.copy()
    labels[:, 3] = 0
    labels[:, 4] = 0
    labels[5], labels[9] = [0, 0, 0, 0, 1], [0, 0, 0, 0, 1]
    for form in FORMS:
        model = fitted(form, labels)
        found = model.posterior(X).size_marginals()
        assert not found.joint[:, 3].any()
        assert not found.joint[:, 4, 1:].any()
        assert (found.joint[:, 4, 0] > 0).all()
        np.testing.assert_allclose(found.joint[:, 4, 0], model.posterior(X).marginals()[:, 4], rtol=1e-15)
        assert model.posterior(X).marginals()[:, 3].max() < 1e-15


@pytest.mark.parametrize("form", FORMS)
def test_labels_that_are_constant(form: Any) -> None:
    alike = fitted(form, np.tile([1, 0, 1, 0, 0], (60, 1)))
    found = alike.posterior(X).size_marginals()
    expected = np.zeros((5, 2))
    expected[[0, 2], 1] = 1.0
    np.testing.assert_allclose(found.joint, np.tile(expected, (60, 1, 1)), rtol=0, atol=1e-15)
    assert not found.empty.any()
    nothing = fitted(form, np.zeros((60, 5), dtype=int))
    assert nothing.posterior(X).size_marginals().joint.shape == (60, 5, 0)
    np.testing.assert_allclose(nothing.posterior(X).size_marginals().empty, 1.0, rtol=1e-15)
    assert nothing.posterior(X).marginals().max() < 1e-15


def test_a_batch_gives_what_its_documents_give(model: LabelSizeFactors) -> None:
    whole = model.posterior(X).size_marginals()
    for i in (0, 13, 59):
        one = model.posterior(X[[i]]).size_marginals()
        assert np.array_equal(one.joint[0], whole.joint[i])
        assert one.empty[0] == whole.empty[i]
        assert np.array_equal(model.posterior(X[[i]]).marginals()[0], model.posterior(X).marginals()[i])


def test_threads_change_no_bit(model: LabelSizeFactors) -> None:
    one, two, watched = (
        fitted(model.form, n_jobs=1),
        fitted(model.form, n_jobs=2),
        LabelSizeFactors(form=model.form, strength=STRENGTH, n_jobs=2).fit(X, y, callback=lambda *_: None),
    )
    assert same_state(one, two)
    assert same_state(one, model)
    assert same_state(one, watched)


def test_labels_by_name_dense_and_sparse(model: LabelSizeFactors) -> None:
    named = LabelSizeFactors(form=model.form, strength=STRENGTH).fit(X.toarray(), name_lists(y))
    assert named.classes_ == NAMES
    assert np.array_equal(named.posterior(X).size_marginals().joint, model.posterior(X).size_marginals().joint)
    assert same_state(LabelSizeFactors(form=model.form, strength=STRENGTH).fit(X.tocsc(), sp.csr_matrix(y)), model)


def test_every_part_carries_its_certificate(model: LabelSizeFactors) -> None:
    assert model.fits_.converged.all()
    assert len(model.size_fits_) == (0 if model.form == "binary" else 5)
    assert all(fit.converged for fit in model.size_fits_)


@pytest.mark.parametrize("form", FORMS)
def test_the_callback_sees_the_model_of_each_iteration_and_can_end_the_fit(form: Any) -> None:
    seen = []

    def watch(iteration: int, model: LabelSizeFactors) -> bool:
        seen.append((iteration, model.posterior(X).size_marginals().joint))
        assert model.fits_.n_iter.max() <= iteration
        assert all(fit.n_iter <= iteration for fit in model.size_fits_)
        return iteration == 3

    stopped = LabelSizeFactors(form=form, strength=1e-4).fit(X, y, callback=watch)
    assert [iteration for iteration, _ in seen] == [1, 2, 3]
    assert np.array_equal(seen[-1][1], stopped.posterior(X).size_marginals().joint)
    assert not np.array_equal(seen[0][1], seen[1][1])
    with pytest.warns(NotConverged):
        assert same_state(LabelSizeFactors(form=form, strength=1e-4, max_iter=3).fit(X, y), stopped)


def test_size_classifiers_go_on_when_the_labels_have_converged() -> None:
    chosen: dict[str, Any] = {"form": "multinomial", "strength": 0.003, "tol": 1e-9}
    seen: list[tuple[int, int, int]] = []

    def watch(iteration: int, model: LabelSizeFactors) -> None:
        seen.append((iteration, int(model.fits_.n_iter.max()), max(fit.n_iter for fit in model.size_fits_)))

    watched = LabelSizeFactors(**chosen).fit(X, y, callback=watch)
    assert seen == [(i, min(i, 7), i) for i in range(1, 11)]
    assert same_state(watched, LabelSizeFactors(**chosen).fit(X, y))
    with pytest.warns(NotConverged, match="size classifiers"):
        limited = LabelSizeFactors(**chosen, max_iter=9).fit(X, y, callback=watch)
    assert seen[10:] == seen[:9]
    assert not same_state(limited, watched)


@pytest.mark.parametrize("form", FORMS)
def test_the_state_is_plain_data_and_makes_the_same_model(form: Any) -> None:
    for labels in (y, np.zeros((60, 5), dtype=int)):
        model = fitted(form, labels)
        state = model.state()
        json.dumps([state.parameters, state.values])
        again = LabelSizeFactors.from_state(state)
        assert again.get_params() == model.get_params()
        assert same_state(again, model)
        assert np.array_equal(again.posterior(X).size_marginals().joint, model.posterior(X).size_marginals().joint)
        assert np.array_equal(again.posterior(X).marginals(), model.posterior(X).marginals())


@pytest.mark.parametrize("form", FORMS)
def test_inputs_and_parameters_stay_as_they_were(form: Any) -> None:
    features, labels = X.copy(), y.copy()
    model = LabelSizeFactors(form=form)
    before = model.get_params()
    model.fit(features, labels).posterior(features).size_marginals()
    assert np.array_equal(features.toarray(), X.toarray())
    assert np.array_equal(labels, y)
    assert model.get_params() == before
    assert clone(model).get_params() == before


def test_size_classifiers_that_did_not_converge_warn_once() -> None:
    with pytest.warns(NotConverged) as caught:
        LabelSizeFactors(form="multinomial", strength=1e-5, max_iter=1, n_jobs=2).fit(X, y)
    assert [str(one.message).split(" did")[0] for one in caught] == ["6 of 6 labels", "5 of 5 size classifiers"]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("change", "message"),
    [
        *INVALID_LEARNER_PARAMETERS,
        ({"form": "pairs"}, "form must be one of 'binary', 'multinomial'; got 'pairs'."),
        ({"form": None}, "form must be one of 'binary', 'multinomial'; got None."),
    ],
    ids=str,
)
def test_bad_parameters_are_refused_in_one_sentence(form: str, change: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidParameter) as refusal:
        LabelSizeFactors(**({"form": form} | change)).fit(X, y, callback=lambda *_: None)
    assert str(refusal.value) == message


@pytest.mark.parametrize("form", FORMS)
def test_bad_data_are_refused(form: Any) -> None:
    with pytest.raises(InvalidData, match="X has 60 rows but y has 59"):
        LabelSizeFactors(form=form).fit(X, y[:59])
    with pytest.raises(InvalidData, match="X must have the 12 features of the fit; got 11"):
        fitted(form).posterior(X[:, :11]).size_marginals()
    with pytest.raises(NotFittedError):
        LabelSizeFactors(form=form).posterior(X).marginals()


def test_columns_laid_out_before_give_the_same_model(model: LabelSizeFactors) -> None:
    assert same_state(LabelSizeFactors(form=model.form, strength=STRENGTH).fit(FeatureColumns.of(X), y), model)
