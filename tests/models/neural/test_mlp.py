"""MLP: what a trained network predicts, and what it has in common with other models."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.special
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from setwise import SetClassifier, load
from setwise.exceptions import InvalidData, InvalidParameter
from setwise.learners import CONSTANT_LOGIT
from setwise.models import BinaryRelevance, MultilayerPerceptron
from setwise.models.neural import mlp
from tests.models.corpora import name_lists, same_state, small_corpus

X, y = small_corpus(n=90)


def perceptron(**parameters: Any) -> MultilayerPerceptron:
    return MultilayerPerceptron(**{"n_hidden": 12, "n_jobs": 1, **parameters})


def shallow(**parameters: Any) -> MultilayerPerceptron:
    """Return a network as the tuning tries it first: one hidden layer with dropout."""
    return perceptron(**{"n_layers": 1, "dropout": 0.5, "standardize": False, **parameters})


MODEL = perceptron().fit(X, y)
SHALLOW = shallow().fit(X, y)
BOTH = pytest.mark.parametrize("model", [MODEL, SHALLOW], ids=["two layers", "one layer"])


@BOTH
def test_predictions_are_the_formula(model: MultilayerPerceptron) -> None:
    values = np.maximum(X.toarray() @ model.input_coef_.toarray().T + model.input_intercept_, 0.0)
    if model.n_layers == 2:
        values = np.maximum(values @ model.hidden_weights_ + model.hidden_intercept_, 0.0)
    logits = values @ model.output_weights_ + model.output_intercept_
    assert_allclose(model.posterior(X).marginals(), scipy.special.expit(logits), atol=1e-12)


def test_one_layer_learns_what_no_linear_model_can() -> None:
    random = np.random.default_rng(0)
    points = random.choice([-1.0, 1.0], size=(200, 2)) * random.uniform(0.5, 1.5, size=(200, 2))
    target = (points[:, :1] * points[:, 1:] < 0.0).astype(int)
    model = shallow(n_hidden=50, max_iter=100, strength=0.0).fit(points, target)
    assert ((model.posterior(points).marginals() > 0.5) == target).mean() > 0.98


def test_dropout_changes_the_training_and_not_the_prediction() -> None:
    assert same_state(SHALLOW, shallow().fit(X, y))
    assert not same_state(SHALLOW, shallow(dropout=0.0).fit(X, y))
    assert_array_equal(SHALLOW.posterior(X).marginals(), SHALLOW.posterior(X).marginals())


def test_features_on_another_scale_give_the_same_network() -> None:
    other = shallow().fit(X * 1000.0, y)
    assert_allclose(other.posterior(X * 1000.0).marginals(), SHALLOW.posterior(X).marginals(), atol=1e-4)


class TestScreening:
    """Of many features, those get weights that a sparse BR uses."""

    STRENGTH = 0.4

    @pytest.fixture(autouse=True)
    def few_weights(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(mlp, "SCREENED_WEIGHTS", 1)

    def test_it_is_the_network_of_the_features_that_br_uses(self) -> None:
        br = BinaryRelevance(self.STRENGTH, 1.0, loss="squared_hinge").fit(X, y)
        used = np.unique(br.coef_.indices)
        assert 0 < used.size < X.shape[1]
        screened = shallow(screening_strength=self.STRENGTH).fit(X, y)
        alone = shallow().fit(X[:, used], y)
        assert screened.n_features_in_ == X.shape[1]
        assert_array_equal(np.unique(screened.input_coef_.indices), used)
        assert_array_equal(screened.posterior(X).marginals(), alone.posterior(X[:, used]).marginals())

    def test_few_features_are_not_screened(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(mlp, "SCREENED_WEIGHTS", 12 * X.shape[1])
        assert same_state(shallow(screening_strength=self.STRENGTH).fit(X, y), SHALLOW)

    def test_documents_of_weight_zero_do_not_matter(self) -> None:
        weight = np.ones(len(y))
        weight[60:] = 0.0
        changed = y.copy()
        changed[60:] = 1 - changed[60:]
        options: dict[str, Any] = {"screening_strength": self.STRENGTH, "batch_size": 1000}
        first, second = (shallow(**options).fit(X, one, weight) for one in (y, changed))
        assert_array_equal(first.posterior(X).marginals(), second.posterior(X).marginals())


def test_it_learns_what_no_linear_model_can() -> None:
    """Exclusive or: the label is on where the two features differ in sign."""
    random = np.random.default_rng(0)
    points = random.choice([-1.0, 1.0], size=(200, 2)) * random.uniform(0.5, 1.5, size=(200, 2))
    target = (points[:, :1] * points[:, 1:] < 0.0).astype(int)
    model = perceptron(n_hidden=20, max_iter=100, strength=0.0).fit(points, target)
    assert ((model.posterior(points).marginals() > 0.5) == target).mean() > 0.98


def test_scaled_and_shifted_features_do_not_matter() -> None:
    scale, shift = np.linspace(0.5, 3.0, X.shape[1]), np.linspace(-2.0, 2.0, X.shape[1])
    other = perceptron().fit(X.toarray() * scale + shift, y)
    same = perceptron().fit(X.toarray(), y)
    expected = same.posterior(X).marginals()
    assert_allclose(other.posterior(X.toarray() * scale + shift).marginals(), expected, atol=1e-3)


def test_sparse_and_dense_training_agree() -> None:
    dense = perceptron().fit(X.toarray(), y)
    assert_allclose(dense.posterior(X).marginals(), MODEL.posterior(X).marginals(), atol=1e-3)


def test_same_seed_same_bits() -> None:
    assert same_state(MODEL, perceptron().fit(X, y))
    assert not same_state(MODEL, perceptron(random_state=1).fit(X, y))


def test_a_longer_training_begins_as_a_shorter_one() -> None:
    seen: dict[int, Any] = {}
    perceptron(max_iter=4).fit(X, y, callback=lambda iteration, model: seen.update({iteration: model.state()}))
    short = perceptron(max_iter=2).fit(X, y).state()
    assert list(seen) == [1, 2, 3, 4]
    for name, array in short.arrays.items():
        assert_array_equal(seen[2].arrays[name], array)


def test_a_penalty_makes_weights_smaller() -> None:
    plain, penalized = (perceptron(strength=one, max_iter=40).fit(X, y) for one in (0.0, 0.1))
    assert np.abs(penalized.output_weights_).sum() < 0.7 * np.abs(plain.output_weights_).sum()


def test_documents_of_weight_zero_do_not_matter() -> None:
    weight = np.ones(len(y))
    weight[60:] = 0.0
    whole, changed = y.copy(), y.copy()
    changed[60:] = 1 - changed[60:]
    first, second = (perceptron(batch_size=1000).fit(X, one, weight) for one in (whole, changed))
    assert_array_equal(first.posterior(X).marginals(), second.posterior(X).marginals())


def test_constant_labels_have_no_weights() -> None:
    constant = y.copy()
    constant[:, 0], constant[:, 3] = 1, 0
    model = perceptron().fit(X, constant)
    assert not model.output_weights_[:, [0, 3]].any()
    assert_array_equal(model.output_intercept_[[0, 3]], [CONSTANT_LOGIT, -CONSTANT_LOGIT])
    assert model.output_weights_[:, [1, 2, 4]].all()


@BOTH
def test_label_weights_are_mean_derivatives(model: MultilayerPerceptron) -> None:
    """The mean over the training documents of d logit / d feature, by finite differences."""
    step, dense = 1e-6, X.toarray()
    expected = np.zeros((y.shape[1], X.shape[1]))
    for feature in range(X.shape[1]):
        moved = np.zeros(X.shape[1])
        moved[feature] = step
        above, below = (scipy.special.logit(model.posterior(dense + sign * moved).marginals()) for sign in (1.0, -1.0))
        expected[:, feature] = ((above - below) / (2.0 * step)).mean(axis=0)
    assert_allclose(model.label_weights().toarray(), expected, atol=1e-4)


@pytest.mark.parametrize(("inference", "decision"), [("support", "gfm"), ("exact", "gfm"), ("exact", "threshold")])
@pytest.mark.parametrize("network", [perceptron, shallow])
def test_all_predictions_of_independent_labels_work(network: Any, inference: str, decision: str, tmp_path: Any) -> None:
    classifier = SetClassifier(network(), inference, decision, calibration=None, n_jobs=1).fit(X, name_lists(y))
    classifier.save(tmp_path / "m.setwise")
    loaded = load(tmp_path / "m.setwise")
    assert loaded.predict(X) == classifier.predict(X)
    assert_array_equal(loaded.predict_proba(X), classifier.predict_proba(X))


def test_it_is_tuned_by_name() -> None:
    classifier = SetClassifier("mlp", budget="quick", n_jobs=1).fit(X, name_lists(y))
    assert classifier.tuning_ is not None
    assert classifier.tuning_.n_iterations is not None
    assert 1 <= classifier.tuning_.n_iterations <= 40
    assert classifier.model_.n_layers == 1
    assert classifier.score(X, name_lists(y)) > 0.5


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_hidden": 0}, "n_hidden must be an integer between 1 and 16,384; got 0."),
        ({"n_layers": 3}, "n_layers must be an integer between 1 and 2; got 3."),
        ({"dropout": 1.0}, "dropout must be a number of at least 0 and below 1; got 1.0."),
        ({"standardize": "no"}, "standardize must be True or False; got 'no'."),
        ({"screening_strength": -1.0}, "screening_strength must be None or a finite number of at least 0; got -1.0."),
        ({"batch_size": 0}, "batch_size must be an integer of at least 1; got 0."),
        ({"max_iter": 0}, "max_iter must be an integer of at least 1; got 0."),
        ({"learning_rate": 0.0}, "learning_rate must be a number above 0 and at most 1; got 0.0."),
        ({"strength": -1.0}, "strength must be a finite number of at least 0; got -1.0."),
    ],
)
def test_parameters_that_are_refused(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidParameter) as refusal:
        clone(MODEL).set_params(**parameters).fit(X, y)
    assert str(refusal.value) == message


@pytest.mark.parametrize(
    ("documents", "message"),
    [(np.full((90, 12), np.nan), "X must hold finite numbers"), (np.ones((89, 12)), "X has 89 rows but y has 90")],
)
def test_documents_that_are_refused(documents: Any, message: str) -> None:
    with pytest.raises(InvalidData, match=message):
        perceptron().fit(documents, y)
