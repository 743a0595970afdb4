"""A checkpoint loses no finished setting, and refuses files that are not its own."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from setwise.exceptions import InvalidData
from setwise.labels import LabelMatrix
from setwise.models import BinaryRelevance, StrengthPath
from setwise.tuning import Validation, search
from setwise.tuning.checkpoint import FORMAT, Checkpoint, check_checkpoint
from tests.models.corpora import small_corpus

RUN = {"fingerprint": "abc"}


def test_rows_are_read_when_it_is_opened_again(tmp_path: Path) -> None:
    path = tmp_path / "new folder" / "checkpoint.jsonl"
    with Checkpoint(path, RUN) as store:
        assert store.rows == []
        store.add({"value": 0.1})
        store.add({"value": 0.1 + 0.2})
    with Checkpoint(path, RUN) as store:
        assert store.rows == [{"value": 0.1}, {"value": 0.1 + 0.2}]


@pytest.mark.parametrize("cut", range(1, 15))
def test_a_line_that_was_cut_short_is_removed(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "checkpoint.jsonl"
    with Checkpoint(path, RUN) as store:
        store.add({"value": 1})
        store.add({"value": 2})
    content = path.read_bytes()
    path.write_bytes(content[:-cut])
    whole = [{"value": 1}] if cut < 14 else []  # the last line has 13 characters; one more cuts the one before
    with Checkpoint(path, RUN) as store:
        assert store.rows == whole
        store.add({"value": 3})
    with Checkpoint(path, RUN) as store:
        assert store.rows == [*whole, {"value": 3}]


def test_a_first_line_that_was_cut_short_is_written_again(tmp_path: Path) -> None:
    path = tmp_path / "checkpoint.jsonl"
    path.write_bytes(b'{"setwise_tun')
    with Checkpoint(path, RUN) as store:
        store.add({"value": 1})
    with Checkpoint(path, RUN) as store:
        assert store.rows == [{"value": 1}]


def test_the_file_of_another_run_is_refused_and_left_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "checkpoint.jsonl"
    with Checkpoint(path, RUN) as store:
        store.add({"value": 1})
    before = path.read_bytes()
    with pytest.raises(InvalidData, match=r"is the checkpoint of another run: .* Hint: remove it"):
        Checkpoint(path, {"fingerprint": "xyz"}).__enter__()
    assert path.read_bytes() == before


def test_a_foreign_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "checkpoint.jsonl"
    path.write_bytes(b"\x00\xff not JSON\n")
    with pytest.raises(InvalidData, match="is not a checkpoint that setwise wrote"):
        Checkpoint(path, RUN).__enter__()
    assert path.read_bytes() == b"\x00\xff not JSON\n"


def test_a_file_in_use_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "checkpoint.jsonl"
    with Checkpoint(path, RUN) as store:
        with (
            pytest.raises(InvalidData, match="is in use by another run"),
            Checkpoint(path, RUN),
        ):
            pass
        store.add({"value": 1})
    with Checkpoint(path, RUN) as store:
        assert store.rows == [{"value": 1}]


FOREIGN = {
    "a word without a line end": b"precious",
    "lines of text": b"precious\nmore, and no end",
    "a JSON object of something else": b'{"text": "a", "labels": []}\n{"te',
    "a header of another run, cut": b'{"setwise_tuning": %d, "run": {"fingerprint": "xy' % FORMAT,
    "a header of a later format": b'{"setwise_tuning": %d, "run": {"fingerprint": "abc"}}\n{"val' % (FORMAT + 1),
}


@pytest.mark.parametrize("content", FOREIGN.values(), ids=FOREIGN)
def test_a_file_that_is_no_checkpoint_of_this_run_is_left_unchanged(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    with pytest.raises(InvalidData, match="is (the checkpoint of another run|not a checkpoint)"):
        Checkpoint(path, RUN).__enter__()
    assert path.read_bytes() == content


def special_files(folder: Path) -> list[Path]:
    os.mkfifo(folder / "pipe")
    return [Path("/dev/null"), Path("/dev/zero"), folder / "pipe", folder]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_only_regular_files_are_opened(tmp_path: Path) -> None:
    for path in special_files(tmp_path):
        with pytest.raises(InvalidData, match=r"is a folder, a pipe or a device\. Hint: name a regular file"):
            Checkpoint(path, RUN).__enter__()


def test_a_path_that_cannot_be_written_is_refused_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for name, reason in (("file/checkpoint", "Not a directory"), ("x" * 256, "File name too long")):
        with pytest.raises(InvalidData, match=f"Cannot write .*: {reason}"):
            Checkpoint(tmp_path / name, RUN).__enter__()


def test_a_line_that_is_nested_too_deeply_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "checkpoint.jsonl"
    with Checkpoint(path, RUN) as store:
        store.add({"value": 1})
    damaged = path.read_bytes() + b'{"value": ' + b"[" * 100_000 + b"\n"
    path.write_bytes(damaged)
    with pytest.raises(InvalidData, match="line 3, is not a JSON object"):
        Checkpoint(path, RUN).__enter__()
    assert path.read_bytes() == damaged


X, y = small_corpus(n=60)
PARTS = Validation(share=0.3, random_state=1).parts(X, LabelMatrix.of(y))
PATHS = [StrengthPath((0.1, 0.01), {"l1_ratio": 1.0})]
DEEP = "[" * 200 + "]" * 200
DAMAGE = [
    ("value", '"x"'),
    ("value", "null"),
    ("value", "NaN"),
    ("value", "1e999"),
    ("value", "true"),
    ("recipe", '"unknown"'),
    ("scoring", '"micro_f1"'),
    ("model", '"PairwiseCRF"'),
    ("n_iterations", "2.5"),
    ("seconds", "null"),
    ("n_bytes", "-1"),
    ("history", "{}"),
    ("history", DEEP),
    ("history", "[[[1, NaN]]]"),
    ("strength", "0.3"),
    ("l1_ratio", "[1.0]"),
    ("alien", "1"),
]


@pytest.mark.parametrize(("name", "value"), DAMAGE)
def test_a_damaged_row_is_refused_before_anything_is_trained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    path, model = tmp_path / "checkpoint.jsonl", BinaryRelevance(n_jobs=1)
    search(model, PATHS, PARTS, checkpoint=path)
    header, first, *_ = path.read_text(encoding="utf-8").splitlines(keepends=True)
    row = json.dumps({**json.loads(first), name: "DAMAGED"}).replace('"DAMAGED"', value)
    path.write_text(f"{header}{row}\n", encoding="utf-8")
    monkeypatch.setattr(BinaryRelevance, "fit_path", lambda *_: pytest.fail("a setting was trained"))
    reason = "its settings are not of this run" if name in ("strength", "l1_ratio", "alien") else f"its {name} is "
    with pytest.raises(
        InvalidData,
        match=rf"checkpoint\.jsonl, line 2, was not written by this run: .*{reason}.* Hint: remove that line",
    ):
        search(model, PATHS, PARTS, checkpoint=path)
    assert path.read_text(encoding="utf-8") == f"{header}{row}\n"


@pytest.mark.parametrize("name", ["value", "strength", "history"])
def test_a_row_without_one_of_its_fields_is_refused(tmp_path: Path, name: str) -> None:
    path, model = tmp_path / "checkpoint.jsonl", BinaryRelevance(n_jobs=1)
    search(model, PATHS, PARTS, checkpoint=path)
    header, first, *_ = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text(header + first.replace(f'"{name}"', '"other"'), encoding="utf-8")
    with pytest.raises(InvalidData, match=r"checkpoint\.jsonl, line 2, was not written by this run: "):
        search(model, PATHS, PARTS, checkpoint=path)


@pytest.mark.parametrize("exists", [True, False])
def test_a_path_without_permission_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, exists: bool) -> None:
    path = tmp_path / "checkpoint.jsonl"
    if exists:
        with Checkpoint(path, RUN):
            pass
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(InvalidData, match="Cannot write .*: Permission denied"):
        check_checkpoint(path)
