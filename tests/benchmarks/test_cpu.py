"""The benchmark of processor time: its verdicts, and that it leaves no process behind."""

from __future__ import annotations

import subprocess
from typing import Any

import pytest

from benchmarks.cpu import rows as cpu_rows
from benchmarks.cpu.rows import Cost, environment, loaded_cores, small_rows


@pytest.mark.parametrize(("cpu", "verdict"), [(1.2, "yes"), (1.4, "no: 1.40 times, the goal is 1.3")])
def test_the_cheapest_rounds_are_compared(monkeypatch: pytest.MonkeyPatch, cpu: float, verdict: str) -> None:
    rounds = {1: iter([Cost(5.0, 1.0), Cost(1.0, 9.0)] * 2), 2: iter([Cost(cpu, 0.5), Cost(8.0, 0.5)] * 2)}
    monkeypatch.setattr(cpu_rows, "n_cores_allowed", lambda: 2)
    for job in ("readme_cost", "fit_cost"):
        monkeypatch.setattr(cpu_rows, job, lambda n_jobs: next(rounds[n_jobs]))
    rows = list(small_rows("quiet", 2))
    assert [row.verdict for row in rows] == ["", verdict] * 2
    assert rows[1].values["relative"] == pytest.approx(cpu)


def test_processes_that_load_the_cores_end_with_the_block(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[subprocess.Popen[bytes]] = []
    popen = subprocess.Popen

    def start(command: list[str]) -> Any:
        started.append(popen(command))
        return started[-1]

    monkeypatch.setattr(cpu_rows, "SETTLE_SECONDS", 0.0)
    monkeypatch.setattr(subprocess, "Popen", start)
    with loaded_cores(2):
        assert [process.poll() for process in started] == [None, None]
    assert all(process.poll() is not None for process in started)


def test_one_job_limits_every_library_to_one_thread() -> None:
    assert {environment(1)[name] for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")} == {"1"}
