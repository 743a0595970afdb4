"""The body of a request: read within its limits of size and time, and parsed."""

from __future__ import annotations

import asyncio
from typing import Any
from urllib.parse import parse_qs

import orjson
from starlette.requests import ClientDisconnect, Request

from setwise.serve.problems import Problem
from setwise.serve.settings import Limits

__all__ = ["read_form", "read_json"]

MAX_FIELDS = 100
"""Fields of a form."""


async def read_json(request: Request, limits: Limits) -> Any:
    """Return the value that a body of JSON has."""
    _require_type(request, "application/json")
    body = await _read(request, limits)
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError as error:
        what = f"no JSON: {error}" if body else "empty; send a JSON object"
        raise Problem(400, f"The body is {what}.") from None


async def read_form(request: Request, limits: Limits) -> dict[str, str]:
    """Return the fields of a form; of a field that comes twice the first counts."""
    _require_type(request, "application/x-www-form-urlencoded")
    body = await _read(request, limits)
    try:
        fields = parse_qs(body.decode(), keep_blank_values=True, max_num_fields=MAX_FIELDS, errors="strict")
    except ValueError as error:
        raise Problem(400, f"The body is no form in UTF-8: {error}.") from None
    return {name: values[0] for name, values in fields.items()}


def _require_type(request: Request, expected: str) -> None:
    """Refuse other types, so that no page of another site can send a request without being asked first."""
    given = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if given != expected:
        raise Problem(415, f"The content type must be {expected}; it is {given[:100] or 'missing'}.")


async def _read(request: Request, limits: Limits) -> bytes:
    stated = request.headers.get("content-length", "")
    too_large = Problem(413, f"The body must have at most {limits.max_body_bytes:,} bytes; it has more.")
    if stated.isdigit() and int(stated) > limits.max_body_bytes:
        raise too_large
    chunks, size = [], 0
    try:
        async with asyncio.timeout(limits.request_seconds):
            while True:
                message = await request.receive()
                if message["type"] == "http.disconnect":
                    raise ClientDisconnect
                chunk = message.get("body", b"")
                size += len(chunk)
                if size > limits.max_body_bytes:
                    raise too_large
                chunks.append(chunk)
                if not message.get("more_body", False):
                    return b"".join(chunks)
    except TimeoutError:
        detail = f"The request did not arrive within {limits.request_seconds:g} seconds; send it again."
        raise Problem(408, detail, {"connection": "close"}) from None
