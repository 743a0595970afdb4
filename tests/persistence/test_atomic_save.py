"""A file is written completely or not at all: the previous file survives an error, a full disk and a kill."""

from __future__ import annotations

import errno
import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any, BinaryIO, cast

import pytest

from setwise import load
from setwise.exceptions import InvalidData
from setwise.persistence import save_load
from setwise.persistence.container import write_container
from tests.persistence.small import NEW, trained


@pytest.fixture
def model_file(tmp_path: Path) -> Path:
    """An existing model file."""
    path = tmp_path / "a.setwise"
    trained("br").save(path)
    return path


def assert_survives(path: Path, content: bytes) -> None:
    assert path.read_bytes() == content
    assert load(path).predict(NEW) == trained("br").predict(NEW)
    assert list(path.parent.iterdir()) == [path]  # and no temporary file is left


class FailsAfter:
    """A file that fails after some bytes."""

    def __init__(self, file: Any, n_bytes: int, error: BaseException) -> None:
        self.file, self.left, self.error = file, n_bytes, error

    def write(self, content: Any) -> int:
        self.left -= len(content)
        if self.left < 0:
            raise self.error
        return int(self.file.write(content))


@pytest.mark.parametrize("n_bytes", [0, 3000, 4500])
@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), KeyboardInterrupt()], ids=repr)
def test_failing_writer(model_file: Path, monkeypatch: pytest.MonkeyPatch, n_bytes: int, error: BaseException) -> None:
    before = model_file.read_bytes()
    monkeypatch.setattr(
        save_load,
        "write_container",
        lambda file, *parts: write_container(cast(BinaryIO, FailsAfter(file, n_bytes, error)), *parts),
    )
    expected = InvalidData if isinstance(error, OSError) else KeyboardInterrupt
    with pytest.raises(expected, match="No space left on device" if isinstance(error, OSError) else None):
        trained("pcc").save(model_file)
    assert_survives(model_file, before)


def test_file_size_limit(model_file: Path) -> None:
    before = model_file.read_bytes()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    try:
        with pytest.raises(InvalidData, match=r"Cannot write .*a\.setwise: File too large\.$"):
            trained("pcc").save(model_file)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert_survives(model_file, before)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_full_device() -> None:
    with pytest.raises(InvalidData, match="Cannot write /dev/full: No space left on device"):
        trained("br").save("/dev/full")


def test_missing_folder(tmp_path: Path) -> None:
    with pytest.raises(InvalidData, match="Cannot write .*: No such file or directory"):
        trained("br").save(tmp_path / "nowhere" / "a.setwise")


PROGRAM = """
import sys, time
from setwise import load
from setwise.persistence import save_load
from setwise.persistence.container import write_container

class HalfWay:
    def __init__(self, file):
        self.file = file
    def write(self, content):
        self.file.write(bytes(content)[: len(content) // 2])
        self.file.flush()
        print("half", flush=True)
        time.sleep(600)

classifier = load(sys.argv[1])
save_load.write_container = lambda file, *parts: write_container(HalfWay(file), *parts)
classifier.save(sys.argv[1])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_kill_while_writing(model_file: Path) -> None:
    before = model_file.read_bytes()
    writer = subprocess.Popen([sys.executable, "-c", PROGRAM, str(model_file)], stdout=subprocess.PIPE, text=True)
    assert writer.stdout is not None
    assert writer.stdout.readline() == "half\n"
    writer.kill()
    writer.communicate()
    (temporary,) = set(model_file.parent.iterdir()) - {model_file}  # a killed process cannot remove it
    assert temporary.name.startswith(".setwise-")
    assert temporary.stat().st_size > 0
    temporary.unlink()
    assert_survives(model_file, before)
    trained("pcc").save(model_file)  # the next save succeeds
    assert load(model_file).predict(NEW) == trained("pcc").predict(NEW)
