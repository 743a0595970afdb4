"""The executor of a Dask cluster, with a scheduler that goes wrong when it is told to; tasks run in this process."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from setwise.exceptions import WorkerFailure, WorkerRestarted
from setwise.executors import DaskExecutor, Scheduler, scheduler_of
from setwise.executors import dask as module
from tests.executors.tasks import task


class KilledWorker(Exception):
    last_worker = SimpleNamespace(address="tcp://worker:1")


class Future:
    """The future of a task that was run, or that met a fault."""

    def __init__(self, run: Callable[[], Any], fault: str) -> None:
        self.status, self.is_mute = "finished", fault in ("mute", "lost")
        self.error: Exception | None = None
        self.was_cancelled = False
        if fault == "killed":
            self.status, self.error = "error", KilledWorker()
        elif fault == "forgotten":
            self.status = "cancelled"
        elif fault == "waiting":
            self.status = "pending"
        elif fault != "lost":
            try:
                self.answer = run()
            except ValueError as error:
                self.status, self.error = "error", error

    def add_done_callback(self, call: Callable[[Any], Any]) -> None:
        call(self)

    def result(self, timeout: float) -> Any:
        if self.is_mute:
            raise OSError("the worker is gone")
        return self.answer

    def exception(self, timeout: float) -> Exception | None:
        return self.error

    def cancel(self) -> None:
        self.was_cancelled = True


class Cluster:
    """Stands for the package ``distributed``."""

    KilledWorker = KilledWorker

    def __init__(self) -> None:
        self.faults: list[str] = []
        """Of the next tasks; the rest meets none."""
        self.n_refused = 0
        """So many connections fail before one succeeds."""
        self.workers: Any = {"one": {"nthreads": 1}, "other": {"nthreads": 2}}
        self.n_clients = 0
        self.futures: list[Future] = []

    def Client(self, address: str, timeout: float, set_as_default: bool) -> Any:
        if self.n_refused:
            self.n_refused -= 1
            raise OSError("refused")
        self.n_clients += 1
        return SimpleNamespace(status="running", submit=self.submit, scheduler_info=self.info, close=lambda timeout: 0)

    def submit(self, function: Any, message: Any, key: str, pure: bool) -> Future:
        self.futures.append(Future(lambda: function(message), self.faults.pop(0) if self.faults else ""))
        return self.futures[-1]

    def info(self, n_workers: int) -> Any:
        return {"workers": self.workers}


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Cluster:
    found = Cluster()
    monkeypatch.setitem(sys.modules, "distributed", found)
    monkeypatch.setattr(module, "SECONDS_BETWEEN_LOOKS", 0.001)
    return found


def squares(scheduler: Scheduler, *numbers: int) -> list[float]:
    return [one.value["total"] for one in scheduler.run([task("square", number=number) for number in numbers])]


def connected() -> Any:
    return scheduler_of(DaskExecutor("tcp://scheduler:8786"))


def test_tasks_are_run_and_errors_are_raised_here(cluster: Cluster) -> None:
    with connected() as scheduler:
        assert squares(scheduler, 3, 1, 2) == [9, 1, 4]
        with pytest.raises(ValueError, match=r"^no such number$"):
            scheduler.run([task("fail", text="no such number")])
        assert squares(scheduler, 5) == [25]


def test_two_tasks_are_sent_per_thread_of_the_workers(cluster: Cluster) -> None:
    with DaskExecutor("tcp://scheduler:8786").session() as session:
        assert session.capacity == 6
        cluster.workers = None
        assert session.capacity == 6  # as before, while the scheduler is away
        cluster.workers = {}
        assert session.capacity == 1


@pytest.mark.parametrize("fault", ["killed", "lost"])
def test_a_task_of_a_lost_worker_is_done_again(cluster: Cluster, fault: str) -> None:
    cluster.faults = [fault]
    with connected() as scheduler, pytest.warns(WorkerRestarted, match="was lost .* the task is done again") as caught:
        assert squares(scheduler, 3) == [9]
    assert len(caught) == 1


def test_a_task_that_kills_its_workers_is_given_up(cluster: Cluster) -> None:
    cluster.faults = ["killed"] * 9
    with (
        connected() as scheduler,
        pytest.warns(WorkerRestarted),
        pytest.raises(WorkerFailure, match=r"Worker tcp://worker:1 was lost \(again and again\) .* 5 times"),
    ):
        squares(scheduler, 3)


def test_the_result_of_a_worker_that_cannot_answer_is_read_from_its_part(cluster: Cluster) -> None:
    cluster.faults = ["mute"]
    with connected() as scheduler:
        assert squares(scheduler, 3) == [9]
    assert len(cluster.futures) == 1


def test_out_of_memory_is_told_from_a_lost_worker(cluster: Cluster) -> None:
    with (
        connected() as scheduler,
        pytest.warns(WorkerRestarted, match="A worker ran out of memory"),
        pytest.raises(WorkerFailure, match="ran out of memory .* 2 times. Hint: run fewer workers per machine"),
    ):
        scheduler.run([task("run_out_of_memory")])


def test_tasks_are_sent_again_to_a_scheduler_that_was_restarted(cluster: Cluster) -> None:
    with connected() as scheduler:
        cluster.faults, cluster.n_refused = ["forgotten"], 2
        assert squares(scheduler, 3, 4) == [9, 16]
    assert (cluster.n_clients, cluster.n_refused) == (2, 0)


def test_a_scheduler_that_stays_away_is_given_up(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SECONDS_TO_RECONNECT", -1.0)
    with connected() as scheduler:
        cluster.faults, cluster.n_refused = ["forgotten"], 9
        with pytest.raises(WorkerFailure, match=r"There is no Dask scheduler at tcp://scheduler:8786\. Hint: start"):
            squares(scheduler, 3)


def test_a_cancelled_task_leaves_the_queue_of_the_scheduler(cluster: Cluster) -> None:
    cluster.faults = ["waiting", "waiting"]
    cancelled, left = task("square", number=3), task("square", number=4)
    with DaskExecutor("tcp://scheduler:8786").session() as session:
        session.submit(cancelled)
        session.submit(left)
        assert session.cancel(cancelled.key)
        assert not session.cancel(cancelled.key)
        assert [future.was_cancelled for future in cluster.futures] == [True, False]
    assert [future.was_cancelled for future in cluster.futures] == [True, True]  # nothing of this session stays there
