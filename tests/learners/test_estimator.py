"""BinaryLogistic as a scikit-learn estimator."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler

from setwise.learners import BinaryLogistic, fit_labels
from tests.learners.problems import same_bits, small_problem


@pytest.fixture(scope="module")
def data() -> tuple[Any, Any]:
    problem = small_problem(1, n_labels=1)
    return problem.X, problem.y[:, 0].astype(int)


def test_parameters_can_be_read_set_and_cloned() -> None:
    model = BinaryLogistic(strength=0.5, l1_ratio=0.25, tol=1e-4, max_iter=7, n_jobs=1)
    assert model.get_params() == {"strength": 0.5, "l1_ratio": 0.25, "tol": 1e-4, "max_iter": 7, "n_jobs": 1}
    copy = clone(model)
    assert copy is not model
    assert copy.get_params() == model.get_params()
    assert copy.set_params(strength=0.75).strength == 0.75
    assert model.strength == 0.5
    assert is_classifier(model)


def test_parameters_are_kept_as_given_until_fit() -> None:
    nonsense: Any = "nonsense"
    assert BinaryLogistic(strength=nonsense).strength is nonsense


def test_fit_is_the_fit_of_one_label(data: tuple[Any, Any]) -> None:
    X, y = data
    weight, offset = np.linspace(0.5, 2.0, 60), np.linspace(-1.0, 1.0, 60)
    model = BinaryLogistic(strength=0.01, l1_ratio=0.3, tol=1e-9)
    assert model.fit(X, y, sample_weight=weight, offset=offset) is model
    fits = fit_labels(X, y[:, None], strength=0.01, l1_ratio=0.3, tol=1e-9, sample_weight=weight, offset=offset)
    assert same_bits(model.fits_, fits)
    assert np.array_equal(model.coef_, fits.coef.toarray())
    assert model.coef_.shape == (1, 12)
    assert np.array_equal(model.intercept_, fits.intercept)
    assert (model.violation_, model.objective_, model.n_iter_) == (fits.violation[0], fits.objective[0], fits.n_iter[0])
    assert model.history_ == fits.history_rows(0)
    assert model.n_features_in_ == 12
    assert model.violation_ <= 1e-9


def test_probabilities_follow_the_logits_and_sum_to_one(data: tuple[Any, Any]) -> None:
    X, y = data
    model = BinaryLogistic(strength=0.001).fit(X, y)
    logit = model.decision_function(X)
    assert logit == pytest.approx((X @ model.coef_.T)[:, 0] + model.intercept_[0])
    probability = model.predict_proba(X)
    assert probability.shape == (60, 2)
    assert probability.sum(axis=1) == pytest.approx(np.ones(60), abs=1e-15)
    assert probability[:, 1] == pytest.approx(1 / (1 + np.exp(-logit)))
    assert np.array_equal(model.predict(X), model.classes_[probability.argmax(axis=1)])
    assert model.score(X, y) > 0.6


def test_probabilities_of_far_away_documents_neither_overflow_nor_vanish(data: tuple[Any, Any]) -> None:
    X, y = data
    model = BinaryLogistic(strength=0.001).fit(X, y)
    probability = model.predict_proba(np.outer([1e6, -1e6], model.coef_[0]))
    assert probability == pytest.approx(np.array([[0.0, 1.0], [1.0, 0.0]]))


@pytest.mark.parametrize(
    ("negative", "positive"), [(0, 1), (-1, 1), (3, 7), (False, True), ("ham", "spam"), (0.5, 2.5)]
)
def test_any_two_classes(data: tuple[Any, Any], negative: Any, positive: Any) -> None:
    X, y = data
    plain = BinaryLogistic(strength=0.01).fit(X, y)
    named = np.where(y == 1, positive, negative)
    model = BinaryLogistic(strength=0.01).fit(X, named)
    assert model.classes_.tolist() == [negative, positive]
    assert np.array_equal(model.coef_, plain.coef_)
    assert np.array_equal(model.predict(X) == positive, plain.predict(X) == 1)
    assert set(model.predict(X)) <= {negative, positive}
    assert np.array_equal(BinaryLogistic(strength=0.01).fit(X, named.tolist()).coef_, plain.coef_)
    assert np.array_equal(BinaryLogistic(strength=0.01).fit(X, named.astype(object)).coef_, plain.coef_)


@pytest.mark.parametrize("only", [0, 1, 0.0, True])
def test_a_single_class_of_zeros_or_ones_is_a_constant(only: Any) -> None:
    model = BinaryLogistic(strength=0.01).fit(np.eye(3), [only] * 3)
    assert model.classes_.tolist() == [0, 1]
    assert model.predict(np.eye(3)).tolist() == [only] * 3
    assert model.predict_proba(np.eye(3))[:, int(only)] == pytest.approx(np.ones(3), abs=1e-15)
    assert model.history_ == []
    assert model.n_iter_ == 0


def test_dense_and_sparse_documents_are_predicted_alike(data: tuple[Any, Any]) -> None:
    X, y = data
    model = BinaryLogistic(strength=0.01).fit(X, y)
    for form in (sp.csc_array(X), sp.coo_matrix(X), X.toarray(), X.toarray().tolist()):
        assert model.decision_function(form) == pytest.approx(model.decision_function(X), abs=1e-12)


@pytest.mark.parametrize("method", ["predict", "predict_proba", "decision_function"])
def test_before_a_fit_there_is_nothing_to_predict(method: str, data: tuple[Any, Any]) -> None:
    with pytest.raises(NotFittedError, match="BinaryLogistic"):
        getattr(BinaryLogistic(), method)(data[0])


def test_a_second_fit_forgets_the_first(data: tuple[Any, Any]) -> None:
    X, y = data
    model = BinaryLogistic(strength=0.01).fit(X[:, :5], 1 - y)
    assert np.array_equal(model.fit(X, y).coef_, BinaryLogistic(strength=0.01).fit(X, y).coef_)


def test_a_fitted_model_survives_pickling(data: tuple[Any, Any]) -> None:
    X, y = data
    model = BinaryLogistic(strength=0.01).fit(X, y)
    assert np.array_equal(pickle.loads(pickle.dumps(model)).predict_proba(X), model.predict_proba(X))


def test_pipelines_and_searches_take_it(data: tuple[Any, Any]) -> None:
    X, y = data
    pipeline = make_pipeline(MaxAbsScaler(), BinaryLogistic(n_jobs=1))
    search = GridSearchCV(pipeline, {"binarylogistic__strength": [1e6, 0.01]}, cv=2, scoring="neg_log_loss").fit(X, y)
    assert search.best_params_["binarylogistic__strength"] in (1e6, 0.01)
    assert search.predict(X).shape == (60,)
