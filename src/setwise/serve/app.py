"""The application: routes drawn from the operations, and what happens to every request around its handler."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import orjson
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from setwise.serve import annif, endpoints, open_inference
from setwise.serve.access import check_host, check_token
from setwise.serve.bodies import read_form, read_json
from setwise.serve.observation import OPERATION, Observation
from setwise.serve.openapi import document
from setwise.serve.operations import Call, Operation, Reply
from setwise.serve.problems import MEDIA_TYPE, Problem
from setwise.serve.schemas import schemas
from setwise.serve.service import Service
from setwise.serve.settings import Settings
from setwise.serve.static_files import page_routes
from setwise.serve.validation import check

__all__ = ["create_app", "operations_of"]

Lifespan = Callable[[Service], AbstractAsyncContextManager[None]]

_RETRY = {"retry-after": "1"}

CLIENT_GONE = 499
"""Status that is logged for a client that has gone; nobody receives it."""


def operations_of(settings: Settings) -> tuple[Operation, ...]:
    """Return the operations of a service with these settings."""
    more = annif.OPERATIONS if settings.annif else ()
    return (*endpoints.OPERATIONS, *open_inference.OPERATIONS, *more, OPENAPI)


def create_app(service: Service, lifespan: Lifespan | None = None) -> Observation:
    """Return the ASGI application of a worker.

    Parameters
    ----------
    service : Service
    lifespan : callable, optional
        Returns the context in which the worker answers requests.
    """
    settings = service.settings
    operations = operations_of(settings)
    described = schemas(settings.limits)
    names = [name for name, _ in settings.models]
    service.openapi = orjson.dumps(document(operations, described, names, has_token=settings.token is not None))

    def check_name(request: Request) -> None:
        check_host(request.headers.get("host"), settings.hosts)

    def route(operation: Operation) -> Route:
        schema = None if operation.request is None else described[operation.request]
        endpoint = _endpoint(service, operation, schema, check_name)
        return Route(operation.path, endpoint, methods=[operation.method], name=operation.name)

    @asynccontextmanager
    async def run(app: Starlette) -> AsyncIterator[None]:
        try:
            if lifespan is None:
                yield
            else:
                async with lifespan(service):
                    yield
        finally:
            service.close()

    app = Starlette(
        routes=[*map(route, operations), *page_routes(check_name)],
        lifespan=run,
        exception_handlers={
            Problem: _send_problem,
            HTTPException: _send_http_problem,
            ClientDisconnect: _note_disconnect,
            Exception: _send_failure,
        },
    )
    app.router.redirect_slashes = False
    return Observation(app, service.metrics, settings.access_log)


def _endpoint(
    service: Service, operation: Operation, schema: dict[str, Any] | None, check_name: Callable[[Request], object]
) -> Callable[[Request], Awaitable[Response]]:
    """Return the endpoint of an operation: admission, body, checks, handler."""
    settings = service.settings
    limits = settings.limits
    handler, status = operation.handler, operation.status

    async def answer(request: Request) -> Response:
        request.scope[OPERATION] = operation.name
        check_name(request)
        if operation.is_open:
            return _response(await handler(service, Call(None, None)), status)
        check_token(request.headers.get("authorization"), settings.token)
        model = service.models.get(request.path_params["model"]) if operation.names_model else None
        body = None
        if schema is not None:
            body = await (read_form if operation.form else read_json)(request, limits)
            check(body, schema)
        return _response(await handled(Call(model, body)), status)

    async def handled(call: Call) -> Reply:
        if service.n_answered_now >= limits.max_concurrent:
            detail = f"{limits.max_concurrent:,} requests are being answered; try again in a second."
            raise Problem(503, detail, _RETRY)
        service.n_answered_now += 1
        try:
            async with asyncio.timeout(limits.request_seconds):
                return await handler(service, call)
        except TimeoutError:
            detail = f"There was no answer within {limits.request_seconds:g} seconds; send less, or try again."
            raise Problem(503, detail, _RETRY) from None
        finally:
            service.n_answered_now -= 1

    return answer


def _response(reply: Reply, status: int) -> Response:
    return Response(reply.body, status, media_type=reply.media_type)


async def _send_problem(request: Request, error: Exception) -> Response:
    assert isinstance(error, Problem)
    return Response(error.body(), error.status, error.headers, MEDIA_TYPE)


async def _send_http_problem(request: Request, error: Exception) -> Response:
    """Answer where there is no such path, or no such method."""
    assert isinstance(error, HTTPException)
    path, method = request.scope["path"][:100], request.method[:20]  # a URL cannot be built from every Host header
    details = {
        404: f"There is nothing at {path}; /openapi.json lists what there is.",
        405: f"{path} cannot be asked by {method}; /openapi.json lists what can.",
    }
    problem = Problem(error.status_code, details.get(error.status_code, str(error.detail)), error.headers)
    return await _send_problem(request, problem)


async def _send_failure(request: Request, error: Exception) -> Response:
    """Answer where the service itself has failed; what happened is in its log alone."""
    return await _send_problem(request, Problem(500, "The service has failed; its log says why."))


async def _note_disconnect(request: Request, error: Exception) -> Response:
    return Response(status_code=CLIENT_GONE)


async def _openapi(service: Service, call: Call) -> Reply:
    return Reply(service.openapi)


OPENAPI = Operation("GET", "/openapi.json", "openapi", "Return this document.", _openapi, "OpenApi", is_open=True)
