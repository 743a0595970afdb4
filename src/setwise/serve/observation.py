"""Around every request: the headers that guard the page, one line in the access log, and the counters."""

from __future__ import annotations

import os
from contextlib import suppress
from datetime import UTC, datetime
from time import perf_counter
from typing import Any

import orjson
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from setwise.serve.access import SECURITY_HEADERS
from setwise.serve.metrics import OTHER, Metrics

__all__ = ["OPERATION", "Observation"]

OPERATION = "setwise.operation"
"""Key of the scope under which an endpoint notes the name of its operation."""

_MAX_PATH = 200
"""Characters of a path that the log repeats."""

_STANDARD_OUTPUT = 1


class Observation:
    """Wraps an application; nothing of what texts or labels say reaches the log."""

    def __init__(self, app: ASGIApp, metrics: Metrics, writes_log: bool) -> None:
        self.app = app
        self.metrics = metrics
        self._writes_log = writes_log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, and note it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started = perf_counter()
        status, n_bytes = 500, 0

        async def observed(message: Message) -> None:
            nonlocal status, n_bytes
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message.get("headers", ()), *SECURITY_HEADERS]
            else:
                n_bytes += len(message.get("body", b""))
            await send(message)

        self.metrics.count_in_progress(1)
        try:
            await self.app(scope, receive, observed)
        finally:
            seconds = perf_counter() - started
            self.metrics.count_in_progress(-1)
            self.metrics.count_request(scope.get(OPERATION, OTHER), status, seconds)
            if self._writes_log:
                _write_line(scope, status, n_bytes, seconds)


def _write_line(scope: Scope, status: int, n_bytes: int, seconds: float) -> None:
    client = scope.get("client")
    row: dict[str, Any] = {
        "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "client": None if client is None else client[0],
        "method": scope["method"],
        "path": scope["path"][:_MAX_PATH],
        "status": status,
        "bytes": n_bytes,
        "ms": round(1000.0 * seconds, 2),
        "worker": os.getpid(),
    }
    with suppress(OSError):  # a log that nobody reads any more is no reason to fail
        os.write(_STANDARD_OUTPUT, orjson.dumps(row, default=repr, option=orjson.OPT_APPEND_NEWLINE))
