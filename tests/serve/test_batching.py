"""Requests are predicted together, and nobody can tell."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from setwise.serve.batching import MAX_BATCH, Batcher
from setwise.serve.models import LoadedModel
from setwise.serve.predicting import Options, PredictJob, predict_jobs, predictions_body
from setwise.serve.problems import Problem
from tests.serve.small import TEXTS


class Recorder:
    """Doubles numbers, notes the batches, and can be held."""

    def __init__(self) -> None:
        self.batches: list[list[int]] = []
        self.sizes: list[int] = []
        self.may_go_on = threading.Event()
        self.may_go_on.set()

    def work(self, items: Sequence[int]) -> list[int | Exception]:
        self.batches.append(list(items))
        self.may_go_on.wait()
        return [ValueError(f"{item} is odd") if item % 2 else 2 * item for item in items]

    def batcher(self, seconds: float = 0.01) -> Batcher[int, int]:
        return Batcher(self.work, seconds, self.sizes.append)


def test_what_comes_together_is_one_batch() -> None:
    recorder = Recorder()

    async def run() -> list[int]:
        batcher = recorder.batcher()
        first = list(await asyncio.gather(*(batcher.submit(2 * k, 3) for k in range(4))))
        first.append(await batcher.submit(10, 1))
        batcher.close()
        return first

    assert asyncio.run(run()) == [0, 4, 8, 12, 20]
    assert recorder.batches == [[0, 2, 4, 6], [10]]
    assert recorder.sizes == [12, 1]


def test_what_comes_while_a_batch_runs_is_the_next_one() -> None:
    recorder = Recorder()
    recorder.may_go_on.clear()

    async def run() -> None:
        batcher = recorder.batcher(0.0)
        first = asyncio.ensure_future(batcher.submit(0, 1))
        while not recorder.batches:
            await asyncio.sleep(0.001)
        others = [asyncio.ensure_future(batcher.submit(2 * k, MAX_BATCH // 2)) for k in (1, 2, 3)]
        await asyncio.sleep(0.01)
        recorder.may_go_on.set()
        await asyncio.gather(first, *others)
        batcher.close()

    asyncio.run(run())
    assert recorder.batches == [[0], [2, 4], [6]]  # a batch is not larger than its limit


def test_an_error_reaches_its_own_request_alone() -> None:
    recorder = Recorder()

    async def run() -> list[int | BaseException]:
        batcher = recorder.batcher()
        found = await asyncio.gather(*(batcher.submit(k, 1) for k in (2, 3, 4)), return_exceptions=True)
        batcher.close()
        return found

    first, second, third = asyncio.run(run())
    assert (first, str(second), third) == (4, "3 is odd", 8)


def test_a_batch_that_fails_fails_all_of_it_and_nothing_after() -> None:
    calls = []

    def work(items: Sequence[int]) -> list[int | Exception]:
        calls.append(items)
        if len(calls) == 1:
            raise MemoryError
        return [*items]

    async def run() -> None:
        batcher = Batcher[int, int](work, 0.001, lambda size: None)
        for outcome in await asyncio.gather(batcher.submit(1, 1), batcher.submit(2, 1), return_exceptions=True):
            assert isinstance(outcome, MemoryError)
        assert await batcher.submit(3, 1) == 3
        batcher.close()

    asyncio.run(run())


def test_who_has_gone_is_left_out() -> None:
    recorder = Recorder()

    async def run() -> None:
        batcher = recorder.batcher()
        gone = asyncio.ensure_future(batcher.submit(2, 1))
        stays = asyncio.ensure_future(batcher.submit(4, 1))
        await asyncio.sleep(0)
        gone.cancel()
        assert await stays == 8
        alone = asyncio.ensure_future(batcher.submit(6, 1))
        await asyncio.sleep(0)
        alone.cancel()
        await asyncio.sleep(0.05)
        assert await batcher.submit(8, 1) == 16
        batcher.close()

    asyncio.run(run())
    assert recorder.batches == [[4], [8]]


@pytest.fixture(scope="module")
def loaded(model: Path) -> LoadedModel:
    return LoadedModel.load("news", str(model))


def test_the_answer_does_not_depend_on_the_batch(loaded: LoadedModel) -> None:
    options = (Options(), Options(top=3), Options(least_probability=0.1), Options(threshold=0.3))
    jobs = [
        PredictJob(loaded, TEXTS[k : k + 1 + k % 3], options[k % 4], predictions_body([None] * (1 + k % 3)))
        for k in range(12)
    ]
    together = predict_jobs(jobs)
    assert together == [predict_jobs([job])[0] for job in jobs]
    assert len(set(together)) == len(jobs)


def test_who_is_to_blame_is_found_out(loaded: LoadedModel) -> None:
    jobs = [PredictJob(loaded, TEXTS[:1], Options(), predictions_body([None])) for _ in range(3)]
    bad = PredictJob(loaded, [3], Options(), predictions_body([None]))  # type: ignore[list-item]
    first, failed, *others = predict_jobs([jobs[0], bad, *jobs[1:]])
    assert isinstance(failed, Problem)
    assert (failed.status, failed.detail) == (422, "texts must be strings; got a value of type int as text 0.")
    assert isinstance(first, bytes)
    assert [first] * 2 == others
    assert json.loads(first)["version"] == loaded.version
