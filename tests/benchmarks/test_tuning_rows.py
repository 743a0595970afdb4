"""The benchmark of tuning: test documents are read when everything is settled, and verdicts follow the goals."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks import tuning_rows
from benchmarks.tuning import TUNING
from benchmarks.tuning_effort import TuningEffort
from benchmarks.tuning_sections import SECTIONS
from tests.benchmarks.parted import TinyParts

QUICK = TuningEffort(3, (0.0, 1.0), "quick")


@pytest.mark.parametrize("name", ["br", "pcc", "crf", "cbm", "lsf"])
def test_no_test_document_is_read_before_the_model_is_trained(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = TinyParts()
    monkeypatch.setitem(tuning_rows.LEAST_F1[name], "tiny", 10.0)
    tuned_model = tuning_rows.tuned_model

    def watched(*given: Any) -> Any:
        found = tuned_model(*given)
        corpus.events.append("trained")
        return found

    monkeypatch.setattr(tuning_rows, "tuned_model", watched)
    (row,) = tuning_rows.model_rows(name, corpus, QUICK)
    assert corpus.events == ["train", "trained", "test"]
    assert row.verdict == "yes"
    assert 10.0 < (row.values["F1"] or 0.0) <= 100.0
    assert (row.values["calibrated"] is None) == (name == "lsf")
    assert "strength" in row.note


def test_a_goal_that_is_missed_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(tuning_rows.LEAST_F1["br"], "tiny", 200.0)
    (row,) = tuning_rows.model_rows("br", TinyParts(), QUICK)
    assert row.verdict.startswith("no: 1")
    assert row.verdict.endswith(" below")


def test_every_section_has_its_data_sets() -> None:
    assert SECTIONS.keys() == TUNING.datasets.keys()
    for name, goals in tuning_rows.LEAST_F1.items():
        assert tuple(goals) == TUNING.datasets[name]
