"""Errors of the service: each is one sentence, sent as ``application/problem+json`` (RFC 9457)."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus

import orjson

__all__ = ["MEDIA_TYPE", "Problem"]

MEDIA_TYPE = "application/problem+json"


class Problem(Exception):
    """A request that cannot be answered as it was meant.

    Parameters
    ----------
    status : int
        HTTP status.
    detail : str
        One sentence: what is wrong, and what to do.
    headers : mapping, optional
        More headers of the answer.
    """

    def __init__(self, status: int, detail: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(detail)
        self.status = HTTPStatus(status)
        self.detail = detail
        self.headers = dict(headers or {})

    def body(self) -> bytes:
        """Return the answer as JSON."""
        return orjson.dumps(
            {"type": "about:blank", "title": self.status.phrase, "status": self.status.value, "detail": self.detail}
        )
