"""The rival on a small corpus: it finds the best there is, and reads the test part last."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from benchmarks import default_rows, sklearn_baseline
from benchmarks.default_effort import DefaultEffort
from setwise.classifier import SetClassifier
from setwise.data.splits import hold_out
from setwise.decision import threshold
from setwise.experiments.corpora import Part
from setwise.metrics import instance_f1
from tests.benchmarks.parted import TinyParts, made

CELL = sklearn_baseline.Cell("l2", 0)
FEW = DefaultEffort(steps=(0, 4), n_resamples=100)


@pytest.fixture(scope="module")
def train() -> Part:
    return made(seed=1, n_documents=120)


@pytest.fixture(scope="module")
def found(train: Part) -> list[sklearn_baseline.Choice]:
    return sklearn_baseline.tuned(train, (0, 4))


@pytest.mark.parametrize("at_least_one", [True, False])
@pytest.mark.parametrize("n_empty", [0, 15])
def test_one_threshold_is_the_best_of_all(at_least_one: bool, n_empty: int) -> None:
    random = np.random.default_rng(3)
    probabilities = random.random((40, 4)).round(2)  # rounded, so that some are equal
    truth = (random.random((40, 4)) < probabilities**2).astype(np.int64)
    truth[:n_empty] = 0
    tried = [
        instance_f1(truth, threshold(probabilities, level, at_least_one=at_least_one))
        for level in np.unique(np.append(probabilities, 0.0))
    ]
    (choice,) = (
        each
        for each in sklearn_baseline.choices(CELL, probabilities, sp.csr_array(truth))
        if not each.per_label and each.at_least_one == at_least_one
    )
    assert choice.f1 == pytest.approx(max(tried))
    assert choice.f1 == pytest.approx(instance_f1(truth, choice.sets(probabilities)))


def test_at_least_one_label_is_the_most_probable() -> None:
    probabilities = np.array([[0.1, 0.3, 0.2], [0.9, 0.1, 0.8], [0.0, 0.0, 0.01]])
    choice = sklearn_baseline.Choice(CELL, 0.5, at_least_one=True, f1=1.0)
    assert_array_equal(choice.sets(probabilities).toarray(), [[0, 1, 0], [1, 0, 1], [0, 0, 1]])


def test_empty_sets_make_the_rival_go_without_at_least_one() -> None:
    random = np.random.default_rng(4)
    truth = np.zeros((60, 3), dtype=np.int64)
    truth[:20, 0] = 1
    probabilities = np.where(truth == 1, 0.8, 0.2) + 0.1 * random.random((60, 3))
    best = max(sklearn_baseline.choices(CELL, probabilities, sp.csr_array(truth)), key=lambda choice: choice.f1)
    assert not best.at_least_one
    assert best.f1 == 1.0


def test_thresholds_per_label_are_judged_on_documents_that_did_not_find_them() -> None:
    """Labels that have nothing to do with their probabilities: thresholds fit them, but not new documents."""
    random = np.random.default_rng(5)
    probabilities = random.random((60, 8))
    truth = sp.csr_array((random.random((60, 8)) < 0.3).astype(np.int64))
    for choice in sklearn_baseline.choices(CELL, probabilities, truth):
        where_found = instance_f1(truth, choice.sets(probabilities))
        assert choice.f1 == pytest.approx(where_found) if not choice.per_label else choice.f1 < where_found


def test_rare_labels_have_the_threshold_of_all() -> None:
    random = np.random.default_rng(6)
    probabilities, truth = random.random((50, 3)), np.zeros((50, 3), dtype=np.int64)
    truth[: sklearn_baseline.LEAST_SEEN, 0] = truth[: sklearn_baseline.LEAST_SEEN - 1, 1] = 1
    levels = sklearn_baseline.level_per_label(probabilities, sp.csr_array(truth), True)
    assert_array_equal(levels[1:], sklearn_baseline.one_level(probabilities, sp.csr_array(truth), True))


def test_constant_labels_keep_their_constant(train: Part) -> None:
    probabilities = sklearn_baseline.one_vs_rest(train.X, train.y, CELL).predict_proba(train.X)
    assert_array_equal(probabilities[:, 3:], np.tile([1.0, 0.0], (train.X.shape[0], 1)))


@pytest.mark.parametrize("penalty", sklearn_baseline.PENALTIES)
def test_penalty_is_the_one_that_was_asked_for(penalty: str, train: Part) -> None:
    model = sklearn_baseline.one_vs_rest(train.X, train.y[:, :3], sklearn_baseline.Cell(penalty, -6))
    zeros = np.count_nonzero(np.vstack([each.coef_ for each in model.estimators_]) == 0)
    assert (zeros > 0) == (penalty == "l1")


def test_best_comes_first_and_all_its_neighbours_were_tried(found: list[sklearn_baseline.Choice]) -> None:
    best, cells = found[0], {choice.cell for choice in found}
    assert best.f1 == max(choice.f1 for choice in found)
    assert {
        sklearn_baseline.Cell(best.cell.penalty, best.cell.step + apart) for apart in sklearn_baseline.AROUND
    } <= cells
    assert {sklearn_baseline.Cell(penalty, step) for penalty in sklearn_baseline.PENALTIES for step in (0, 4)} <= cells


def test_tuned_on_the_part_that_setwise_holds_out(train: Part, found: list[sklearn_baseline.Choice]) -> None:
    rest, held = hold_out(train.y, 0.2, random_state=0)
    model = sklearn_baseline.one_vs_rest(train.X[rest], train.y[rest], found[0].cell)
    again = sklearn_baseline.choices(found[0].cell, model.predict_proba(train.X[held]), train.y[held])
    assert max(choice.f1 for choice in again) == found[0].f1


def test_steps_of_c_are_four_to_a_decade() -> None:
    assert_allclose([sklearn_baseline.Cell("l1", step).C for step in (-6, -4, 0, 4, 8)], [10**-1.5, 0.1, 1, 10, 100])


@pytest.mark.parametrize("rows", [default_rows.rival_rows, default_rows.default_rows])
def test_no_test_row_is_read_before_the_last_fit(rows: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    parts = TinyParts()
    for owner, name in ((sklearn_baseline, "one_vs_rest"), (SetClassifier, "fit")):
        fit = getattr(owner, name)

        def noted(*arguments: Any, fit: Any = fit, name: str = name) -> Any:
            parts.events.append(name)
            return fit(*arguments)

        monkeypatch.setattr(owner, name, noted)
    list(rows(parts, FEW))
    contestants = " ".join(parts.events).split("train")  # each starts with its train part
    for events in (each.split() for each in contestants if each):
        assert events.count("test") == 1
        assert events[-1] == "test"
        assert len(events) > 1
