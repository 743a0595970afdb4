"""The bar of a long run."""

from __future__ import annotations

from pathlib import Path

import pytest

from setwise.cli.run_bar import OF_CHOOSING, run_bar
from setwise.experiments.costs import cost
from setwise.experiments.plan import Work
from tests.experiments.tiny import circumstances, write_corpus

BR, CBM = Work("model", "tiny", "BR", keys=(("score",),) * 3), Work("model", "tiny", "CBM", True)


def test_work_counts_by_its_cost(capsys: pytest.CaptureFixture[str]) -> None:
    with run_bar({BR: 1.0, CBM: 9.0}) as bar:
        (task,) = bar._progress.tasks  # type: ignore[attr-defined]
        assert task.total == 10.0
        bar.stepped(CBM, 1, 2)
        assert task.completed == pytest.approx(9.0 * OF_CHOOSING / 2)
        bar.ended(BR)
        assert task.completed == pytest.approx(9.0 * OF_CHOOSING / 2 + 1.0)
        bar.failed(CBM, "IndexError: [red]")
        assert task.completed == 10.0
    told = capsys.readouterr().err
    assert "tiny BR: 3 rows" in told
    assert "tiny CBM L1 failed: IndexError: [red]" in told


def test_longer_work_costs_more(tmp_path: Path) -> None:
    write_corpus(tmp_path / "data")
    run = circumstances(tmp_path)
    assert cost(Work("corpus", "tiny"), run) < cost(BR, run) < cost(CBM, run)
    assert cost(Work("model", "tiny", "BR", True), run) > cost(BR, run)
