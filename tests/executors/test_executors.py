"""Executors: each gives the same results, by the same tasks, whatever happens to the workers."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from setwise.exceptions import InvalidData, InvalidParameter, WorkerFailure, WorkerRestarted
from setwise.executors import (
    Emit,
    Executor,
    Needs,
    ProcessExecutor,
    Scheduler,
    SerialExecutor,
    Walk,
    WorkFolder,
    executor_of,
    in_order,
    scheduler_of,
)
from setwise.executors import running as running_module
from setwise.executors.processes import n_out_of_memory_kills
from tests.executors.tasks import task

needs_signals = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")


@pytest.fixture(scope="module")
def processes() -> Iterator[Scheduler]:
    with scheduler_of(ProcessExecutor(2)) as scheduler:
        yield scheduler


@pytest.fixture(params=["serial", "processes"])
def scheduler(request: pytest.FixtureRequest) -> Iterator[Scheduler]:
    if request.param == "processes":
        yield request.getfixturevalue("processes")
        return
    with scheduler_of(SerialExecutor()) as serial:
        yield serial


def totals(outcomes: Any) -> list[float]:
    return [one.value["total"] for one in outcomes]


def test_results_come_in_the_order_of_the_tasks(scheduler: Scheduler) -> None:
    outcomes = scheduler.run([task("square", number=number) for number in (3, 1, 2)])
    assert totals(outcomes) == [9, 1, 4]
    np.testing.assert_array_equal(outcomes[0].value["array"], np.full(3, 0.1))


def test_tasks_read_data_and_earlier_results(scheduler: Scheduler) -> None:
    data = scheduler.data({"total": np.array([0.1, 0.2])}, lambda value: value)
    squares = scheduler.run([task("square", number=2)])
    assert totals(scheduler.run([task("add", {"numbers": [data, *squares]}, more=1.0)])) == [0.1 + 0.2 + 4 + 1.0]


def test_tasks_multiply_matrices_with_one_thread(scheduler: Scheduler) -> None:
    """With several threads BLAS may add up in another order: bits would depend on where a task runs."""
    with threadpool_limits(2, user_api="blas"):
        assert totals(scheduler.run([task("blas_threads")])) == [1]
        assert max(one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas") == 2


def test_an_error_of_a_task_is_raised_here(scheduler: Scheduler) -> None:
    with pytest.raises(ValueError, match=r"^no such number$"):
        scheduler.run([task("fail", text="no such number")])
    assert totals(scheduler.run([task("square", number=4)])) == [16]


def test_a_warning_of_a_task_is_given_here(scheduler: Scheduler) -> None:
    with pytest.warns(UserWarning, match="nearly") as caught:
        scheduler.run([task("warn", text="nearly")])
    assert len(caught) == 1


def counting(length: int) -> Walk:
    total = 0
    for number in range(length):
        (outcome,) = yield Needs([task("square", number=number)], [task("square", number=number + 1)])
        total += outcome.value["total"]
        yield Emit(total)
    return total


def test_a_walk_goes_on_with_what_it_needed(scheduler: Scheduler) -> None:
    job = scheduler.start(counting(4))
    assert list(scheduler.items(job)) == [0, 1, 5, 14]
    assert job.result == 14


def test_serial_walks_do_nothing_before_they_are_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.executors import tasks

    called: list[int] = []

    def square(_: Any, number: int) -> dict[str, int]:
        called.append(number)
        return {"total": number}

    monkeypatch.setattr(tasks, "square", square)
    with scheduler_of(None) as scheduler:
        first, second = scheduler.start(counting(9)), scheduler.start(counting(9))
        items = scheduler.items(first)
        next(items)
        next(items)
        assert called == [0, 1]
        scheduler.drop(first)
        assert list(scheduler.items(second))[-1] == 36


def test_other_walks_run_while_one_is_waited_for(processes: Scheduler) -> None:
    def sleeping(number: int) -> Walk:
        yield Needs([task("sleep", seconds=0.5, number=number)])
        yield Needs([task("sleep", seconds=0.5, number=10 + number)])

    jobs = [processes.start(sleeping(number)) for number in range(2)]
    started = monotonic()
    processes.result(jobs[0])
    processes.result(jobs[1])
    assert monotonic() - started < 1.9  # one after the other they take 2 seconds


def test_a_finished_task_is_not_done_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tasks = [task("square", number=number) for number in range(3)]
    with scheduler_of(ProcessExecutor(1, tmp_path)) as scheduler:
        first = totals(scheduler.run(tasks))
    parts = {path.name: path.read_bytes() for path in tmp_path.rglob("*.part")}
    assert len(parts) == 3
    monkeypatch.setattr("subprocess.Popen", lambda *_, **__: pytest.fail("a worker was started"))
    with scheduler_of(ProcessExecutor(1, tmp_path)) as scheduler:
        assert totals(scheduler.run(tasks)) == first


def test_a_damaged_part_is_computed_again(tmp_path: Path) -> None:
    with scheduler_of(ProcessExecutor(1, tmp_path)) as scheduler:
        scheduler.run([task("square", number=3)])
        (part,) = tmp_path.rglob("*.part")
        content = part.read_bytes()
        part.write_bytes(content[:-1])
    with scheduler_of(ProcessExecutor(1, tmp_path)) as scheduler:
        assert totals(scheduler.run([task("square", number=3)])) == [9]
    assert part.read_bytes() == content


@needs_signals
def test_a_killed_worker_is_replaced(tmp_path: Path) -> None:
    tasks = [task("die_once", marker=str(tmp_path / "died")), task("square", number=2)]
    with scheduler_of(ProcessExecutor(1)) as scheduler, pytest.warns(WorkerRestarted) as caught:
        found = totals(scheduler.run(tasks))
    assert found == [1, 4]
    (warning,) = caught
    assert "was lost (SIGKILL) while it worked on the test die_once; the task is done again." in str(warning.message)


@needs_signals
def test_a_task_that_kills_its_workers_is_given_up() -> None:
    with scheduler_of(ProcessExecutor(1)) as scheduler, warnings.catch_warnings():
        warnings.simplefilter("ignore", WorkerRestarted)
        with pytest.raises(WorkerFailure, match=r"was lost \(SIGKILL\) while it worked on the test die, 5 times"):
            scheduler.run([task("die")])


def test_out_of_memory_is_told_from_a_lost_worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (
        scheduler_of(ProcessExecutor(1)) as scheduler,
        pytest.warns(WorkerRestarted, match="ran out of memory"),
        pytest.raises(WorkerFailure, match="ran out of memory .* 2 times. Hint: run fewer workers per machine"),
    ):
        scheduler.run([task("run_out_of_memory")])


@needs_signals
def test_a_kill_by_the_system_counts_as_out_of_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from setwise.executors import processes as module

    kills = iter(range(100))
    monkeypatch.setattr(module, "n_out_of_memory_kills", lambda: next(kills))  # one more at each look
    with (
        scheduler_of(ProcessExecutor(1)) as scheduler,
        pytest.warns(WorkerRestarted, match="ran out of memory while it worked on the test die_once"),
    ):
        assert totals(scheduler.run([task("die_once", marker=str(tmp_path / "died"))])) == [1]


def test_the_counter_of_the_system_is_read(tmp_path: Path) -> None:
    (tmp_path / "vmstat").write_text("pgfault 12\noom_kill 3\n")
    (tmp_path / "events").write_text("oom 9\noom_kill 2\noom_group_kill 1\n")
    assert n_out_of_memory_kills((str(tmp_path / "vmstat"), str(tmp_path / "events"), "/no/such/file")) == 5


def test_another_version_of_the_code_is_refused(tmp_path: Path) -> None:
    message = running_module.message_of(task("square", number=1), WorkFolder(tmp_path).create())
    with pytest.raises(InvalidData, match="has another setwise than the process that sends it work"):
        running_module.run_message(
            running_module.Message(**{**vars(message), "code": "other"}), running_module.Memory()
        )


def test_a_worker_that_does_not_see_the_folder_says_so(tmp_path: Path) -> None:
    message = running_module.message_of(task("square", number=1), WorkFolder(tmp_path / "elsewhere"))
    with pytest.raises(InvalidData, match="A worker does not see the work folder"):
        running_module.run_message(message, running_module.Memory())


class TestWorkFolder:
    def test_equal_content_is_written_once(self, tmp_path: Path) -> None:
        folder = WorkFolder(tmp_path).create()
        value = {"a": np.arange(3), "b": ["x", None, 1.5], "c": np.arange(3), "empty": np.zeros((0, 2))}
        first, second = folder.put(value), folder.put(value)
        assert first.key == second.key
        assert len(list((tmp_path / "data").glob("*.npy"))) == 2
        read = first.value
        np.testing.assert_array_equal(read["a"], value["a"])
        assert read["empty"].shape == (0, 2)
        assert read["b"] == value["b"]
        assert not read["a"].flags.writeable

    def test_a_folder_that_cannot_be_made_is_one_sentence(self, tmp_path: Path) -> None:
        (tmp_path / "file").touch()
        with pytest.raises(InvalidData, match="cannot be used as a work folder: Not a directory"):
            WorkFolder(tmp_path / "file").create()

    def test_objects_cannot_be_sent(self, tmp_path: Path) -> None:
        with pytest.raises(InvalidData, match="A set is no plain value"):
            WorkFolder(tmp_path).create().put({"a": {1, 2}})


class TestNames:
    @pytest.mark.parametrize(
        ("name", "n_workers"), [("serial", 1), ("local:3", 3), ("tcp://127.0.0.1:1", 1), (None, 1)]
    )
    def test_executors_have_names(self, name: str | None, n_workers: int) -> None:
        executor = executor_of(name)
        assert isinstance(executor, Executor)
        assert executor.n_workers == n_workers
        assert executor_of(executor) is executor

    @pytest.mark.parametrize(
        ("name", "sentence"),
        [
            ("cloud", "executor must be one of serial, processes, local:N, tcp://HOST:PORT"),
            (3, "executor must be an executor or one of"),
            ("local:many", "executor must have the form local:N; got 'local:many'. Hint: write local:4."),
            ("local:0", "executor must have the form local:N; got 'local:0'"),
            ("tcp:host", "executor must have the form tcp://HOST:PORT; got 'tcp:host'. Hint: write tcp://host:8786."),
        ],
    )
    def test_other_names_are_refused(self, name: Any, sentence: str) -> None:
        with pytest.raises(InvalidParameter, match=sentence):
            executor_of(name)

    def test_the_name_of_a_missing_extra_is_in_the_message(self, monkeypatch: pytest.MonkeyPatch) -> None:
        from setwise.exceptions import Incompatible

        monkeypatch.setitem(sys.modules, "distributed", None)
        with (
            pytest.raises(Incompatible, match=r'pip install "setwise\[dask\]"'),
            scheduler_of(executor_of("tcp://h:1")),
        ):
            pass


def test_a_stream_keeps_its_order_and_leaves_nothing_behind(tmp_path: Path) -> None:
    with ProcessExecutor(2).session() as session:
        read: list[int] = []

        def stream() -> Iterator[Any]:
            for number in (3, 1, 1, 4, 1, 5):
                read.append(number)
                yield task("square", number=number)

        found = in_order(session, stream())
        assert next(found)[1].value["total"] == 9
        assert len(read) < 6  # the stream is read as far as there are workers
        assert [outcome.value["total"] for _, outcome in found] == [1, 1, 16, 1, 25]
        folder = session.folder.path  # type: ignore[attr-defined]
        assert not list(folder.rglob("*.part"))


def test_what_was_read_before_an_error_comes_out_first() -> None:
    def stream() -> Iterator[Any]:
        yield task("square", number=3)
        raise InvalidData("line 2 is damaged")

    with ProcessExecutor(1).session() as session:
        found = in_order(session, stream())
        assert next(found)[1].value["total"] == 9
        with pytest.raises(InvalidData, match="line 2"):
            next(found)
