"""The static page at ``/``: the files of the folder ``page``, read once."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

__all__ = ["FOLDER", "page_routes"]

FOLDER = Path(__file__).with_name("page")

_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


def page_routes(check: Callable[[Request], object]) -> list[Route]:
    """Return one route per file; ``index.html`` is at ``/``. ``check`` may refuse a request by raising."""
    files = sorted(file for file in FOLDER.iterdir() if file.suffix in _TYPES)
    return [
        Route("/" if file.name == "index.html" else f"/{file.name}", _endpoint(file, check), methods=["GET"])
        for file in files
    ]


def _endpoint(file: Path, check: Callable[[Request], object]) -> Callable[[Request], Awaitable[Response]]:
    content = file.read_bytes()
    tag = f'"{hashlib.sha256(content).hexdigest()[:16]}"'
    headers = {"etag": tag, "cache-control": "no-cache"}

    async def send(request: Request) -> Response:
        check(request)
        if request.headers.get("if-none-match") == tag:
            return Response(status_code=304, headers=headers)
        return Response(content, media_type=_TYPES[file.suffix], headers=headers)

    return send
