"""The rows of prediction on a tiny problem: what they say, and when they say no."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from benchmarks import memory_probe, predict_rows
from benchmarks.peers import Refused
from benchmarks.predict_effort import PredictEffort
from benchmarks.prediction import SharedRelevance, with_made_weights
from benchmarks.problem import Problem
from benchmarks.synthetic import many_sets, many_tags
from setwise.models import BinaryRelevance
from tests.benchmarks.tiny import tiny_problem

TINY = PredictEffort(n_rounds=1, memory_documents=(20, 80))

reads_proc = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from /proc")


@pytest.fixture(scope="module")
def problem() -> Problem:
    return tiny_problem()


def test_speed_sets_every_way_beside_scikit_learn(problem: Problem) -> None:
    peer, ours, *others = predict_rows.speed_rows(problem, TINY)
    assert peer.contestant == predict_rows.PEER
    assert peer.values["ratio"] is None
    assert ours.verdict
    assert len(others) == 4
    for row in (ours, *others):
        assert row.values["ratio"] == pytest.approx(peer.values["seconds"] / row.values["seconds"])
    assert not any(row.verdict for row in (peer, *others))


@pytest.mark.parametrize(
    ("ratio", "verdict"),
    [
        (0.5, "no: 0.50 times as fast, the goal is 1"),
        (1.0, "yes; the aim of 5 is not reached"),
        (5.0, "yes"),
    ],
)
def test_verdict_on_speed(ratio: float, verdict: str) -> None:
    assert predict_rows.verdict_on_speed(ratio) == verdict


def test_other_probabilities_from_the_same_weights_are_seen(problem: Problem) -> None:
    model = BinaryRelevance().fit(problem.X, problem.y)
    predict_rows.one_vs_rest(problem, model)
    model.scores = lambda X: np.zeros((X.shape[0], 4))
    with pytest.raises(Refused, match="other probabilities"):
        predict_rows.one_vs_rest(problem, model)


def test_growth_is_beside_the_first_row(problem: Problem) -> None:
    rows = list(predict_rows.growth_rows(problem, TINY))
    assert [row.contestant for row in rows] == ["1x", "4x", "16x"] * 2
    assert [row.values["documents"] for row in rows] == [2, 10, 40, 10, 10, 10]
    assert [bool(row.verdict) for row in rows] == [False, False, True] * 2
    assert rows[0].values["times"] == 1.0
    assert rows[2].values["times"] == pytest.approx(rows[2].values["seconds"] / rows[0].values["seconds"])
    assert rows[3].values["sets"] < rows[5].values["sets"]


@pytest.mark.parametrize(("times", "verdict"), [(20.0, "yes"), (20.1, "no: 20.1 times, the goal is 20")])
def test_verdict_on_growth(times: float, verdict: str) -> None:
    assert predict_rows.verdict_on_growth(times, 16) == verdict


@reads_proc
def test_memory_is_that_of_a_process_that_predicts(problem: Problem) -> None:
    rows = list(predict_rows.memory_rows(problem, TINY))
    assert [row.verdict for row in rows] == ["yes", "yes"]
    for row in rows:
        assert row.values["data"] < row.values["before"] <= row.values["peak"]


def test_memory_beyond_its_goals_is_told(problem: Problem, monkeypatch: pytest.MonkeyPatch) -> None:
    held = {
        20: {"data": 1.0, "before": 100.0, "peak": 1200.0, "result": 1.0},
        80: {"data": 1.0, "before": 100.0, "peak": 1214.0, "result": 2.0},
    }
    monkeypatch.setattr(predict_rows, "probe", lambda part, _work, _options: held[part.n_samples])
    verdicts = [row.verdict for row in predict_rows.memory_rows(problem, TINY)]
    assert verdicts == ["no: the goal is 1,000 MB", "no: 13 MB more, 10 allowed"]


def test_probe_predicts_the_documents_it_is_asked_for(problem: Problem) -> None:
    y = sp.csr_array(problem.y)
    chosen = with_made_weights(problem.X, y).predict(problem.X[:20])
    assert chosen.shape == (20, 4)
    size = memory_probe.predict_sets(problem.X[:20], y, {})
    assert size == memory_probe.size_of(chosen)


def test_unseen_sets_every_way_beside_the_threshold(problem: Problem) -> None:
    first, *others = predict_rows.unseen_rows(problem, TINY)
    assert first.contestant == predict_rows.THRESHOLD
    assert first.values["gain"] is None
    assert len(others) == 4
    for row in others:
        assert row.values["gain"] == pytest.approx(row.values["F1"] - first.values["F1"])
    assert [bool(row.verdict) for row in others] == [False, True, False, True]


@pytest.mark.parametrize(("gain", "verdict"), [(0.0, "yes"), (-0.126, "no: 0.13 below")])
def test_verdict_on_unseen(gain: float, verdict: str) -> None:
    assert predict_rows.verdict_on_unseen(gain) == verdict


def test_shared_training_is_the_same_as_ones_own(problem: Problem) -> None:
    shared = SharedRelevance(strength=0.01)
    for n in (80, 60, 80):
        shared.fit(problem.X[:n], problem.y[:n])
        own = BinaryRelevance(strength=0.01).fit(problem.X[:n], problem.y[:n])
        assert np.array_equal(shared.scores(problem.X_test), own.scores(problem.X_test))


def test_made_corpora_have_the_shape_they_are_made_for() -> None:
    tags = many_tags(n_train=300, n_test=50, n_labels=200)
    assert tags.y.shape == (300, 200)
    assert tags.y_test.shape == (50, 200)
    assert tags.y.sum(axis=1).mean() == pytest.approx(19.0, abs=1.0)
    sets = many_sets(n_train=300, n_test=20, n_labels=50)
    assert sets.X.shape[0] == 300
    assert sets.X_test.shape[0] == 20
    assert len({row.tobytes() for row in sets.y.toarray()}) == 300
