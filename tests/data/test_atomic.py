from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import BinaryIO

import pytest

from setwise.data import atomic_writer, check_writable
from setwise.exceptions import InvalidData

NO_SPACE = OSError(28, "No space left on device")


def write_and_fail(file: BinaryIO, error: Exception | None) -> None:
    file.write(b"new")
    if error is not None:
        raise error


def test_the_file_is_there_only_when_the_block_has_ended(tmp_path: Path) -> None:
    path = tmp_path / "new"
    with atomic_writer(path) as file:
        file.write(b"whole")
        file.flush()
        assert not path.exists()
    assert path.read_bytes() == b"whole"
    assert list(tmp_path.iterdir()) == [path]


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "old"
    path.write_bytes(b"old")
    with pytest.raises(KeyError), atomic_writer(path) as file:
        write_and_fail(file, KeyError())
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("step", ["write", "fsync", "replace"])
def test_a_full_disk_is_one_sentence_and_leaves_the_old_file(
    tmp_path: Path, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise NO_SPACE

    path = tmp_path / "old"
    path.write_bytes(b"old")
    if step != "write":
        monkeypatch.setattr(os, step, full)
    with (
        pytest.raises(InvalidData, match=r"Cannot write .*old: No space left on device\.$"),
        atomic_writer(path) as file,
    ):
        write_and_fail(file, NO_SPACE if step == "write" else None)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with (
        pytest.raises(InvalidData, match="Cannot write .*: No such file or directory"),
        atomic_writer(tmp_path / "absent" / "file"),
    ):
        raise AssertionError("the block must not run")
    with (
        pytest.raises(InvalidData, match="Cannot write .*: Is a directory"),
        atomic_writer(tmp_path),
    ):
        pass


def test_rights_of_the_old_file_are_kept_and_new_ones_follow_the_mask(tmp_path: Path) -> None:
    (tmp_path / "old").touch()
    (tmp_path / "old").chmod(0o640)
    before = os.umask(0o022)
    try:
        for name in ("old", "new"):
            with atomic_writer(tmp_path / name):
                pass
    finally:
        os.umask(before)
    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("old", "new")]
    assert modes == [0o640, 0o644]


def test_a_link_goes_on_pointing_to_its_file(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to("file")
    with atomic_writer(tmp_path / "link") as file:
        file.write(b"through")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_bytes() == b"through"


def test_a_device_is_not_replaced() -> None:
    with atomic_writer(os.devnull) as file:
        file.write(b"gone")
    assert Path(os.devnull).is_char_device()


def test_a_name_may_be_as_long_as_the_folder_allows(tmp_path: Path) -> None:
    name = "ü" * (os.pathconf(tmp_path, "PC_NAME_MAX") // 2) + "x"
    check_writable(tmp_path / name)
    with atomic_writer(tmp_path / name) as file:
        file.write(b"new")
    assert (tmp_path / name).read_bytes() == b"new"
    with pytest.raises(InvalidData, match="Cannot write .*: File name too long"):
        check_writable(tmp_path / (name + "x"))


def test_a_pipe_without_a_name_is_written_to(tmp_path: Path) -> None:
    ours, theirs = os.pipe()
    with open(ours, "rb") as reader:
        with open(theirs, "wb"), atomic_writer(f"/dev/fd/{theirs}") as file:
            file.write(b"through")
        assert reader.read() == b"through"
