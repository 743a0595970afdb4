"""Feedback is on the disk once it is confirmed, and no line is half of one."""

from __future__ import annotations

import json
import os
import stat
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from setwise.data import read_dataset
from setwise.exceptions import InvalidParameter
from setwise.serve.feedback import FeedbackFile
from setwise.serve.problems import Problem
from tests.serve.small import app_client

LINES = b'{"text":"a\\n"}\n{"text":"b"}\n'


def rows_of(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_a_correction_is_a_line(model: Path, tmp_path: Path) -> None:
    file = tmp_path / "f.jsonl"
    body = {"text": "rain\n\u2028", "labels": ["weather", "<b>"], "predicted": ["sport"], "id": "7", "comment": "no"}
    with app_client(model, feedback=str(file)) as client:
        answer = client.post("/v1/models/news/feedback", json=body)
        version = client.get("/v1/models/news").json()["version"]
    assert (answer.status_code, answer.json()) == (202, {"stored": True})
    (line,) = file.read_bytes().decode().split("\n")[:-1]
    row = json.loads(line)
    assert row.pop("time").endswith("+00:00")
    assert row == {"model": "news", "version": version, **body}
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    dataset = read_dataset(str(file))  # as training data
    assert (dataset.X, dataset.y) == (["rain\n\u2028"], [["weather", "<b>"]])


@given(cut=st.integers(0, len(LINES)))
def test_what_is_left_of_a_line_is_cut_off_and_kept_beside(tmp_path_factory: pytest.TempPathFactory, cut: int) -> None:
    file = tmp_path_factory.mktemp("cut") / "f.jsonl"
    file.write_bytes(LINES[:cut])
    FeedbackFile(str(file)).append({"text": "c"})
    texts = [row["text"] for row in rows_of(file)]
    n_whole = LINES[: cut + 1].count(b"\n")  # a line that lacks its end alone is whole
    assert texts == [*["a\n", "b"][:n_whole], "c"]
    beside = file.with_name("f.jsonl.incomplete")
    rest = LINES[:cut].rpartition(b"\n")[2]
    is_rest_whole = LINES[cut : cut + 1] == b"\n" and rest != b""
    if rest and not is_rest_whole:
        assert beside.read_bytes() == rest + b"\n"
    else:
        assert not beside.exists()


def test_a_long_rest_is_cut_off_too(tmp_path: Path) -> None:
    file = tmp_path / "f.jsonl"
    file.write_bytes(LINES + b'{"text":"' + b"x" * 200_000)
    FeedbackFile(str(file))
    assert file.read_bytes() == LINES
    assert len(file.with_name("f.jsonl.incomplete").read_bytes()) == 200_010


def test_threads_and_files_do_not_mix_lines(tmp_path: Path) -> None:
    file = tmp_path / "f.jsonl"

    def write(number: int) -> None:
        own = FeedbackFile(str(file))
        for k in range(10):
            own.append({"text": f"{number}-{k}" * 2000})

    threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(str(row["text"]) for row in rows_of(file)) == sorted(
        f"{number}-{k}" * 2000 for number in range(4) for k in range(10)
    )


def test_a_full_disk_stores_nothing_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "f.jsonl"
    file.write_bytes(LINES)
    feedback, write = FeedbackFile(str(file)), os.write
    monkeypatch.setattr(os, "write", lambda number, line: write(number, line[: len(line) // 2]))
    with pytest.raises(Problem, match=r"^The feedback could not be stored: the disk is full\. Try again\.$") as raised:
        feedback.append({"text": "c"})
    assert raised.value.status == 507
    assert file.read_bytes() == LINES
    monkeypatch.undo()
    feedback.append({"text": "c"})
    assert len(rows_of(file)) == 3


def test_a_file_that_was_renamed_is_begun_again(tmp_path: Path) -> None:
    file = tmp_path / "f.jsonl"
    feedback = FeedbackFile(str(file))
    feedback.append({"text": "a"})
    file.rename(tmp_path / "old.jsonl")
    feedback.append({"text": "b"})
    assert [row["text"] for row in rows_of(file)] == ["b"]


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidParameter, match=r"is no file that feedback can be appended to\.$"):
        FeedbackFile(str(tmp_path))
    (tmp_path / "notes.txt").write_bytes(b"my notes")
    with pytest.raises(
        InvalidParameter, match=r"notes\.txt has something else than feedback in it\. Name another file\.$"
    ):
        FeedbackFile(str(tmp_path / "notes.txt"))
    assert (tmp_path / "notes.txt").read_bytes() == b"my notes"
    with pytest.raises(InvalidParameter, match=r"^Feedback cannot be appended to .*: No such file or directory\.$"):
        FeedbackFile(str(tmp_path / "missing" / "f.jsonl"))
