"""Requests that arrive together are predicted together, in one thread beside the event loop.

A batch starts a moment after its first request, or as soon as the batch before it has ended. What is predicted for a
document depends on that document alone, so that nobody can tell by the answer what else was in the batch.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Generic, TypeVar

__all__ = ["Batcher"]

MAX_BATCH = 512
"""Units of work, such as texts, after which a batch takes no more requests."""

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(eq=False)
class _Waiting(Generic[Item, Result]):
    item: Item
    size: int
    done: asyncio.Future[Result] = field(default_factory=lambda: asyncio.get_running_loop().create_future())


class Batcher(Generic[Item, Result]):
    """Collects items and passes them to a function in one thread, several at a time.

    Parameters
    ----------
    work : callable
        Called with the items of a batch; returns one result or exception per item.
    wait_seconds : float
        How long the first item of a batch waits for others.
    on_batch : callable
        Called with the total size of each batch.
    """

    def __init__(
        self,
        work: Callable[[Sequence[Item]], Sequence[Result | Exception]],
        wait_seconds: float,
        on_batch: Callable[[int], object],
    ) -> None:
        self._work = work
        self._wait_seconds = wait_seconds
        self._on_batch = on_batch
        self._thread = ThreadPoolExecutor(1, "predict")
        self._waiting: deque[_Waiting[Item, Result]] = deque()
        self._is_started = False  # a batch runs, or is about to

    async def submit(self, item: Item, size: int) -> Result:
        """Return the result for an item, which counts as ``size`` in its batch."""
        waiting = _Waiting[Item, Result](item, size)
        self._waiting.append(waiting)
        if not self._is_started:
            self._is_started = True
            asyncio.get_running_loop().call_later(self._wait_seconds, self._start)
        return await waiting.done

    def close(self) -> None:
        """End the thread after the batch that it works on."""
        self._thread.shutdown()

    def _start(self) -> None:
        batch: list[_Waiting[Item, Result]] = []
        size = 0
        while self._waiting and (not batch or size + self._waiting[0].size <= MAX_BATCH):
            first = self._waiting.popleft()
            if not first.done.done():  # whoever waited may have gone
                batch.append(first)
                size += first.size
        if not batch:
            self._is_started = False
            return
        self._on_batch(size)
        running = asyncio.get_running_loop().run_in_executor(self._thread, self._work, [one.item for one in batch])
        running.add_done_callback(lambda ended: self._finish(batch, ended))

    def _finish(self, batch: list[_Waiting[Item, Result]], ended: asyncio.Future[Sequence[Result | Exception]]) -> None:
        failed = ended.exception()
        results: Sequence[Result | BaseException] = [failed] * len(batch) if failed is not None else ended.result()
        for one, result in zip(batch, results, strict=True):
            if one.done.done():
                continue
            if isinstance(result, BaseException):
                one.done.set_exception(result)
            else:
                one.done.set_result(result)
        self._start()
