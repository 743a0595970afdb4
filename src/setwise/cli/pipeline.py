"""A pipeline: items pass through stages, each in a thread of its own, so that the stages overlap."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any

from setwise.cli.runtime import rare_collections

__all__ = ["MAX_IN_FLIGHT", "run_pipeline"]

MAX_IN_FLIGHT = 3
"""Items in memory at a time: one being read, one in each of two stages, and none waiting for long."""

SECONDS_BETWEEN_SWITCHES = 0.0005
"""A stage that returns from the core waits as long for the thread that reads; a tenth of what is usual in Python."""

Stage = Callable[[Any], Any]


def run_pipeline(
    items: Iterable[Any],
    *stages: Stage,
    max_in_flight: int = MAX_IN_FLIGHT,
    on_interrupt: Callable[[], object] | None = None,
) -> None:
    """Pass each item through all stages, in order; the results of the last stage are dropped.

    The items are read in the calling thread, so that Ctrl-C ends a read that waits for input. At most ``max_in_flight``
    items are between the first and the last stage. An error ends the run as it would in a loop: all earlier items have
    passed all stages, and no later one reaches the stage that failed. No thread is left when it returns or raises.
    Ctrl-C calls ``on_interrupt``, which must end a stage that waits for the reader of its output.
    """
    with rare_collections(), _quick_switches(), ExitStack() as stack:
        workers = [ThreadPoolExecutor(1, f"stage-{number}") for number, _ in enumerate(stages)]
        for worker in reversed(workers):  # the first stage ends first, so that no other waits for it
            stack.callback(worker.shutdown, cancel_futures=True)
        stack.enter_context(_calling_on_interrupt(on_interrupt))
        last: list[Future[Any] | None] = [None] * len(stages)
        in_flight: deque[Future[Any]] = deque()
        remaining = iter(items)
        while True:
            while len(in_flight) >= max_in_flight or (in_flight and in_flight[0].done()):
                in_flight.popleft().result()
            try:
                item = next(remaining)
            except StopIteration:
                break
            except Exception:
                _finish(in_flight)  # an error of an earlier item comes first
                raise
            passed: Future[Any] = Future()
            passed.set_result(item)
            del item
            for number, (worker, stage) in enumerate(zip(workers, stages, strict=True)):
                passed = worker.submit(partial(_pass, stage, [passed], last[number]))
                last[number] = passed
            in_flight.append(passed)
        _finish(in_flight)


@contextmanager
def _calling_on_interrupt(on_interrupt: Callable[[], object] | None) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        if on_interrupt is not None:
            on_interrupt()
        raise


@contextmanager
def _quick_switches() -> Iterator[None]:
    """Let Python's threads take turns quickly while the block runs."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(min(SECONDS_BETWEEN_SWITCHES, usual))
    try:
        yield
    finally:
        sys.setswitchinterval(usual)


def _pass(stage: Stage, before: list[Future[Any]], previous: Future[Any] | None) -> Any:
    """Apply a stage to the result of the stage before, unless that or this stage failed on an earlier item."""
    if previous is not None:
        previous.result()
    return stage(before.pop().result())


def _finish(in_flight: deque[Future[Any]]) -> None:
    while in_flight:
        in_flight.popleft().result()
