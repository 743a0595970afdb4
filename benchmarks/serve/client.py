"""A cheap client for load: raw connections of asyncio and prepared requests, one at a time per connection."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from time import perf_counter

import numpy as np

TIMEOUT_SECONDS = 30.0  # whoever waits longer for an answer has lost it
CLOSED = 0  # stands for the status where the connection was closed without an answer


@dataclass
class Load:
    """What a run of load has seen."""

    seconds: float = 0.0
    latencies: list[float] = field(default_factory=list)  # seconds of good requests that were answered
    statuses: Counter[int] = field(default_factory=Counter)  # of good requests
    bad_statuses: Counter[int] = field(default_factory=Counter)

    @property
    def n_lost(self) -> int:
        """Good requests that were not answered as they should."""
        return self.statuses.total() - self.statuses[200]

    def percentile(self, share: float) -> float:
        """Return the milliseconds that this share of the good requests did not exceed."""
        return float(np.percentile(self.latencies, share)) * 1000.0 if self.latencies else float("nan")


class Connection(asyncio.Protocol):
    """One connection, which reads one answer at a time."""

    def __init__(self) -> None:
        self._received = b""
        self._answer: asyncio.Future[int] | None = None
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._received += data
        end = self._received.find(b"\r\n\r\n") + 4
        if end < 4:
            return
        head = self._received[:end].lower()
        length = int(head.partition(b"content-length:")[2].partition(b"\r\n")[0])
        if len(self._received) >= end + length:
            self._received = b""
            self._end(int(head[9:12]))
            if b"connection: close" in head:
                self.close()

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None
        self._end(CLOSED)

    async def ask(self, *parts: bytes, port: int, pause: float = 0.0) -> int:
        """Send a request, with a pause after each part but the last, and return the status of the answer."""
        if self._transport is None:
            await asyncio.get_running_loop().create_connection(lambda: self, "127.0.0.1", port)
        answer: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._answer = answer
        self._write(parts[0])
        for part in parts[1:]:
            if pause:
                await asyncio.sleep(pause)
            self._write(part)
        async with asyncio.timeout(TIMEOUT_SECONDS):
            return await answer

    def close(self) -> None:
        """Close the connection at once, whatever was not sent yet: the other side may have stopped to read it."""
        if self._transport is not None:
            self._transport.abort()
            self._transport = None

    def _write(self, part: bytes) -> None:
        if self._transport is not None:
            self._transport.write(part)

    def _end(self, status: int) -> None:
        if self._answer is not None and not self._answer.done():
            self._answer.set_result(status)


Bad = Callable[[Connection, int], Awaitable[int]]
"""Sends one malformed request, the one of this number, and returns the status of the answer."""


def post(path: str, body: bytes, content_type: str = "application/json") -> bytes:
    """Return the bytes of a request."""
    head = f"POST {path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: {content_type}\r\n"
    return f"{head}content-length: {len(body)}\r\n\r\n".encode() + body


async def send_load(
    port: int,
    requests: Sequence[bytes],
    n_connections: int,
    seconds: float,
    bad: Bad | None = None,
    bad_every: int = 10,
) -> Load:
    """Send requests over some connections for some seconds, each as soon as the one before is answered.

    With ``bad``, one in ``bad_every`` is malformed. It is sent over another connection, so that a slow one does not
    take the time of good ones.
    """
    load = Load()
    started = perf_counter()
    running: set[asyncio.Task[None]] = set()

    async def send_bad(number: int) -> None:
        assert bad is not None
        connection = Connection()
        status = CLOSED
        with suppress(OSError, TimeoutError):
            status = await bad(connection, number)
        load.bad_statuses[status] += 1
        connection.close()

    async def work(first: int) -> None:
        connection = Connection()
        number = first
        while perf_counter() - started < seconds:
            number += n_connections
            if bad is not None and number // n_connections % bad_every == 0:
                task = asyncio.get_running_loop().create_task(send_bad(number // (n_connections * bad_every) + first))
                running.add(task)
                task.add_done_callback(running.discard)
            begun = perf_counter()
            status = CLOSED
            with suppress(OSError, TimeoutError):
                status = await connection.ask(requests[number % len(requests)], port=port)
            load.statuses[status] += 1
            if status == 200:
                load.latencies.append(perf_counter() - begun)
        connection.close()

    await asyncio.gather(*map(work, range(n_connections)))
    load.seconds = perf_counter() - started
    while running:
        await asyncio.wait(running)
    await asyncio.sleep(0)  # the sockets of closed connections are closed in the next round of the loop
    return load
