"""Maps from evidence to probabilities: against outcomes of known probability, and their promises."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray
from sklearn.isotonic import IsotonicRegression

from setwise.confidence import CALIBRATORS, COLUMNS, MONOTONE, MonotoneTrees
from setwise.exceptions import InvalidData

Array = NDArray[np.float64]

STATED = COLUMNS.index("set_probability")


def evidence(n: int = 600, random_state: int = 0) -> tuple[Array, Array]:
    """Return columns, and outcomes whose probability is the square of the first column."""
    random = np.random.default_rng(random_state)
    columns = random.random((n, len(COLUMNS)))
    return columns, (random.random(n) < columns[:, STATED] ** 2).astype(np.float64)


def fitted(name: str, rounds: int = 30, **options: Any) -> Any:
    return CALIBRATORS[name].fit(*evidence(**options), STATED, rounds)


@pytest.mark.parametrize("name", CALIBRATORS)
class TestEveryCalibrator:
    def test_predictions_are_probabilities(self, name: str) -> None:
        probability = fitted(name).predict(evidence(random_state=1)[0])
        assert probability.shape == (600,)
        assert ((probability >= 0.0) & (probability <= 1.0)).all()

    def test_the_arrays_rebuild_the_same_bits(self, name: str) -> None:
        one = fitted(name)
        again = CALIBRATORS[name].from_arrays(one.arrays())
        columns = evidence(random_state=1)[0]
        assert_array_equal(again.predict(columns), one.predict(columns))

    def test_documents_do_not_depend_on_one_another(self, name: str) -> None:
        one, columns = fitted(name), evidence(random_state=1)[0]
        assert_array_equal(one.predict(columns[5:6]), one.predict(columns)[5:6])

    def test_no_documents(self, name: str) -> None:
        assert fitted(name).predict(np.zeros((0, len(COLUMNS)))).shape == (0,)

    def test_more_of_what_helps_never_lowers_it(self, name: str) -> None:
        one, columns = fitted(name), evidence(200, 2)[0]
        before = one.predict(columns)
        for column, direction in enumerate(MONOTONE.values()):
            if direction:
                more = columns.copy()
                more[:, column] += 0.3
                assert (one.predict(more) >= before).all()


@pytest.mark.parametrize("name", ["isotonic", "monotone trees"])
def test_what_is_stated_is_corrected(name: str) -> None:
    """Outcomes of probability s^2 are stated as s; the maps find that out, up to noise."""
    one = CALIBRATORS[name].fit(*evidence(6000), STATED, 40)
    columns = evidence(4000, 1)[0]
    error = np.abs(one.predict(columns) - columns[:, STATED] ** 2)
    assert error.mean() < 0.03
    assert np.abs(columns[:, STATED] - columns[:, STATED] ** 2).mean() > 0.15


def test_trees_fit_outcomes_between_zero_and_one() -> None:
    columns = evidence(3000)[0]
    one = MonotoneTrees.fit(columns, columns[:, 1] ** 2, STATED, 60)
    assert np.abs(one.predict(columns) - columns[:, 1] ** 2).mean() < 0.03


def test_stages_are_the_fits_of_fewer_rounds() -> None:
    columns, outcome = evidence()
    stages = MonotoneTrees.fit(columns, outcome, STATED, 7).staged(columns)
    assert len(stages) == 8
    for rounds in (0, 3, 7):
        assert_allclose(
            stages[rounds], MonotoneTrees.fit(columns, outcome, STATED, rounds).predict(columns), rtol=1e-12
        )
    assert_allclose(stages[0], outcome.mean(), rtol=1e-12)


def test_every_tree_lowers_the_cross_entropy() -> None:
    columns, outcome = evidence()
    losses = [
        -(outcome * np.log(one) + (1 - outcome) * np.log(1 - one)).mean()
        for one in MonotoneTrees.fit(columns, outcome, STATED, 20).staged(columns)
    ]
    assert max(np.diff(losses)) < 0.0


def test_isotonic_curves_are_those_of_scikit_learn() -> None:
    columns, outcome = evidence()
    reference = IsotonicRegression(out_of_bounds="clip").fit(columns[:, STATED], outcome)
    assert_allclose(fitted("isotonic").predict(columns), reference.predict(columns[:, STATED]), atol=1e-12)


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("as stated", {"column": np.array([99])}, "one of 8 columns"),
        ("as stated", {"column": np.array([0.5])}, "one list of integers"),
        ("isotonic", {"calibrated": np.array([0.5])}, "as many places as values"),
        ("isotonic", {"stated": np.array([np.nan]), "calibrated": np.array([0.5])}, "finite"),
        ("isotonic", {"stated": np.array([1.0, 0.0]), "calibrated": np.array([0.1, 0.2])}, "must not fall"),
        ("isotonic", {"stated": np.array([0.0]), "calibrated": np.array([1.5])}, "must be probabilities"),
        ("monotone trees", {"roots": np.array([10**6])}, "a node that it does not have"),
        ("monotone trees", {"roots": np.zeros(81, np.int64)}, "at most 80 trees; got 81"),
        ("monotone trees", {"base": np.array([0.0, 1.0])}, "one list of 1 numbers"),
        ("monotone trees", {"value": np.array([0.0])}, "numbers"),
        ("monotone trees", {"left": np.zeros(1, np.int64)}, "a column and two children"),
    ],
)
def test_damaged_numbers_are_refused(name: str, change: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidData, match=message):
        CALIBRATORS[name].from_arrays({**fitted(name).arrays(), **change})


def test_a_missing_array_is_named() -> None:
    with pytest.raises(InvalidData, match=r"'confidence\.column' is missing"):
        CALIBRATORS["as stated"].from_arrays({})
