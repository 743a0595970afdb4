"""F-GFM: one subset is LSF, subsets of one label are BR, and each subset is an LSF of its own labels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray

from setwise import SetClassifier, load
from setwise.decision import gfm
from setwise.exceptions import InvalidParameter
from setwise.labels import SizeMarginals
from setwise.learners import FeatureColumns
from setwise.models import BinaryRelevance, FactorizedLabelSizes, LabelSizeFactors, fgfm
from setwise.models.fgfm_dependence import pair_tests
from setwise.models.fgfm_merge import merge_subsets
from tests.models.corpora import INVALID_LEARNER_PARAMETERS, NAMES, name_lists, same_state, small_corpus
from tests.strategies import indicators

X, y = small_corpus(n=90)
FORMS: tuple[Any, ...] = ("binary", "multinomial")
STRENGTH = 5e-3
SPLIT = [["bee", "dog"], ["ape", "eel"]]


def fitted(form: Any = "binary", partition: Any = None, labels: Any = y, **parameters: Any) -> FactorizedLabelSizes:
    named = name_lists(labels) if isinstance(labels, np.ndarray) else labels
    return FactorizedLabelSizes(form, STRENGTH, partition=partition, **parameters).fit(X, named)


def of_mass_one(part: SizeMarginals) -> SizeMarginals:
    mass = part.empty + part.sizes.sum(axis=1)
    return SizeMarginals(part.joint / mass[:, None, None], part.empty / mass)


@pytest.mark.parametrize("form", FORMS)
def test_one_subset_is_lsf(form: Any) -> None:
    model, lsf = fitted(form, [NAMES]), LabelSizeFactors(form, STRENGTH).fit(X, y)
    for name in ("pair_labels_", "pair_sizes_", "intercept_", "size_intercept_"):
        assert_array_equal(getattr(model, name), getattr(lsf, name))
    assert_array_equal(model.coef_.toarray(), lsf.coef_.toarray())
    found, expected = model.posterior(X).size_marginals(), lsf.posterior(X).size_marginals()
    scaled = of_mass_one(expected)
    assert_allclose(found.joint, scaled.joint, rtol=0, atol=1e-12)
    assert_allclose(found.empty, scaled.empty, rtol=0, atol=1e-12)
    assert_array_equal(gfm(found).sets.toarray(), gfm(expected).sets.toarray())


@pytest.mark.parametrize("form", FORMS)
def test_subsets_of_one_label_are_br(form: Any) -> None:
    model, br = fitted(form, []), BinaryRelevance(STRENGTH).fit(X, y)
    assert model.subsets() == [[name] for name in NAMES]
    assert_array_equal(model.coef_.toarray(), br.coef_.toarray())
    found, expected = model.posterior(X).size_marginals(), br.posterior(X).size_marginals()
    assert_allclose(found.joint, expected.joint, rtol=0, atol=1e-12)
    assert_allclose(found.empty, expected.empty, rtol=0, atol=1e-12)
    assert_allclose(model.posterior(X).marginals(), br.posterior(X).marginals(), rtol=0, atol=1e-12)


@pytest.mark.parametrize("form", FORMS)
def test_each_subset_is_the_lsf_of_its_labels(form: Any) -> None:
    model = fitted(form, SPLIT)
    assert model.subsets() == [["ape", "eel"], ["bee", "dog"], ["cat"]]
    assert model.subset_of_.tolist() == [0, 1, 2, 1, 0]
    assert model.empty_subsets_.tolist() == [0, 1]
    labels = [np.array([0, 4]), np.array([1, 3]), np.array([2])]
    parts = [LabelSizeFactors(form, STRENGTH).fit(X, y[:, one]).posterior(X).size_marginals() for one in labels]
    found = model.posterior(X).size_marginals()
    expected = merge_subsets([of_mass_one(part) for part in parts], labels)
    assert_allclose(found.joint, expected.joint, rtol=0, atol=1e-6)  # "no cat" is fitted in place of one minus "cat"
    assert_allclose(found.empty, expected.empty, rtol=0, atol=1e-6)
    assert_allclose(found.empty + found.sizes.sum(axis=1), 1.0, rtol=1e-12)


def test_dependent_labels_are_found_and_the_others_are_single() -> None:
    features, labels = small_corpus(n=600)
    labels[:, 3] |= labels[:, 1]
    labels[:, 4] &= 1 - labels[:, 0]
    model = FactorizedLabelSizes(n_jobs=1).fit(features, name_lists(labels))
    assert model.subsets() == [["ape", "eel"], ["bee", "dog"], ["cat"]]
    assert model.set_params(max_subset_size=1).fit(features, labels).subset_of_.tolist() == [0, 1, 2, 3, 4]
    assert model.set_params(max_subset_size=None, false_discovery_rate=1.0).fit(features, labels).subset_of_.max() == 0


def test_a_subset_that_is_never_empty_and_a_label_that_never_occurs() -> None:
    labels = y.copy()
    labels[:, 1] = 1 - labels[:, 0]
    labels[:, 4] = 0
    for form in FORMS:
        model = FactorizedLabelSizes(form, STRENGTH, partition=[["0", "1"], ["3", "4"]], tol=1e-9).fit(X, labels)
        assert model.empty_subsets_.tolist() == [2]
        found = model.posterior(X).size_marginals()
        assert_allclose(found.marginals[:, :2].sum(axis=1), 1.0, rtol=1e-9)
        assert found.joint[:, 4].max() < 1e-15
        assert not found.empty.any()


def test_estimates_that_vanish_leave_the_other_subsets_alone() -> None:
    model = fitted("binary", [["ape", "eel"]])
    others = model.posterior(X).size_marginals()
    rows = np.concatenate([np.flatnonzero(np.isin(model.pair_labels_, [0, 4])), [model.intercept_.size - 1]])
    model.intercept_ = model.intercept_.copy()
    model.intercept_[rows] = -1e6
    found = model.posterior(X)
    assert not found.marginals()[:, [0, 4]].any()
    assert_allclose(found.marginals()[:, 1:4], others.marginals[:, 1:4], rtol=1e-12)
    assert_allclose(found.size_marginals().marginals, found.marginals(), rtol=0, atol=1e-12)


@pytest.mark.parametrize("form", FORMS)
def test_a_path_is_its_fits_and_tests_the_pairs_once(form: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Any] = []

    def counted(*arguments: Any) -> Any:
        calls.append(arguments)
        return pair_tests(*arguments)

    monkeypatch.setattr(fgfm, "pair_tests", counted)
    model = FactorizedLabelSizes(form, tol=1e-9, n_jobs=1, false_discovery_rate=0.5)
    path = list(model.fit_path(X, y, [0.1, 0.02, 0.004]))
    assert len(calls) == 1
    assert [one.strength for one in path] == [0.1, 0.02, 0.004]
    for one in path:
        alone = FactorizedLabelSizes(form, one.strength, tol=1e-9, false_discovery_rate=0.5).fit(X, y)
        assert_array_equal(one.subset_of_, alone.subset_of_)
        assert_allclose(one.posterior(X).marginals(), alone.posterior(X).marginals(), rtol=0, atol=1e-6)


def test_threads_and_laid_out_columns_change_no_bit() -> None:
    one, two = (fitted(false_discovery_rate=0.5, n_jobs=n_jobs) for n_jobs in (1, 2))
    assert same_state(one, two)
    columns = FeatureColumns.of(X)
    for _ in range(2):  # the second fit finds the tests of the first
        assert same_state(
            one, FactorizedLabelSizes(strength=STRENGTH, false_discovery_rate=0.5).fit(columns, name_lists(y))
        )


@settings(max_examples=30, deadline=None)
@given(
    labels=indicators(max_samples=12), random_state=st.integers(0, 9), form=st.sampled_from(FORMS), whole=st.booleans()
)
@pytest.mark.filterwarnings("ignore::setwise.exceptions.NotConverged")
def test_odd_labels_give_distributions(labels: NDArray[np.int64], random_state: int, form: Any, whole: bool) -> None:
    """Constant labels, labels that never meet, empty sets, and one document."""
    features = np.random.default_rng(random_state).normal(size=(len(labels), 3))
    split = [[str(label) for label in range(labels.shape[1])]] if whole else None
    model = FactorizedLabelSizes(form, 0.01, partition=split, false_discovery_rate=1.0, n_jobs=1).fit(features, labels)
    found = model.posterior(features).size_marginals()
    assert (found.joint >= 0.0).all()
    assert_allclose(found.empty + found.sizes.sum(axis=1), 1.0, rtol=0, atol=1e-12)
    assert_allclose(model.posterior(features).marginals(), np.minimum(found.marginals, 1.0), rtol=0, atol=1e-12)


@pytest.mark.parametrize("partition", [None, SPLIT, []])
def test_a_saved_classifier_predicts_the_same(partition: Any, tmp_path: Path) -> None:
    model = FactorizedLabelSizes(strength=STRENGTH, partition=partition, n_jobs=1)
    classifier = SetClassifier(model, "exact", "gfm", calibration=None, n_jobs=1).fit(X, name_lists(y))
    classifier.save(tmp_path / "model.setwise")
    again = load(tmp_path / "model.setwise")
    assert again.predict(X) == classifier.predict(X)
    assert_array_equal(again.predict_proba(X), classifier.predict_proba(X))
    assert again.model.partition == partition
    assert again.model_.subsets() == classifier.model_.subsets()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        *INVALID_LEARNER_PARAMETERS,
        ({"false_discovery_rate": 1.5}, "false_discovery_rate must be a number between 0 and 1; got 1.5."),
        ({"max_subset_size": 0}, "max_subset_size must be None or an integer of at least 1; got 0."),
        ({"partition": "ab"}, "partition must be None or a list of lists of label names; got 'ab'."),
        ({"partition": [["0", "9"]]}, "partition must list labels of y; got '9'."),
        ({"cv": 1}, "cv must be an integer of at least 2; got 1."),
    ],
    ids=str,
)
def test_bad_parameters_are_refused_in_one_sentence(change: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidParameter) as refusal:
        FactorizedLabelSizes(**change).fit(X, y)
    assert str(refusal.value) == message


def test_sparse_labels_and_documents_of_weight_zero() -> None:
    weight = np.ones(90)
    weight[80:] = 0.0
    model = FactorizedLabelSizes(strength=STRENGTH, tol=1e-9)
    weighted = model.fit(X, sp.csr_array(y), weight).posterior(X).marginals()
    few = FactorizedLabelSizes(strength=STRENGTH, tol=1e-9).fit(X[:80], y[:80])
    assert_allclose(weighted, few.posterior(X).marginals(), rtol=0, atol=1e-6)
