"""Early stopping: one callback for every model, whatever its iterations are."""

from __future__ import annotations

from typing import Any

import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone

from setwise.exceptions import InvalidParameter
from setwise.models import (
    BernoulliMixture,
    BinaryRelevance,
    ClassifierChain,
    EnergyNetwork,
    LabelSizeFactors,
    MultilayerPerceptron,
    PairwiseCRF,
    Patience,
    fit_for,
)
from setwise.tuning import EarlyStopping
from tests.models.corpora import same_state, small_corpus

pytestmark = pytest.mark.filterwarnings("ignore::setwise.exceptions.NotConverged")

X, y = small_corpus(n=60)

MODELS: dict[str, Any] = {
    "br": BinaryRelevance(strength=1e-3),
    "pcc": ClassifierChain(strength=1e-3),
    "crf": PairwiseCRF(strength=1e-3),
    "cbm": BernoulliMixture(3, strength=1e-3, tol=0.0),
    "lsf": LabelSizeFactors(strength=1e-3),
    "lsf multinomial": LabelSizeFactors("multinomial", strength=1e-3),
    "mlp": MultilayerPerceptron(n_hidden=6),
    "spen": EnergyNetwork(n_hidden=6, n_units=3),
}


def scores_in_turn(values: list[float]) -> Any:
    """Return a score function that returns one value after the other, whatever the model."""
    left = iter(values)
    return lambda _: next(left)


@pytest.mark.parametrize("name", MODELS)
def test_training_ends_when_patience_does_and_the_best_state_is_kept(name: str) -> None:
    watch = EarlyStopping(scores_in_turn([0.2, 0.5, 0.4, 0.5, 0.9]), Patience(patience=2), keep_state=True)
    model = clone(MODELS[name]).fit(X, y, callback=watch)
    assert [row["iteration"] for row in watch.rows] == [1, 2, 3, 4]  # the second 0.5 is no new best
    assert [row["score"] for row in watch.rows] == [0.2, 0.5, 0.4, 0.5]
    assert (watch.best_iteration, watch.best_score) == (2, 0.5)
    assert watch.best_state is not None
    best = type(model).from_state(watch.best_state)
    again = fit_for(MODELS[name], X, y, 2)
    assert same_state(best, again)
    assert not same_state(best, model)


def test_min_iterations_and_check_every_are_respected() -> None:
    patience = Patience(patience=1, min_iterations=6, check_every=2)
    watch = EarlyStopping(scores_in_turn([0.5, 0.4, 0.3, 0.2]), patience)
    assert [watch(iteration, None) for iteration in range(1, 7)] == [False] * 5 + [True]
    assert [row["iteration"] for row in watch.rows] == [2, 4, 6]
    assert watch.best_iteration == 2
    assert watch.best_state is None


def test_a_training_without_an_evaluation_has_no_best() -> None:
    watch = EarlyStopping(scores_in_turn([]), Patience(check_every=10**6))
    MODELS["br"].fit(X, y, callback=watch)
    assert watch.best_iteration is None
    assert watch.rows == []


def test_without_a_number_of_iterations_training_converges() -> None:
    assert_array_equal(fit_for(MODELS["br"], X, y, None).coef_.toarray(), clone(MODELS["br"]).fit(X, y).coef_.toarray())


@pytest.mark.parametrize("name", ["patience", "min_iterations", "check_every"])
def test_bad_patience_is_refused(name: str) -> None:
    with pytest.raises(InvalidParameter, match=f"^{name} must be an integer of at least 1; got 0.$"):
        Patience(**{name: 0})
