"""The models' benchmark on a tiny problem: values, notes and missed goals."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from benchmarks.harness import memory_probe, runner
from benchmarks.harness.memory import measure_memory
from benchmarks.harness.problem import Problem
from benchmarks.harness.timing import Skipped
from benchmarks.models import MODELS, Iterations, ModelsEffort
from benchmarks.models import rows as model_rows
from benchmarks.models.entries import ModelEntry, one_per_model, with_other_penalties
from setwise import models
from setwise.models.base import ModelState
from tests.benchmarks.small import load_tiny, number, tiny_problem

FEW = Iterations(lbfgs=3, em=2)
TINY = ModelsEffort(timed=FEW, clean=FEW, memory=FEW, n_components=2, n_rounds=1)

reads_proc = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from /proc")


@pytest.fixture(scope="module")
def problem() -> Problem:
    return tiny_problem()


def entry_named(title: str) -> ModelEntry:
    (entry,) = (entry for entry in one_per_model(FEW, 2) if entry.title.startswith(title))
    return entry


@pytest.mark.parametrize("entry", with_other_penalties(FEW, 2), ids=lambda entry: entry.title)
def test_entry_uses_the_iterations_it_is_limited_to(entry: ModelEntry, problem: Problem) -> None:
    trained = entry.train(problem, 1)
    assert trained.seconds > 0
    match entry.model:
        case "PairwiseCRF":
            assert trained.iterations == FEW.lbfgs
            assert trained.note == "did not converge"
        case "BernoulliMixture":
            assert trained.iterations == FEW.em
        case _:
            assert 1 <= trained.iterations <= FEW.newton
            assert trained.note == ""


def test_cost_is_relative_to_the_reference(problem: Problem) -> None:
    pytest.importorskip("liblinear")
    reference, *others = model_rows.cost_rows(problem, TINY)
    assert reference.entry == "LIBLINEAR -s 6 -e 0.001"
    assert reference.values["relative"] is None
    assert reference.verdict == ""
    assert len(others) == 11
    for row in others:
        assert row.values["relative"] == pytest.approx(number(row, "seconds") / number(reference, "seconds"))
        assert bool(row.verdict) == (row.values["goal"] is not None)


def test_without_the_reference_its_row_has_the_reason_and_the_others_no_relative_cost(
    problem: Problem, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model_rows, "prepare_or_skip", lambda *_: Skipped("not installed: it"))
    reference, *others = model_rows.cost_rows(problem, TINY)
    assert reference.note == "not installed: it"
    assert all(row.values["relative"] is None and row.values["seconds"] and not row.verdict for row in others)


@pytest.mark.parametrize(
    ("relative", "goal", "verdict"),
    [(1.0, None, ""), (None, 2.0, ""), (2.0, 2.0, "yes"), (2.25, 2.0, "no: 2.2 times, the goal is 2")],
)
def test_verdict_on_cost(relative: float | None, goal: float | None, verdict: str) -> None:
    assert model_rows.verdict_on_cost(relative, goal) == verdict


def test_one_changed_bit_is_detected(problem: Problem) -> None:
    one, two = (entry_named("CRF with pairs").train(problem, n_jobs) for n_jobs in (1, 2))
    assert model_rows.same_state(one, two)
    intercept = two.state.arrays["intercept_"].copy()
    intercept[0] = np.nextafter(intercept[0], np.inf)
    other = replace(two.state, arrays={**two.state.arrays, "intercept_": intercept})
    assert not model_rows.same_state(one, replace(two, state=other))


def test_every_model_trains_without_numerical_errors(problem: Problem) -> None:
    rows = list(model_rows.clean_rows(problem, TINY))
    assert [row.verdict for row in rows] == ["yes"] * 7


class Faulty:
    """A model with a numerical error."""

    n_iter_ = 1

    def __init__(self, fault: str, strength: float, n_jobs: int | None) -> None:
        self.fault = fault

    def fit(self, X: object, y: object) -> None:
        match self.fault:
            case "overflow":
                np.exp(np.array([1e4]))
            case "warning":
                with np.errstate(all="warn"):  # as in a thread that the model starts
                    np.log(np.zeros(1))

    def state(self) -> ModelState:
        weights = np.array([np.nan if self.fault == "nan" else 1.0])
        return ModelState("Faulty", {}, {}, {"coef_": weights})


@pytest.mark.parametrize(
    ("fault", "verdict"),
    [
        ("overflow", "no: FloatingPointError, overflow encountered in exp"),
        ("warning", "no: RuntimeWarning, divide by zero encountered in log"),
        ("nan", "no: not finite: coef_"),
        ("none", "yes"),
    ],
)
def test_numerical_errors_are_detected(
    fault: str, verdict: str, problem: Problem, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(models, "Faulty", Faulty, raising=False)
    monkeypatch.setattr(model_rows, "one_per_model", lambda *_: [ModelEntry("faulty", "Faulty", {"fault": fault})])
    (row,) = model_rows.clean_rows(problem, TINY)
    assert row.verdict == verdict


@pytest.mark.slow
@reads_proc
def test_memory_is_measured_in_a_process_that_trains(problem: Problem, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = list(model_rows.memory_rows(problem, TINY))
    assert [row.verdict for row in rows] == ["yes", "yes"]
    for row in rows:
        assert number(row, "data") < number(row, "before") <= number(row, "peak")
    monkeypatch.setattr(model_rows, "MAX_MB", 1.0)
    assert all(row.verdict == "no: the goal is 1 MB" for row in model_rows.memory_rows(problem, TINY))


@reads_proc
def test_the_reason_of_a_failed_probe_is_in_the_note(problem: Problem, monkeypatch: pytest.MonkeyPatch) -> None:
    options = {"model": "NoSuchModel", "parameters": {}}
    with pytest.raises(Skipped, match=r"the memory probe failed: AttributeError: .*NoSuchModel"):
        measure_memory(problem, "model", options)

    def fail(*_: object) -> None:
        raise Skipped("the memory probe failed: MemoryError")

    monkeypatch.setattr(model_rows, "measure_memory", fail)
    rows = list(model_rows.memory_rows(problem, TINY))
    assert [row.note for row in rows] == ["the memory probe failed: MemoryError"] * 2


def test_probe_returns_the_size_of_the_trained_state(problem: Problem) -> None:
    entry = entry_named("CBM")
    trained = entry.train(problem, 1)
    options = {"model": entry.model, "parameters": entry.parameters_for(problem)}
    size = memory_probe.fit_model(problem.X, sp.csr_array(problem.y), options)
    assert size == sum(array.nbytes for array in trained.state.arrays.values())


def test_page_of_the_models_links_its_own_rows(tmp_path: Path) -> None:
    page = tmp_path / "models.md"
    tiny = replace(MODELS, quick_effort=TINY, load=load_tiny)
    runner.run(tiny, {"tiny": ["clean"]}, quick=True, page=page, command="first")
    assert (tmp_path / "models.jsonl").exists()
    assert "stored in [models.jsonl](models.jsonl)" in page.read_text()
    assert "Goals met: 7 of 7." in page.read_text()
