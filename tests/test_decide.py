"""``decide``: the best label sets from the probabilities of any classifier."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier

from setwise import SetClassifier, decide
from setwise.exceptions import InvalidData, InvalidParameter
from setwise.inference import base
from setwise.labels import LabelMatrix, SetCalibration, Support
from setwise.metrics import instance_f1
from setwise.models import BinaryRelevance
from tests.models.corpora import NAMES, name_lists, small_corpus

X, y = small_corpus(n=200)
NEW, NEW_Y = small_corpus(random_state=1, n=60)


@pytest.fixture(scope="module")
def theirs() -> OneVsRestClassifier:
    return OneVsRestClassifier(LogisticRegression()).fit(sp.csr_matrix(X), y)


def same_weights(theirs: OneVsRestClassifier, **parameters: Any) -> SetClassifier:
    """Return a SetClassifier whose BR has the weights of another classifier."""
    classifier = SetClassifier(
        BinaryRelevance(), decision="gfm", **{"inference": "support", "calibration": None, **parameters}
    ).fit(X, y)
    classifier.model_.coef_ = sp.csr_array(np.vstack([one.coef_ for one in theirs.estimators_]))
    classifier.model_.intercept_ = np.concatenate([one.intercept_ for one in theirs.estimators_])
    return classifier


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"inference": "exact"},
        {"beta": 2.0},
        {"calibration": SetCalibration(0.7, 0.3, 0.2)},
        {"inference": "exact", "calibration": SetCalibration(0.7, 0.0, 0.2), "beta": 0.5},
    ],
    ids=str,
)
def test_with_the_same_probabilities_it_is_set_classifier(theirs: Any, parameters: dict[str, Any]) -> None:
    probabilities = theirs.predict_proba(sp.csr_matrix(NEW))
    expected = same_weights(theirs, **parameters).predict(NEW)
    assert_array_equal(decide(probabilities, y, **parameters), expected)
    assert len(np.unique(expected, axis=0)) > 5


def test_sets_come_back_in_the_form_of_the_support(theirs: Any) -> None:
    probabilities = theirs.predict_proba(sp.csr_matrix(NEW))
    plain = decide(probabilities, y)
    assert type(decide(probabilities, sp.csr_matrix(y))) is sp.csr_matrix
    assert_array_equal(decide(probabilities, sp.csc_array(y)).toarray(), plain)
    assert decide(probabilities, name_lists(y)) == name_lists(plain)
    support = Support.of(LabelMatrix.of(y, NAMES))
    assert_array_equal(decide(probabilities, support), plain)
    few = decide(probabilities, support.at_least(5), calibration=SetCalibration(0.5, 1.0, 0.0))
    assert few.shape == plain.shape
    assert decide(probabilities.tolist(), name_lists(y)) == name_lists(plain)
    assert_array_equal(decide(sp.csr_array(probabilities), y), plain)
    assert_array_equal(decide(probabilities, y, n_jobs=1), decide(probabilities, y, n_jobs=2))


def test_it_gains_over_a_cut_at_one_half(theirs: Any) -> None:
    probabilities = theirs.predict_proba(sp.csr_matrix(NEW))
    assert instance_f1(NEW_Y, decide(probabilities, y)) > instance_f1(NEW_Y, (probabilities > 0.5).astype(int))


def test_blocks_and_batches_change_nothing(theirs: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    probabilities = theirs.predict_proba(sp.csr_matrix(NEW))
    whole, exact = decide(probabilities, y), decide(probabilities, y, inference="exact")
    monkeypatch.setattr(base, "BLOCK_BYTES", 1)
    assert_array_equal(decide(probabilities, y), whole)
    assert_array_equal(decide(probabilities, y, inference="exact"), exact)
    assert_array_equal(np.vstack([decide(row[None], y) for row in probabilities]), whole)


def test_certain_labels_never_rule_out_every_set() -> None:
    """No training set has both labels, yet both are certain: the nearest sets win, and nothing is NaN."""
    sets = [["ape"], ["bee"], ["ape", "cat"]]
    assert decide([[1.0, 0.0, 1.0], [0.0, 1.0, 0.0]], sets) == [["ape", "cat"], ["bee"]]
    assert decide([[0.0, 0.0, 0.0]], sets)[0] != []
    assert decide([[1.0, 1.0, 0.0]], sets, inference="exact") == [["ape", "bee"]]
    assert decide([[0, 1, 0]], sets) == [["bee"]]


@pytest.mark.parametrize(
    ("probabilities", "message"),
    [
        ([[0.5, np.nan]], "probabilities must hold finite numbers; got nan. Hint: fill or drop missing values first."),
        ([[0.5, 1.5]], "probabilities must lie in [0, 1]; got 1.5. Hint: pass probabilities, not scores."),
        ([[0.5, -3.0]], "probabilities must lie in [0, 1]; got -3. Hint: pass probabilities, not scores."),
        ([[0.5, 0.5, 0.5]], "probabilities has 3 columns but there are 2 labels."),
        ([0.5, 0.5], "probabilities must have two dimensions; got 1. Hint: reshape one column to (-1, 1)."),
        ([["a", "b"]], "probabilities must hold real numbers; got values of type <U1."),
        (np.zeros((0, 2)), "probabilities must have at least one row and one column; got shape (0, 2)."),
    ],
    ids=str,
)
def test_bad_probabilities_in_one_sentence(probabilities: Any, message: str) -> None:
    with pytest.raises(InvalidData) as refusal:
        decide(probabilities, [["a"], ["b"]])
    assert str(refusal.value) == message


def test_other_bad_arguments_in_one_sentence() -> None:
    with pytest.raises(InvalidParameter, match=r"^inference must be one of 'support', 'exact'; got 'sampled'\.$"):
        decide([[0.5]], [["a"]], inference="sampled")  # type: ignore[arg-type]
    with pytest.raises(InvalidParameter, match=r"^beta must be a number above 0 and at most 1e\+100; got -1\.$"):
        decide([[0.5]], [["a"]], beta=-1)
    with pytest.raises(InvalidData, match=r"^support must hold only 0 and 1; got 2\.0 in document 0"):
        decide([[0.5]], np.array([[2]]))
