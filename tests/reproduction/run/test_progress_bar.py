"""The progress bar of a run."""

from __future__ import annotations

import pytest

from reproduction.plan import Task
from reproduction.run import TUNING_SHARE, progress_bar

BR, CBM = Task("model", "tiny", "BR", keys=(("score",),) * 3), Task("model", "tiny", "CBM", True)


def test_tasks_count_by_their_cost(capsys: pytest.CaptureFixture[str]) -> None:
    with progress_bar({BR: 1.0, CBM: 9.0}) as bar:
        (task,) = bar._progress.tasks  # type: ignore[attr-defined]
        assert task.total == 10.0
        bar.task_progressed(CBM, 1, 2)
        assert task.completed == pytest.approx(9.0 * TUNING_SHARE / 2)
        bar.task_finished(BR)
        assert task.completed == pytest.approx(9.0 * TUNING_SHARE / 2 + 1.0)
        bar.task_failed(CBM, "IndexError: [red]")
        assert task.completed == 10.0
    lines = capsys.readouterr().err
    assert "tiny BR: 3 rows" in lines
    assert "tiny CBM L1 failed: IndexError: [red]" in lines
