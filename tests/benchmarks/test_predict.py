"""The prediction benchmark on a tiny problem: values, notes and missed goals."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from benchmarks.harness import memory_probe
from benchmarks.harness.problem import Problem
from benchmarks.harness.synthetic import many_sets, many_tags, synthetic_classifier
from benchmarks.harness.timing import Skipped
from benchmarks.predict import PredictEffort
from benchmarks.predict import rows as predict_rows
from benchmarks.predict.rows import SharedRelevance
from setwise.models import BinaryRelevance
from tests.benchmarks.small import number, tiny_problem
from tests.models.corpora import same_state

TINY = PredictEffort(n_rounds=1, memory_documents=(20, 80))

reads_proc = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from /proc")


@pytest.fixture(scope="module")
def problem() -> Problem:
    return tiny_problem()


def test_speed_is_relative_to_scikit_learn(problem: Problem) -> None:
    peer, ours, *others = predict_rows.speed_rows(problem, TINY)
    assert peer.entry == predict_rows.PEER
    assert peer.values["speedup"] is None
    assert ours.verdict
    assert len(others) == 4
    for row in (ours, *others):
        assert row.values["speedup"] == pytest.approx(number(peer, "seconds") / number(row, "seconds"))
    assert not any(row.verdict for row in (peer, *others))


@pytest.mark.parametrize(
    ("speedup", "verdict"),
    [
        (0.5, "no: 0.50 times as fast, the goal is 1"),
        (1.0, "yes; the stretch goal of 5 is not met"),
        (5.0, "yes"),
    ],
)
def test_verdict_on_speed(speedup: float, verdict: str) -> None:
    assert predict_rows.verdict_on_speed(speedup) == verdict


def test_other_probabilities_from_the_same_weights_are_refused(
    problem: Problem, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = BinaryRelevance().fit(problem.X, problem.y)
    predict_rows.one_vs_rest(problem, model)
    posterior = type(model.posterior(problem.X))
    monkeypatch.setattr(posterior, "marginals", lambda self: np.zeros((self.n_samples, 4)))
    with pytest.raises(Skipped, match="probabilities differ by"):
        predict_rows.one_vs_rest(problem, model)


def test_independent_labels_are_relative_to_size_marginals(problem: Problem) -> None:
    first, ours, other = predict_rows.exact_rows(problem, TINY)
    assert first.entry == predict_rows.SIZE_MARGINALS
    assert first.values["speedup"] is None
    for row in (ours, other):
        assert row.values["speedup"] == pytest.approx(number(first, "seconds") / number(row, "seconds"))
    assert ours.verdict
    assert not first.verdict + other.verdict


@pytest.mark.parametrize(
    ("speedup", "n_different", "verdict"),
    [(5.0, 0, "yes"), (4.9, 0, "no: 4.9 times, the goal is 5"), (9.0, 2, "no: 2 labels differ")],
)
def test_verdict_on_exact(speedup: float, n_different: int, verdict: str) -> None:
    assert predict_rows.verdict_on_exact(speedup, n_different) == verdict


def test_growth_is_relative_to_the_first_row(problem: Problem) -> None:
    rows = list(predict_rows.growth_rows(problem, TINY))
    assert [row.entry for row in rows] == ["1x", "4x", "16x"] * 2
    assert [row.values["documents"] for row in rows] == [2, 10, 40, 10, 10, 10]
    assert [bool(row.verdict) for row in rows] == [False, False, True] * 2
    assert rows[0].values["relative"] == 1.0
    assert rows[2].values["relative"] == pytest.approx(number(rows[2], "seconds") / number(rows[0], "seconds"))
    assert number(rows[3], "sets") < number(rows[5], "sets")


@pytest.mark.parametrize(("relative", "verdict"), [(20.0, "yes"), (20.1, "no: 20.1 times, the goal is 20")])
def test_verdict_on_growth(relative: float, verdict: str) -> None:
    assert predict_rows.verdict_on_growth(relative, 16) == verdict


@reads_proc
def test_memory_is_measured_in_a_process_that_predicts(problem: Problem) -> None:
    rows = list(predict_rows.memory_rows(problem, TINY))
    assert [row.verdict for row in rows] == ["yes", "yes"]
    for row in rows:
        assert number(row, "data") < number(row, "before") <= number(row, "peak")


def test_memory_above_the_goals_is_reported(problem: Problem, monkeypatch: pytest.MonkeyPatch) -> None:
    in_mb = {
        20: {"data": 1.0, "before": 100.0, "peak": 1200.0, "result": 1.0},
        80: {"data": 1.0, "before": 100.0, "peak": 1214.0, "result": 2.0},
    }
    monkeypatch.setattr(predict_rows, "measure_memory", lambda part, _task, _options: in_mb[part.n_samples])
    verdicts = [row.verdict for row in predict_rows.memory_rows(problem, TINY)]
    assert verdicts == ["no: the goal is 1,000 MB", "no: 13 MB more, 10 allowed"]


def test_probe_predicts_all_documents(problem: Problem) -> None:
    y = sp.csr_array(problem.y)
    predicted = synthetic_classifier(problem.X, y).predict(problem.X[:20])
    assert predicted.shape == (20, 4)
    size = memory_probe.predict_sets(problem.X[:20], y, {})
    assert size == memory_probe.sparse_nbytes(predicted)


def test_gain_on_unseen_sets_is_relative_to_the_threshold(problem: Problem) -> None:
    first, *others = predict_rows.unseen_rows(problem, TINY)
    assert first.entry == predict_rows.THRESHOLD
    assert first.values["gain"] is None
    assert len(others) == 4
    for row in others:
        assert row.values["gain"] == pytest.approx(number(row, "F1") - number(first, "F1"))
    assert [bool(row.verdict) for row in others] == [False, True, False, True]


@pytest.mark.parametrize(("gain", "verdict"), [(0.0, "yes"), (-0.126, "no: 0.13 below")])
def test_verdict_on_unseen(gain: float, verdict: str) -> None:
    assert predict_rows.verdict_on_unseen(gain) == verdict


def test_shared_training_equals_separate_training(problem: Problem) -> None:
    shared = SharedRelevance(strength=0.01)
    for n in (80, 60, 80):
        shared.fit(problem.X[:n], problem.y[:n])
        separate = BinaryRelevance(strength=0.01).fit(problem.X[:n], problem.y[:n])
        assert same_state(shared, separate)


def test_synthetic_corpora_have_their_shape() -> None:
    tags = many_tags(n_train=300, n_test=50, n_labels=200)
    assert tags.y.shape == (300, 200)
    assert tags.y_test.shape == (50, 200)
    assert tags.y.sum(axis=1).mean() == pytest.approx(19.0, abs=1.0)
    sets = many_sets(n_train=300, n_test=20, n_labels=50)
    assert sets.X.shape[0] == 300
    assert sets.X_test.shape[0] == 20
    assert len({row.tobytes() for row in sets.y.toarray()}) == 300
