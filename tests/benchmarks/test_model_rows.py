"""The rows of the models on a tiny problem: what they say, and when they say no."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks import contestants, memory_probe, model_rows, runner
from benchmarks.contestants import Contestant, Trained, one_of_each, with_other_penalties
from benchmarks.model_effort import Iterations, ModelEffort
from benchmarks.models import MODELS
from benchmarks.peers import Refused
from benchmarks.problem import Problem
from tests.benchmarks.tiny import tiny_problem

FEW = Iterations(lbfgs=3, em=2)
TINY = ModelEffort(whole=FEW, clean=FEW, memory=FEW, n_components=2, n_rounds=1)

reads_proc = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from /proc")


@pytest.fixture(scope="module")
def problem() -> Problem:
    return tiny_problem()


def by_title(title: str) -> Contestant:
    (found,) = (each for each in one_of_each(FEW, 2) if each.title.startswith(title))
    return found


@pytest.mark.parametrize("contestant", with_other_penalties(FEW, 2), ids=lambda each: each.title)
def test_contestant_trains_as_long_as_it_says(contestant: Contestant, problem: Problem) -> None:
    trained = contestant.train(problem, 1)
    assert trained.seconds > 0
    match contestant.model:
        case "PairwiseCRF":
            assert trained.iterations == FEW.lbfgs
            assert trained.note == "did not converge"
        case "BernoulliMixture":
            assert trained.iterations == FEW.em
        case _:
            assert 1 <= trained.iterations <= FEW.newton
            assert trained.note == ""


def test_cost_sets_every_model_beside_the_anchor(problem: Problem) -> None:
    pytest.importorskip("liblinear")
    anchor, *models = model_rows.cost_rows(problem, TINY)
    assert anchor.contestant == "LIBLINEAR -s 6 -e 0.001"
    assert anchor.values["times"] is None
    assert anchor.verdict == ""
    assert len(models) == 11
    for row in models:
        assert row.values["times"] == pytest.approx(row.values["seconds"] / anchor.values["seconds"])
        assert bool(row.verdict) == (row.values["goal"] is not None)


def test_without_the_anchor_times_are_dashes_and_its_row_has_the_reason(
    problem: Problem, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model_rows, "enter", lambda *_: Refused("not installed: it"))
    anchor, *models = model_rows.cost_rows(problem, TINY)
    assert anchor.note == "not installed: it"
    assert all(row.values["times"] is None and row.values["seconds"] and not row.verdict for row in models)


@pytest.mark.parametrize(
    ("times", "goal", "verdict"),
    [(1.0, None, ""), (None, 2.0, ""), (2.0, 2.0, "yes"), (2.25, 2.0, "no: 2.2 times, the goal is 2")],
)
def test_verdict_on_cost(times: float | None, goal: float | None, verdict: str) -> None:
    assert model_rows.verdict_on_cost(times, goal) == verdict


def test_one_changed_bit_is_seen(problem: Problem) -> None:
    one, two = by_title("CRF with pairs").train(problem, 1), by_title("CRF with pairs").train(problem, 2)
    assert model_rows.same_state(one, two)
    intercept = two.state.arrays["intercept_"].copy()
    intercept[0] = np.nextafter(intercept[0], np.inf)
    other = replace(two.state, arrays={**two.state.arrays, "intercept_": intercept})
    assert not model_rows.same_state(one, replace(two, state=other))


def test_clean_training_says_yes_for_every_model(problem: Problem) -> None:
    rows = list(model_rows.clean_rows(problem, TINY))
    assert [row.verdict for row in rows] == ["yes"] * 7


class Spoilt:
    """A model that does what it must not."""

    n_iter_ = 1

    def __init__(self, how: str, strength: float, n_jobs: int | None) -> None:
        self.how = how

    def fit(self, X: object, y: object) -> None:
        match self.how:
            case "overflow":
                np.exp(np.array([1e4]))
            case "warning":
                with np.errstate(all="warn"):  # as in a thread of the model's own
                    np.log(np.zeros(1))

    def state(self) -> contestants.ModelState:
        weights = np.array([np.nan if self.how == "nan" else 1.0])
        return contestants.ModelState("Spoilt", {}, {}, {"coef_": weights})


@pytest.mark.parametrize(
    ("how", "verdict"),
    [
        ("overflow", "no: FloatingPointError, overflow encountered in exp"),
        ("warning", "no: RuntimeWarning, divide by zero encountered in log"),
        ("nan", "no: not finite: coef_"),
        ("well", "yes"),
    ],
)
def test_bad_numbers_are_seen(how: str, verdict: str, problem: Problem, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contestants.models, "Spoilt", Spoilt, raising=False)
    monkeypatch.setattr(model_rows, "one_of_each", lambda *_: [Contestant("spoilt", "Spoilt", {"how": how})])
    (row,) = model_rows.clean_rows(problem, TINY)
    assert row.verdict == verdict


@reads_proc
def test_memory_is_that_of_a_process_that_trains(problem: Problem, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = list(model_rows.memory_rows(problem, TINY))
    assert [row.verdict for row in rows] == ["yes", "yes"]
    for row in rows:
        assert row.values["data"] < row.values["before"] <= row.values["peak"]
    monkeypatch.setattr(model_rows, "ALLOWED_MB", 1.0)
    assert all(row.verdict == "no: the goal is 1 MB" for row in model_rows.memory_rows(problem, TINY))


@reads_proc
def test_probe_that_fails_is_a_dash_with_its_last_words(problem: Problem, monkeypatch: pytest.MonkeyPatch) -> None:
    work = {"model": "NoSuchModel", "parameters": {}}
    with pytest.raises(Refused, match=r"the probe failed: AttributeError: .*NoSuchModel"):
        model_rows.probe(problem, "model", work)

    def fail(*_: object) -> None:
        raise Refused("the probe failed: MemoryError")

    monkeypatch.setattr(model_rows, "probe", fail)
    rows = list(model_rows.memory_rows(problem, TINY))
    assert [row.note for row in rows] == ["the probe failed: MemoryError"] * 2


def test_probe_gives_the_size_of_what_was_learnt(problem: Problem) -> None:
    contestant = by_title("CBM")
    trained: Trained = contestant.train(problem, 1)
    work = {"model": contestant.model, "parameters": contestant.parameters_for(problem)}
    size = memory_probe.fit_model(problem.X, problem.y, work)
    assert size == sum(array.nbytes for array in trained.state.arrays.values())


def test_page_of_the_models_names_its_own_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "load", lambda _name: tiny_problem())
    page = tmp_path / "benchmarks-models.md"
    runner.run(replace(MODELS, quick=TINY), {"tiny": ["clean"]}, quick=True, page=page, command="first")
    assert (tmp_path / "benchmarks" / "models.jsonl").exists()
    assert "are in `benchmarks/models.jsonl`" in page.read_text().replace("\n", " ")
    assert "Goals met: 7 of 7." in page.read_text()
