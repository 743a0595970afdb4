"""The pipeline: order, bounded memory, errors of every stage, and no thread left behind."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Iterator
from time import sleep

import pytest

from setwise.cli.pipeline import run_pipeline

N_ITEMS = 50
WAIT_SECONDS = 10.0


@pytest.fixture(autouse=True)
def threads_end_and_collections_resume() -> Iterator[None]:
    before, threshold, interval = threading.active_count(), gc.get_threshold(), sys.getswitchinterval()
    yield
    assert threading.active_count() == before
    assert gc.get_threshold() == threshold
    assert sys.getswitchinterval() == interval


def test_items_pass_all_stages_in_order() -> None:
    written: list[int] = []

    def square(item: int) -> int:
        sleep(0.001 * (item % 3))  # items take different times
        return item * item

    run_pipeline(range(N_ITEMS), square, written.append)
    assert written == [item * item for item in range(N_ITEMS)]


def test_nothing_to_do() -> None:
    written: list[int] = []
    run_pipeline([], written.append)
    assert written == []


def test_stages_overlap() -> None:
    """The second item is in the first stage while the first item is in the second."""
    meeting = threading.Barrier(2)

    def first(item: int) -> int:
        if item == 1:
            meeting.wait(WAIT_SECONDS)
        return item

    def second(item: int) -> None:
        if item == 0:
            meeting.wait(WAIT_SECONDS)

    run_pipeline(range(2), first, second)


def test_reading_overlaps_with_the_stages() -> None:
    meeting = threading.Barrier(2)

    def items() -> Iterator[int]:
        yield 0
        meeting.wait(WAIT_SECONDS)
        yield 1

    run_pipeline(items(), lambda item: None if item else meeting.wait(WAIT_SECONDS))


@pytest.mark.parametrize("max_in_flight", [1, 3])
def test_few_items_are_in_flight(max_in_flight: int) -> None:
    n_read = n_written = most = 0

    def items() -> Iterator[int]:
        nonlocal n_read, most
        for item in range(N_ITEMS):
            n_read += 1
            most = max(most, n_read - n_written)
            yield item

    def write(item: int) -> None:
        nonlocal n_written
        sleep(0.001)
        n_written += 1

    run_pipeline(items(), lambda item: item, write, max_in_flight=max_in_flight)
    assert n_written == N_ITEMS
    assert most <= max_in_flight  # the one being read, and those that are not written


@pytest.mark.parametrize("failing", ["read", "predict", "write"])
def test_an_error_comes_after_all_earlier_items(failing: str) -> None:
    written: list[int] = []

    def fail(stage: str, item: int) -> int:
        if stage == failing and item == 5:
            raise ValueError(f"{stage} failed")
        return item

    def write(item: int) -> None:
        sleep(0.001)
        written.append(fail("write", item))

    items = (fail("read", item) for item in range(N_ITEMS))
    with pytest.raises(ValueError, match=f"{failing} failed"):
        run_pipeline(items, lambda item: fail("predict", item), write)
    assert written == [0, 1, 2, 3, 4]


def test_the_error_of_the_earliest_item_is_raised() -> None:
    def items() -> Iterator[int]:
        yield 0
        raise ValueError("read failed")

    def write(item: int) -> None:
        sleep(0.01)
        raise BrokenPipeError

    with pytest.raises(BrokenPipeError):
        run_pipeline(items(), lambda item: item, write)


def test_an_endless_input_ends_with_its_consumer() -> None:
    def items() -> Iterator[int]:
        while True:
            yield 0

    def write(item: int) -> None:
        raise BrokenPipeError

    with pytest.raises(BrokenPipeError):
        run_pipeline(items(), lambda item: item, write)


def test_an_interrupt_writes_nothing_more_than_what_is_in_flight() -> None:
    written: list[int] = []

    def items() -> Iterator[int]:
        yield 0
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_pipeline(items(), lambda item: item, written.append)
    assert written in ([], [0])


def test_an_interrupt_ends_a_stage_that_waits() -> None:
    writing, released = threading.Event(), threading.Event()

    def items() -> Iterator[int]:
        yield 0
        writing.wait(WAIT_SECONDS)
        raise KeyboardInterrupt

    def write(item: int) -> None:
        writing.set()
        assert released.wait(WAIT_SECONDS)

    with pytest.raises(KeyboardInterrupt):
        run_pipeline(items(), write, on_interrupt=released.set)
    assert released.is_set()
