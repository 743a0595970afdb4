"""A file is written whole or not at all: what was there before survives a failure, a full disk and a kill."""

from __future__ import annotations

import errno
import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from setwise.exceptions import InvalidData
from setwise.persistence import load, save, save_load
from setwise.persistence.container import write_container
from tests.persistence.small import NEW, trained


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """A model file that is there already."""
    path = tmp_path / "a.setwise"
    save(path, trained("br"))
    return path


def assert_survives(path: Path, content: bytes) -> None:
    assert path.read_bytes() == content
    assert load(path).classifier.predict(NEW) == trained("br").predict(NEW)
    assert list(path.parent.iterdir()) == [path]  # and nothing lies about


class FailsAfter:
    """A file that takes some bytes, and then fails."""

    def __init__(self, file: Any, n_bytes: int, error: BaseException) -> None:
        self.file, self.left, self.error = file, n_bytes, error

    def write(self, content: Any) -> int:
        self.left -= len(content)
        if self.left < 0:
            raise self.error
        return int(self.file.write(content))


@pytest.mark.parametrize("n_bytes", [0, 3000, 4500])
@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), KeyboardInterrupt()], ids=repr)
def test_writer_that_fails(kept: Path, monkeypatch: pytest.MonkeyPatch, n_bytes: int, error: BaseException) -> None:
    before = kept.read_bytes()
    monkeypatch.setattr(
        save_load, "write_container", lambda file, *parts: write_container(FailsAfter(file, n_bytes, error), *parts)
    )
    told = InvalidData if isinstance(error, OSError) else KeyboardInterrupt
    with pytest.raises(told, match="No space left on device" if isinstance(error, OSError) else None):
        save(kept, trained("pcc"))
    assert_survives(kept, before)


def test_disk_that_takes_no_more(kept: Path) -> None:
    before = kept.read_bytes()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    try:
        with pytest.raises(InvalidData, match=r"a\.setwise must be a file that can be written; File too large\.$"):
            save(kept, trained("pcc"))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert_survives(kept, before)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is always full")
def test_device_that_is_full() -> None:
    with pytest.raises(InvalidData, match="/dev/full must be a file that can be written; No space left on device"):
        save("/dev/full", trained("br"))


def test_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InvalidData, match="must be a file that can be written; No such file or directory"):
        save(tmp_path / "nowhere" / "a.setwise", trained("br"))


PROGRAM = """
import sys, time
from setwise.persistence import save_load, load, save
from setwise.persistence.container import write_container

class HalfWay:
    def __init__(self, file):
        self.file = file
    def write(self, content):
        self.file.write(bytes(content)[: len(content) // 2])
        self.file.flush()
        print("half", flush=True)
        time.sleep(600)

saved = load(sys.argv[1])
save_load.write_container = lambda file, *parts: write_container(HalfWay(file), *parts)
save(sys.argv[1], saved.classifier)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_kill_in_the_middle(kept: Path) -> None:
    before = kept.read_bytes()
    writer = subprocess.Popen([sys.executable, "-c", PROGRAM, str(kept)], stdout=subprocess.PIPE, text=True)
    assert writer.stdout is not None
    assert writer.stdout.readline() == "half\n"
    writer.kill()
    writer.communicate()
    (litter,) = set(kept.parent.iterdir()) - {kept}  # the dead cannot tidy up
    assert litter.name.startswith(".setwise-")
    assert litter.stat().st_size > 0
    litter.unlink()
    assert_survives(kept, before)
    save(kept, trained("pcc"))  # and nothing stands in the way of the next
    assert load(kept).classifier.predict(NEW) == trained("pcc").predict(NEW)
