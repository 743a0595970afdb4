"""A state that does not hang together makes no model: each model refuses, in one sentence, what it cannot be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal
from sklearn.base import clone

from setwise.classifier import SetClassifier
from setwise.exceptions import InvalidData, InvalidParameter
from setwise.models import (
    BernoulliMixture,
    BinaryRelevance,
    ClassifierChain,
    EnergyNetwork,
    FactorizedLabelSizes,
    LabelSizeFactors,
    ModelState,
    MultilayerPerceptron,
    PairwiseCRF,
)
from setwise.models.state_checks import csr_of_parts
from tests.models.corpora import same_state, small_corpus

pytestmark = pytest.mark.filterwarnings("ignore::setwise.exceptions.NotConverged")

X, y = small_corpus()
MODELS: dict[str, Any] = {
    "br": BinaryRelevance(strength=0.01),
    "pcc": ClassifierChain(strength=0.01, order="random", n_orders=2),
    "crf": PairwiseCRF(strength=0.01),
    "cbm": BernoulliMixture(n_components=3, strength=0.01),
    "lsf": LabelSizeFactors("binary", strength=0.01),
    "lsf, multinomial": LabelSizeFactors("multinomial", strength=0.01),
    "fgfm": FactorizedLabelSizes("binary", strength=0.01, partition=[["0", "2"], ["3", "4"]]),
    "mlp": MultilayerPerceptron(n_hidden=6),
    "spen": EnergyNetwork(n_hidden=6, n_units=3, max_iter=2),
}
STATES = {name: clone(model).fit(X, y).state() for name, model in MODELS.items()}

Change = Callable[[Any], Any]


def put(at: Any, value: Any) -> Change:
    def change(array: Any) -> Any:
        array[at] = value
        return array

    return change


def swap_rows(array: Any) -> Any:
    return array[::-1].copy()


WRONG: list[tuple[str, str, Change, str]] = [
    ("br", "coef_.indptr", put(1, 10**6), "indptr must rise from 0"),
    ("br", "coef_.indptr", put(0, 1), "indptr must rise from 0"),
    ("br", "coef_.indices", put(0, 12), "indices must lie from 0 to 11"),
    ("br", "coef_.indices", put(0, -1), "indices must lie from 0 to 11"),
    ("br", "coef_.indices", put(0, 11), "indices must rise within each row"),
    ("br", "coef_.indices", lambda a: a.astype(np.float64), "row of whole numbers"),
    ("br", "coef_.data", put(0, np.nan), "coef_ must hold finite numbers"),
    ("br", "coef_.data", put(0, 1e200), "coef_ must hold finite numbers"),
    ("br", "coef_.data", lambda a: a[:-1], "data must have"),
    ("br", "coef_.data", lambda a: a.astype(np.float32), "type float64"),
    ("br", "coef_.shape", put(1, 13), r"coef_ must be sparse, of shape \(5, 12\)"),
    ("br", "coef_.shape", put(1, 2**40), "two whole numbers"),
    ("br", "coef_.shape", lambda a: a[:1], "two whole numbers"),
    ("br", "intercept_", put(0, np.inf), "intercept_ must hold finite numbers"),
    ("br", "intercept_", lambda a: a[:-1], r"intercept_ must have shape \(5,\)"),
    ("br", "intercept_", lambda a: a[:, None], r"intercept_ must have shape \(5,\)"),
    ("pcc", "order_", put((0, 0), 5), "every label once"),
    ("pcc", "order_", lambda a: a[:0], "at least one chain"),
    ("pcc", "order_", lambda a: a[:1], r"coef_ must be sparse, of shape \(5, 12\)"),
    ("pcc", "order_", swap_rows, "earlier labels of the chain"),
    ("pcc", "intercept_", lambda a: a[:5], r"intercept_ must have shape \(10,\)"),
    ("crf", "sets_.data", put(0, 2), "sets_ must lie from 1 to 1"),
    ("crf", "counts_", swap_rows, "the largest first"),
    ("crf", "counts_", put(-1, -1), "of at least 0"),
    ("crf", "counts_", lambda a: a[:-1], "counts_ must have shape"),
    ("crf", "set_bias_", lambda a: a[:-1], "set_bias_ must have shape"),
    ("crf", "pair_labels_", swap_rows, "smaller label of each pair first"),
    ("crf", "pair_labels_", put((1, 0), 5), "pair_labels_ must lie from 0 to 4"),
    ("crf", "pair_weights_", lambda a: a[:3], "pair_weights_ must have shape"),
    ("cbm", "gate_intercept_", lambda a: a[:2], r"gate_coef_ must be sparse, of shape \(2, 12\)"),
    ("cbm", "gate_intercept_", lambda a: a[:0], "at least one component"),
    ("cbm", "intercept_", lambda a: a.reshape(5, 3), r"intercept_ must have shape \(3, 5\)"),
    ("lsf", "pair_labels_", put(0, -1), "pair_labels_ must lie from 0 to 4"),
    ("lsf", "pair_sizes_", put(0, 0), "pair_sizes_ must lie from 1 to"),
    ("lsf", "pair_sizes_", swap_rows, "sorted by label and size"),
    ("lsf", "intercept_", lambda a: a[:-1], "intercept_ must have shape"),
    ("lsf, multinomial", "size_intercept_", lambda a: a[:-1], "size_intercept_ must have shape"),
    ("fgfm", "subset_of_", put(0, 1), "must number subsets from 0"),
    ("fgfm", "subset_of_", put(1, 3), "must number subsets from 0"),
    ("fgfm", "subset_of_", put(2, -1), "must number subsets from 0"),
    ("fgfm", "subset_of_", put(4, 0), "at least as many labels as a set of that size|several labels"),
    ("fgfm", "subset_of_", lambda a: a[:-1], r"subset_of_ must have shape \(5,\)"),
    ("fgfm", "empty_subsets_", put(1, 1), "list subsets of several labels"),
    ("fgfm", "empty_subsets_", put(1, 0), "empty_subsets_ must rise"),
    ("fgfm", "empty_subsets_", put(0, 7), "empty_subsets_ must lie from 0 to 2"),
    ("fgfm", "empty_subsets_", lambda a: a[:1], "coef_ must be sparse, of shape"),
    ("fgfm", "pair_sizes_", put(-1, 3), "pair_sizes_ must lie from 1 to 2"),
    ("fgfm", "pair_labels_", put(0, 5), "pair_labels_ must lie from 0 to 4"),
    ("fgfm", "pair_sizes_", swap_rows, "sorted by label and size"),
    ("fgfm", "intercept_", lambda a: a[:-1], "intercept_ must have shape"),
    ("mlp", "input_coef_.shape", put(0, 7), "indptr must rise from 0"),
    ("mlp", "input_coef_.data", put(0, 1e60), r"input_coef_ must hold numbers of at most 1e\+50; got 1e\+60"),
    ("mlp", "input_intercept_", lambda a: a[:-1], r"input_intercept_ must have shape \(6,\)"),
    ("mlp", "hidden_weights_", lambda a: a[:, :-1], r"hidden_weights_ must have shape \(6, 6\)"),
    ("mlp", "hidden_weights_", put((0, 0), 1e60), "hidden_weights_ must hold numbers of at most"),
    ("mlp", "hidden_intercept_", put(0, np.nan), "hidden_intercept_ must hold finite numbers"),
    ("mlp", "coactivation_", put((0, 0), 1.5), "coactivation_ must lie from 0 to 1"),
    ("mlp", "output_weights_", lambda a: a[:, :-1], r"output_weights_ must have shape \(6, 5\)"),
    ("mlp", "output_intercept_", put(0, -1e60), "output_intercept_ must hold numbers of at most"),
    ("spen", "local_weights_", lambda a: a[:-1], r"local_weights_ must have shape \(6, 5\)"),
    ("spen", "local_intercept_", put(0, np.inf), "local_intercept_ must hold finite numbers"),
    ("spen", "unit_weights_", lambda a: a[:, :-1], r"unit_weights_ must have shape \(5, 3\)"),
    ("spen", "unit_energies_", put(0, 1e60), "unit_energies_ must hold numbers of at most"),
]


@pytest.mark.parametrize(("name", "array", "change", "message"), WRONG, ids=lambda one: one if one in STATES else None)
def test_arrays_that_do_not_fit(name: str, array: str, change: Change, message: str) -> None:
    state = STATES[name]
    with pytest.raises(InvalidData, match=message):
        made(name, replace(state, arrays={**state.arrays, array: change(state.arrays[array].copy())}))


@pytest.mark.parametrize(
    ("name", "values", "message"),
    [
        ("br", {"classes_": []}, "at least one label"),
        ("br", {"classes_": ["a", "a", "b", "c", "d"]}, "names must all differ"),
        ("br", {"classes_": [1, 2, 3, 4, 5]}, "names must be strings"),
        ("br", {"classes_": "abcde"}, "at least one label"),
        ("br", {"n_features_in_": 0}, "n_features_in_ must be a whole number"),
        ("br", {"n_features_in_": True}, "n_features_in_ must be a whole number"),
        ("br", {"intercept_": [0.0] * 5}, "got a value of type tuple"),
        ("br", {"coef_": None}, "got a value of type NoneType"),
        ("crf", {"sets_": 3}, "sets_ must be sparse"),
        ("pcc", {"order_": 3}, "order_ must have shape"),
        ("lsf", {"n_sizes_": 6}, "n_sizes_ must be a whole number from 0 to 5"),
        ("lsf", {"n_sizes_": 4}, "pair_sizes_ must lie from 1 to 4"),
        ("lsf", {"has_empty_": 1}, "has_empty_ must be True or False"),
        ("fgfm", {"subset_of_": 3}, "subset_of_ must have shape"),
        ("fgfm", {"empty_subsets_": [0]}, "empty_subsets_ must have shape"),
        ("lsf", {"has_empty_": False}, "coef_ must be sparse, of shape"),
    ],
)
def test_values_that_do_not_fit(name: str, values: dict[str, Any], message: str) -> None:
    state = STATES[name]
    with pytest.raises((InvalidData, InvalidParameter), match=message):
        made(name, replace(state, values={**state.values, **values}))


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("br", {"n_jobs": 0}, "n_jobs must be"),
        ("br", {"more": 1}, "BinaryRelevance has the parameters"),
        ("pcc", {"beam_width": -1}, "beam_width must be"),
        ("cbm", {"mode_steps": -1}, "mode_steps must be"),
        ("lsf", {"form": []}, "form must be"),
        ("lsf", {"form": "multinomial"}, "coef_ must be sparse, of shape"),
        ("fgfm", {"form": "multinomial"}, "coef_ must be sparse, of shape"),
        ("fgfm", {"partition": 3}, "partition must be None or a list"),
        ("mlp", {"n_hidden": 7}, r"input_coef_ must be sparse, of shape \(7, 12\)"),
        ("spen", {"n_units": 2}, r"unit_weights_ must have shape \(5, 2\)"),
        ("spen", {"n_steps": 10**9}, "n_steps must be an integer between 1 and 10,000"),
    ],
)
def test_parameters_that_a_prediction_reads(name: str, parameters: dict[str, Any], message: str) -> None:
    state = STATES[name]
    with pytest.raises((InvalidData, InvalidParameter), match=message):
        made(name, replace(state, parameters={**state.parameters, **parameters}))


def made(name: str, state: ModelState) -> Any:
    return type(MODELS[name]).from_state(state)


@pytest.mark.parametrize("name", MODELS)
def test_what_a_model_gave_makes_it_again(name: str) -> None:
    assert same_state(made(name, STATES[name]), clone(MODELS[name]).fit(X, y))


def test_starts_of_rows_that_wrap_around_are_seen() -> None:
    indptr = np.array([0, 2**63 - 1, -2, 1])
    with pytest.raises(InvalidData, match="indptr must rise"):
        csr_of_parts("w", np.ones(1), np.zeros(1, dtype=np.int32), indptr, np.array([3, 1]))
    empty = csr_of_parts("w", np.zeros(0), np.zeros(0, dtype=np.int64), np.zeros(4, dtype=np.int64), np.array([3, 0]))
    assert empty.shape == (3, 0)


class TestRounding:
    @pytest.mark.parametrize("name", MODELS)
    def test_a_classifier_keeps_weights_that_single_precision_holds(self, name: str) -> None:
        inference: Any = "exact" if "lsf" in name or name in ("fgfm", "spen") else "support"
        decision: Any = "threshold" if "spen" in name else "gfm"
        classifier = SetClassifier(MODELS[name], inference, decision, calibration=None).fit(X, y)
        kept, exact = classifier.model_.state().arrays, STATES[name].arrays
        for array, values in kept.items():
            if array.endswith("coef_.data"):
                assert values.dtype == np.float64
                assert_array_equal(values, exact[array].astype(np.float32))
            else:
                assert_array_equal(values, exact[array])

    @pytest.mark.parametrize("weight", [1e-60, 1e60])
    def test_weights_that_it_cannot_hold_stay(self, weight: float) -> None:
        model = BinaryRelevance().fit(X, y)
        model.coef_ = sp.csr_array(np.full((5, 12), weight))
        model.round_weights()
        assert (model.coef_.data == weight).all()
