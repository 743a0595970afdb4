"""Every benchmark on a tiny problem, with whatever peers are installed."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.cpu import CPU
from benchmarks.default import DEFAULT, DefaultEffort
from benchmarks.harness import runner
from benchmarks.harness.benchmark import Benchmark
from benchmarks.harness.command import parse
from benchmarks.harness.report import markdown_page
from benchmarks.harness.rows import read_rows
from benchmarks.large import LARGE
from benchmarks.learners import LEARNERS, LearnersEffort
from benchmarks.learners import rows as learner_rows
from benchmarks.models import MODELS, Iterations, ModelsEffort
from benchmarks.peers import PeerEntry
from benchmarks.predict import PREDICT, PredictEffort
from benchmarks.stream import STREAM
from benchmarks.text import TEXT, TextEffort
from benchmarks.tuning import TUNING
from tests.benchmarks.small import TinyParts, load_tiny, tiny_texts

FEW = Iterations(lbfgs=3, em=2)
TINY_LEARNERS = replace(
    LEARNERS,
    quick_effort=LearnersEffort(cs=(1.0,), elastic_cs=(1.0,), n_rounds=1, n_labels=2, n_labels_slowest=1),
    load=load_tiny,
)
TINY_BENCHMARKS = [
    TINY_LEARNERS,
    replace(
        MODELS,
        quick_effort=ModelsEffort(timed=FEW, clean=FEW, memory=FEW, n_components=2, n_rounds=1, n_documents=70),
        load=load_tiny,
    ),
    replace(
        PREDICT,
        quick_effort=PredictEffort(n_rounds=1, memory_documents=(20, 80), n_train=70, n_test=20),
        load=load_tiny,
    ),
    replace(DEFAULT, quick_effort=DefaultEffort(c_steps=(0, 4), n_resamples=100), load=TinyParts),
    replace(TEXT, quick_effort=TextEffort(n_rounds=1, min_seconds=0.0), load=tiny_texts),
]
every_benchmark = pytest.mark.parametrize(
    "benchmark_",
    [LEARNERS, MODELS, PREDICT, DEFAULT, TUNING, STREAM, CPU, TEXT, LARGE],
    ids=lambda benchmark: benchmark.name,
)


@pytest.fixture(autouse=True)
def without_skglm(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace skglm, which compiles for 20 s, by a peer that is not installed."""
    for name in ("SKGLM", "SKGLM_TIGHT"):
        monkeypatch.setattr(learner_rows, name, PeerEntry("no_such_peer", name))


@every_benchmark
def test_every_section_has_data_sets(benchmark_: Benchmark) -> None:
    assert set(benchmark_.sections) == set(benchmark_.datasets)


@every_benchmark
def test_only_a_full_run_writes_the_page_by_default(benchmark_: Benchmark, tmp_path: Path) -> None:
    assert parse(benchmark_, []).write == benchmark_.page
    assert parse(benchmark_, ["--quick"]).write is None
    assert parse(benchmark_, ["--quick", "--write", str(tmp_path / "page.md")]).write == tmp_path / "page.md"


@every_benchmark
def test_stored_page_is_the_one_its_rows_give(benchmark_: Benchmark, repository: Path) -> None:
    page = repository / benchmark_.page
    file = benchmark_.rows_file(page)
    assert page.read_text(encoding="utf-8") == markdown_page(benchmark_, read_rows(file), file.name)


@every_benchmark
def test_declaring_a_benchmark_does_not_import_numpy(benchmark_: Benchmark, repository: Path) -> None:
    """The command limits the threads of libraries, which works only before they are imported."""
    code = f"import sys, benchmarks.harness.command, benchmarks.{benchmark_.name}; sys.exit('numpy' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], cwd=repository, check=True)


def test_index_lists_every_page(repository: Path) -> None:
    index = (repository / "docs" / "benchmarks" / "README.md").read_text(encoding="utf-8")
    pages = {path.name for path in (repository / "docs" / "benchmarks").glob("*.md")} - {"README.md"}
    assert all(f"]({page})" in index for page in pages)


def test_plan_has_the_sections_of_each_data_set() -> None:
    assert MODELS.plan(["imdb", "bibtex"], ["cost", "clean"]) == {"imdb": ["clean"], "bibtex": ["cost"]}
    assert MODELS.plan(["tmc2007_500"], ["cost"]) == {}
    assert MODELS.plan(MODELS.all_datasets, []) == {}


@pytest.mark.parametrize(
    ("benchmark_", "section"),
    [
        pytest.param(benchmark, section, id=f"{benchmark.name}-{section}")
        for benchmark in TINY_BENCHMARKS
        for section in benchmark.datasets
    ],
)
def test_every_row_has_its_numbers_or_a_reason(benchmark_: Benchmark, section: str) -> None:
    rows = runner.measure(benchmark_, section, benchmark_.load("tiny"), benchmark_.quick_effort)
    assert rows
    for row in rows:
        missing = all(value is None for value in row.values.values())
        assert row.note or not missing
        assert set(row.values) <= set(benchmark_.sections[section].columns)
        assert row.dataset == "tiny"
        assert row.section == section


def test_missing_peer_is_a_dash_with_a_reason() -> None:
    rows = runner.measure(TINY_LEARNERS, "l1", load_tiny("tiny"), TINY_LEARNERS.quick_effort)
    (row,) = (row for row in rows if row.entry == "SKGLM")
    assert row.values.get("seconds") is None
    assert row.note.startswith("not installed")


def test_measuring_a_section_again_replaces_its_rows_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "learners.md"
    runner.run(TINY_LEARNERS, {"tiny": ["l1", "l2"]}, quick=True, page=page, command="first")
    runner.run(TINY_LEARNERS, {"tiny": ["l2"]}, quick=True, page=page, command="second")
    rows = read_rows(tmp_path / "learners.jsonl")
    commands = {section: {row.run["command"] for row in rows if row.section == section} for section in ("l1", "l2")}
    assert commands == {"l1": {"first"}, "l2": {"second"}}
    assert "Pure L1: tiny" in capsys.readouterr().out

    drawn = page.read_text()
    assert "Generated by `make bench-learners`; edits will be overwritten." in drawn
    assert "Pure L2: tiny" in drawn
    assert "`first`" in drawn
    page.unlink()
    runner.run(TINY_LEARNERS, {}, quick=True, page=page, command="third")
    assert page.read_text() == drawn


@pytest.mark.parametrize(
    ("speedup", "excess", "goal", "verdict"),
    [
        (1.5, -1e-6, 1.0, "yes"),
        (1.5, 0.0, 1.0, "yes"),
        (0.9, -1e-6, 1.0, "no: 0.90 times as fast, the goal is 1"),
        (1.5, 1e-5, 1.0, "no: objective higher by 1.0e-05"),
        (29.0, 1e-5, 30.0, "no: 29.00 times as fast, the goal is 30 and objective higher by 1.0e-05"),
    ],
)
def test_verdict_requires_speed_and_objective(speedup: float, excess: float, goal: float, verdict: str) -> None:
    assert learner_rows.verdict_on(speedup, excess, goal) == verdict
