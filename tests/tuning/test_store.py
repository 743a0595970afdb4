"""Finished cells stay, whatever becomes of the run."""

from __future__ import annotations

from pathlib import Path

import pytest

from setwise.exceptions import InvalidData
from setwise.tuning.store import CellStore

RUN = {"fingerprint": "abc"}


def test_rows_are_there_when_it_is_opened_again(tmp_path: Path) -> None:
    path = tmp_path / "new folder" / "cells.jsonl"
    with CellStore(path, RUN) as store:
        assert store.rows == []
        store.add({"value": 0.1})
        store.add({"value": 0.1 + 0.2})
    with CellStore(path, RUN) as store:
        assert store.rows == [{"value": 0.1}, {"value": 0.1 + 0.2}]


@pytest.mark.parametrize("cut", range(1, 15))
def test_a_line_that_was_cut_short_is_taken_off(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "cells.jsonl"
    with CellStore(path, RUN) as store:
        store.add({"value": 1})
        store.add({"value": 2})
    content = path.read_bytes()
    path.write_bytes(content[:-cut])
    kept = [{"value": 1}] if cut < 14 else []  # the last line has 13 letters; one more cuts the one before
    with CellStore(path, RUN) as store:
        assert store.rows == kept
        store.add({"value": 3})
    with CellStore(path, RUN) as store:
        assert store.rows == [*kept, {"value": 3}]


def test_a_cut_first_line_is_written_anew(tmp_path: Path) -> None:
    path = tmp_path / "cells.jsonl"
    path.write_bytes(b'{"setwise_tun')
    with CellStore(path, RUN) as store:
        store.add({"value": 1})
    with CellStore(path, RUN) as store:
        assert store.rows == [{"value": 1}]


def test_another_run_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "cells.jsonl"
    with CellStore(path, RUN) as store:
        store.add({"value": 1})
    before = path.read_bytes()
    with pytest.raises(InvalidData, match=r"must come from the same run: .* it is of another\. Hint: remove it"):
        CellStore(path, {"fingerprint": "xyz"}).__enter__()
    assert path.read_bytes() == before


def test_a_foreign_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "cells.jsonl"
    path.write_bytes(b"\x00\xff not JSON\n")
    with pytest.raises(InvalidData, match="must have a JSON object a line; line 1 is none"):
        CellStore(path, RUN).__enter__()
    assert path.read_bytes() == b"\x00\xff not JSON\n"


def test_two_runs_at_a_time_are_kept_apart(tmp_path: Path) -> None:
    path = tmp_path / "cells.jsonl"
    with CellStore(path, RUN) as store:
        with (
            pytest.raises(InvalidData, match="must be used by one run at a time; another is using it"),
            CellStore(path, RUN),
        ):
            pass
        store.add({"value": 1})
    with CellStore(path, RUN) as store:
        assert store.rows == [{"value": 1}]
