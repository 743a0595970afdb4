"""A run in processes: stored rows are never lost, however the run ends."""

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

from reproduction.plan import PARTS, Task, plan_tasks
from reproduction.run import Row, RunObserver, open_rows, read_rows, run_tasks
from setwise.exceptions import InvalidData
from tests.reproduction.tiny import TINY, tiny_config, write_corpus

REPOSITORY = Path(__file__).parents[3]
TASKS = plan_tasks(["tiny"], ["BR", "PCC"], ["1", "4"], TINY)


class Recorder(RunObserver):
    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.finished: list[Task] = []
        self.reasons: dict[str, str] = {}
        self.steps: list[tuple[str, int, int]] = []

    def task_progressed(self, task: Task, n_done: int, n_steps: int) -> None:
        self.steps.append((task.name, n_done, n_steps))

    def row_stored(self, row: Row) -> None:
        self.rows.append(row)

    def task_finished(self, task: Task) -> None:
        self.finished.append(task)

    def task_failed(self, task: Task, reason: str) -> None:
        self.reasons[task.name] = reason


def stored_rows(folder: Path) -> list[dict[str, Any]]:
    """Return the rows without their time and memory."""
    return [
        {name: value for name, value in asdict(row).items() if name not in ("seconds", "peak_mb")}
        for row in read_rows(folder / "rows")
    ]


@pytest.fixture(scope="module")
def complete(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a complete run, two tasks at a time."""
    folder = tmp_path_factory.mktemp("complete")
    write_corpus(folder / "data")
    recorder = Recorder()
    assert run_tasks(TASKS, tiny_config(folder), folder / "rows", 2, recorder) == []
    assert {row.key for row in recorder.rows} == {key for task in TASKS for key in task.keys}
    assert set(recorder.finished) == set(TASKS)
    assert ("tiny BR", TINY.learners.n_strengths, TINY.learners.n_strengths) in recorder.steps
    return folder


def test_rows_are_stored_in_the_order_of_their_keys(complete: Path) -> None:
    rows = read_rows(complete / "rows")
    assert [row.key for row in rows] == sorted(key for task in TASKS for key in task.keys)
    lines = (complete / "rows" / "tiny.jsonl").read_text().splitlines()
    assert len(lines) == 1 + len(rows)


@pytest.mark.slow
def test_a_failed_task_has_a_reason_and_the_next_run_repeats_it(complete: Path, tmp_path: Path) -> None:
    write_corpus(tmp_path / "data")
    config, folder = tiny_config(tmp_path), tmp_path / "rows"
    obstacle = tmp_path / "trials" / "tiny-BR.jsonl"
    obstacle.mkdir(parents=True)  # a folder in the place of a file
    recorder = Recorder()
    failed = run_tasks(TASKS, config, folder, 1, recorder)
    assert [task.name for task in failed] == ["tiny BR"]
    assert "is a folder" in recorder.reasons["tiny BR"]
    missing = [key for task in failed for key in task.keys]
    assert not {row.key for row in read_rows(folder)} & set(missing)
    obstacle.rmdir()
    done = [row.key for row in read_rows(folder)]
    assert run_tasks(plan_tasks(["tiny"], ["BR", "PCC"], ["1", "4"], TINY, done), config, folder) == []
    assert stored_rows(tmp_path) == stored_rows(complete)


def test_rows_of_another_corpus_are_refused(tmp_path: Path) -> None:
    write_corpus(tmp_path / "data")
    run_tasks(TASKS[:1], tiny_config(tmp_path), tmp_path / "rows")
    write_corpus(tmp_path / "other", random_state=1)
    (tmp_path / "data").rename(tmp_path / "old")
    (tmp_path / "other").rename(tmp_path / "data")
    with pytest.raises(InvalidData, match="is the checkpoint of another run"):
        run_tasks(TASKS[:1], tiny_config(tmp_path), tmp_path / "rows")


def test_rows_of_another_effort_are_refused(tmp_path: Path) -> None:
    write_corpus(tmp_path / "data")
    run_tasks(TASKS[:1], tiny_config(tmp_path), tmp_path / "rows")
    more = replace(tiny_config(tmp_path), effort=replace(TINY, n_repeats=3))
    with pytest.raises(InvalidData, match="is the checkpoint of another run"):
        run_tasks(TASKS[:1], more, tmp_path / "rows")


def environment() -> dict[str, str]:
    """Return the environment of a program that imports from these tests."""
    path = os.pathsep.join([str(REPOSITORY), *filter(None, [os.environ.get("PYTHONPATH")])])
    return {**os.environ, "PYTHONPATH": path}


PROGRAM = """
import sys
from pathlib import Path
from reproduction.plan import plan_tasks
from reproduction.run import read_rows, run_tasks
from tests.reproduction.tiny import TINY, tiny_config

if __name__ == "__main__":
    folder = Path(sys.argv[1])
    done = [row.key for row in read_rows(folder / "rows")]
    tasks = plan_tasks(["tiny"], ["BR", "PCC"], ["1", "4"], TINY, done)
    run_tasks(tasks, tiny_config(folder), folder / "rows", 2)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_runs_that_are_killed_and_continued_give_the_same_rows(complete: Path, tmp_path: Path) -> None:
    write_corpus(tmp_path / "data")
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    rows = tmp_path / "rows" / "tiny.jsonl"
    command = [sys.executable, str(program), str(tmp_path)]
    for n_lines in (3, 6):  # killed as soon as the file has this many lines
        with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment()) as process:
            while not rows.exists() or len(rows.read_bytes().splitlines()) < n_lines:
                assert process.poll() is None, "the run ended before the kill"
                time.sleep(0.01)
            process.send_signal(signal.SIGKILL)
            process.communicate(timeout=60)  # the pipe stays open until the last of its processes has ended
    subprocess.run(command, check=True, timeout=300, env=environment())
    assert stored_rows(tmp_path) == stored_rows(complete)


class SlowFolder:
    """A path that takes minutes to compute."""

    def __fspath__(self) -> str:
        print("started", flush=True)
        time.sleep(300)
        return "unused"


LONG_TASK = """
import sys
from dataclasses import replace
from pathlib import Path
from reproduction.plan import Task
from reproduction.run.runner import start_process
from tests.reproduction.run.test_runner import SlowFolder
from tests.reproduction.tiny import tiny_config

if __name__ == "__main__":
    config = replace(tiny_config(Path(sys.argv[1])), data=SlowFolder())
    _, (_, process) = start_process(Task("corpus", "tiny"), config)
    process.join()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_a_task_ends_with_its_run_even_while_it_computes(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(LONG_TASK)
    command = [sys.executable, str(program), str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment()) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"started\n"
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=60)  # the pipe stays open until the task has ended too


def test_parts_of_a_run_have_files_and_identities_of_their_own(tmp_path: Path) -> None:
    write_corpus(tmp_path / "data")
    config, folder = tiny_config(tmp_path), tmp_path / "rows"
    for part in ("", *PARTS):
        with open_rows(folder, "tiny", config, part):
            pass
    names = sorted(path.name for path in folder.iterdir())
    assert names == ["tiny-networks.jsonl", "tiny-predictors.jsonl", "tiny.jsonl"]
    more_seeds = replace(config, effort=replace(TINY, networks=replace(TINY.networks, n_seeds=3)))
    for part in ("", "predictors"):
        with open_rows(folder, "tiny", more_seeds, part):
            pass
    with pytest.raises(InvalidData, match="another run"), open_rows(folder, "tiny", more_seeds, "networks"):
        pass
