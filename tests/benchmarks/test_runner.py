"""The runner on a tiny problem, with whatever peers are installed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks import comparisons, runner
from benchmarks.benchmark import Benchmark
from benchmarks.command import parse
from benchmarks.default import COMPARISON
from benchmarks.default_effort import DefaultEffort
from benchmarks.effort import Effort
from benchmarks.learners import LEARNERS
from benchmarks.model_effort import Iterations, ModelEffort
from benchmarks.models import MODELS
from benchmarks.peers import Entry
from benchmarks.predict import PREDICT
from benchmarks.predict_effort import PredictEffort
from benchmarks.rows import read_rows
from tests.benchmarks.parted import TinyParts
from tests.benchmarks.tiny import tiny_problem

TINY_EFFORT = Effort(cs=(1.0,), elastic_cs=(1.0,), n_rounds=1, n_labels=2, n_labels_of_slowest=1)
FEW = Iterations(lbfgs=3, em=2)
TINY_MODELS = ModelEffort(whole=FEW, clean=FEW, memory=FEW, n_components=2, n_rounds=1, n_documents=70)
TINY_PREDICT = PredictEffort(n_rounds=1, memory_documents=(20, 80), n_train=70, n_test=20)
BENCHMARKS = [
    replace(LEARNERS, quick=TINY_EFFORT),
    replace(MODELS, quick=TINY_MODELS),
    replace(PREDICT, quick=TINY_PREDICT),
    replace(COMPARISON, quick=DefaultEffort(steps=(0, 4), n_resamples=100), load=TinyParts),
]
TINY_LEARNERS = BENCHMARKS[0]
every_benchmark = pytest.mark.parametrize("benchmark_", BENCHMARKS, ids=lambda benchmark: benchmark.name)


@pytest.fixture(autouse=True)
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "load", lambda _name: tiny_problem())
    # skglm compiles for 20 s; a peer that is not there must do no harm.
    for name in ("SKGLM", "SKGLM_TIGHT"):
        monkeypatch.setattr(comparisons, name, Entry("of_the_future", name))


@every_benchmark
def test_command_and_runner_know_the_same_sections(benchmark_: Benchmark) -> None:
    assert set(benchmark_.sections) == set(benchmark_.datasets)


@every_benchmark
def test_only_a_full_run_writes_the_page_unasked(benchmark_: Benchmark, tmp_path: Path) -> None:
    assert parse(benchmark_, []).write == benchmark_.page
    assert parse(benchmark_, ["--quick"]).write is None
    assert parse(benchmark_, ["--quick", "--write", str(tmp_path / "page.md")]).write == tmp_path / "page.md"


def test_plan_has_for_each_data_set_the_sections_that_want_it() -> None:
    assert MODELS.plan(["imdb", "bibtex"], ["cost", "clean"]) == {"imdb": ["clean"], "bibtex": ["cost"]}
    assert MODELS.plan(["tmc2007_500"], ["cost"]) == {}
    assert MODELS.plan(MODELS.all_datasets, []) == {}


@pytest.mark.parametrize(
    ("benchmark_", "section"),
    [pytest.param(each, section, id=f"{each.name}-{section}") for each in BENCHMARKS for section in each.datasets],
)
def test_every_row_has_its_numbers_or_a_reason(benchmark_: Benchmark, section: str) -> None:
    problem = tiny_problem() if benchmark_.load is None else benchmark_.load("tiny")
    rows = runner.measured(benchmark_, section, problem, benchmark_.quick)
    assert rows
    for row in rows:
        missing = all(value is None for value in row.values.values())
        assert row.note or not missing
        assert row.dataset == "tiny"
        assert row.section == section


def test_missing_peer_is_a_dash_with_a_reason() -> None:
    rows = runner.measured(TINY_LEARNERS, "l1", tiny_problem(), TINY_EFFORT)
    (row,) = (row for row in rows if row.contestant == "SKGLM")
    assert row.values.get("seconds") is None
    assert row.note.startswith("not installed")


def test_section_measured_again_replaces_its_rows_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "benchmarks.md"
    data = tmp_path / "benchmarks" / "learners.jsonl"
    runner.run(TINY_LEARNERS, {"tiny": ["l1", "l2"]}, quick=True, page=page, command="first")
    runner.run(TINY_LEARNERS, {"tiny": ["l2"]}, quick=True, page=page, command="second")
    commands = {
        section: {row.run["command"] for row in read_rows(data) if row.section == section} for section in ("l1", "l2")
    }
    assert commands["l1"] == {"first"}
    assert commands["l2"] == {"second"}
    assert "Pure L1: tiny" in capsys.readouterr().out

    drawn = page.read_text()
    assert "made by a machine" in drawn
    assert "Pure L2: tiny" in drawn
    assert "`first`" in drawn
    page.unlink()
    runner.run(TINY_LEARNERS, {}, quick=True, page=page, command="third")
    assert page.read_text() == drawn


@pytest.mark.parametrize(
    ("ratio", "excess", "goal", "verdict"),
    [
        (1.5, -1e-6, 1.0, "yes"),
        (1.5, 0.0, 1.0, "yes"),
        (0.9, -1e-6, 1.0, "no: 0.90 times as fast, the goal is 1"),
        (1.5, 1e-5, 1.0, "no: objective higher by 1.0e-05"),
        (29.0, 1e-5, 30.0, "no: 29.00 times as fast, the goal is 30 and objective higher by 1.0e-05"),
    ],
)
def test_verdict_asks_for_speed_and_objective(ratio: float, excess: float, goal: float, verdict: str) -> None:
    assert comparisons.verdict_on(ratio, excess, goal) == verdict
