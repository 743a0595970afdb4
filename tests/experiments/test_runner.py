"""A run in processes: what is found is kept, whatever ends the run."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from setwise.exceptions import InvalidData
from setwise.experiments.plan import Work, plan
from setwise.experiments.rows import Row, read_rows
from setwise.experiments.runner import Watcher, run
from tests.experiments.tiny import TINY, circumstances, write_corpus

REPOSITORY = Path(__file__).parents[2]
WORKS = plan(["tiny"], ["BR", "CBM"], ["1", "4"], TINY)


class Heard(Watcher):
    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.ended_works: list[Work] = []
        self.reasons: dict[str, str] = {}
        self.steps: list[tuple[str, int, int]] = []

    def stepped(self, work: Work, done: int, total: int) -> None:
        self.steps.append((work.name, done, total))

    def found(self, row: Row) -> None:
        self.rows.append(row)

    def ended(self, work: Work) -> None:
        self.ended_works.append(work)

    def failed(self, work: Work, reason: str) -> None:
        self.reasons[work.name] = reason


def told(folder: Path) -> list[dict[str, Any]]:
    """The rows, but for what the machine adds."""
    return [
        {name: value for name, value in asdict(row).items() if name not in ("seconds", "peak_mb")}
        for row in read_rows(folder / "rows")
    ]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run from beginning to end, two pieces of work at a time."""
    folder = tmp_path_factory.mktemp("whole")
    write_corpus(folder / "data")
    heard = Heard()
    assert run(WORKS, circumstances(folder), folder / "rows", 2, heard) == []
    assert {row.key for row in heard.rows} == {key for work in WORKS for key in work.keys}
    assert set(heard.ended_works) == set(WORKS)
    assert ("tiny BR", TINY.learners.n_strengths, TINY.learners.n_strengths) in heard.steps
    return folder


def test_rows_stand_in_the_order_of_their_keys(whole: Path) -> None:
    rows = read_rows(whole / "rows")
    assert [row.key for row in rows] == sorted(key for work in WORKS for key in work.keys)
    lines = (whole / "rows" / "tiny.jsonl").read_text().splitlines()
    assert len(lines) == 1 + len(rows)


def test_failed_work_is_told_and_done_by_the_next_run(whole: Path, tmp_path: Path) -> None:
    write_corpus(tmp_path / "data")
    obstacle = tmp_path / "cells" / "tiny-BR.jsonl"
    obstacle.mkdir(parents=True)  # a folder where a file should be
    heard = Heard()
    failed = run(WORKS, circumstances(tmp_path), tmp_path / "rows", 1, heard)
    assert [work.name for work in failed] == ["tiny BR"]
    assert "it is a folder" in heard.reasons["tiny BR"]
    missing = [key for work in failed for key in work.keys]
    assert not {row.key for row in read_rows(tmp_path / "rows")} & set(missing)
    obstacle.rmdir()
    done = [row.key for row in read_rows(tmp_path / "rows")]
    assert run(plan(["tiny"], ["BR", "CBM"], ["1", "4"], TINY, done), circumstances(tmp_path), tmp_path / "rows") == []
    assert told(tmp_path) == told(whole)


def test_rows_of_another_corpus_are_not_mixed_in(tmp_path: Path) -> None:
    write_corpus(tmp_path / "data")
    corpus = WORKS[:1]
    run(corpus, circumstances(tmp_path), tmp_path / "rows")
    write_corpus(tmp_path / "other", seed=1)
    (tmp_path / "data").rename(tmp_path / "old")
    (tmp_path / "other").rename(tmp_path / "data")
    with pytest.raises(InvalidData, match="must come from the same run"):
        run(corpus, circumstances(tmp_path), tmp_path / "rows")


def test_rows_of_another_effort_are_not_mixed_in(tmp_path: Path) -> None:
    write_corpus(tmp_path / "data")
    run(WORKS[:1], circumstances(tmp_path), tmp_path / "rows")
    more = replace(circumstances(tmp_path), effort=replace(TINY, n_repeats=3))
    with pytest.raises(InvalidData, match="must come from the same run"):
        run(WORKS[:1], more, tmp_path / "rows")


PROGRAM = """
import sys
from pathlib import Path
from setwise.experiments.plan import plan
from setwise.experiments.rows import read_rows
from setwise.experiments.runner import run
from tests.experiments.tiny import TINY, circumstances

if __name__ == "__main__":
    folder = Path(sys.argv[1])
    done = [row.key for row in read_rows(folder / "rows")]
    run(plan(["tiny"], ["BR", "CBM"], ["1", "4"], TINY, done), circumstances(folder), folder / "rows", 2)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_a_kill_in_the_middle_and_a_second_run_give_the_same_rows(whole: Path, tmp_path: Path) -> None:
    write_corpus(tmp_path / "data")
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    rows = tmp_path / "rows" / "tiny.jsonl"
    command = [sys.executable, str(program), str(tmp_path)]
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}  # the program imports from these tests
    for n_lines in (3, 6):  # killed as soon as so many lines are there
        with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as process:
            while not rows.exists() or len(rows.read_bytes().splitlines()) < n_lines:
                assert process.poll() is None, "over before the kill"
                time.sleep(0.01)
            process.send_signal(signal.SIGKILL)
            process.communicate(timeout=60)  # the pipe is open until the last of its processes has ended too
    subprocess.run(command, check=True, timeout=300, env=environment)
    assert told(tmp_path) == told(whole)


class Asleep:
    """A folder that takes long to find."""

    def __fspath__(self) -> str:
        print("at work", flush=True)
        time.sleep(300)
        return "found"


LONG_WORK = """
import sys
from dataclasses import replace
from pathlib import Path
from setwise.experiments.plan import Work
from setwise.experiments.runner import _started
from tests.experiments.test_runner import Asleep
from tests.experiments.tiny import circumstances

if __name__ == "__main__":
    _, (_, process) = _started(Work("corpus", "tiny"), replace(circumstances(Path(sys.argv[1])), data=Asleep()))
    process.join()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_work_ends_with_its_run_and_not_when_it_has_something_to_tell(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(LONG_WORK)
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    with subprocess.Popen(
        [sys.executable, str(program), str(tmp_path)], stdout=subprocess.PIPE, env=environment
    ) as run:
        assert run.stdout is not None
        assert run.stdout.readline() == b"at work\n"
        run.send_signal(signal.SIGKILL)
        run.communicate(timeout=60)  # the pipe is open until the work has ended too
