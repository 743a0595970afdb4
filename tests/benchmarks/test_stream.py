"""The benchmark of long files: the command predicts every file, and the shares of the time add up."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.stream import rows as stream_rows
from benchmarks.stream.texts import generate_texts, write_texts
from tests.benchmarks.small import number


@pytest.fixture(autouse=True)
def few_documents(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream_rows, "N_TRAIN", 80)


@pytest.mark.slow
def test_memory_and_time_of_each_file_are_measured() -> None:
    rows = list(stream_rows.command_rows("synthetic_texts", (10, 30)))
    assert [row.values["documents"] for row in rows] == [10.0, 30.0]
    for row in rows:
        assert row.verdict == "yes"
        assert 0 < number(row, "peak") <= stream_rows.MAX_MB
        assert number(row, "per second") == pytest.approx(number(row, "documents") / number(row, "seconds"))


def test_shares_of_the_time_add_up() -> None:
    rows = list(stream_rows.share_rows("synthetic_texts", (10, 30)))
    assert [row.setting for row in rows] == ["30 documents"] * 2
    assert sum(number(row, "percent") for row in rows) == pytest.approx(100.0)


def test_texts_depend_on_the_seed_and_have_one_or_two_labels(tmp_path: Path) -> None:
    one, same, other = (list(generate_texts(20, seed)) for seed in (0, 0, 1))
    assert one == same
    assert one != other
    assert {len(labels) for _, labels in one} == {1, 2}
    written = write_texts(tmp_path / "texts.jsonl", 20, 0).read_text(encoding="utf-8")
    assert len(written.splitlines()) == 20
