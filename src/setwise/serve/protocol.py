"""HTTP on one connection: uvicorn's, with a limit on the number of connections and on the time that a request takes.

uvicorn waits as long as it takes for the head of a request, and for the rest of a body that was refused. Here a client
that sends too slowly gets 408, and the connection is closed.
"""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from setwise.serve.problems import MEDIA_TYPE, Problem
from setwise.serve.settings import Limits

__all__ = ["limited_protocol"]


def limited_protocol(limits: Limits) -> type[asyncio.Protocol]:
    """Return the class of connections that keep to the limits."""

    class LimitedProtocol(_LimitedProtocol):
        max_connections = limits.max_connections
        seconds = limits.request_seconds

    return LimitedProtocol


class _LimitedProtocol(H11Protocol):
    max_connections: int
    seconds: float
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        if len(self.connections) > self.max_connections:
            self._refuse(
                Problem(503, f"More than {self.max_connections:,} connections are open; try again in a second.")
            )
        else:
            self._start_timer()

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:  # a request is being answered
            self._stop_timer()
        elif self._timer is None:
            self._start_timer()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self._timer is None and self.conn.their_state is h11.SEND_BODY:  # what is left of a refused body
            self._start_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        self._refuse(Problem(400, "The request is no valid HTTP."))

    def _start_timer(self) -> None:
        self._timer = self.loop.call_later(self.seconds, self._end)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _end(self) -> None:
        """Close the connection of a client that is too slow; tell it where no answer has begun."""
        self._timer = None
        if self.transport.is_closing():
            return
        if self.conn.our_state is h11.IDLE:
            self._refuse(Problem(408, f"No request arrived within {self.seconds:g} seconds; send it again."))
        else:
            self.transport.close()

    def _refuse(self, problem: Problem) -> None:
        body = problem.body()
        head = (
            f"HTTP/1.1 {problem.status.value} {problem.status.phrase}\r\ncontent-type: {MEDIA_TYPE}\r\n"
            f"content-length: {len(body)}\r\nretry-after: 1\r\nconnection: close\r\n\r\n"
        )
        self.transport.write(head.encode() + body)
        self.transport.close()
