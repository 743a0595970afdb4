"""The tuning benchmark: test documents are read after everything has been chosen, and verdicts follow the goals."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.tuning import TUNING, TuningEffort
from benchmarks.tuning import rows as tuning_rows
from benchmarks.tuning.sections import SECTIONS
from tests.benchmarks.small import TinyParts, number

QUICK = TuningEffort(3, (0.0, 1.0), "quick")


@pytest.mark.parametrize("name", ["br", "pcc", "crf", "cbm", "lsf"])
def test_no_test_document_is_read_before_the_model_is_trained(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = TinyParts()
    monkeypatch.setitem(tuning_rows.MIN_F1[name], "tiny", 10.0)
    tune_model = tuning_rows.tune_model

    def recorded(*arguments: Any) -> Any:
        tuned = tune_model(*arguments)
        corpus.events.append("trained")
        return tuned

    monkeypatch.setattr(tuning_rows, "tune_model", recorded)
    (row,) = tuning_rows.model_rows(name, corpus, QUICK)
    assert corpus.events == ["train", "trained", "test"]
    assert row.verdict == "yes"
    assert 10.0 < number(row, "F1") <= 100.0
    assert (row.values["calibrated"] is None) == (name == "lsf")
    assert "strength" in row.note


def test_a_missed_goal_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(tuning_rows.MIN_F1["br"], "tiny", 200.0)
    (row,) = tuning_rows.model_rows("br", TinyParts(), QUICK)
    assert row.verdict.startswith("no: 1")
    assert row.verdict.endswith(" below")


def test_every_section_has_its_data_sets() -> None:
    assert SECTIONS.keys() == TUNING.datasets.keys()
    for name, goals in tuning_rows.MIN_F1.items():
        assert tuple(goals) == TUNING.datasets[name]
