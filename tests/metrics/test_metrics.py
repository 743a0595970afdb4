"""Metrics of label sets, against worked examples, scikit-learn and one another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from numpy.typing import NDArray
from sklearn import metrics as sklearn_metrics

from setwise import metrics
from setwise.exceptions import InvalidData, InvalidParameter
from setwise.labels import LabelMatrix
from setwise.metrics import evaluate_metric, instance_f1
from tests.strategies import indicator_pairs

TRUE = np.array([[1, 1, 0], [0, 1, 0], [0, 0, 0], [0, 0, 0]])
PREDICTED = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 0], [1, 0, 0]])
Pair = tuple[NDArray[np.int64], NDArray[np.int64]]
ALL: list[Callable[[Any, Any], float]] = [
    metrics.hamming_loss,
    metrics.instance_f1,
    metrics.instance_precision,
    metrics.instance_recall,
    metrics.macro_f1,
    metrics.micro_f1,
    metrics.set_accuracy,
]
# scikit-learn reads a single column as one class per document, not as a set.
TWO_LABELS_OR_MORE = indicator_pairs(min_labels=2)
BY_NAME = {metric.__name__: metric for metric in ALL}


def test_worked_example() -> None:
    """Four documents: one of two labels predicted, an exact match, two empty sets, and a label predicted for none."""
    assert metrics.instance_f1(TRUE, PREDICTED) == pytest.approx((2 / 3 + 1 + 1 + 0) / 4)
    assert metrics.instance_precision(TRUE, PREDICTED) == pytest.approx((1 + 1 + 1 + 0) / 4)
    assert metrics.instance_recall(TRUE, PREDICTED) == pytest.approx((1 / 2 + 1 + 1 + 0) / 4)
    assert metrics.set_accuracy(TRUE, PREDICTED) == pytest.approx(2 / 4)
    assert metrics.hamming_loss(TRUE, PREDICTED) == pytest.approx(2 / 12)
    assert metrics.micro_f1(TRUE, PREDICTED) == pytest.approx(2 * 2 / (3 + 3))
    assert metrics.macro_f1(TRUE, PREDICTED) == pytest.approx((2 / 3 + 2 / 3) / 2)  # the third label is left out


def test_label_table_of_the_worked_example() -> None:
    rows = metrics.label_table(LabelMatrix.of(TRUE, ["a", "b", "never"]), PREDICTED)
    assert [(row.name, row.n_true, row.n_predicted, row.n_shared) for row in rows] == [
        ("a", 1, 2, 1),
        ("b", 2, 1, 1),
        ("never", 0, 0, 0),
    ]
    assert [(row.precision, row.recall, row.f1) for row in rows] == [
        (0.5, 1.0, pytest.approx(2 / 3)),
        (1.0, 0.5, pytest.approx(2 / 3)),
        (1.0, 1.0, 1.0),
    ]


def test_two_empty_sets_score_1_and_0_in_scikit_learn() -> None:
    empty = np.zeros((1, 2), dtype=int)
    assert metrics.instance_f1(empty, empty) == metrics.F1_OF_EMPTY_SETS == 1.0
    assert metrics.macro_f1(empty, empty) == metrics.micro_f1(empty, empty) == 1.0
    assert sklearn_metrics.f1_score(empty, empty, average="samples", zero_division=0) == 0.0
    assert sklearn_metrics.f1_score(empty, empty, average="macro", zero_division=0) == 0.0


def test_a_pair_with_one_empty_set_scores_0() -> None:
    full, empty = np.ones((1, 2), dtype=int), np.zeros((1, 2), dtype=int)
    for metric in (metrics.instance_f1, metrics.instance_precision, metrics.instance_recall):
        assert metric(full, empty) == metric(empty, full) == 0.0


@given(TWO_LABELS_OR_MORE)
def test_equals_scikit_learn_where_no_pair_of_sets_is_empty(pair: Pair) -> None:
    true, predicted = pair
    assume((true + predicted).any(axis=1).all() and (true + predicted).any(axis=0).all())
    for average, prefix in [("samples", "instance_"), ("micro", "micro_"), ("macro", "macro_")]:
        for score in ("f1", "precision", "recall"):
            if ours := BY_NAME.get(prefix + score):
                theirs = getattr(sklearn_metrics, f"{score}_score")(true, predicted, average=average, zero_division=0)
                assert ours(true, predicted) == pytest.approx(theirs)


@given(TWO_LABELS_OR_MORE)
def test_instance_f1_differs_from_scikit_learn_only_by_empty_pairs(pair: Pair) -> None:
    true, predicted = pair
    both_empty = ~(true + predicted).any(axis=1)
    theirs = sklearn_metrics.f1_score(true, predicted, average="samples", zero_division=0)
    assert metrics.instance_f1(true, predicted) == pytest.approx(theirs + both_empty.mean())


@pytest.mark.parametrize("zero_division", [0.0, 1.0, np.nan])
@given(TWO_LABELS_OR_MORE)
def test_macro_f1_equals_scikit_learn_under_each_of_its_conventions(zero_division: float, pair: Pair) -> None:
    theirs = sklearn_metrics.f1_score(*pair, average="macro", zero_division=zero_division)
    if np.isnan(theirs):  # no label occurs: two empty sets, as in micro F1
        theirs = metrics.F1_OF_EMPTY_SETS
    assert metrics.macro_f1(*pair, zero_division=zero_division) == pytest.approx(theirs)


def test_macro_f1_leaves_out_labels_that_are_neither_true_nor_predicted() -> None:
    true, predicted = np.array([[1, 0], [0, 0]]), np.array([[1, 0], [1, 0]])
    assert metrics.macro_f1(true, predicted) == pytest.approx(2 / 3)
    assert metrics.macro_f1(true, predicted, zero_division=0.0) == pytest.approx(1 / 3)
    assert metrics.macro_f1(true, predicted, zero_division=1) == pytest.approx((2 / 3 + 1) / 2)
    assert metrics.n_absent_labels(true, predicted) == 1
    assert evaluate_metric("macro_f1", true, predicted) == pytest.approx(2 / 3)  # tuning uses the same convention


@given(indicator_pairs())
def test_absent_labels_are_those_without_a_true_or_predicted_document(pair: Pair) -> None:
    assert metrics.n_absent_labels(*pair) == (~(pair[0] + pair[1]).any(axis=0)).sum()


@pytest.mark.parametrize("zero_division", [0.5, -1, "warn", None, True])
def test_other_conventions_are_refused(zero_division: Any) -> None:
    with pytest.raises(InvalidParameter, match=r"^zero_division must be 0, 1 or NaN; got "):
        metrics.macro_f1(TRUE, PREDICTED, zero_division=zero_division)


@given(indicator_pairs())
def test_exact_match_and_hamming_loss_are_shares_of_equal_rows_and_unequal_cells(pair: Pair) -> None:
    true, predicted = pair
    assert metrics.set_accuracy(true, predicted) == pytest.approx((true == predicted).all(axis=1).mean())
    assert metrics.hamming_loss(true, predicted) == pytest.approx((true != predicted).mean())


@given(TWO_LABELS_OR_MORE)
def test_exact_match_and_hamming_loss_equal_scikit_learn_always(pair: Pair) -> None:
    assert metrics.set_accuracy(*pair) == pytest.approx(sklearn_metrics.accuracy_score(*pair))
    assert metrics.hamming_loss(*pair) == pytest.approx(sklearn_metrics.hamming_loss(*pair))


@given(indicator_pairs())
def test_label_table_averages_to_macro_f1(pair: Pair) -> None:
    rows = metrics.label_table(*pair)
    assert np.mean([row.f1 for row in rows]) == pytest.approx(metrics.macro_f1(*pair, zero_division=1.0))
    counted = [row.f1 for row in rows if row.n_true or row.n_predicted]
    assert np.mean(counted or [1.0]) == pytest.approx(metrics.macro_f1(*pair))


@pytest.mark.parametrize("metric", ALL, ids=lambda metric: metric.__name__)
def test_every_form_gives_the_same_number(metric: Callable[[Any, Any], float]) -> None:
    expected = metric(TRUE, PREDICTED)
    names = ["a", "b", "c"]
    true, predicted = LabelMatrix.of(TRUE, names), LabelMatrix.of(PREDICTED, names)
    forms = [
        (sp.csr_array(TRUE), sp.csc_matrix(PREDICTED)),
        (TRUE.tolist(), PREDICTED.astype(float)),
        (true, predicted),
        (true, PREDICTED),
        (TRUE, predicted),
        (true, predicted.name_lists()),
        (true.name_lists(), predicted),
    ]
    for y_true, y_pred in forms:
        assert metric(y_true, y_pred) == expected


def test_lists_of_names_are_compared_over_all_names_in_both() -> None:
    assert metrics.instance_f1([["a"], []], [["b"], []]) == pytest.approx(0.5)
    assert metrics.hamming_loss([["a"], []], [["b"], []]) == pytest.approx(2 / 4)
    assert metrics.instance_f1([["a"], ["b"]], [[], []]) == 0.0


@pytest.mark.parametrize("metric", [*ALL, metrics.label_table], ids=lambda metric: metric.__name__)
def test_labels_that_cannot_be_compared_are_refused(metric: Callable[[Any, Any], Any]) -> None:
    with pytest.raises(InvalidData, match=r"^y_true has 4 rows but y_pred has 3\.$"):
        metric(TRUE, PREDICTED[:3])
    with pytest.raises(InvalidData, match="y_pred must have 3 labels; got 2"):
        metric(TRUE, PREDICTED[:, :2])
    with pytest.raises(InvalidData, match="y_true must hold only 0 and 1; got 2"):
        metric(2 * TRUE, PREDICTED)
    with pytest.raises(InvalidData, match="y_pred must hold only 0 and 1; got nan"):
        metric(TRUE, np.where(PREDICTED == 1, np.nan, 0))
    with pytest.raises(InvalidData, match="got '0' in place of 'a'"):
        metric([["a"], ["b"]], [[1, 0], [0, 1]])


def test_errors_name_the_side_that_is_wrong() -> None:
    pd = pytest.importorskip("pandas")
    right, wrong = pd.DataFrame({"a": [1, 0]}), pd.DataFrame({"a": [1, 2]})
    for called, pair in (("y_true", (wrong, right)), ("y_pred", (right, wrong))):
        with pytest.raises(InvalidData, match=f"^{called} must hold only 0 and 1"):
            instance_f1(*pair)
    for called, other in (("y_true", (5, [["a"]])), ("y_pred", ([["a"]], 5))):
        with pytest.raises(InvalidData, match=f"^{called} must be an indicator"):
            instance_f1(*other)


def test_integers_are_compared_with_names_as_strings() -> None:
    assert instance_f1([[3], [2]], [["3"], ["x"]]) == 0.5
    assert instance_f1([["3"], ["x"]], [[3], [2]]) == 0.5
