"""SPEN: its identity with the perceptron, its threads and its abilities."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from setwise import SetClassifier, load
from setwise.exceptions import Incompatible, InvalidParameter
from setwise.models import EnergyNetwork, MultilayerPerceptron
from tests.models.corpora import name_lists, same_state, small_corpus

X, y = small_corpus(n=90)
LISTS = name_lists(y)


def network(**parameters: Any) -> EnergyNetwork:
    return EnergyNetwork(**{"n_hidden": 12, "n_units": 4, "max_iter": 3, "n_jobs": 1, **parameters})


MODEL = network().fit(X, y)


def test_the_features_are_those_of_the_perceptron() -> None:
    mlp = MultilayerPerceptron(n_hidden=12, strength=MODEL.mlp_strength, n_jobs=1).fit(X, y)
    for name in ("input_intercept_", "hidden_weights_", "hidden_intercept_", "coactivation_"):
        assert_array_equal(getattr(MODEL, name), getattr(mlp, name), err_msg=name)
    assert_array_equal(MODEL.input_coef_.toarray(), mlp.input_coef_.toarray())
    assert np.abs(MODEL.local_weights_ + mlp.output_weights_).max() < 1e-3  # which is where they start


def test_without_a_label_energy_it_is_the_perceptron_cut_at_one_half() -> None:
    mlp = MultilayerPerceptron(n_hidden=12, n_jobs=1).fit(X, y)
    spen = network(mlp_strength=mlp.strength, n_steps=2000).fit(X, y)
    spen.local_weights_, spen.local_intercept_ = -mlp.output_weights_, -mlp.output_intercept_
    spen.unit_energies_ = np.zeros(4)
    chances = mlp.posterior(X).marginals()
    clear = np.abs(chances - 0.5) > 1e-3
    assert clear.mean() > 0.9
    assert_array_equal(spen.posterior(X).marginals()[clear], chances[clear] > 0.5)


def test_the_label_energy_is_trained() -> None:
    short, long = (network(max_iter=epochs, margin=1.0, n_steps=100).fit(X, y) for epochs in (1, 30))
    assert np.abs(short.unit_weights_ - long.unit_weights_).max() > 0.05
    assert long.objective_ < short.objective_


def test_same_seed_same_bits() -> None:
    assert same_state(MODEL, network().fit(X, y))
    assert not same_state(MODEL, network(random_state=1).fit(X, y))


def test_batch_equals_one_by_one() -> None:
    whole = MODEL.posterior(X).marginals()
    for i in range(0, len(y), 7):
        assert_array_equal(MODEL.posterior(X[i : i + 1]).marginals(), whole[i : i + 1])


def test_constant_labels_are_predicted_as_constants() -> None:
    constant = y.copy()
    constant[:, 0], constant[:, 3] = 1, 0
    model = network().fit(X, constant)
    assert not model.unit_weights_[[0, 3]].any()
    relaxed = model.posterior(X).marginals()
    assert (relaxed[:, 0] == 1.0).all()
    assert (relaxed[:, 3] == 0.0).all()


def test_thresholds_work_and_have_no_expected_f1(tmp_path: Any) -> None:
    classifier = SetClassifier(network(), "exact", "threshold", calibration=None, n_jobs=1).fit(X, LISTS)
    decided = classifier.predict_with_value(X)
    assert np.isnan(decided.value).all()
    with pytest.raises(Incompatible, match="^expected_f1 needs EnergyNetwork to have `size_marginals`"):
        classifier.expected_f1(X)
    assert_array_equal(decided.sets.toarray(), classifier.predict_proba(X) > 0.5)
    classifier.save(tmp_path / "m.setwise")
    loaded = load(tmp_path / "m.setwise")
    assert loaded.predict(X) == classifier.predict(X)
    assert_array_equal(loaded.predict_proba(X), classifier.predict_proba(X))


@pytest.mark.parametrize(
    ("inference", "decision", "calibration", "missing"),
    [
        ("support", "gfm", None, "log_prob"),
        ("exact", "gfm", None, "size_marginals"),
        ("sampled", "threshold", None, "sample"),
        ("mode", "most_probable", None, "mode"),
        ("blend", "gfm", None, "log_prob"),
        ("exact", "threshold", "likelihood", "rescaled"),
    ],
)
def test_everything_else_is_refused_in_one_sentence(
    inference: str, decision: str, calibration: Any, missing: str
) -> None:
    classifier = SetClassifier(network(), inference, decision, calibration=calibration, n_jobs=1)
    with pytest.raises(Incompatible, match=f"^inference='{inference}' needs EnergyNetwork to have `{missing}`"):
        classifier.fit(X, LISTS)


def test_it_is_tuned_by_name() -> None:
    classifier = SetClassifier("spen", budget="quick", n_jobs=1).fit(X, LISTS)
    assert classifier.tuning_ is not None
    assert classifier.tuning_.recipe_name == "exact, threshold"
    assert classifier.score(X, LISTS) > 0.4


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_units": 0}, "n_units must be an integer between 1 and 16,384; got 0."),
        ({"n_steps": 10**6}, "n_steps must be an integer between 1 and 10,000; got 1000000."),
        ({"momentum": 1.0}, "momentum must be a number of at least 0 and below 1; got 1.0."),
        ({"margin": -1.0}, "margin must be a number between 0 and 1e+06; got -1.0."),
    ],
)
def test_parameters_that_are_refused(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidParameter) as refusal:
        network(**parameters).fit(X, y)
    assert str(refusal.value) == message
