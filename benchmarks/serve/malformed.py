"""Malformed requests of every kind, each of which must be refused and none of which may harm the others."""

from __future__ import annotations

from collections import Counter

from benchmarks.serve.client import CLOSED, Connection, post

HUGE = 5_000_000  # bytes: more than the service takes by default
PAUSE_SECONDS = 2.0  # in the middle of a slow request
EXPECTED = {400, 413, 422, CLOSED}


class Malformed:
    """Sends one kind after the other."""

    def __init__(self, port: int, path: str) -> None:
        self._port = port
        self._requests = (
            post(path, b'{"texts": ["not closed"'),
            post(path, b'{"texts": "no list", "top": "three"}'),
            post(path, b"x" * HUGE),
            post(path, b'{"texts": ["slow", '),
            b"POST nowhere\r\n\r\n",
        )
        self._slow = 3

    async def __call__(self, connection: Connection, number: int) -> int:
        kind = number % len(self._requests)
        request = self._requests[kind]
        if kind != self._slow:
            return await connection.ask(request, port=self._port)
        half = len(request) - 5
        return await connection.ask(request[:half], request[half:], port=self._port, pause=PAUSE_SECONDS)


def described(statuses: Counter[int]) -> str:
    """Return how the malformed requests were answered."""
    return ", ".join(f"{n:,} x {status or 'closed'}" for status, n in sorted(statuses.items()))
