"""The benchmark of executors: simulated workers do the tasks that were recorded, and more of them are no slower."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from benchmarks.cluster import rows as cluster_rows
from benchmarks.cluster import simulated
from benchmarks.cluster.simulated import SimulatedExecutor
from setwise.executors import ProcessExecutor
from tests.models.corpora import small_corpus

X, y = small_corpus(n=80)
TRAIN = SimpleNamespace(X=X, y=y)


def test_recorded_tasks_are_simulated_to_the_same_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulated, "LATENCY", 1.0)  # so that tasks take longer than this process, whatever the machine
    real = cluster_rows.tune(TRAIN, "quick", ProcessExecutor(2, tmp_path))
    found = {}
    for n_workers in (1, 3):
        executor = SimulatedExecutor(tmp_path, n_workers)
        assert cluster_rows.tune(TRAIN, "quick", executor).digest == real.digest
        found[n_workers] = executor.schedule()
    assert 10 < found[1].n_tasks <= found[3].n_tasks  # several workers begin with some that are not needed
    assert found[1].duration >= found[1].work + found[1].n_tasks  # one worker does one task at a time
    assert found[3].critical_path <= found[3].duration < 0.8 * found[1].duration
    assert sum(n for n, _ in executor.measured().values()) == found[3].n_tasks
    assert executor.peak_bytes() > 10**7


def test_short_texts_all_differ(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_rows, "N_DISTINCT_TEXTS", 5)
    lines = cluster_rows.write_short_texts(tmp_path / "texts.jsonl", 12).read_text(encoding="utf-8").splitlines()
    assert len({line.partition('"text"')[2] for line in lines}) == 12
