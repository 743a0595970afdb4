"""The benchmark of confidence: what is learned and what is stated are compared with outcomes on other documents."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from benchmarks.confidence import ConfidenceEffort
from benchmarks.confidence.rows import (
    LABELED_AS_IN_TRAINING,
    OTHER_SPLITS,
    Outcomes,
    automation_rows,
    brier,
    calibration_rows,
    error_by_chance,
    kept_promise,
    verdict_on_calibration,
)
from benchmarks.harness.corpora import Part, Parts
from setwise import load
from setwise.metrics import instance_f1
from tests.benchmarks.small import number
from tests.models.corpora import small_corpus

pytestmark = pytest.mark.filterwarnings("ignore::setwise.exceptions.NotConverged")


@dataclass(frozen=True)
class SmallParts(Parts):
    """A small corpus of features."""

    def train(self) -> Part:
        X, y = small_corpus(n=400)
        return Part(sp.csr_array(X[:250]), sp.csr_array(y[:250]))

    def test(self, train: Part) -> Part:
        X, y = small_corpus(n=400)
        return Part(sp.csr_array(X[250:]), sp.csr_array(y[250:]))


def test_both_numbers_are_compared_with_the_outcomes(tmp_path: Path) -> None:
    parts, effort = SmallParts("small"), ConfidenceEffort(models=tmp_path, budget="quick")
    learned, stated = calibration_rows(parts, effort)
    classifier, test = load(tmp_path / "small.setwise"), parts.test(parts.train())
    assert number(learned, "F1") == number(stated, "F1")
    assert number(learned, "F1") == pytest.approx(100 * instance_f1(test.y, classifier.predict(test.X)))
    assert number(learned, "expected F1") == pytest.approx(100 * classifier.expected_f1(test.X).mean())
    assert number(stated, "expected F1") == pytest.approx(100 * classifier.predict_with_value(test.X).value.mean())
    assert stated.verdict == ""
    assert learned.verdict


def test_a_stored_classifier_is_used(tmp_path: Path) -> None:
    parts, effort = SmallParts("small"), ConfidenceEffort(models=tmp_path, budget="quick", n_splits=4)
    Outcomes.of(parts, effort)
    modified = (tmp_path / "small.setwise").stat().st_mtime_ns
    rows = list(automation_rows(parts, effort))
    assert (tmp_path / "small.setwise").stat().st_mtime_ns == modified
    assert [row.entry for row in rows] == ["with a margin, 0.9", "as seen, 0.9", "with a margin, 0.95", "as seen, 0.95"]
    assert all(0.0 <= number(row, "kept") <= 100.0 for row in rows)


def test_a_promise_is_kept_where_enough_accepted_documents_are_right() -> None:
    confidence, right = np.array([0.9, 0.8, 0.7, 0.1]), np.array([1.0, 1.0, 0.0, 0.0])
    assert kept_promise(0.8, confidence, right, 0.9) == (0.5, True)
    assert kept_promise(0.7, confidence, right, 0.9) == (0.75, False)
    assert kept_promise(None, confidence, right, 0.9) == (0.0, True)


def test_the_verdict_names_what_is_wrong() -> None:
    good: dict[str, float | None] = {"error": 0.01, "F1 error": 0.02, "Brier": 0.1}
    assert verdict_on_calibration(good, 0.2, 1.0) == "yes"
    assert verdict_on_calibration(good | {"error": 0.04}, 0.2, 1.0) == "no: error 0.040"
    assert (
        verdict_on_calibration(good, 0.1, -2.0) == "no: Brier score not below the stated 0.1000, expected F1 -2.0 off"
    )
    assert verdict_on_calibration(good | {"error": 0.04}, 0.05, 1.0, only_gap=True) == "yes"
    assert verdict_on_calibration(good, 0.2, 2.0, only_gap=True) == "no: expected F1 +2.0 off"
    assert brier(np.array([0.5, 1.0]), np.array([1.0, 1.0])) == 0.125


def test_the_best_forecast_has_an_error_by_chance_that_documents_lessen() -> None:
    assert error_by_chance(np.ones(50)) == 0.0
    few, many = (error_by_chance(np.full(n, 0.5) + np.linspace(0.0, 1e-6, n)) for n in (100, 10_000))
    assert few == pytest.approx(0.126, abs=0.02)  # the mean of |Binomial(10, 1/2) / 10 - 1/2| is 0.123
    assert many < 0.02


def test_the_end_of_a_test_part_can_be_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parts, effort = SmallParts("small"), ConfidenceEffort(models=tmp_path, budget="quick")
    monkeypatch.setitem(LABELED_AS_IN_TRAINING, "small", 60)
    whole, _, first = calibration_rows(parts, effort)
    assert first.entry == "confidence, without the end of the test part"
    classifier, test = load(tmp_path / "small.setwise"), parts.test(parts.train())
    assert number(first, "F1") == pytest.approx(100 * instance_f1(test.y[:60], classifier.predict(test.X[:60])))
    assert number(first, "F1") != number(whole, "F1")


def test_all_documents_can_be_split_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parts, effort = SmallParts("small"), ConfidenceEffort(models=tmp_path, budget="quick")
    monkeypatch.setitem(OTHER_SPLITS, "small", 2)
    official, _, others = calibration_rows(parts, effort)
    assert others.entry == "confidence, other splits"
    assert others.setting == "the test parts of 2 other splits of all documents"
    one, both = (Outcomes.of_other_splits(parts, effort, n) for n in (1, 2))
    assert len(one.f1) == 150
    np.testing.assert_array_equal(both.f1[:150], one.f1)  # the first split is the same, whatever their number
    assert number(others, "F1") == pytest.approx(100 * both.f1.mean())
    assert number(others, "F1") != number(official, "F1")
