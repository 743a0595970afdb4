"""scikit-learn's own checks of an estimator."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.utils.estimator_checks import check_estimator

from setwise.classifier import SetClassifier
from setwise.models import BinaryRelevance

pytestmark = [
    pytest.mark.filterwarnings("ignore::setwise.exceptions.NotConverged"),
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning"),
]

CLASSES = "the check fits classes 0, 1 and 2 in one column; label sets are rows of 0 and 1, and a 2 is rightly refused"
EXPECTED = dict.fromkeys(
    [
        "check_dict_unchanged",
        "check_dont_overwrite_parameters",
        "check_dtype_object",
        "check_estimator_sparse_array",
        "check_estimator_sparse_matrix",
        "check_estimator_sparse_tag",
        "check_estimators_dtypes",
        "check_estimators_fit_returns_self",
        "check_estimators_overwrite_params",
        "check_f_contiguous_array_estimator",
        "check_fit2d_1feature",
        "check_fit2d_predict1d",
        "check_fit_score_takes_y",
        "check_methods_sample_order_invariance",
        "check_methods_subset_invariance",
        "check_n_features_in_after_fitting",
        "check_positive_only_tag_during_fit",
        "check_readonly_memmap_input",
        "check_sample_weights_list",
        "check_sample_weights_not_an_array",
        "check_sample_weights_not_overwritten",
        "check_sample_weights_pandas_series",
        "check_sample_weights_shape",
    ],
    CLASSES,
)
FOLDS = "the check passes folds as cv, which is a share or a number of folds here"
EXPECTED_OF_CV = dict.fromkeys(
    ["check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data"], FOLDS
)
EXPECTED |= EXPECTED_OF_CV
ONE_COLUMN = "the check asks for one column of predictions, since it gave one of classes; each class is a label here"
EXPECTED_OF_CLASSES = dict.fromkeys(["check_estimator_sparse_array", "check_estimator_sparse_matrix"], ONE_COLUMN)
EXPECTED_OF_CLASSES |= EXPECTED_OF_CV


class ReadsClasses(SetClassifier):
    """Reads a column of classes as sets of one label, so that every check has something to fit."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> ReadsClasses:  # type: ignore[override]
        self.seen_ = np.unique(np.asarray(y))
        super().fit(X, None if y is None else self._sets(y), sample_weight)
        return self

    def score(self, X: Any, y: Any) -> float:
        return super().score(X, self._sets(y))

    def _sets(self, y: Any) -> Any:
        return (np.asarray(y).reshape(-1, 1) == self.seen_).astype(int)


def outcomes(estimator: Any, expected: dict[str, str] | None = None) -> dict[str, Any]:
    results = check_estimator(estimator, expected_failed_checks=expected, on_fail=None, on_skip=None)
    return {result["check_name"]: result for result in results}


def test_checks_pass_but_for_those_that_know_no_label_sets() -> None:
    found = outcomes(SetClassifier(budget="quick", n_jobs=1), EXPECTED)
    failed = {name: str(result["exception"]) for name, result in found.items() if result["status"] == "failed"}
    assert not failed
    assert {name for name, result in found.items() if result["status"] == "xfail"} == EXPECTED.keys()


@pytest.mark.slow
@pytest.mark.parametrize(
    "parameters",
    [{}, {"inference": "exact"}, {"decision": "most_probable"}, {"calibration": "likelihood"}],
    ids=str,
)
def test_the_same_checks_pass_where_classes_are_read_as_sets(parameters: dict[str, Any]) -> None:
    found = outcomes(ReadsClasses(BinaryRelevance(n_jobs=1), n_jobs=1, **parameters), EXPECTED_OF_CLASSES)
    failed = {name: repr(result["exception"]) for name, result in found.items() if result["status"] == "failed"}
    assert not failed
    assert EXPECTED.keys() - EXPECTED_OF_CLASSES <= {
        name for name, result in found.items() if result["status"] == "passed"
    }
